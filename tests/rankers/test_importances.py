"""feature_importances_ of ranking trees and forests, by which scikit-learn's selectors choose columns."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.tree import DecisionTreeClassifier

from podium import ForestRanker, GradientBoostedRanker, TreeRanker, persist


def table(seed=0, n=400):
    """The first column matters most, the second less, the others not at all; few enough values for a bin each."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5)).round(1)
    return X, 1.5 * X[:, 0] + 0.7 * X[:, 1] + rng.standard_normal(n) > 0.5


def gini_decreases(ranker, X, y):
    """By column of a tree of one cut: how much its splits lower Gini's impurity times mass, row by row."""
    tree, codes = ranker.tree_, ranker.bins_.codes(X)
    mass = np.where(y, 1 / y.sum(), 1 / (~y).sum())

    def impurity(rows):
        p = mass[rows] @ y[rows] / mass[rows].sum()
        return 2 * p * (1 - p) * mass[rows].sum()

    total, todo = np.zeros(X.shape[1]), [(0, np.arange(len(y)))]
    while todo:
        split, rows = todo.pop()
        column = tree.column[split]
        first = [int(tree.bits[split][code // 64]) >> int(code % 64) & 1 == 1 for code in codes[rows, column]]
        sides = rows[first], rows[np.logical_not(first)]
        total[column] += impurity(rows) - sum(map(impurity, sides))
        todo += [(child, side) for child, side in zip(tree.children[split], sides, strict=True) if child >= 0]
    return total


@pytest.mark.parametrize("rule_depth", [1, 2, 4])
def test_within_a_rule_columns_share_by_how_pure_they_make_the_sides(rule_depth):
    X, y = table(3)
    ranker = TreeRanker(max_depth=1, rule_depth=rule_depth, penalty=0.0).fit(X, y)
    expected = gini_decreases(ranker, X, y)
    np.testing.assert_allclose(ranker.feature_importances_, expected / expected.sum(), rtol=1e-9, atol=1e-12)


def test_a_rule_of_all_splits_shares_as_a_classification_tree_in_which_classes_weigh_alike():
    X, y = table(11)
    ranker = TreeRanker(max_depth=1, rule_depth=2, penalty=0.0).fit(X, y)
    peer = DecisionTreeClassifier(max_depth=2, min_samples_leaf=20, class_weight="balanced", random_state=0).fit(X, y)
    assert len(ranker.tree_.column) == 3
    np.testing.assert_allclose(ranker.feature_importances_, peer.feature_importances_, rtol=1e-9, atol=1e-12)


def test_every_cut_adds_its_gain_to_the_columns_of_its_rule():
    X, y = table()
    tree = TreeRanker(max_depth=3, rule_depth=1, penalty=0.0).fit(X, y).tree_
    gains = np.zeros(X.shape[1])
    for cell in np.flatnonzero(tree.first >= 0):
        gains[tree.column[tree.first[cell]]] += tree.gain[cell]
    np.testing.assert_allclose(tree.gain_by_column(X.shape[1]), gains, rtol=1e-12)
    assert tree.pruned(gains.sum()).gain_by_column(X.shape[1]).sum() == 0


def test_a_forest_names_the_columns_that_a_random_forest_names():
    X, y = table(n=800)
    found = ForestRanker(n_estimators=30, random_state=0).fit(X, y).feature_importances_
    peer = RandomForestClassifier(100, random_state=0).fit(X, y).feature_importances_
    assert np.argsort(found)[-2:].tolist() == np.argsort(peer)[-2:].tolist() == [1, 0]
    assert found.sum() == pytest.approx(1)


def test_without_a_cut_there_is_none():
    X, y = table()
    assert TreeRanker(penalty=1.0).fit(X, y).feature_importances_.tolist() == [0.0] * 5
    for ranker in (TreeRanker(), ForestRanker(), GradientBoostedRanker()):
        with pytest.raises(NotFittedError):
            _ = ranker.feature_importances_


@pytest.mark.parametrize("ranker", [TreeRanker(), ForestRanker(n_estimators=10, random_state=0)], ids=str)
def test_selectors_choose_the_columns_that_matter(ranker, tmp_path):
    X, y = table(n=800)
    assert (
        SelectFromModel(ranker, max_features=2, threshold=-np.inf).fit(X, y).get_support().tolist()
        == [True] * 2 + [False] * 3
    )
    assert RFE(ranker, n_features_to_select=2).fit(X, y).support_.tolist() == [True, True, False, False, False]
    fitted = ranker.fit(X, y)
    persist.save(fitted, tmp_path / "model")
    np.testing.assert_array_equal(persist.load(tmp_path / "model").feature_importances_, fitted.feature_importances_)
