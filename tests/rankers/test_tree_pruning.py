"""How far trees are cut back: not at all where something is there, to one segment on noise."""

import numpy as np
import pytest

from podium import TreeRanker, metrics
from podium.phi import for_budget
from podium.rankers.treerank.grow import cut_back
from podium.rankers.treerank.tree import binned_rows


def n_segments(seed, strength):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((300, 4))
    return len(TreeRanker().fit(X, strength * X[:, 0] + rng.standard_normal(300) > 0.5).segments_.rows)


def test_on_pure_noise_a_tree_is_seldom_cut():
    uncut = sum(n_segments(seed, 0.0) == 1 for seed in range(16))
    assert uncut >= 11  # nine in ten expected; without a test against no cut, four in ten


def test_what_is_there_is_cut():
    assert all(n_segments(seed, 2.0) > 1 for seed in range(6))


def rows_of_a_line(seed, n_rows):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, 5))
    risk = X @ [1.0, 0.6, 0.4, 0.0, 0.0] + 0.9 * rng.logistic(size=n_rows)
    return X, risk > np.quantile(risk, 0.8)


def test_with_a_budget_the_rest_of_the_list_is_in_order_too():
    areas, hits = [], []
    for seed in range(6):
        X, y = rows_of_a_line(seed, 560)
        new, truth = rows_of_a_line([seed, 1], 4000)
        scores = [TreeRanker(phi).fit(X, y).decision_function(new) for phi in (for_budget(60, 800), "auc")]
        areas.append([metrics.auc(truth, each) for each in scores])
        hits.append([metrics.precision_at(truth, each, k=300) for each in scores])
    for_top, for_all = np.mean(areas, axis=0)
    assert for_top > 0.68  # .60 where nothing below the budget is cut
    assert for_top > for_all - 0.03
    assert np.subtract(*np.mean(hits, axis=0)) > 0  # and the budget has more hits than by the AUC alone


def test_cuts_that_only_the_auc_is_worth_leave_those_of_phi_in_place():
    X, y = rows_of_a_line(0, 560)
    whole = TreeRanker("smooth-top:0.9", penalty=0).fit(X, y).tree_
    codes = binned_rows(X, y, None, []).codes
    for penalty in (0.01, 0.05):
        top, more = (cut_back(whole, penalty, other).cells(codes) for other in (np.inf, 0.001))
        assert len(np.unique(more)) > len(np.unique(top))
        assert all(len(np.unique(top[more == cell])) == 1 for cell in np.unique(more))


@pytest.mark.parametrize("penalty", [0.0, 0.003, "cross-validation"])
def test_of_the_auc_there_is_one_penalty(penalty):
    X, y = rows_of_a_line(0, 560)
    ranker = TreeRanker(penalty=penalty).fit(X, y)
    whole = TreeRanker(penalty=0).fit(X, y).tree_
    np.testing.assert_array_equal(ranker.tree_.n_pos, whole.pruned(ranker.penalty_).n_pos)
