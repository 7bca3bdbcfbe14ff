"""What a ranker owes to each of its features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from podium import _input, _wording, inference
from podium import phi as phi_
from podium._normal import normal_quantile
from podium._result import Result, Table
from podium._types import BoolArray, FloatArray, Sample
from podium.inference.lists.influence import variance_of_rows
from podium.metrics.linear import statistic
from podium.phi import Phi


@dataclass(frozen=True, kw_only=True, repr=False)
class FeatureEffects(Result):
    """How much ω_φ falls when a feature is shuffled, one entry per feature, with limits of an interval."""

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
            f"{_wording.minus(f'{self.effect[j]:.3f}')} ({_wording.minus(f'{self.low[j]:.3f} to {self.high[j]:.3f}')}) "
            f"without {self.names[j]}"
            for j in largest
        )
        more = "" if len(self.names) <= 5 else f", and {len(self.names) - 5} more features"
        name, level = _wording.statistic(self.phi), _wording.level(self.confidence_level)
        return f"{name} {self.omega:.3f}; it falls by {falls}{more} ({level} intervals)"

    def _table(self) -> Table:
        heading = ("shuffled feature", f"fall of the {_wording.statistic(self.phi)}", "low", "high", "standard error")
        order = np.argsort(-self.effect)
        return heading, [
            (self.names[j], self.effect[j], self.low[j], self.high[j], self.standard_error[j]) for j in order
        ]


class ExplainedMixin:
    """A ranker that says what it owes to each of its features."""

    classes_: npt.NDArray[Any]
    n_features_in_: int
    _checked_rows: Callable[[npt.ArrayLike], Any]
    _scores: Callable[[Any], FloatArray]

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
        """How much ω_φ falls when a feature is shuffled, with an interval: permutation importance on your own measure.

        Parameters
        ----------
        X, y : array-like
            Rows that were not fitted to, and their labels. Features that tell the same tale share their effect or
            hide it: each is still there when the other is shuffled.
        phi : Phi or str
            Which part of the list matters; see `podium.phi`.
        n_repeats : int
            How often each feature is shuffled.
        confidence_level : float
            Two-sided, for each feature by itself.
        sample_weight : array-like, optional
            A weight of 3 is three equal rows.
        random_state : int, RandomState or None

        Returns
        -------
        FeatureEffects
            Arrays ``effect``, ``low``, ``high``, ``standard_error``, one entry per feature, and their ``names``.
        """
        check_is_fitted(self)
        rows = self._checked_rows(X)
        level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        sample = _input.check_sample(np.asarray(y) == self.classes_[-1], np.zeros(rows.shape[0]), sample_weight)
        if sample_weight is not None:
            rows = rows[np.asarray(sample_weight) > 0]
        return shuffled_effects(
            self._scores,
            rows,
            sample.is_positive,
            sample.weight,
            tuple(map(str, names)),
            phi_.resolve(phi),
            _input.check_integer("n_repeats", n_repeats, 1),
            level,
            random_state,
        )


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
    if not isinstance(X, np.ndarray):
        parts: list[Any] = [X[:, :j], X[order][:, [j]], X[:, j + 1 :]]
        return sparse.hstack(parts, format="csr")
    shuffled = X.copy()
    shuffled[:, j] = X[order, j]
    return shuffled
