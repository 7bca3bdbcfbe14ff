"""Evaluation of a fitted ranker on labeled rows: certificates and permutation importance."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from podium import _input
from podium._types import BoolArray, FloatArray
from podium.exceptions import InputError
from podium.inference import Certificate, certificate
from podium.phi import Phi, resolve
from podium.rankers.door import rows_of
from podium.rankers.feature_effects import FeatureEffects, shuffled_effects
from podium.rankers.fingerprints import Fingerprints


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

    def _scores(self, X: Any) -> FloatArray:
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
        level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        sample = _input.check_sample(self._known_labels(y), np.zeros(rows.shape[0]), sample_weight)
        if sample_weight is not None:
            rows = rows_of(rows, np.asarray(sample_weight) > 0)
        return shuffled_effects(
            self._scores,
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
