"""Evaluation of a fitted ranker on labeled rows: certificates and permutation importance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from podium import _input, inference
from podium._results import wording
from podium._results.result import Result, Table
from podium._shares import normal_quantile
from podium._types import BoolArray, FloatArray, Sample
from podium.exceptions import InputError
from podium.inference import Certificate, certificate
from podium.inference.lists.influence import variance_of_rows
from podium.metrics.linear import statistic
from podium.phi import Phi, resolve
from podium.rankers.door import is_frame, rows_of, with_column_in_order
from podium.rankers.fingerprints import Fingerprints


@dataclass(frozen=True, kw_only=True, repr=False)
class FeatureEffects(Result):
    """How much ω_φ falls when a feature is permuted, one entry per feature, with intervals.

    Attributes
    ----------
    names : sequence of str
        The names of the features.
    effect : array
        The fall of ω_φ, one entry per feature.
    low, high : array
        Limits of the intervals.
    standard_error : array
        The standard error of each effect.
    omega : float
        ω_φ of the original rows.
    confidence_level : float
        The confidence level of each interval separately.
    phi : str
        The specification of φ.
    """

    names: tuple[str, ...]
    effect: FloatArray
    low: FloatArray
    high: FloatArray
    standard_error: FloatArray
    omega: float
    confidence_level: float
    phi: str

    def __repr__(self) -> str:
        largest = np.argsort(-self.effect)[:5]
        falls = ", ".join(
            wording.minus(f"{self.effect[j]:z.3f} ({self.low[j]:z.3f} to {self.high[j]:z.3f})")
            + f" without {self.names[j]}"
            for j in largest
        )
        more = "" if len(self.names) <= 5 else f", and {len(self.names) - 5} more features"
        name, level = wording.statistic(self.phi), wording.level(self.confidence_level)
        return f"{name} {self.omega:.3f}; it falls by {falls}{more} ({level} intervals)"

    def _table(self) -> Table:
        heading = ("shuffled feature", f"fall of the {wording.statistic(self.phi)}", "low", "high", "standard error")
        order = np.argsort(-self.effect)
        return heading, [
            (self.names[j], self.effect[j], self.low[j], self.high[j], self.standard_error[j]) for j in order
        ]


def shuffled_effects(
    score: Callable[[Any], FloatArray],
    X: Any,
    is_positive: BoolArray,
    weight: FloatArray | None,
    names: tuple[str, ...],
    phi: Phi,
    n_repeats: int,
    level: float,
    random_state: Any,
) -> FeatureEffects:
    r"""Permutation importance of every feature, measured on ω_φ.

    .. math:: \mathrm{effect}_j = \hat\omega_\phi(s(X)) - \frac1R \sum_{r \le R} \hat\omega_\phi(s(X^{(j, r)}))

    with column j shuffled anew in each of the R repeats. Rows are the same on both sides, so the variance is that of
    the difference of their influence values, and shuffling adds the variance of its mean.
    """
    rng = check_random_state(random_state)
    omega, influence = _omega_and_influence(score(X), is_positive, weight, phi)
    effect, error = np.empty(len(names)), np.empty(len(names))
    for j in range(len(names)):
        shuffled = [
            _omega_and_influence(score(_with_column_shuffled(X, j, rng)), is_positive, weight, phi)
            for _ in range(n_repeats)
        ]
        omegas = np.array([value for value, _ in shuffled])
        difference = influence - np.mean([values for _, values in shuffled], axis=0)
        variance = variance_of_rows(difference, Sample(difference, is_positive, weight))
        if n_repeats > 1:
            variance += float(omegas.var(ddof=1)) / n_repeats
        effect[j], error[j] = omega - omegas.mean(), np.sqrt(variance)
    reach = normal_quantile(level) * error
    return FeatureEffects(
        names=names,
        effect=effect,
        low=effect - reach,
        high=effect + reach,
        standard_error=error,
        omega=omega,
        confidence_level=level,
        phi=str(phi),
    )


def _omega_and_influence(
    scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None, phi: Phi
) -> tuple[float, FloatArray]:
    values = inference.influence_values(is_positive, scores, phi, sample_weight=weight)
    return statistic(Sample(scores, is_positive, weight), phi), values


def _with_column_shuffled(X: Any, j: int, rng: np.random.RandomState) -> Any:
    order = rng.permutation(X.shape[0])
    if is_frame(X):
        return with_column_in_order(X, j, order)
    if not isinstance(X, np.ndarray):
        parts: list[Any] = [X[:, :j], X[order][:, [j]], X[:, j + 1 :]]
        return sparse.hstack(parts, format="csr")
    shuffled = X.copy()
    shuffled[:, j] = X[order, j]
    return shuffled


class JudgedByRows:
    """The part of a ranker that evaluates it on labeled rows."""

    classes_: npt.NDArray[Any]
    n_features_in_: int
    _training_fingerprints: Fingerprints

    def decision_function(self, X: npt.ArrayLike) -> FloatArray:
        """The score of every row."""
        raise NotImplementedError

    def _checked_rows(self, X: npt.ArrayLike) -> Any:
        raise NotImplementedError

    def _scores_of(self, rows: Any) -> FloatArray:
        raise NotImplementedError

    @property
    def class_dimension_(self) -> int | None:
        """Of how many features, fixed before the data were seen, the score is a linear function; None if unknown."""
        return None

    def certificate(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        *,
        confidence_level: float = 0.95,
        phi: Phi | str | None = None,
        held_out: bool | None = None,
    ) -> Certificate:
        """A guarantee for this ranker on new rows, with its confidence, theorem and assumption.

        Held-out rows give a range that holds for every distribution. Training rows give one only if
        ``class_dimension_`` is known, and with a few hundred rows it is vacuous.

        Parameters
        ----------
        X, y : array-like
            Rows and their labels, as in ``fit``.
        confidence_level : float
            The probability with which the statement holds, at least.
        phi : Phi or str, optional
            Which part of the list matters; by default the φ used in training, else the AUC.
        held_out : bool, optional
            Whether no row was used to train or choose the ranker. By default, whether the ranker does not recognize
            them: it keeps short fingerprints of up to 1,000 training rows. This detects a training set or a part of
            one, but not a single row, nor choices that you made yourself by looking at these rows.

        Returns
        -------
        Certificate
            See :func:`podium.inference.certificate`; print it to read it.

        Examples
        --------
        >>> from podium import LinearRanker
        >>> from podium.datasets import LocationModel
        >>> model = LocationModel(0.3, dimension=2)
        >>> ranker = LinearRanker().fit(*model.sample(500, 500, rng=0))
        >>> print(ranker.certificate(*model.sample(1000, 1000, rng=1)))
        With probability at least 95 %, the AUC of this scorer is between 0.5... and 0.6... (0.6... on these rows).
        Theorem: Chernoff's inequality over min(n, m) disjoint pairs (podium.bounds.kl_interval).
        Assumption: The rows are independent draws from the population the scorer will meet, and no row had a ...
        """
        scores, is_positive = self.decision_function(X), self._known_labels(y)
        if held_out is None:
            rows = self._checked_rows(X)
            held_out = not self._training_fingerprints.recognize(rows)
        dimension = None if held_out else self.class_dimension_
        chosen = self._trained_phi() if phi is None else phi
        return certificate(
            is_positive,
            scores,
            chosen,
            confidence_level=confidence_level,
            held_out=held_out,
            dimension=dimension,
        )

    def feature_effects(
        self,
        X: npt.ArrayLike,
        y: npt.ArrayLike,
        phi: Phi | str = "auc",
        *,
        n_repeats: int = 5,
        confidence_level: float = 0.95,
        sample_weight: npt.ArrayLike | None = None,
        random_state: Any = None,
    ) -> FeatureEffects:
        """Permutation importance: how much ω_φ falls when a feature is permuted, with an interval.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Held-out rows. Correlated features share their effect or mask it, since the other remains when one is
            permuted.
        y : array-like of shape (n_rows,)
            The labels of these rows.
        phi : Phi or str
            Which part of the list matters; see `podium.phi`.
        n_repeats : int
            How often each feature is permuted.
        confidence_level : float
            The confidence level of each interval separately; limits are two-sided.
        sample_weight : array-like, optional
            Row weights; a weight of 3 is equivalent to three equal rows.
        random_state : int, RandomState or None
            The seed of the permutations.

        Returns
        -------
        FeatureEffects
            Arrays ``effect``, ``low``, ``high``, ``standard_error``, one entry per feature, and their ``names``.
        """
        check_is_fitted(self)
        rows = self._checked_rows(X)
        level = _input.check_fraction("confidence_level", confidence_level)
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        sample = _input.check_sample(self._known_labels(y), np.zeros(rows.shape[0]), sample_weight)
        if sample_weight is not None:
            rows = rows_of(rows, np.asarray(sample_weight) > 0)
        return shuffled_effects(
            self._scores_of,
            rows,
            sample.is_positive,
            sample.weight,
            tuple(map(str, names)),
            resolve(phi),
            _input.check_integer("n_repeats", n_repeats, 1),
            level,
            random_state,
        )

    def _trained_phi(self) -> Phi:
        raise NotImplementedError

    def _known_labels(self, y: npt.ArrayLike) -> BoolArray:
        """Which rows are positive, by the labels of the training rows."""
        labels = np.asarray(y)
        if not np.isin(labels, self.classes_).all():
            raise InputError(
                f"y must have the labels of the training rows, {self.classes_.tolist()}; got "
                f"{np.unique(labels).tolist()}.",
                "a ranker can only be evaluated on the two classes it was trained on.",
            )
        return np.asarray(labels == self.classes_[-1])
