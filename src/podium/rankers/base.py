"""Base class of rankers: scikit-learn classifiers of two classes whose decision function is the score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from podium import _input, criteria
from podium._types import Array, BoolArray, FloatArray, Sometimes
from podium.columns.encode import EncodedRows, Encoder
from podium.exceptions import DegenerateSampleError, InputError
from podium.phi import Mww, Phi
from podium.rankers import door
from podium.rankers.calibration.curves import fit_calibration
from podium.rankers.calibration.left_out import LeftOutScores, left_out_scores
from podium.rankers.calibration.shapes import Isotonic, Platt
from podium.rankers.door import Categories, is_frame, rows_of, takes_collections
from podium.rankers.fingerprints import Fingerprints
from podium.rankers.folds import Groups
from podium.rankers.judging import JudgedByRows
from podium.rankers.two_classes import best_threshold, two_labels


class Ranker(JudgedByRows, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Base of the rankers: input, labels, class weights, threshold, probabilities.

    A subclass fits in ``_fit(X, is_positive, weight)`` and scores in ``_scores(X)``. Scores are meaningful up to an
    increasing map; ``decision_function`` shifts them so that zero is the threshold of ``predict``. Parameters of a
    subclass with one of the names below are handled here.
    """

    class_weight: dict[Any, float] | str | None = None
    pos_label: Any = None
    calibrate: str | None = None
    categorical_features: Sequence[int | str] = ()
    warm_start: bool = False

    classes_: Array
    n_features_in_: int
    feature_names_in_: Sometimes[Array]
    threshold_: float
    calibration_: Sometimes[Isotonic | Platt]
    _categories: Categories | None = None
    _fitted_to_frame: bool = False
    _encoder: Encoder | None = None  # of columns that are not numbers, or have missing values
    _training_fingerprints: Fingerprints
    _predates_frames: bool = False  # read from a file of a version that took no data frames, and added up otherwise

    @takes_collections
    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None, *, groups: Any = None) -> Self:
        """Learn to rank the positive rows above the others.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows. Dask arrays and dataframes are not gathered (linear, quadratic, XGBoost); LazyFrames of polars and
            datasets of Arrow are read in blocks (linear, quadratic, LightGBM).
        y : array-like of shape (n_rows,), or str
            Two classes; ``classes_[1]`` is the positive one. Of a table, ``y``, ``sample_weight`` and ``groups`` may be
            names of columns of X, which are then not learned from.
        sample_weight : array-like of shape (n_rows,), optional
            A weight of 3 is equivalent to three equal rows; rows of weight zero are ignored.
        groups : array-like of shape (n_rows,), optional
            The unit of each row, such as a patient or a household: in every internal split (for ``calibrate``, early
            stopping, stacking), rows of one group stay together. The ridge penalty and the bandwidth of linear rankers
            are still chosen row by row.
        """
        return self._fit_rows(X, y, sample_weight, groups)

    def _fit_rows(self, X: Any, y: Any, sample_weight: Any, groups: Any, **options: Any) -> Self:
        """Check everything once, and fit; options go to ``_fit`` as they are."""
        n_before = getattr(self, "n_features_in_", None) if self.warm_start else None
        X, y, self._categories = door.open_to_training(self, X, y)
        if n_before not in (None, X.shape[1]):
            raise InputError(
                f"With warm_start a fit goes on with the columns of the last one, {n_before}; got {X.shape[1]}.",
                "clone(ranker) forgets the last fit.",
            )
        self._fitted_to_frame = is_frame(X)
        is_positive = self._two_classes(y)
        group = None if groups is None else _input.check_groups(groups, len(is_positive))
        by_row = self._by_row(X, y, group)
        weight = None
        if sample_weight is not None:
            weight = _input.check_weights(sample_weight, len(is_positive), _input.HEAVIEST_IN_PRODUCTS)
            counts = weight > 0
            if not counts.all():
                X, is_positive, weight = rows_of(X, counts), is_positive[counts], weight[counts]
                by_row = {name: values[counts] for name, values in by_row.items()}
                group = None if group is None else group[counts]
        self._require_both_classes(is_positive, weight)
        if self.class_weight is not None:
            factors = compute_sample_weight(self.class_weight, self.classes_[is_positive.astype(np.intp)])
            weight = factors if weight is None else weight * factors
        self._training_fingerprints = Fingerprints.of_training(X)
        self._encoder = None
        if self._encodes(X):
            encoded = door.encoded_training(self, X, is_positive)
            X, options = encoded.X, options | self._by_encoding(encoded)
        try:
            self._fit(X, is_positive, weight, **by_row, **options)
        except MemoryError as error:
            n_rows, n_columns = X.shape
            raise InputError(
                f"{type(self).__name__} could not hold what it needs for {n_rows:,} rows of {n_columns:,} columns: "
                f"{error or 'the memory is used up'}.",
                "use fewer rows or columns, or a larger machine.",
            ) from error
        self.threshold_ = best_threshold(self._training_scores(X), is_positive, weight)
        if self.calibrate is not None:
            left_out = self._left_out_scores(X, is_positive, weight, group)
            self.calibration_ = fit_calibration(self.calibrate, left_out.values, is_positive, weight)
            left_out.warn_if_order_is_lost(self.calibration_(left_out.values), is_positive, weight)
            if np.isfinite(self.calibration_.even):
                self.threshold_ = self.calibration_.even  # to predict the more probable class
        return self

    def _left_to_add(self, parameter: str, n_there: int) -> int:
        """How many more trees or rounds ``parameter`` asks for than there are; with ``warm_start`` it asks for all."""
        wanted = _input.check_integer(parameter, getattr(self, parameter), 1)
        if wanted < n_there:
            raise InputError(
                f"With warm_start, {parameter} must be at least the {n_there} that there are; got {wanted}.",
                "clone(ranker) forgets the last fit.",
            )
        return wanted - n_there

    def _trained_phi(self) -> Phi:
        """The φ of the criterion; that of the AUC where it has none."""
        criterion = getattr(self, "criterion", None)
        phi = None if criterion is None else criteria.resolve(criterion).phi
        return Mww() if phi is None else phi

    def _left_out_scores(
        self, X: Any, is_positive: BoolArray, weight: FloatArray | None, groups: Groups | None
    ) -> LeftOutScores:
        """Scores of the training rows by models that did not see them, before the threshold is taken off."""
        return left_out_scores(self, X, is_positive, weight, groups, self._scores(X))

    @takes_collections
    def decision_function(self, X: npt.ArrayLike) -> FloatArray:
        """The score of every row in double precision, less ``threshold_``; larger is more positive.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows to score.
        """
        check_is_fitted(self)
        return self._scores_of(self._checked_rows(X)) - self.threshold_

    @takes_collections
    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """``classes_[1]`` for scores above ``threshold_``, which best separates the training rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows, with the same columns as in training.
        """
        above = self.decision_function(X) > 0  # first: it says so where nothing is fitted
        return self.classes_[above.astype(np.intp)]

    @available_if(lambda self: self.calibrate is not None)  # type: ignore[untyped-decorator]
    @takes_collections
    def predict_proba(self, X: npt.ArrayLike) -> FloatArray:
        """The probability of each of ``classes_``, with ``calibrate``: increasing in the score, cross-validated.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows to score.
        """
        check_is_fitted(self)
        chance = self.calibration_(self.decision_function(X) + self.threshold_)
        return np.column_stack([1 - chance, chance])

    def _accepts_sparse(self) -> bool:
        return False

    def _accepts_missing(self) -> bool:
        return False

    def _accepts_categories(self) -> bool:
        return "categorical_features" in vars(self)  # the class has it for all

    def _keeps_frames(self) -> bool:
        """Whether data frames go to members as they are; these check them."""
        return False

    def _encodes(self, X: Any) -> bool:
        """Whether these training rows are turned into numbers by an encoder, which the ranker then keeps."""
        return False

    def _by_encoding(self, encoded: EncodedRows) -> dict[str, Any]:
        """What else ``_fit`` takes for rows that were encoded, by name."""
        return {}

    def _scores_of(self, rows: Any) -> FloatArray:
        """Scores of rows as they come through the door."""
        return self._scores(door.encoded_rows(self, rows))

    def _input_rules(self) -> dict[str, Any]:
        return {
            "accept_sparse": "csr" if self._accepts_sparse() else False,
            "ensure_all_finite": "allow-nan" if self._accepts_missing() else True,
            "dtype": np.float64,
        }

    def _checked_rows(self, X: npt.ArrayLike) -> Any:
        return door.open_to_rows(self, X, self._categories)

    def _categorical_columns(self, n_columns: int) -> tuple[int, ...]:
        """Positions of the columns of categories: those that are named, and those of a data frame's own."""
        own = () if self._categories is None else self._categories.values
        names = list(getattr(self, "feature_names_in_", ()))
        given = [names.index(j) if isinstance(j, str) and j in names else j for j in self.categorical_features]
        checked = (_input.check_integer("categorical_features", j, 0, n_columns - 1) for j in given)
        return tuple(sorted({*checked, *own}))

    def _fit(self, X: Any, is_positive: BoolArray, weight: FloatArray | None) -> None:
        raise NotImplementedError

    def _by_row(self, X: Any, y: npt.NDArray[Any], groups: Groups | None) -> dict[str, Any]:
        """What else ``_fit`` takes for every row, by name; rows of weight zero are left out of it, too."""
        return {}

    def _training_scores(self, X: Any) -> FloatArray:
        """Scores of the rows fitted to, from which the threshold is chosen."""
        return self._scores(X)

    def _two_classes(self, y: npt.NDArray[Any]) -> BoolArray:
        self.classes_ = two_labels(y, self.pos_label)
        return np.asarray(y == self.classes_[-1]) if len(self.classes_) == 2 else np.ones(len(y), dtype=np.bool_)

    def _require_both_classes(self, is_positive: BoolArray, weight: FloatArray | None) -> None:
        n_pos = int(is_positive.sum())
        if n_pos in (0, len(is_positive)):
            raise DegenerateSampleError(
                f"{type(self).__name__} needs rows of both classes; got {n_pos} positive and "
                f"{len(is_positive) - n_pos} negative{'' if weight is None else ' of positive weight'}: one class only."
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = self._accepts_sparse()
        tags.input_tags.allow_nan = self._accepts_missing()
        tags.input_tags.categorical = self._accepts_categories()
        return tags
