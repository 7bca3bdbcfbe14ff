"""What every ranker is: a scikit-learn classifier of two classes whose decision function is the score."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from podium import _input, criteria
from podium import phi as phi_
from podium._types import BoolArray, FloatArray
from podium.exceptions import DegenerateSampleError, InputError
from podium.inference import Certificate, certificate
from podium.phi import Mww, Phi
from podium.rankers.calibration.curves import fit_calibration
from podium.rankers.calibration.left_out import left_out_scores
from podium.rankers.feature_effects import FeatureEffects, shuffled_effects
from podium.rankers.fingerprints import Fingerprints
from podium.rankers.two_classes import best_threshold, two_labels


class Ranker(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Base of the rankers: input, labels, threshold.

    A subclass fits in ``_fit(X, is_positive, weight)`` and scores in ``_scores(X)``. Scores are meaningful up to an
    increasing map; ``decision_function`` shifts them so that zero is the threshold of ``predict``.
    """

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Ranker:
        """Learn to rank the rows of the last class in sorted order above the others.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            Two classes; ``classes_[1]`` is the positive one.
        sample_weight : array-like of shape (n_rows,), optional
            A weight of 3 is three equal rows; rows of weight zero are left out.
        """
        with np.errstate(invalid="ignore"):  # a sum of its check may be infinity less infinity
            X, y = validate_data(self, X, y, **self._input_rules())
        is_positive, by_row = self._two_classes(y), self._by_row(X, y)
        weight = None
        if sample_weight is not None:
            weight = _input.check_weights(sample_weight, len(is_positive), _input.HEAVIEST_IN_PRODUCTS)
            counts = weight > 0
            if not counts.all():
                X, is_positive, weight = X[counts], is_positive[counts], weight[counts]
                by_row = {name: values[counts] for name, values in by_row.items()}
        n_pos = int(is_positive.sum())
        if n_pos in (0, len(is_positive)):
            raise DegenerateSampleError(
                f"{type(self).__name__} needs rows of both classes; got {n_pos} positive and "
                f"{len(is_positive) - n_pos} negative{'' if weight is None else ' of positive weight'}: one class only."
            )
        class_weight = getattr(self, "class_weight", None)
        if class_weight is not None:
            factors = compute_sample_weight(class_weight, self.classes_[is_positive.astype(np.intp)])
            weight = factors if weight is None else weight * factors
        self._training_fingerprints = Fingerprints.of_training(X)
        try:
            self._fit(X, is_positive, weight, **by_row)
        except MemoryError as error:
            n_rows, n_columns = X.shape
            raise InputError(
                f"{type(self).__name__} could not hold what it needs for {n_rows:,} rows of {n_columns:,} columns: "
                f"{error or 'the memory is used up'}.",
                "take fewer rows or columns, or a larger machine.",
            ) from error
        self.threshold_ = best_threshold(self._training_scores(X), is_positive, weight)
        if getattr(self, "calibrate", None) is not None:
            self._calibrate(X, is_positive, weight)
        return self

    def _calibrate(self, X: Any, is_positive: BoolArray, weight: FloatArray | None) -> None:
        scores = self._left_out_scores(X, is_positive, weight)
        self.calibration_ = fit_calibration(self.calibrate, scores, is_positive, weight)
        if np.isfinite(self.calibration_.even):
            self.threshold_ = self.calibration_.even  # to predict the more probable class

    def _left_out_scores(self, X: Any, is_positive: BoolArray, weight: FloatArray | None) -> FloatArray:
        """Scores of the training rows by models that did not see them, before the threshold is taken off."""
        return left_out_scores(self, X, is_positive, weight)

    def decision_function(self, X: npt.ArrayLike) -> FloatArray:
        """The score of every row, less ``threshold_``; larger is more positive.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            The rows, with the columns of the training.
        """
        check_is_fitted(self)
        return self._scores(self._checked_rows(X)) - self.threshold_

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """``classes_[1]`` where the score is above ``threshold_``, which separates the training rows best.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            The rows, with the columns of the training.
        """
        return self.classes_[(self.decision_function(X) > 0).astype(np.intp)]

    @available_if(lambda self: getattr(self, "calibrate", None) is not None)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: npt.ArrayLike) -> FloatArray:
        """The probability of each of ``classes_``, with ``calibrate``: rises with the score, learned on rows left out.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The rows.
        """
        check_is_fitted(self)
        chance = self.calibration_(self.decision_function(X) + self.threshold_)
        return np.column_stack([1 - chance, chance])

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
        """What is guaranteed for this ranker on new rows, at which confidence, by which theorem, on which assumption.

        Rows that were held out give a range that holds whatever the distribution. Training rows give one only where
        ``class_dimension_`` is known, and with some hundreds of rows it is vacuous.

        Parameters
        ----------
        X, y : array-like
            Rows and their labels, as in ``fit``.
        confidence_level : float
            The probability with which the statement is true, at least.
        phi : Phi or str, optional
            Which part of the list matters; by default the φ the ranker was trained for, else the AUC.
        held_out : bool, optional
            Whether no row had a part in making or choosing the ranker. By default, whether the ranker does not
            recognize them: it keeps short fingerprints of up to 1,000 training rows. That finds a training set or a
            part of one, not a single row, and nothing that you chose yourself by looking at these rows.

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
        """How much ω_φ falls when a feature is shuffled, with an interval: permutation importance on your own measure.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Rows that were not fitted to. Features that tell the same tale share their effect or hide it: each is still
            there when the other is shuffled.
        y : array-like of shape (n_rows,)
            Their labels.
        phi : Phi or str
            Which part of the list matters; see `podium.phi`.
        n_repeats : int
            How often each feature is shuffled.
        confidence_level : float
            The probability with which each interval, by itself, holds what it is about; limits are two-sided.
        sample_weight : array-like, optional
            How often every row counts.
        random_state : int, RandomState or None
            The seed of the shuffling.

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

    def _trained_phi(self) -> Phi:
        criterion = getattr(self, "criterion", None)
        phi = None if criterion is None else criteria.resolve(criterion).phi
        return Mww() if phi is None else phi

    def _accepts_sparse(self) -> bool:
        return False

    def _accepts_missing(self) -> bool:
        return False

    def _input_rules(self) -> dict[str, Any]:
        return {
            "accept_sparse": "csr" if self._accepts_sparse() else False,
            "ensure_all_finite": "allow-nan" if self._accepts_missing() else True,
            "dtype": np.float64,
        }

    def _checked_rows(self, X: npt.ArrayLike) -> Any:
        with np.errstate(invalid="ignore"):
            return validate_data(self, X, reset=False, **self._input_rules())

    def _fit(self, X: Any, is_positive: BoolArray, weight: FloatArray | None) -> None:
        raise NotImplementedError

    def _scores(self, X: Any) -> FloatArray:
        raise NotImplementedError

    def _by_row(self, X: Any, y: npt.NDArray[Any]) -> dict[str, Any]:
        """What else ``_fit`` takes for every row, by name; rows of weight zero are left out of it, too."""
        return {}

    def _training_scores(self, X: Any) -> FloatArray:
        """Scores of the rows fitted to, from which the threshold is chosen."""
        return self._scores(X)

    def _known_labels(self, y: npt.ArrayLike) -> BoolArray:
        """Which rows are positive, by the labels of the training rows."""
        labels = np.asarray(y)
        if not np.isin(labels, self.classes_).all():
            raise InputError(
                f"y must have the labels of the training rows, {self.classes_.tolist()}; got "
                f"{np.unique(labels).tolist()}.",
                "a ranker can be judged on the two classes only that it was trained to tell apart.",
            )
        return np.asarray(labels == self.classes_[-1])

    def _two_classes(self, y: npt.NDArray[Any]) -> BoolArray:
        self.classes_ = two_labels(y, getattr(self, "pos_label", None))
        return np.asarray(y == self.classes_[-1]) if len(self.classes_) == 2 else np.ones(len(y), dtype=np.bool_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = self._accepts_sparse()
        tags.input_tags.allow_nan = self._accepts_missing()
        return tags
