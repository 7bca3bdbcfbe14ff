"""Which criterion to train with: compared on left-out rows by the metric that matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils.validation import check_is_fitted

from podium import _input, metrics
from podium._results.result import Result, Table
from podium._types import FloatArray
from podium.criteria import Criterion
from podium.exceptions import InputError
from podium.phi import Phi
from podium.rankers import LinearRanker, Ranker


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class CriterionComparison(Result):
    """A metric of left-out rows for every criterion (rows of ``values``) and fold (columns).

    Attributes
    ----------
    criteria : tuple of str
        The criteria.
    metric : str
        The metric by which they are compared.
    values : ndarray
        The metric of left-out rows, one row per criterion and one column per fold.
    """

    criteria: tuple[str, ...]
    metric: str
    values: FloatArray

    @property
    def means(self) -> FloatArray:
        return self.values.mean(axis=1)

    @property
    def best(self) -> int:
        """Which criterion has the largest mean."""
        return int(np.argmax(self.means))

    @property
    def gains(self) -> FloatArray:
        """By how much the best mean exceeds each."""
        return self.means[self.best] - self.means

    @property
    def standard_errors(self) -> FloatArray:
        """Of the gains, from differences in the same folds.

        Training sets of K folds overlap, so that s²/K is too small a variance of a mean of differences;
        s²·(1/K + 1/(K − 1)) makes up for it (Nadeau and Bengio, 2003).
        """
        n_folds = self.values.shape[1]
        spread = (self.values[self.best] - self.values).std(axis=1, ddof=1)
        return spread * np.sqrt(1 / n_folds + 1 / (n_folds - 1))

    def __repr__(self) -> str:
        ranked = ", ".join(f"{self.criteria[i]} {self.means[i]:.3f}{self._behind(i)}" for i in self._order)
        return f"{self.metric} of left-out rows, mean of {self.values.shape[1]} folds: {ranked}"

    def __str__(self) -> str:
        width = max(map(len, self.criteria))
        lines = (f"  {self.criteria[i]:{width}}  {self.means[i]:.4f}{self._behind(i)}" for i in self._order)
        return "\n".join([f"{self.metric} of left-out rows, mean of {self.values.shape[1]} folds:", *lines])

    def _table(self) -> Table:
        heading = ("criterion", f"{self.metric}, mean of {self.values.shape[1]} folds", "behind", "standard error")
        gains, errors = self.gains, self.standard_errors
        return heading, [(self.criteria[i], self.means[i], gains[i], errors[i]) for i in self._order]

    @property
    def _order(self) -> npt.NDArray[Any]:
        """The best first."""
        return np.argsort(-self.means, kind="stable")

    def _behind(self, i: int) -> str:
        """How far a criterion is behind the best one."""
        if i == self.best:
            return ""
        gain, error = self.gains[i], self.standard_errors[i]
        ratio = gain / error if error > 0 else np.inf if gain > 0 else 0.0
        return f" (behind by {gain:.4f}, {ratio:.1f} standard errors)"


class CriterionSearch(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped
    """A ranker with the criterion that is best on left-out rows.

    What one wants in the end is a metric of new rows; which criterion gets there, and how strong a push, depends on the
    table. A difference below about two standard errors is no reason to prefer one.

    Parameters
    ----------
    ranker : Ranker, optional
        Anything with a parameter ``criterion``; :class:`podium.LinearRanker` by default.
    criteria : sequence of Criterion, Phi or str
        The criteria to try.
    metric : Phi or str
        What decides: a φ for ω_φ, or a name that :func:`podium.metrics.metric` understands, ``"partial-auc:0.05"``.
    cv : int or splitter
        The folds, as in scikit-learn; a number means stratified ones.
    random_state : int, RandomState or None
        The seed from which the folds are drawn.

    Attributes
    ----------
    comparison_ : CriterionComparison
        Who won, and by how many standard errors; print it to read it.
    best_criterion_ : Criterion, Phi or str
        The criterion with the largest mean.
    best_ranker_ : Ranker
        The ranker with that criterion, fitted to all rows.
    classes_ : ndarray
        The two labels, the positive one last.

    Examples
    --------
    >>> from podium.datasets import LocationModel
    >>> X, y = LocationModel(0.3).sample(100, 200, rng=0)
    >>> search = CriterionSearch(criteria=["auc", "push:2"], metric="partial-auc:0.2", random_state=0).fit(X, y)
    >>> search.comparison_.criteria
    ('auc', 'push:2')
    """

    def __init__(
        self,
        ranker: Ranker | None = None,
        criteria: Sequence[Criterion | Phi | str] = ("auc", "power:3", "push:1", "push:2", "push:4"),
        *,
        metric: Phi | str = "auc",
        cv: Any = 5,
        random_state: Any = None,
    ) -> None:
        self.ranker = ranker
        self.criteria = criteria
        self.metric = metric
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> CriterionSearch:
        """Compare the criteria on the same folds, then fit the best to all rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            The labels, of two classes; the last in sorted order is the positive one.
        sample_weight : array-like, optional
            One weight per row; a weight of 3 is three equal rows.

        Returns
        -------
        CriterionSearch
            The search itself, fitted.
        """
        if isinstance(self.criteria, str) or len(self.criteria) == 0:
            raise InputError(f"criteria must be a list of at least one criterion; got {self.criteria!r}.")
        metric = metrics.metric(self.metric)
        base = LinearRanker() if self.ranker is None else self.ranker
        # The first fit to all rows checks them, once for all criteria.
        candidates = [clone(base).set_params(criterion=criterion) for criterion in self.criteria]
        first = candidates[0].fit(X, y, sample_weight)
        X, y = np.asarray(X), np.asarray(y)
        weight = None if sample_weight is None else _input.check_weights(sample_weight, len(y))
        is_positive, folds = y == first.classes_[-1], self._folds(X, y)
        values = [[_left_out(each, metric, X, is_positive, weight, *fold) for fold in folds] for each in candidates]
        names = tuple(str(criterion) for criterion in self.criteria)
        self.comparison_ = CriterionComparison(criteria=names, metric=str(self.metric), values=np.array(values))
        best = self.comparison_.best
        self.best_criterion_ = self.criteria[best]
        self.best_ranker_ = first if best == 0 else candidates[best].fit(X, y, weight)
        self.classes_, self.n_features_in_ = self.best_ranker_.classes_, self.best_ranker_.n_features_in_
        return self

    def _folds(self, X: Any, y: Any) -> list[tuple[Any, Any]]:
        if isinstance(self.cv, int):
            smaller = int(np.unique(y, return_counts=True)[1].min())
            folds = _input.check_integer("cv", self.cv, 2, hint="folds to train on and folds to leave out.")
            if smaller < folds:
                raise InputError(
                    f"{folds} folds need {folds} rows of either class; got {smaller}.", "take fewer folds."
                )
            return list(StratifiedKFold(folds, shuffle=True, random_state=self.random_state).split(X, y))
        return list(check_cv(self.cv).split(X, y))

    def decision_function(self, X: npt.ArrayLike) -> FloatArray:
        """The score of every row by the best ranker.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray
            One score per row.
        """
        check_is_fitted(self)
        return self.best_ranker_.decision_function(X)

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """The class of every row by the best ranker.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray
            One label per row.
        """
        check_is_fitted(self)
        return self.best_ranker_.predict(X)


def _left_out(
    ranker: Any, metric: Any, X: Any, is_positive: Any, weight: FloatArray | None, train: Any, test: Any
) -> float:
    """The metric of the rows left out, by a ranker fitted to the others."""
    fitted = clone(ranker).fit(X[train], is_positive[train], None if weight is None else weight[train])
    weight = None if weight is None else weight[test]
    return float(metric(is_positive[test], fitted.decision_function(X[test]), sample_weight=weight))
