"""Members of a stack: who they are by default, how one is fitted and read, and how little of it a stack keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import clone
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from podium import _optional
from podium._fast import trees
from podium._threads import one_thread
from podium._types import BoolArray, FloatArray
from podium.exceptions import InputError
from podium.metrics.scorers import estimator_scores
from podium.rankers.base import Ranker
from podium.rankers.lines.linear import LinearRanker
from podium.rankers.members import weights_for
from podium.rankers.stack.smooth import KernelLogistic, SmallNetwork
from podium.rankers.trees.gradient_boosted import GradientBoostedRanker

_BLOCK = 1 << 22  # numbers of a sparse matrix made dense at a time

Integers = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ForestArrays:
    """The mean over trees of the share of positives in a row's leaf.

    Every split is that of the forest: it compares numbers in single precision, for which the largest single-precision
    number up to a threshold does what the threshold does. Shares in leaves are rounded to single precision.

    Attributes
    ----------
    n_features : int
        How many columns rows have.
    roots : ndarray
        The first node of every tree; a left child comes right after its parent.
    column : ndarray
        Which column a node looks at; −1 in leaves.
    number : ndarray
        The threshold of a node, up to which rows go left; the share of positives in a leaf.
    right : ndarray
        The right child of a node; 0 in leaves.
    missing_left : ndarray
        Whether a row whose number is missing goes left.
    """

    n_features: int
    roots: Integers
    column: Integers | npt.NDArray[np.int16]
    number: npt.NDArray[np.float32]
    right: Integers
    missing_left: BoolArray

    @classmethod
    def of(cls, forest: Any) -> ForestArrays:
        """From a fitted forest of two classes, the second of them positive."""
        nodes = [_nodes(tree.tree_) for tree in forest.estimators_]
        sizes = [len(column) for column, *_ in nodes]
        roots = np.concatenate([[0], np.cumsum(sizes[:-1])]).astype(np.int32)
        column, number, right, missing_left = map(np.concatenate, zip(*nodes, strict=True))
        right += np.where(column >= 0, np.repeat(roots, sizes), 0).astype(np.int32)
        if forest.n_features_in_ < 2**15:
            column = column.astype(np.int16)
        return cls(int(forest.n_features_in_), roots, column, number, right, missing_left)

    def decision_function(self, X: Any) -> FloatArray:
        """The score of every row."""
        if X.shape[1] != self.n_features:
            raise InputError(f"The forest was fitted to {self.n_features} columns; got {X.shape[1]}.")
        total = np.zeros(X.shape[0])
        step = max(1, _BLOCK // self.n_features) if sparse.issparse(X) else max(1, X.shape[0])
        for start in range(0, X.shape[0], step):
            rows = X[start : start + step]
            rows = rows.toarray() if hasattr(rows, "toarray") else rows
            with np.errstate(over="ignore"):  # beyond single precision: above, or below, all thresholds
                rows = np.ascontiguousarray(rows, dtype=np.float32)
            trees.add_leaves(
                rows, self.roots, self.column, self.number, self.right, self.missing_left, total[start : start + step]
            )
        return total / len(self.roots)


def _nodes(tree: Any) -> tuple[Any, ...]:
    """Columns, numbers, right children and where missing values go, in the order of the walk."""
    left, right = tree.children_left, tree.children_right
    order, place = np.empty(len(left), dtype=np.intp), np.empty(len(left), dtype=np.int32)
    trees.left_first(left, right, order, place)
    is_leaf = left[order] < 0
    shares = tree.value[:, 0, :]
    numbers = np.where(is_leaf, (shares[:, 1] / shares.sum(axis=1))[order], _not_above(tree.threshold[order]))
    return (
        np.where(is_leaf, -1, tree.feature[order]).astype(np.int32),
        numbers.astype(np.float32),
        np.where(is_leaf, 0, place[right[order]]).astype(np.int32),
        tree.missing_go_to_left[order].astype(np.bool_),
    )


def _not_above(threshold: FloatArray) -> FloatArray:
    """The largest numbers of single precision that are not above thresholds."""
    with np.errstate(over="ignore"):  # beyond single precision: the largest number of it, or minus infinity
        single = threshold.astype(np.float32)
    return np.where(single > threshold, np.nextafter(single, np.float32(-np.inf)), single).astype(np.float64)


Members = list[tuple[str, Any]]


def default_members() -> Members:
    """Scorers that err differently: five smooth ones, two forests, and every boosting library that is installed.

    Trees take missing values as they are; to the others they are the median, and a column that says so.
    """
    members: Members = [
        ("logistic", _imputed(LinearRanker("logloss", scaling="quantile"))),
        ("linear", _imputed(LinearRanker("auc"))),
        ("qda", _imputed(StandardScaler(), QuadraticDiscriminantAnalysis(reg_param=0.05))),
        ("kernel", _imputed(KernelLogistic())),
        ("network", _imputed(SmallNetwork())),
        ("random-forest", RandomForestClassifier(200)),
        ("extra-trees", ExtraTreesClassifier(200)),
        ("hist-boosting", HistGradientBoostingClassifier()),
    ]
    for backend in ("lightgbm", "xgboost"):
        if _optional.is_installed(backend):
            members.append((backend, GradientBoostedRanker("logloss", backend=backend)))
    return members


def _imputed(*steps: Any) -> Any:
    return make_pipeline(SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True), *steps)


def resolve_members(rankers: Any) -> Members:
    """Names and estimators, from ``"default"``, a list of estimators, or a list of (name, estimator)."""
    if isinstance(rankers, str) and rankers == "default":
        return default_members()
    if not isinstance(rankers, Sequence) or isinstance(rankers, str) or not rankers:
        raise InputError(
            f"estimators must be 'default' or a list of classifiers; got {rankers!r}.",
            "for instance [LogisticRegression(), ('forest', RandomForestClassifier())].",
        )
    members: Members = []
    for entry in rankers:
        name, estimator = entry if isinstance(entry, tuple) else (type(entry).__name__.lower(), entry)
        taken = {known for known, _ in members}
        while name in taken:
            name += "'"
        if not hasattr(estimator, "fit"):
            raise InputError(f"A member of the stack must have a method fit; got {estimator!r} for {name!r}.")
        members.append((name, estimator))
    return members


def any_accepts(rankers: Any, kind: str) -> bool:
    """Whether a member takes rows of a kind, ``"sparse"`` or ``"allow_nan"``, by its tags; also of a list not valid."""
    members = [entry[1] if isinstance(entry, tuple) and len(entry) == 2 else entry for entry in rankers]
    if isinstance(rankers, str):
        return True
    return any(bool(getattr(get_tags(each).input_tags, kind)) for each in members if hasattr(each, "__sklearn_tags__"))


def fit_member(
    estimator: Any, seed: int, X: Any, is_positive: BoolArray, weight: FloatArray | None, held_out: Any
) -> tuple[Any, FloatArray | None, Exception | None]:
    """A fitted copy and its scores of the rows held out (None: of none), or the reason why there is none.

    Weights go where they are understood. A member that knows none sees every row once.
    """
    try:
        fitted = seeded(estimator, seed)
        # Small products wait for threads longer than these save, and sums depend on their number to the last bit.
        with one_thread():
            fitted.fit(X, is_positive.astype(np.intp), **weights_for(fitted, weight))
            last = fitted[-1] if hasattr(fitted, "steps") else fitted
            if isinstance(last, Ranker):  # an origin that all folds share: where a ranker cuts is half chance
                last.threshold_ += float(np.average(estimator_scores(fitted, X), weights=weight))
            return fitted, None if held_out is None else estimator_scores(fitted, held_out), None
    except Exception as error:  # whatever a stranger's estimator raises: the stack goes on without it
        return None, None, error


def seeded(estimator: Any, seed: int) -> Any:
    """A copy all of whose free random states are set."""
    copy = clone(estimator)
    free = [
        name for name, value in copy.get_params().items() if name.split("__")[-1] == "random_state" and value is None
    ]
    return copy.set_params(**dict.fromkeys(free, seed)) if free else copy


def light(model: Any, *, dense: bool) -> Any:
    """The same scorer with less around it: forests as arrays, rankers of ours without checks; others as they are.

    ``dense`` says whether the rows that it was fitted to were: only then may others be made so.
    """
    if type(model) in (RandomForestClassifier, ExtraTreesClassifier):
        return ForestArrays.of(model) if len(model.classes_) == 2 else model
    if dense and isinstance(model, Pipeline) and len(model) == 2:
        imputer, ranker = model[0], model[1]
        fills_numbers = type(imputer) is SimpleImputer and imputer.strategy in ("mean", "median")
        if fills_numbers and isinstance(ranker, Ranker) and not np.isnan(imputer.statistics_).any():
            return ImputedRanker.of(imputer, ranker)
    return model


@dataclass(frozen=True, eq=False)
class ImputedRanker:
    """A ranker after an imputer, for rows that are checked: to check one row takes longer than to score it.

    Attributes
    ----------
    fillings : ndarray
        By column, the number that stands for a missing one.
    indicated : ndarray
        The columns that have another one, which says where they are missing.
    ranker : Ranker
        The ranker.
    """

    fillings: FloatArray
    indicated: npt.NDArray[np.intp]
    ranker: Ranker

    @classmethod
    def of(cls, imputer: Any, ranker: Ranker) -> ImputedRanker:
        """From the two steps of a fitted pipeline."""
        indicated = imputer.indicator_.features_ if imputer.add_indicator else []
        return cls(np.asarray(imputer.statistics_, dtype=np.float64), np.asarray(indicated, dtype=np.intp), ranker)

    def decision_function(self, X: Any) -> FloatArray:
        """The score of every row."""
        dense = X.toarray() if hasattr(X, "toarray") else X
        is_missing = np.isnan(dense)
        rows = np.where(is_missing, self.fillings, dense)
        if len(self.indicated):
            rows = np.hstack([rows, is_missing[:, self.indicated]])
        if rows.shape[1] != self.ranker.n_features_in_:
            raise InputError(
                f"A {type(self.ranker).__name__} of {self.ranker.n_features_in_} columns got {rows.shape[1]}."
            )
        return self.ranker._scores(rows) - self.ranker.threshold_
