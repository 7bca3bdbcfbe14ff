import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.pipeline import make_pipeline

from podium import LinearRanker, QuadraticRanker, metrics
from podium.bounds import (
    auc_penalty,
    log_rank_shatter,
    log_sign_patterns,
    paper_penalty,
    rank_statistic_penalty,
    rank_statistic_sensitivity,
    rank_statistic_span,
)
from podium.datasets import LocationModel, ScaleModel
from podium.exceptions import InputError, InputTypeError
from podium.selection import PenalizedSelection

CLASSES = [("linear", LinearRanker()), ("quadratic", QuadraticRanker())]
SAMPLE = ScaleModel(0.9, dimension=3).sample(60, 80, rng=0)
SPAN = 80 / 141  # of W/n at φ = u


def first(n_columns):
    return make_pipeline(ColumnTransformer([("first", "passthrough", slice(n_columns))]), LinearRanker())


def test_the_class_with_the_largest_value_less_penalty_is_selected_and_scores():
    X, y = SAMPLE
    selection = PenalizedSelection(CLASSES, "auc").fit(X, y)
    table = selection.table_
    assert table["name"].tolist() == ["linear", "quadratic"]
    np.testing.assert_array_equal(table["penalized"], table["empirical"] - table["penalty"])
    assert selection.selected_ == np.argmax(table["penalized"])
    alone = clone(CLASSES[selection.selected_][1]).fit(X, y)
    np.testing.assert_allclose(selection.decision_function(X), alone.decision_function(X), atol=1e-12)


@pytest.mark.parametrize("phi", ["auc", "power:3"])
def test_the_empirical_value_is_averaged_over_tied_ranks(phi):
    X, y = np.round(SAMPLE[0]), SAMPLE[1]
    table = PenalizedSelection([LinearRanker(scaling=None)], phi).fit(X[:, :1], y).table_
    scores = LinearRanker(scaling=None).fit(X[:, :1], y).decision_function(X[:, :1])
    expected = metrics.rank_statistic(y, scores, phi=phi, scale="mean", ties="average")
    assert table["empirical"][0] == pytest.approx(expected, rel=1e-12)


def test_the_explicit_penalty_is_the_bound_of_each_class():
    found = PenalizedSelection(CLASSES, "power:3").fit(*SAMPLE).table_["penalty"]
    orders = [log_rank_shatter(120, 160, d, method="central") for d in (3, 9)]  # 3 columns, 9 monomials
    expected = [rank_statistic_penalty(60, 80, "power:3", orders[k - 1], k) for k in (1, 2)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_explicit_penalty_of_the_auc_is_by_disjoint_pairs_and_smaller():
    found = PenalizedSelection(CLASSES, "auc").fit(*SAMPLE)
    expected = [SPAN * auc_penalty(60, 80, log_sign_patterns(d, 60), k) for k, d in ((1, 3), (2, 9))]
    np.testing.assert_allclose(found.table_["penalty"], expected, rtol=1e-12)
    general = rank_statistic_penalty(60, 80, "auc", log_rank_shatter(120, 160, 3, method="central"), 1)
    assert expected[0] < general / 1.5
    assert found.guaranteed_


def test_the_printed_penalty_takes_the_constant_of_the_user():
    found = PenalizedSelection(CLASSES, "auc", penalty="paper", b1=0.5).fit(*SAMPLE)
    expected = [paper_penalty(140, k, d, 60 / 140, "auc", 0.5) for k, d in ((1, 3), (2, 9))]
    np.testing.assert_allclose(found.table_["penalty"], expected, rtol=1e-12)
    assert not found.guaranteed_
    with pytest.raises(InputError, match="the constant b1"):
        PenalizedSelection(CLASSES, penalty="paper").fit(*SAMPLE)


def test_the_rademacher_penalty_is_what_is_learned_where_there_is_nothing_to_learn():
    # Four columns of noise: what is reached on the sample is chance, and the penalty must be about that.
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 4)), np.arange(300) < 150
    selection = PenalizedSelection([LinearRanker(shrinkage=0)], "auc", penalty="rademacher").fit(X, y)
    by_chance = 0.5  # of W/n
    gained = selection.table_["empirical"][0] - by_chance
    assert 0 < selection.table_["penalty"][0] < 4 * gained
    assert selection.table_["penalty"][0] > gained / 4
    assert not selection.guaranteed_


def test_the_place_in_the_sequence_costs_what_t4_says():
    found = PenalizedSelection([LinearRanker(), LinearRanker()], "power:3", penalty="rademacher").fit(*SAMPLE)
    twice, once = found.table_["penalty"][1], found.table_["penalty"][0]
    assert twice - once == pytest.approx(math.sqrt(rank_statistic_sensitivity(60, 80, "power:3") * math.log(2)))


def test_the_slope_penalty_is_twice_the_gain_per_coefficient_among_the_larger_classes():
    rng = np.random.default_rng(1)
    X, y = LocationModel(0.5, dimension=2).sample(200, 200, 0)
    X = np.hstack([X, rng.standard_normal((400, 28))])
    sizes = np.array([1, 2, 10, 20, 30])
    selection = PenalizedSelection([first(c) for c in sizes], "auc", penalty="slope").fit(X, y)
    empirical = selection.table_["empirical"]
    kappa = np.polyfit(sizes[2:], empirical[2:], 1)[0]
    assert kappa > 0
    np.testing.assert_allclose(selection.table_["penalty"], 2 * kappa * sizes, rtol=1e-9)
    assert sizes[selection.selected_] == 2


def test_a_slope_through_too_few_classes_is_refused():
    with pytest.raises(InputError, match="at least 4 different numbers of coefficients; got 3, 9"):
        PenalizedSelection(CLASSES, penalty="slope").fit(*SAMPLE)


def test_a_class_whose_size_is_unknown_has_no_penalty_that_counts_coefficients():
    unknown = [LinearRanker(scaling="quantile")]
    with pytest.raises(InputError, match="known number of coefficients") as refusal:
        PenalizedSelection(unknown).fit(*SAMPLE)
    assert "penalty='rademacher' takes any ranker" in refusal.value.hint
    boosted = PenalizedSelection([*unknown, GradientBoostingClassifier(n_estimators=3)], penalty="rademacher")
    assert len(boosted.fit(*SAMPLE).table_["penalty"]) == 2


def test_penalties_beyond_the_range_of_the_statistic_are_marked_vacuous():
    table = PenalizedSelection(CLASSES, "power:3").fit(*SAMPLE).table_
    np.testing.assert_array_equal(table["vacuous"], table["penalty"] >= rank_statistic_span(60, 80, "power:3"))
    assert table["vacuous"].all()
    X, y = ScaleModel(0.9, dimension=1).sample(500, 500, rng=0)
    assert not PenalizedSelection([LinearRanker()], "auc").fit(X, y).table_["vacuous"].any()


def test_the_quadratic_class_wins_with_enough_rows_and_a_guarantee():
    rng, selected = np.random.default_rng(0), []
    for n in (50, 1500):  # positives spread three times as wide: no line ranks them, the square does
        X, y = rng.standard_normal((2 * n, 1)), np.arange(2 * n) < n
        selected.append(PenalizedSelection(CLASSES, "auc").fit(np.where(y[:, None], 3 * X, X), y).selected_)
    assert selected == [0, 1]


def test_without_refit_there_is_a_choice_but_no_scorer():
    selection = PenalizedSelection(CLASSES, refit=False).fit(*SAMPLE)
    assert selection.selected_ in (0, 1)
    assert not hasattr(selection, "best_estimator_")
    with pytest.raises(InputError, match="with refit=False none was kept"):
        selection.decision_function(SAMPLE[0])


def test_rankers_without_names_are_numbered():
    assert PenalizedSelection([LinearRanker()]).fit(*SAMPLE).table_["name"].tolist() == ["1 LinearRanker"]


@pytest.mark.parametrize(
    ("parameters", "kind", "message"),
    [
        ({"estimators": []}, InputTypeError, "at least one ranker"),
        ({"estimators": "linear"}, InputTypeError, "at least one ranker"),
        ({"estimators": [3]}, InputTypeError, "needs fit and decision_function; got 3"),
        ({"penalty": "aic"}, InputError, "penalty must be one of 'explicit'"),
        ({"refit": "yes"}, InputError, "refit must be one of"),
        ({"phi": "auk"}, InputError, "known specification"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_sentence(parameters, kind, message):
    with pytest.raises(kind, match=message):
        PenalizedSelection(**({"estimators": CLASSES} | parameters)).fit(*SAMPLE)
