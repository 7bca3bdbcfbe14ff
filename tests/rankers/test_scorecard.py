"""A card of integer points: its bins, its points, and what it says of itself."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import KBinsDiscretizer

from podium.exceptions import InputError
from podium.rankers import ScorecardRanker
from podium.rankers.binning import best_segments


def likelihood(pos, neg, starts):
    total = 0.0
    for p, m in zip(np.add.reduceat(pos, starts), np.add.reduceat(neg, starts), strict=True):
        total += sum(count * np.log(count / (p + m)) for count in (p, m) if count)
    return total


def best_by_trying_all(pos, neg, most, least):
    n, found = len(pos), []
    for k in range(most):
        for inner in combinations(range(1, n), k):
            starts = np.array([0, *inner])
            if (np.add.reduceat(pos + neg, starts) >= least).all():
                found.append(likelihood(pos, neg, starts))
    return max(found, default=likelihood(pos, neg, np.array([0])))


@pytest.mark.parametrize("seed", range(20))
def test_bins_are_the_best_of_all_partitions(seed):
    rng = np.random.default_rng(seed)
    pos, neg = rng.integers(0, 6, (2, 8)).astype(float)
    pos[0] += 1
    least = float(rng.integers(0, 12))
    starts = best_segments(pos, neg, 4, least)
    assert starts[0] == 0
    assert len(starts) <= 4
    assert (np.diff(starts) > 0).all()
    assert len(starts) == 1 or (np.add.reduceat(pos + neg, starts) >= least).all()
    assert likelihood(pos, neg, starts) == pytest.approx(best_by_trying_all(pos, neg, 4, least), abs=1e-9)


def loans(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    age, debt = rng.integers(18, 80, n).astype(float), rng.gamma(2.0, 1000.0, n)
    late = np.where(rng.random(n) < 0.2, -999.0, rng.poisson(1.0, n))
    job = rng.choice(["clerk", "driver", "none"], n, p=[0.5, 0.3, 0.2])
    odds = -1 - 0.03 * (age - 45) + 0.0004 * (debt - 2000) + np.where(late < 0, 1.5, 0.5 * late) + (job == "none")
    y = rng.random(n) < 1 / (1 + np.exp(-odds))
    debt[rng.random(n) < 0.1] = np.nan
    return pd.DataFrame({"age": age, "debt": debt, "late": late, "job": job, "noise": rng.random(n)}), y


def test_one_column_gets_the_points_of_its_definition():
    n, m = np.array([30, 60, 110]), np.array([270, 140, 90])
    X = np.concatenate([np.repeat([0.0, 1.0, 2.0], n), np.repeat([0.0, 1.0, 2.0], m)])[:, None]
    y = np.repeat([1, 0], [200, 500])
    ranker = ScorecardRanker(points_to_double=2000, base_points=50_000, base_odds=0.5).fit(X, y)
    assert ranker.columns_.tolist() == [0]
    assert ranker.bins_.cuts[0].tolist() == [0.5, 1.5]
    share, points = 200 / 700, ranker.points_[0][1:]
    evidence = np.log((n + 20 * share) / (m + 20 * (1 - share))) - np.log(200 / 500)
    assert (points - points[0]) / np.ptp(points) == pytest.approx((evidence - evidence[0]) / np.ptp(evidence), abs=1e-3)
    # 2,000 points double the odds, which are 1/2 at 50,000: by scikit-learn's regression of the labels on the score.
    score = (ranker.decision_function(X) + ranker.threshold_)[:, None]
    line = LogisticRegression(C=np.inf, tol=1e-10).fit((score - 50_000) / 2000 * np.log(2), y)
    assert line.coef_[0, 0] == pytest.approx(1, abs=0.04)  # weights come from evidence of all other rows
    assert line.intercept_[0] == pytest.approx(np.log(0.5), abs=0.02)


def test_scores_are_whole_and_add_up_line_by_line():
    X, y = loans()
    ranker = ScorecardRanker(special_values=[-999.0]).fit(X, y)
    total = ranker.decision_function(X) + ranker.threshold_
    points = ranker.points(X)
    assert points.dtype == np.int64
    assert (total == ranker.base_ + points.sum(axis=1)).all()
    card = ranker.card_
    for name in dict.fromkeys(card.column):
        here = np.array(card.column) == name
        assert card.rows[here].sum() == len(y)
        assert card.positives[here].sum() == y.sum()
        k = [str(X.columns[j]) for j in ranker.columns_].index(name)
        assert (card.rows[here] * card.points[here]).sum() == points[:, k].sum()


def test_missing_and_special_values_have_lines_of_their_own():
    X, y = loans()
    card = ScorecardRanker(special_values=[-999.0]).fit(X, y).card_
    lines = dict(zip(card.values, zip(card.rows, card.positives, card.points, strict=True), strict=True))
    special = X["late"] == -999
    assert lines["late is −999"][:2] == (special.sum(), y[special].sum())
    assert lines["late is −999"][2] > 0
    assert lines["debt missing"][:2] == (X["debt"].isna().sum(), y[X["debt"].isna()].sum())
    assert any(line.startswith("job is none") for line in lines)


def test_a_value_never_seen_gets_the_points_of_what_is_missing():
    X, y = loans()
    ranker = ScorecardRanker().fit(X, y)
    job = [str(X.columns[j]) for j in ranker.columns_].index("job")
    unknown = X.head(1).assign(job="astronaut")
    assert ranker.points(unknown)[0, job] == ranker.points_[job][0] == 0


@pytest.mark.parametrize("cst", ["auto", {"age": -1, "debt": 1}])
def test_points_rise_or_fall_where_that_is_asked(cst):
    X, y = loans(1000)
    ranker = ScorecardRanker(monotonic_cst=cst, special_values=[-999.0]).fit(X, y)
    for k, j in enumerate(ranker.columns_):
        if X.columns[j] in ("age", "debt"):
            steps = np.diff(ranker.points_[k][1:])
            assert (steps * (-1 if X.columns[j] == "age" else 1) >= 0).all()


def test_a_column_may_be_forced_the_wrong_way_and_then_says_nothing():
    X, y = loans()
    ranker = ScorecardRanker(monotonic_cst=[1, 0], max_bins=4).fit(X[["age", "debt"]], y)
    assert 0 not in ranker.columns_


def test_weights_are_copies():
    X, y = loans(600)
    weight = np.random.default_rng(1).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    weighted = ScorecardRanker("logloss").fit(X, y, sample_weight=weight)
    copied = ScorecardRanker("logloss").fit(X.iloc[rows], y[rows])
    assert weighted.columns_.tolist() == copied.columns_.tolist()
    assert all((a == b).all() for a, b in zip(weighted.points_, copied.points_, strict=True))


def test_it_ranks_as_well_as_a_regression_on_many_more_bins():
    X, y = loans(6000)
    numbers = X[["age", "debt", "late", "noise"]].fillna(-1).rank(method="first")
    bins = KBinsDiscretizer(20, encode="onehot", quantile_method="averaged_inverted_cdf").fit(numbers)
    wide = np.column_stack([bins.transform(numbers).toarray(), pd.get_dummies(X["job"])])
    regression = LogisticRegression(max_iter=500).fit(wide[:3000], y[:3000]).decision_function(wide[3000:])
    card = ScorecardRanker(special_values=[-999.0]).fit(X[:3000], y[:3000]).decision_function(X[3000:])
    assert roc_auc_score(y[3000:], card) > roc_auc_score(y[3000:], regression) - 0.005


def test_few_columns_if_few_are_asked_for():
    X, y = loans()
    assert len(ScorecardRanker(max_columns=2).fit(X, y).columns_) == 2


def test_columns_that_say_nothing_leave_the_base():
    ranker = ScorecardRanker().fit(np.ones((40, 2)), [0, 1] * 20)
    assert len(ranker.columns_) == 0
    assert set(ranker.decision_function(np.ones((3, 2))) + ranker.threshold_) == {600.0}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_bins": 1}, "max_bins must be 2 or more"),
        ({"min_share": 0.7}, "min_share must be in"),
        ({"base_odds": 0}, "base_odds must be in"),
        ({"monotonic_cst": {"agee": 1}}, "there is no 'agee'"),
        ({"monotonic_cst": [1]}, "for each of the 5 columns"),
        ({"monotonic_cst": {"job": 1}}, "Categories have no order"),
        ({"monotonic_cst": "rising"}, "monotonic_cst must be"),
    ],
)
def test_what_cannot_be_gets_a_sentence(parameters, message):
    X, y = loans(200)
    with pytest.raises(InputError, match=message):
        ScorecardRanker(**parameters).fit(X, y)
