"""Members of a stack: who they are by default, and how one is fitted and read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from podium import _optional
from podium._threads import one_thread
from podium._types import BoolArray, FloatArray
from podium.exceptions import InputError
from podium.metrics.scorers import estimator_scores
from podium.rankers.base import Ranker
from podium.rankers.lines.linear import LinearRanker
from podium.rankers.members import weights_for
from podium.rankers.stack.forest_arrays import ForestArrays
from podium.rankers.stack.smooth import KernelLogistic, SmallNetwork
from podium.rankers.trees.gradient_boosted import GradientBoostedRanker

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
            f"rankers must be 'default' or a list of classifiers; got {rankers!r}.",
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
