"""Ranking trees."""

import itertools

import numpy as np
import pytest
from scipy import stats
from sklearn.utils.estimator_checks import parametrize_with_checks

import naive
from podium import InputError, TreeRanker, metrics
from podium._fast import trees
from podium.phi import resolve
from podium.rankers.treerank.gain import CurveGain, with_all_of_the_list
from podium.rankers.treerank.tree import binned_rows
from podium.roc import RocCurve
from rankers import naive_treerank
from rankers.tree_table import table

PHI = ["auc", "power:3", "top:0.8", "smooth-top:0.9", "early-recognition:20", "logrank", "dcg"]


@pytest.mark.slow  # those of the default are among the tests of conventions
@parametrize_with_checks([TreeRanker("power:3", rule_depth=2)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def cells_of_rows(ranker, X):
    """By cell of the tree: which rows are in it."""
    tree = ranker.tree_
    leaf = tree.cells(ranker.bins_.codes(X))
    inside = {int(cell): leaf == cell for cell in tree.order}
    for cell in np.flatnonzero(tree.first >= 0)[::-1]:
        inside[int(cell)] = inside[int(tree.upper[cell])] | inside[int(tree.lower[cell])]
    return inside


@pytest.mark.parametrize("seed", range(5))
def test_a_cut_by_one_split_is_the_best_of_all_that_one_column_can_tell_apart(seed):
    X, y = table(seed, n=40)
    weight = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
    options = {"rule_depth": 1, "min_samples_leaf": 1, "penalty": 0, "categorical_features": [2]}
    ranker = TreeRanker(**options).fit(X, y, weight)
    inside, tree = cells_of_rows(ranker, X), ranker.tree_
    for cell in np.flatnonzero(tree.first >= 0):
        rows, upper = inside[cell], inside[tree.upper[cell]][inside[cell]]
        found = naive_treerank.tpr_less_fpr(upper, y[rows], weight[rows])
        candidates = naive_treerank.subsets(X[rows], categorical={2})
        best = max(naive_treerank.tpr_less_fpr(mask, y[rows], weight[rows]) for mask in candidates)
        assert found == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rule_depth", [2, 3])
def test_a_cut_by_several_splits_is_the_best_union_of_their_parts(seed, rule_depth):
    X, y = table(seed)
    options = {"rule_depth": rule_depth, "max_depth": 1, "min_samples_leaf": 5, "penalty": 0}
    tree = TreeRanker(categorical_features=[2], **options).fit(X, y).tree_
    data = binned_rows(X, y, None, [2])
    rows = np.arange(len(y))
    *_, mass = trees.partition(
        data.codes,
        y,
        data.weight,
        rows,
        data.bins.n_bins,
        data.bins.is_categorical,
        1 / np.array([(~y).sum(), y.sum()]),
        rule_depth,
        5.0,
        3,
        np.uint64(0),
    )
    shares = mass / mass.sum(axis=0)
    unions = [list(some) for k in range(1, len(mass)) for some in itertools.combinations(range(len(mass)), k)]
    best = max(shares[some, 1].sum() - shares[some, 0].sum() for some in unions)
    found = tree.n_pos[1] / tree.n_pos[0] - tree.n_neg[1] / tree.n_neg[0]
    assert found == pytest.approx(best, abs=1e-12)
    assert found >= max(naive_treerank.tpr_less_fpr(m, y, data.weight) for m in naive_treerank.subsets(X, {2})) - 0.1


@pytest.mark.parametrize("phi", PHI)
@pytest.mark.parametrize("rule_depth", [1, 2])
def test_the_auc_is_one_half_and_the_gains_of_all_cuts_and_the_curve_is_concave(phi, rule_depth):
    X, y = table(7)
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    options = {"rule_depth": rule_depth, "min_samples_leaf": 3, "penalty": 0, "categorical_features": [2]}
    ranker = TreeRanker(phi, **options).fit(X, y, weight)
    scores = ranker.decision_function(X)
    assert len(ranker.gains_) > 5
    assert ranker.gains_.min() > 0
    assert 0.5 + ranker.gains_.sum() == pytest.approx(naive.auc(y, scores, weight), abs=1e-12)
    curve = RocCurve.from_scores(y, scores, weight)
    assert curve.auc() == pytest.approx(curve.hull().auc(), abs=1e-12)


@pytest.mark.parametrize("phi", PHI)
def test_gains_at_growing_add_up_to_the_statistic_of_the_list_as_it_was_cut(phi):
    X, y = table(8)
    tree = TreeRanker(phi, rule_depth=2, min_samples_leaf=3, penalty=0).fit(X, y).tree_

    def leaves(cell):
        return [cell] if tree.first[cell] < 0 else [*leaves(tree.upper[cell]), *leaves(tree.lower[cell])]

    order, n, m = leaves(0), y.sum(), (~y).sum()
    share, bound = n / (n + m), with_all_of_the_list(resolve(phi), n + m)
    curves = [
        ([], []),
        (np.cumsum(tree.n_neg[order]) / m, np.cumsum(tree.n_pos[order]) / n),
        ([0.0], [1.0]),
        ([1.0], [0.0]),
    ]
    one, listed, best, worst = (
        RocCurve.from_points(np.minimum(a, 1), np.minimum(b, 1)).rank_statistic(bound, share) for a, b in curves
    )
    assert tree.gain.sum() == pytest.approx((listed - one) / (best - worst), rel=1e-9)


def test_of_the_auc_a_gain_is_a_triangle():
    gain = CurveGain(resolve("auc"), 20.0, 30.0)
    found = gain.of_cuts(8.0, 10.0, 5.0, np.array([6.0]), np.array([2.0]))[0]
    assert found == pytest.approx(0.5 * (8 / 20) * (10 / 30) * (6 / 8 - 2 / 10), abs=1e-14)


def test_another_phi_cuts_elsewhere():
    rng = np.random.default_rng(0)
    X = rng.random((4000, 1))
    y = rng.random(4000) < X[:, 0] ** 2
    tops = [
        TreeRanker(phi, max_depth=1, penalty=0).fit(X, y).segments_.rows[0] for phi in ("auc", "power:8", "top:0.95")
    ]
    assert tops[0] > tops[1] > tops[2]


@pytest.mark.parametrize("phi", ["power:3", "power:8", "smooth-top:0.9", "early-recognition:20", "logrank"])
def test_for_another_phi_a_cut_is_about_the_best_of_all_that_one_column_can_tell_apart(phi):
    found, best = [], []
    for seed in range(10):
        X, y = table(seed, n=100)
        tree = TreeRanker(phi, max_depth=1, min_samples_leaf=1, penalty=0, categorical_features=[2]).fit(X, y).tree_
        gain = CurveGain(resolve(phi), y.sum(), (~y).sum())
        n, m = y.sum(), (~y).sum()
        counts = np.array([[y[mask].sum(), (~y)[mask].sum()] for mask in naive_treerank.subsets(X, {2})], dtype=float)
        found.append(tree.gain[0])
        best.append(gain.of_cuts(n, m, 0.0, *counts.T).max())
    assert np.mean(np.array(found) / best) > 0.97


@pytest.mark.parametrize("seed", range(3))
def test_pruning_finds_the_best_of_all_subtrees(seed):
    X, y = table(seed)
    tree = TreeRanker(max_depth=3, min_samples_leaf=5, penalty=0).fit(X, y).tree_
    every = naive_treerank.subtrees(0, tree.upper, tree.lower)
    for penalty in (0.001, 0.003, 0.01, 0.03):
        best = max(sum(tree.gain[cell] - penalty for cell in cut) for cut in every)
        pruned = tree.pruned(penalty)
        assert (pruned.gain[pruned.first >= 0] - penalty).sum() == pytest.approx(best, abs=1e-12)
        codes = binned_rows(X, y, None, []).codes
        cells = pruned.cells(codes)
        np.testing.assert_array_equal(
            np.bincount(cells[y], minlength=len(pruned.first))[pruned.order], pruned.n_pos[pruned.order]
        )


def test_noise_is_cut_back_to_about_one_segment():
    def segments(seed, **options):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((1000, 5))
        return len(TreeRanker(**options).fit(X, rng.random(1000) < 0.3).segments_.rules)

    assert np.median([segments(seed) for seed in range(9)]) <= 2
    assert segments(0, penalty=0) > 15


def test_a_step_is_found_where_it_is():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 5))
    y = rng.random(2000) < np.where(X[:, 2] > 0.5, 0.6, 0.2)
    (condition,) = TreeRanker(max_depth=1, rule_depth=1).fit(X, y).rules_[0].conditions
    assert condition.column == 2
    assert condition.low == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("rule_depth", [1, 2, 3])
def test_rules_segments_and_scores_say_the_same(rule_depth):
    X, y = table(3)
    ranker = TreeRanker(rule_depth=rule_depth, min_samples_leaf=5, penalty=0.002, categorical_features=[2]).fit(X, y)
    new, _ = table(4)
    new[0, 2] = 17  # a category that was never seen
    number, scores = ranker.segment_of(new), ranker.decision_function(new)
    rate = ranker.segments_.rate[number]
    np.testing.assert_array_equal(np.sign(scores[:, None] - scores), np.sign(rate[:, None] - rate))
    assert (np.diff(ranker.segments_.rate) <= 0).all()
    by_rule = np.array([[meets(rule, row) for rule in ranker.rules_] for row in new])
    np.testing.assert_array_equal(by_rule.sum(axis=1), 1)
    np.testing.assert_array_equal(by_rule.argmax(axis=1), number)


def meets(rule, row):
    """Whether a row is in a rule, condition by condition."""

    def passes(c):
        value = row[c.column]
        if c.codes is not None:
            return c.missing if np.isnan(value) or value not in (*c.codes, *c.excluded) else value in c.codes
        return c.missing if np.isnan(value) else c.low < value <= c.high

    return all(map(passes, rule.conditions)) and all(any(all(map(passes, b)) for b in union) for union in rule.unions)


def test_a_rule_in_words():
    rng = np.random.default_rng(0)
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"age": rng.integers(20, 80, 1000).astype(float), "town": rng.integers(0, 5, 1000)})
    y = rng.random(1000) < np.where(frame["age"] > 50, 0.3, 0.0) + np.where(frame["town"].isin([1, 3]), 0.6, 0.1)
    frame.loc[::10, "age"] = np.nan
    ranker = TreeRanker(max_depth=2, categorical_features=[1]).fit(frame, y)
    assert "town is 1 or 3" in ranker.segments_.rules[0]
    assert "age > 5" in ranker.segments_.rules[0]
    assert ranker.segments_.rules[-1] == "age ≤ 51.5 or missing and town is not 1 or 3"


def test_segments_of_other_rows_have_the_limits_of_clopper_and_pearson():
    X, y = table(5)
    ranker = TreeRanker().fit(X, y)
    new, labels = table(6)
    found, number = ranker.segments(new, labels, confidence_level=0.9), ranker.segment_of(new)
    for i in range(len(found.rules)):
        counted = {"rate": labels[number == i], "tpr": number[labels] <= i, "fpr": number[~labels] <= i}
        for name, hits in counted.items():
            assert getattr(found, name)[i] == hits.mean()
            if i < len(found.rules) - 1 or name == "rate":
                limits = stats.binomtest(int(hits.sum()), len(hits)).proportion_ci(0.9, method="exact")
                assert getattr(found, f"{name}_low")[i] == pytest.approx(limits.low, rel=1e-9)
                assert getattr(found, f"{name}_high")[i] == pytest.approx(limits.high, rel=1e-9)
    assert found.tpr_low[-1] == found.fpr_low[-1] == 1
    assert np.isnan(ranker.segments_.rate_low).all()  # chosen to look good on these rows


def test_missing_values_and_categories_are_told_apart_where_that_matters():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal(1000), rng.integers(0, 30, 1000)])
    y = np.isin(X[:, 1] % 3, [1]) ^ (rng.random(1000) < 0.1)
    assert metrics.auc(y, TreeRanker(categorical_features=[1]).fit(X, y).decision_function(X)) > 0.85
    X[y & (rng.random(1000) < 0.9), 0] = np.nan
    ranker = TreeRanker(max_depth=1).fit(X, y)
    assert ranker.segments_.rules[0] == "x0 missing"
    assert metrics.auc(y, ranker.decision_function(X)) > 0.9


def test_more_values_than_bins_are_cut_where_they_should_be():
    rng = np.random.default_rng(0)
    X = rng.exponential(size=(20_000, 1)) ** 3
    y = rng.random(20_000) < np.where(X[:, 0] > 2, 0.7, 0.3)
    ranker = TreeRanker(max_depth=1, rule_depth=1).fit(X, y)
    assert ranker.rules_[0].conditions[0].low == pytest.approx(2, rel=0.05)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"penalty": "aic"}, "penalty must be"),
        ({"criterion": "push:4"}, "φ must be"),
        ({"categorical_features": [7]}, "categorical_features must be"),
    ],
)
def test_what_a_tree_refuses(options, sentence):
    with pytest.raises(InputError, match=sentence):
        TreeRanker(**options).fit(*table(0))
