"""A ranker of more than two classes in order, by any ranker that climbs a criterion."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from podium import _input
from podium._types import Array, FloatArray
from podium.criteria import CrucialPairs
from podium.exceptions import InputError
from podium.metrics import volume_under_surface
from podium.metrics.ordered import graded_sample
from podium.rankers.base import Ranker
from podium.rankers.criterion_ranker import CriterionRanker
from podium.rankers.door import rows_of
from podium.rankers.lines.direction import DirectionRanker
from podium.rankers.lines.linear import LinearRanker
from podium.rankers.trees.gradient_boosted import GradientBoostedRanker


class GradedRanker(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """A score for more than two ordered classes, such as grades of relevance or stages of a disease.

    Rows of a higher class should rank above rows of a lower one: the ranker maximizes
    :class:`podium.criteria.CrucialPairs` over these pairs (R09, §7; CLV21, references [5] and [6]). Where a ranker
    needs two classes, for its start and its threshold, classes are split at the cut that divides the rows most evenly.
    Shrinkage of linear and quadratic rankers towards the plug-in rule of that one cut would hide the other classes
    (three growers of wine, 89 rows: a volume of 0.69 instead of 0.96): unless ``shrinkage`` is a number, it is replaced
    by a ridge penalty of one over the number of rows.

    Parameters
    ----------
    estimator : Ranker, optional
        ``LinearRanker()``, the default, ``QuadraticRanker()``, ``CriterionRanker()`` or ``GradientBoostedRanker()``.
        Its criterion is replaced; it must fit all rows at once, without ``calibrate`` and ``early_stopping``.
    p : float
        How strongly to emphasize the top of every class, at least 1; with 1 all pairs count equally.
    loss : {"logistic", "exponential", "hinge", "squared_hinge"}
        The loss of a pair, as in :class:`podium.criteria.PNormPush`.

    Attributes
    ----------
    estimator_ : Ranker
        The fitted ranker.
    classes_ : ndarray
        The classes in increasing order.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from podium.rankers import GradedRanker
    >>> X, y = load_wine(return_X_y=True)  # three growers, here in the order of their numbers
    >>> round(GradedRanker().fit(X[::2], y[::2]).score(X[1::2], y[1::2]), 2)
    0.94
    """

    classes_: Array
    estimator_: Ranker

    def __init__(self, estimator: Any = None, *, p: float = 1.0, loss: str = "logistic") -> None:
        self.estimator = estimator
        self.p = p
        self.loss = loss

    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn to rank rows of higher classes above those of lower ones.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows, as accepted by the ranker.
        y : array-like of shape (n_rows,)
            Labels with two to twenty distinct values, in the natural order of numbers, booleans or text.
        sample_weight : array-like of shape (n_rows,), optional
            A weight of 3 is equivalent to three equal rows; rows of weight zero are ignored.

        Returns
        -------
        GradedRanker
            The fitted ranker itself.
        """
        labels = _labels(X, y)
        classes, _ = graded_sample(labels, np.zeros(len(labels)))
        weight = None
        if sample_weight is not None:
            weight = _input.check_weights(sample_weight, len(classes), _input.HEAVIEST_IN_PRODUCTS)
            counts = weight > 0
            X = rows_of(X if hasattr(X, "shape") else np.asarray(X), counts)
            labels, weight = labels[counts], weight[counts]
            classes, _ = graded_sample(labels, np.zeros(len(labels)))
        self.classes_ = np.unique(labels)
        n_upto = np.cumsum(np.bincount(classes, weight))
        cut = 1 + int(np.argmin(np.abs(2 * n_upto[:-1] - n_upto[-1])))
        ranker = self._checked_ranker()
        ranker.set_params(criterion=CrucialPairs(relevance=classes, p=self.p, loss=self.loss))
        if isinstance(ranker, DirectionRanker) and ranker.shrinkage == "auto":
            ranker.set_params(shrinkage=0, alpha=ranker.alpha or 1 / float(n_upto[-1]))
        self.estimator_ = ranker.fit(X, classes >= cut, weight)
        return self

    @property
    def n_features_in_(self) -> int:
        """How many columns the ranker was fitted to."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> npt.NDArray[Any]:
        """The names of the columns, where they came as a data frame."""
        return np.asarray(self.estimator_.feature_names_in_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(LinearRanker() if self.estimator is None else self.estimator).input_tags
        return tags

    def _checked_ranker(self) -> Any:
        ranker = LinearRanker() if self.estimator is None else clone(self.estimator)
        options = ranker.get_params(deep=False)
        if not isinstance(ranker, DirectionRanker | CriterionRanker | GradientBoostedRanker):
            raise InputError(
                f"GradedRanker needs a ranker for arbitrary criteria; got {type(ranker).__name__}.",
                "use LinearRanker, QuadraticRanker, CriterionRanker or GradientBoostedRanker.",
            )
        for name in ("calibrate", "early_stopping"):
            if options.get(name) is not None:
                raise InputError(
                    f"GradedRanker needs a ranker that fits all rows at once; got {name}={options[name]!r}.",
                    "omit it.",
                )
        return ranker

    def decision_function(self, X: Any) -> FloatArray:
        """The score of every row; larger indicates a higher class.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows, with the same columns as in training.

        Returns
        -------
        ndarray
            One score per row.
        """
        check_is_fitted(self)
        return np.asarray(self.estimator_.decision_function(X))

    def score(self, X: Any, y: npt.ArrayLike) -> float:
        """The volume under the ROC surface, :func:`podium.metrics.volume_under_surface`.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows to score.
        y : array-like of shape (n_rows,)
            The classes of these rows.

        Returns
        -------
        float
            The volume, from 0 to 1.
        """
        return volume_under_surface(y, self.decision_function(X))


def _labels(X: Any, y: Any) -> npt.NDArray[Any]:
    """Labels as an array; of objects, as what they are, all text or all numbers."""
    labels: Any = np.asarray(y)
    if "c" in (labels.dtype.kind, getattr(getattr(X, "dtype", None), "kind", "")):
        raise InputError("Complex data not supported: rows and labels must be real.")
    if labels.dtype.kind == "O" and len({isinstance(label, str) for label in labels.tolist()}) == 1:
        return np.asarray(labels.tolist())
    return np.asarray(labels)
