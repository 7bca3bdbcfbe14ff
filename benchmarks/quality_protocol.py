"""What `quality.py` compares: tables, splits, scorers and metrics, fixed before the run.

``docs/quality.rst`` describes the protocol, and what had been decided on these tables before.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from lightgbm import LGBMRanker
from quality_further_tables import FURTHER_TABLES, further_table
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBClassifier, XGBRanker

from podium import BoostedRanker, ForestRanker, GradientBoostedRanker, LinearRanker, StackedRanker, TreeRanker, metrics
from podium.datasets import load_table
from podium.neural import NeuralRanker
from podium.rankers.stack.members import default_members

MAX_ROWS, MIN_POSITIVES, N_SPLITS = 15_000, 300, 5

# cheapest first
TABLES = [
    "ionosphere",
    "housing_chas",
    "breast_cancer",
    "german_credit",
    "digits_8",
    "skin",
    "mammography",
    "spambase",
    "magic",
    "credit_default",
    "kdd99_10pct",
    "adult",
]

METRICS: dict[str, Callable[..., float]] = {
    "partial AUC": partial(metrics.partial_auc, max_fpr=0.05, standardize="area"),  # as quality.jsonl has it
    "TPR at FPR 1 %": partial(metrics.tpr_at_fpr, fpr=0.01),
    "average precision": metrics.average_precision,
    "precision at 50": partial(metrics.precision_at, k=50),
    "AUC": metrics.auc,
}


class OneList:
    """A learning-to-rank estimator whose rows are all one query."""

    def __init__(self, ranker: Any, **how: Any) -> None:
        self.ranker, self.how = ranker, how

    def fit(self, X: np.ndarray, y: np.ndarray) -> OneList:
        self.ranker.fit(X, y, **{name: make(len(y)) for name, make in self.how.items()})
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        return self.ranker.predict(X)


def scorers(seed: int) -> dict[str, Any]:
    """Every scorer by its name; those of the default library first."""
    group, query = {"group": lambda n: [n]}, {"qid": lambda n: np.zeros(n, dtype=int)}
    xgboost = {"n_jobs": 1, "random_state": seed}
    lightgbm = {"n_jobs": 1, "verbose": -1, "random_state": seed}
    pushes = {"criterion": ["push:1", "push:2", "push:4", "ir-push"]}
    return {
        **dict(default_members()),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        "LDA": make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
        "xgboost defaults": XGBClassifier(**xgboost),
        "xgboost rank:pairwise": OneList(XGBRanker(objective="rank:pairwise", **xgboost), **query),
        "xgboost rank:ndcg": OneList(XGBRanker(objective="rank:ndcg", ndcg_exp_gain=False, **xgboost), **query),
        "lightgbm lambdarank": OneList(LGBMRanker(**lightgbm), **group),
        "LinearRanker push, validated": GridSearchCV(
            LinearRanker(random_state=seed), pushes, scoring=metrics.scorer("partial-auc:0.05"), cv=3
        ),
        "BoostedRanker push:4": BoostedRanker("push:4", weak="stumps", n_rounds=200),
        "GradientBoosted bagged": GradientBoostedRanker(n_bags=5, random_state=seed),
        "GradientBoosted auc": GradientBoostedRanker("auc", random_state=seed),
        "GradientBoosted push:4": GradientBoostedRanker("push:4", random_state=seed),
        "TreeRanker": TreeRanker(),
        "ForestRanker": ForestRanker(random_state=seed),
        "NeuralRanker": NeuralRanker(random_state=seed),
        "StackedRanker": StackedRanker(random_state=seed),
    }


@cache
def table(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers and labels of a table, subsampled as the protocol says."""
    if name == "breast_cancer":
        X, y = load_breast_cancer(return_X_y=True)
        return X, y == 0  # malignant
    if name == "digits_8":
        X, y = load_digits(return_X_y=True)
        return X, y == 8
    frame, y = further_table(name) if name in FURTHER_TABLES else load_table(name)
    rows = _subsample(y)
    return _numeric(frame.iloc[rows]), y[rows]


def halves(y: np.ndarray, split: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows to fit and rows to judge."""
    fit, judge = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=split)
    return fit, judge


def _subsample(y: np.ndarray) -> np.ndarray:
    if len(y) <= MAX_ROWS:
        return np.arange(len(y))
    n_pos = max(round(y.mean() * MAX_ROWS), min(MIN_POSITIVES, int(y.sum())))
    rng = np.random.default_rng(0)
    positives = rng.choice(np.flatnonzero(y), n_pos, replace=False)
    negatives = rng.choice(np.flatnonzero(~y), MAX_ROWS - n_pos, replace=False)
    return np.sort(np.concatenate([positives, negatives]))


def _numeric(frame: Any) -> np.ndarray:
    columns = []
    for _, column in frame.items():
        if column.dtype.kind in "biuf":
            columns.append(column.to_numpy(dtype=float))
        else:
            shares = column.value_counts(normalize=True)
            columns += [(column == level).to_numpy(dtype=float) for level in sorted(shares.index[shares >= 0.01])]
    X = np.column_stack(columns)
    return X[:, X.max(axis=0) > X.min(axis=0)]
