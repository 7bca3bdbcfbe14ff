"""Small sound models of every kind, and rows on which a model of each is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from podium import (
    BoostedRanker,
    ForestRanker,
    GradientBoostedRanker,
    LinearRanker,
    QuadraticRanker,
    StackedRanker,
    TreeRanker,
    workflow,
)
from podium.rankers import CriterionRanker, GradedRanker
from podium.rankers.stack.members import default_members
from podium.selection import AutoRanker
from podium.tables import Encoder, TableModel

N_ROWS = 160
_RNG = np.random.default_rng(0)
X = np.round(_RNG.standard_normal((N_ROWS, 3)), 2)
Y = X[:, 0] + X[:, 1] ** 2 + _RNG.standard_normal(N_ROWS) > 1
FRAME = pd.DataFrame(
    {
        "x": np.where(np.arange(N_ROWS) % 9 == 0, np.nan, X[:, 0]),
        "kind": np.array(list("abcdefgh"))[_RNG.integers(0, 8, N_ROWS)],
    }
)
TABLE = FRAME.assign(
    town=[f"t{i}" for i in _RNG.integers(0, 15, N_ROWS)],
    day=[f"2024-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(N_ROWS)],
    told=[f"the {'bad' if y else 'good'} {('dog', 'cat', 'cow', 'hen')[i % 4]} number {i}" for i, y in enumerate(Y)],
    price=[f"€ 1.{i:03},5" for i in range(N_ROWS)],
    y=Y.astype(int),
)


def _stack(*members: Any, **options: Any) -> Any:
    return StackedRanker(list(members), cv=2, random_state=0, **options).fit(X, Y)


def _table_model() -> TableModel:
    """As ``fit`` makes it, of a stack with trees in all their forms."""
    encoder = Encoder.fit(TABLE, np.arange(N_ROWS), {"x": "number", "kind": "text"})
    trees = [RandomForestClassifier(1, max_depth=3), HistGradientBoostingClassifier(max_iter=1, max_leaf_nodes=4)]
    ranker = StackedRanker([*trees, *_boosted()], cv=2, random_state=0).fit(encoder.encode(TABLE), Y)
    return TableModel(encoder, ranker, "auc", "y", "1")


def _boosted() -> list[Any]:
    few = {"n_estimators": 2, "num_leaves": 4}
    return [GradientBoostedRanker("logloss", backend=backend, **few) for backend in ("lightgbm", "xgboost")]  # type: ignore[arg-type]


def _neural(rows: Any) -> Any:
    from podium.neural import NeuralRanker

    return NeuralRanker(n_members=2, width=4, n_epochs=1, random_state=0).fit(rows, Y)


def _default_stack() -> Any:
    """Every default member, as small as it goes."""
    small = {
        "kernel__kernellogistic__n_landmarks": 5,
        "network__smallnetwork__hidden": (4, 3),
        "network__smallnetwork__n_epochs": 2,
        "random-forest__n_estimators": 2,
        "random-forest__max_depth": 3,
        "extra-trees__n_estimators": 2,
        "extra-trees__max_depth": 3,
        "hist-boosting__max_iter": 2,
        "hist-boosting__max_leaf_nodes": 4,
        **{f"{backend}__{name}": v for backend in ("lightgbm", "xgboost") for name, v in _FEW.items()},
    }
    stack = StackedRanker(default_members(), cv=2, refit=True, pull=np.inf, random_state=0)
    return stack.set_params(**small).fit(X, Y)


_FEW = {"n_estimators": 2, "num_leaves": 4}
_OF_SCIKIT_LEARN = [
    make_pipeline(SimpleImputer(add_indicator=True), PolynomialFeatures(2), StandardScaler(), LogisticRegression()),
    make_pipeline(QuantileTransformer(n_quantiles=5, output_distribution="normal"), LinearDiscriminantAnalysis()),
    make_pipeline(PowerTransformer(), MinMaxScaler(), BernoulliNB(binarize=0.5)),
    make_pipeline(RobustScaler(), RBFSampler(n_components=4), RidgeClassifier()),
    CalibratedClassifierCV(DecisionTreeClassifier(max_depth=3), cv=2),
    make_pipeline(RandomForestClassifier(2, max_depth=3)),
    make_pipeline(ExtraTreesClassifier(2, max_depth=3)),
    HistGradientBoostingClassifier(max_iter=2, max_leaf_nodes=4),
    GaussianNB(),
]  # fmt: skip

MODELS: dict[str, Callable[[], Any]] = {
    "linear": lambda: LinearRanker("auc", calibrate="platt").fit(X, Y),
    "quantile": lambda: LinearRanker("power:3", scaling="quantile", calibrate="isotonic").fit(X, Y),
    "quadratic": lambda: QuadraticRanker("auc").fit(X, Y),
    "boosted": lambda: BoostedRanker(n_rounds=4).fit(X, Y),
    "criterion": lambda: CriterionRanker(random_state=0).fit(X, Y),
    "graded": lambda: GradedRanker().fit(X, Y),
    "tree": lambda: TreeRanker("auc").fit(FRAME, Y),
    "forest": lambda: ForestRanker(n_estimators=2).fit(X, Y),
    "lightgbm": lambda: GradientBoostedRanker("auc", calibrate="platt", **_FEW).fit(FRAME, Y),  # type: ignore[arg-type]
    "xgboost": lambda: GradientBoostedRanker("logloss", backend="xgboost", **_FEW).fit(FRAME, Y),  # type: ignore[arg-type]
    "categories": lambda: GradientBoostedRanker(
        "logloss", categorical_features=[0], params={"min_data_per_group": 5, "cat_smooth": 1}, **_FEW
    ).fit(np.round(X * 3) % 5, Y),  # type: ignore[arg-type]
    "scikit-learn": lambda: _stack(*_OF_SCIKIT_LEARN, refit=True, pull=np.inf),
    "default": _default_stack,
    "platt": lambda: _stack(*_boosted(), GaussianNB(), scale="platt"),
    "auto": lambda: AutoRanker("power:3", candidates=["quadratic"]).fit(X, Y),
    "network": lambda: _neural(X),
    "network of categories": lambda: _neural(FRAME),
    "table": lambda: workflow.fit(TABLE, label="y", model="linear", budget=30).model,
    "table of trees": _table_model,
}


def rows_for(model: Any) -> list[Any]:
    """Rows of the kinds that the model may get: as in training, far off, missing."""
    names, n_columns = getattr(model, "feature_names_in_", None), int(model.n_features_in_)
    if names is not None:
        return [FRAME.iloc[:5].set_axis(list(names), axis=1), FRAME.iloc[5:7].set_axis(list(names), axis=1)]
    plain = np.resize(X, (4, n_columns))
    return [plain, 1e30 * plain]
