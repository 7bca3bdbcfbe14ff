"""Which criterion to train with: compared on left-out rows by the metric that matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import sklearn
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils import get_tags

from podium import _input, metrics
from podium._progress import Progress
from podium._results.result import Result, Table
from podium._types import BoolArray, FloatArray
from podium.criteria import Criterion, resolve
from podium.exceptions import DegenerateSampleError, InputError
from podium.metrics.scorers import estimator_scores
from podium.phi import Mww, Phi
from podium.rankers import LinearRanker, Ranker
from podium.rankers.calibration.left_out import LeftOutScores, left_out_scores
from podium.rankers.door import rows_of
from podium.rankers.folds import Groups, stratified_folds
from podium.rankers.members import raw_scores, weights_for


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class CriterionComparison(Result):
    """A metric of left-out rows for every criterion (rows of ``values``) and fold (columns).

    Attributes
    ----------
    criteria : tuple of str
        The criteria that were compared.
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
        """The mean of every criterion over the splits."""
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


class CriterionSearch(Ranker):
    """A ranker with the criterion that is best on left-out rows.

    The goal is a metric on new rows; which criterion, and how strong a push, is best for it depends on the table. A
    difference below about two standard errors is no reason to prefer one.

    Parameters
    ----------
    ranker : Ranker, optional
        Anything with a parameter ``criterion``, also a pipeline that ends in it; :class:`podium.LinearRanker` by
        default.
    criteria : sequence of Criterion, Phi or str
        The criteria to try.
    metric : Phi or str
        The selection metric: a φ for ω_φ, or a name for :func:`podium.metrics.metric`, such as ``"partial-auc:0.05"``.
    cv : int or splitter
        The folds, as in scikit-learn; a number means stratified folds, fewer if a class has fewer rows.
    class_weight : dict, "balanced" or None
        Class weights, as in scikit-learn. Criteria that compare ranks of pairs hardly change; ``predict`` and
        probabilities refer to the weighted classes.
    pos_label : object, optional
        The positive label; by default the last of the two in sorted order.
    calibrate : {"isotonic", "platt"}, optional
        How scores are mapped to probabilities for ``predict_proba``, in five-fold cross-validation of the selected
        ranker; not by default.
    n_jobs : int, optional
        Number of processes for the fits.
    verbose : int
        1 shows a progress line with the time.
    random_state : int, RandomState or None
        The seed of the folds. With None a fixed seed is used, so repeated fits agree.

    Attributes
    ----------
    comparison_ : CriterionComparison
        The best criterion, and its lead in standard errors; print it to read it.
    best_criterion_ : Criterion, Phi or str
        The criterion with the largest mean.
    best_ranker_ : Ranker
        The ranker with that criterion, fitted to all rows.
    threshold_ : float
        ``predict`` returns the positive class for scores above it.
    calibration_ : object
        The map from scores to probabilities, with ``calibrate``.
    classes_ : ndarray
        The two labels, the positive one last.

    Examples
    --------
    >>> from podium.datasets import LocationModel
    >>> from podium.selection import CriterionSearch
    >>> X, y = LocationModel(0.3).sample(100, 200, rng=0)
    >>> search = CriterionSearch(criteria=["auc", "push:2"], metric="partial-auc:0.2", random_state=0).fit(X, y)
    >>> search.comparison_.criteria
    ('auc', 'push:2')
    """

    comparison_: CriterionComparison
    best_criterion_: Any
    best_ranker_: Any

    def __init__(
        self,
        ranker: Ranker | None = None,
        criteria: Sequence[Criterion | Phi | str] = ("auc", "power:3", "push:1", "push:2", "push:4"),
        *,
        metric: Phi | str = "auc",
        cv: Any = 5,
        class_weight: dict[Any, float] | str | None = None,
        pos_label: Any = None,
        calibrate: str | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.ranker = ranker
        self.criteria = criteria
        self.metric = metric
        self.cv = cv
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.calibrate = calibrate
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _fit(
        self,
        X: Any,
        is_positive: BoolArray,
        weight: FloatArray | None,
        *,
        membership: BoolArray | None = None,
        groups: Groups | None = None,
    ) -> None:
        if isinstance(self.criteria, str) or len(self.criteria) == 0:
            raise InputError(f"criteria must be a list of at least one criterion; got {self.criteria!r}.")
        metric, base = metrics.metric(self.metric), self._base()
        if membership is None:
            folds = self._folds(is_positive, groups)
        else:
            folds = [(train, test) for train, test in membership.transpose(1, 2, 0)]
        parameter = criterion_parameter(base)
        candidates = [clone(base).set_params(**{parameter: criterion}) for criterion in self.criteria]
        values = self._values(candidates, folds, metric, X, is_positive, weight)
        names = tuple(str(criterion) for criterion in self.criteria)
        self.comparison_ = CriterionComparison(criteria=names, metric=str(self.metric), values=values)
        best = self.comparison_.best
        self.best_criterion_ = self.criteria[best]
        self.best_ranker_ = candidates[best].fit(X, is_positive, **weights_for(candidates[best], weight))

    def _values(
        self, candidates: list[Any], folds: list[Any], metric: Any, X: Any, is_positive: Any, weight: Any
    ) -> FloatArray:
        """The metric of left-out rows, a row for every candidate and a column for every fold."""
        total = len(candidates) * len(folds)
        progress = Progress(type(self).__name__, total, enabled=bool(self.verbose))
        values = []
        for value in Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(_left_out)(each, metric, X, is_positive, weight, *fold) for each in candidates for fold in folds
        ):
            values.append(value)
            progress.update(len(values))
        progress.close()
        return np.array(values).reshape(len(candidates), len(folds))

    def _keeps_frames(self) -> bool:
        return self.ranker is not None

    def _left_out_scores(
        self, X: Any, is_positive: BoolArray, weight: FloatArray | None, groups: Groups | None
    ) -> LeftOutScores:
        return left_out_scores(self.best_ranker_, X, is_positive, weight, groups, self._scores(X))

    def _base(self) -> Any:
        return LinearRanker() if self.ranker is None else self.ranker

    def _accepts_sparse(self) -> bool:
        return bool(get_tags(self._base()).input_tags.sparse)

    def _accepts_missing(self) -> bool:
        return bool(get_tags(self._base()).input_tags.allow_nan)

    def _trained_phi(self) -> Phi:
        phi = resolve(self.best_criterion_).phi
        return Mww() if phi is None else phi

    def _scores(self, X: Any) -> FloatArray:
        # In old files the threshold is one of the best ranker's scores less its own.
        return (estimator_scores if self._predates_frames else raw_scores)(self.best_ranker_, X)

    def _by_row(self, X: Any, y: Any, groups: Groups | None) -> dict[str, Any]:
        if isinstance(self.cv, int):
            return {} if groups is None else {"groups": groups}
        splits = list(
            sklearn.model_selection.check_cv(self.cv).split(X, y, groups)
        )  # they count all rows, also those of weight zero
        membership = np.zeros((len(y), len(splits), 2), dtype=np.bool_)
        for k, parts in enumerate(splits):
            for side, rows in enumerate(parts):
                membership[rows, k, side] = True
        return {"membership": membership}

    def _folds(self, is_positive: BoolArray, groups: Groups | None) -> list[tuple[Any, Any]]:
        n_folds = _input.check_integer("cv", self.cv, 2, hint="folds to train on and folds to leave out.")
        fold = stratified_folds(is_positive, n_folds, 0 if self.random_state is None else self.random_state, groups)
        if not fold.any():
            smaller = int(min(is_positive.sum(), (~is_positive).sum()))
            what = "rows" if groups is None else "groups"
            raise DegenerateSampleError(f"A search over criteria needs two {what} of either class; got {smaller} rows.")
        return [(fold != k, fold == k) for k in range(fold.max() + 1)]


def criterion_parameter(ranker: Any) -> str:
    """The name of the parameter that takes the criterion: of a pipeline, that of its last step with one."""
    names = [name for name in ranker.get_params() if name.split("__")[-1] == "criterion"]
    if not names:
        raise InputError(f"A search over criteria needs a ranker with a parameter criterion; got {ranker!r}.")
    return min(reversed(names), key=lambda name: name.count("__"))


def _left_out(
    ranker: Any, metric: Any, X: Any, is_positive: Any, weight: FloatArray | None, train: Any, test: Any
) -> float:
    """The metric of the rows left out, by a ranker fitted to the others."""
    weights = weights_for(ranker, None if weight is None else weight[train])
    fitted = clone(ranker).fit(rows_of(X, train), is_positive[train], **weights)
    weight = None if weight is None else weight[test]
    return float(metric(is_positive[test], estimator_scores(fitted, rows_of(X, test)), sample_weight=weight))
