"""No training row can be read out of a model file: not as it was, and in no form that a map in the model gives it."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from persist.attack import leaf_centers, rows_found
from podium import (
    AutoRanker,
    BoostedRanker,
    ForestRanker,
    GradientBoostedRanker,
    LinearRanker,
    QuadraticRanker,
    ScorecardRanker,
    StackedRanker,
    TreeRanker,
    persist,
)
from podium.rankers import __all__ as exported
from podium.rankers.stack.members import default_members

N_ROWS = 400
RANKERS = [
    LinearRanker(),
    LinearRanker(scaling="quantile"),
    QuadraticRanker(),
    BoostedRanker(n_rounds=20),
    BoostedRanker(weak="stumps", n_rounds=20),
    TreeRanker(),
    ScorecardRanker(),
    ForestRanker(n_estimators=10),
    GradientBoostedRanker(n_estimators=30),
    GradientBoostedRanker(backend="xgboost", n_estimators=30),
    AutoRanker(candidates=["linear", "quadratic", "trees"]),
    StackedRanker(default_members()[:5], cv=2, random_state=0),
    StackedRanker([RandomForestClassifier(20), ExtraTreesClassifier(20)], cv=2, random_state=0),
]


def table():
    """Numbers of several scales, one column of whole ones, one skewed."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_ROWS, 5)) * [1, 10, 1, 3, 0.1] + [0, 50, 0, 0, 7]
    X[:, 1], X[:, 3] = X[:, 1].round(), np.exp(X[:, 3] / 3)
    return X, (X[:, 0] + 3 * X[:, 4] - 21 + rng.standard_normal(N_ROWS) > 0).astype(int)


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
def test_no_training_row_stands_in_a_model_file(ranker):
    X, y = table()
    ranker.fit(X, y)
    if isinstance(ranker, StackedRanker):
        ranker.oof_scores_ = ranker.oof_stack_ = ranker.oof_fold_ = None  # as podium fit does: scores of rows, by row
    assert not rows_found(persist.dumps(ranker), ranker, X).any()


def test_every_ranker_is_attacked():
    attacked = {type(ranker).__name__ for ranker in RANKERS} | {"AutoRanker"}
    rankers = {name for name in exported if name.endswith("Ranker")} - {
        "Ranker",
        "CriterionRanker",
        "DirectionRanker",
        "GradedRanker",  # which keeps one of the others
    }
    assert rankers <= attacked


def test_the_attack_finds_rows_where_they_are():
    X, y = table()
    ranker = LinearRanker(scaling="quantile").fit(X, y)
    kept = rows_found(persist.dumps({"model": ranker, "rows": X[:100]}), ranker, X)
    assert kept[:100].all()
    assert not kept[100:].any()
    landmarks = next(v for v in vars(ranker).values() if hasattr(v, "transform")).transform(X[50:])
    assert rows_found(persist.dumps([ranker, landmarks]), ranker, X)[50:].all()


def test_a_leaf_of_a_forest_leaves_open_what_its_row_is():
    """A leaf of a single row is a box around it; its middle misses rows by some per cent of a standard deviation."""
    X, y = table()
    forests = [forest for models in RANKERS[-1].fit(X, y)._models for forest in models]
    misses = np.abs(leaf_centers(forests)[:, None] - X) / X.std(axis=0)
    assert misses.max(axis=2).min() > 0.03
