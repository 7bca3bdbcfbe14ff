"""Forests of ranking trees."""

import numpy as np
import pytest

from podium import ForestRanker, metrics
from rankers.tree_table import table


@pytest.mark.parametrize("aggregation", ["mean", "median"])
def test_a_forest_averages_the_ranks_of_its_trees(aggregation):
    X, y = table(0)
    forest = ForestRanker(n_estimators=7, aggregation=aggregation, categorical_features=[2], random_state=0).fit(X, y)
    codes = forest.bins_.codes(X)
    ranks = [tree.scores[tree.cells(codes)] for tree in forest.trees_]
    expected = getattr(np, aggregation)(ranks, axis=0)
    np.testing.assert_allclose(forest.decision_function(X) + forest.threshold_, expected, atol=1e-12)


def test_a_forest_judges_training_rows_by_trees_that_have_not_seen_them():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 3)), rng.random(300) < 0.5
    forest = ForestRanker(n_estimators=100, random_state=0).fit(X, y)
    assert metrics.auc(y, forest.decision_function(X)) > 0.9
    assert abs(metrics.auc(y, forest._training_scores(X)) - 0.5) < 4 * np.sqrt(1 / 12 / 75)


def test_a_forest_is_the_same_for_weights_and_for_repeated_rows_in_any_order():
    X, y = table(1)
    times = 1 + np.arange(len(y)) % 3
    rows = np.random.default_rng(0).permutation(np.repeat(np.arange(len(y)), times))
    forests = [ForestRanker(n_estimators=5, random_state=0) for _ in range(2)]
    weighted = forests[0].fit(X, y, times.astype(float)).decision_function(X)
    np.testing.assert_array_equal(weighted, forests[1].fit(X[rows], y[rows]).decision_function(X))
