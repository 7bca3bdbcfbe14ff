import numpy as np
import pytest

from podium import bounds, metrics, phi
from podium.bounds import (
    auc_uniform_deviation,
    kl_interval,
    log_sign_patterns,
    rank_statistic_bias,
    rank_statistic_deviation,
)
from podium.exceptions import InputError
from podium.inference import certificate, push_certificate
from podium.roc import RocCurve
from samples import binormal, draw


def test_the_auc_is_certified_by_relative_entropy():
    y, s = draw(1, 40, 2)
    found = certificate(y, s, confidence_level=0.9)
    assert found.estimate == metrics.auc(y, s)
    assert (found.low, found.high) == tuple(
        kl_interval(found.estimate, int(y.sum()), int((~y).sum()), confidence_level=0.9)
    )
    assert found.statement.startswith("With probability at least 90 %, the AUC of this scorer is between")
    assert "no row had a part" in found.assumption
    assert found.guaranteed


def test_any_other_statistic_is_certified_by_its_bounded_differences_and_its_bias():
    y, s, _ = binormal(np.random.default_rng(0), 500, 1500)
    found = certificate(y, s, "power:3")
    # On the scale of W: W = ℓ + ω(h − ℓ), for u³ with p = ¼ by hand.
    worst, best = 0.25**3 / 4, (1 - 0.75**4)
    reach = rank_statistic_deviation(500, 1500, "power:3") + rank_statistic_bias(500, 1500, "power:3")
    mean = metrics.rank_statistic(y, s, phi="power:3", scale="mean")
    assert found.low == pytest.approx((mean - reach - worst) / (best - worst), rel=1e-12)
    assert found.high == pytest.approx(min(1, (mean + reach - worst) / (best - worst)), rel=1e-12)


@pytest.mark.parametrize("spec", ["mww", "power:3"])
def test_the_population_value_is_inside_at_least_as_often_as_promised(spec):
    rng = np.random.default_rng(3)
    t = np.concatenate([np.geomspace(1e-8, 1e-3, 300), np.linspace(1e-3, 1, 3000)[1:-1]])
    y, s, curve = binormal(rng, 100, 100)
    w = RocCurve.from_points(t, curve(t)).rank_statistic(spec, 0.5)
    area = phi.resolve(spec).integral(np.array([0.5, 1.0]))
    worst, best = 2 * area[0], 2 * (area[1] - area[0])
    true = (w - worst) / (best - worst)
    inside = 0
    for _ in range(100):
        y, s, _ = binormal(rng, 100, 100)
        found = certificate(y, s, spec, confidence_level=0.8)
        inside += found.low <= true <= found.high
    assert inside >= 80


def test_rows_that_chose_the_scorer_guarantee_nothing():
    y, s = draw(0)
    found = certificate(y, s, held_out=False)
    assert found.statement.startswith("Nothing is guaranteed")
    assert "chosen on these" in found.statement
    assert (found.low, found.high, found.guaranteed) == (0.0, 1.0, False)
    assert repr(found).endswith("nothing guaranteed for others")


def test_where_the_bias_has_no_bound_the_statement_is_about_lists_of_this_composition():
    y, s, _ = binormal(np.random.default_rng(0), 500, 1500)
    for spec, scores in [("top:0.5", s), ("van-der-waerden", s), ("power:3", np.round(s, 1))]:
        found = certificate(y, scores, spec)
        assert "on average over lists of this composition" in found.statement
        assert found.low < found.estimate <= found.high
    assert "on average" not in certificate(y, s, "power:3").statement


def test_too_few_rows_are_said_to_be_too_few():
    y, s = draw(0, 20)
    found = certificate(y, s, "power:8")
    assert (found.low, found.high) == (0.0, 1.0)
    assert "too few" in found.statement
    order = np.arange(20)
    best, worst = (metrics.rank_statistic(np.sort(y), s, "power:8", scale="mean") for s in (order, -order))
    needed = bounds.rank_statistic_sample_size((best - worst) / 2, y.mean(), "power:8", confidence_level=0.95)
    assert f"takes about {needed:,} rows" in found.statement


def test_one_row_of_each_class_has_an_answer():
    found = certificate([0, 1], [1, 2])
    assert (found.low, found.high) == (pytest.approx(0.025), 1.0)


def test_a_certificate_is_one_line_to_list_and_words_to_print():
    found = certificate(*draw(0))
    assert "\n" not in repr(found)
    assert str(found) == f"{found.statement}\nTheorem: {found.theorem}\nAssumption: {found.assumption}"
    assert found.to_dict()["method"] == "kl"


def test_an_impossible_probability_is_refused():
    with pytest.raises(InputError, match="confidence_level must be in"):
        certificate([0, 1], [1, 2], confidence_level=0)
    with pytest.raises(InputError, match="held_out must be one of"):
        certificate([0, 1], [1, 2], held_out="yes")


def test_a_scorer_chosen_on_the_rows_is_certified_over_its_class():
    y, s, _ = binormal(np.random.default_rng(0), 20_000, 20_000)
    area = certificate(y, s, held_out=False, dimension=3)
    reach = auc_uniform_deviation(20_000, 20_000, log_sign_patterns(3, 20_000), method="sharp")
    assert (area.low, area.high) == (pytest.approx(area.estimate - reach), pytest.approx(area.estimate + reach))
    cube = certificate(y, s, "power:3", held_out=False, dimension=3)
    fixed = certificate(y, s, "power:3")
    assert 0 < cube.low < fixed.low < fixed.estimate < fixed.high < cube.high
    assert cube.guaranteed
    assert not cube.held_out


def test_too_few_rows_for_a_class_are_said_to_be_too_few():
    y, s, _ = binormal(np.random.default_rng(0), 150, 150)
    for spec in ("auc", "power:3"):
        found = certificate(y, s, spec, held_out=False, dimension=15)
        assert found.method == "uniform"
        assert "too few" in found.statement
        assert "takes about" in found.statement


def test_ties_are_certified_by_the_value_averaged_over_their_ranks():
    y, s = draw(2, 200, 1)
    found = certificate(y, s, "power:3")
    assert found.estimate == metrics.rank_statistic(y, s, phi="power:3", ties="average")
    assert found.estimate != metrics.rank_statistic(y, s, phi="power:3", ties="mid")


def test_a_phi_of_unknown_steepness_is_certified_without_its_bias_only():
    y, s, _ = binormal(np.random.default_rng(0), 500, 500)
    found = certificate(y, s, phi.Custom(lambda u: u**3))
    assert "on average over lists of this composition" in found.statement
    same = certificate(y, np.round(s, 12), "power:3")
    assert found.high - found.low < same.high - same.low  # no bias to allow for


@pytest.mark.parametrize("loss", ["zero_one", "exponential", "logistic", "hinge", "squared_hinge"])
@pytest.mark.parametrize("p", [1, 4, 64, np.inf])
def test_the_push_bounds_the_worst_negative_of_the_same_rows(loss, p):
    for seed, scale in [(0, 1), (1, 5), (2, 0.1), (3, 40)]:
        y, s = draw(seed, 60, 4)
        found = push_certificate(y, scale * s, p, loss)
        assert metrics.max_height(y, s) == found.max_height <= found.bound <= found.n_pos


def test_the_logistic_push_needs_the_factor_ln_2():
    # One positive tied with one negative: R_max = 1, but the loss at 0 is ln 2.
    y, s = [0, 1, 1], [0, 0, 99]
    assert metrics.push_risk(y, s, p=2, loss="logistic") ** 0.5 < 1
    assert push_certificate(y, s, 2, "logistic").bound == 1


def test_a_push_that_says_nothing_says_so():
    assert push_certificate([0, 1, 1], [5, 1, 2], 2).statement == (
        "The push risk of these rows is too large to limit how many of the 2 positives stand at or below the "
        "best-placed negative of these rows (in fact 2)."
    )
    assert "at most 0 of 2 positives at or below the best-placed negative (in fact 0)" in repr(
        push_certificate([0, 1, 1], [0, 50, 60], 2)
    )


def test_a_scorer_chosen_on_its_rows_pays_for_every_order_of_twice_as_many_rows():
    n, dimension = 100_000, 4
    y = np.repeat([True, False], n)
    s = np.random.default_rng(0).standard_normal(2 * n) + y
    chosen = certificate(y, s, "power:3", held_out=False, dimension=dimension)
    orders = bounds.log_rank_shatter(2 * n, 2 * n, dimension, method="central")  # the proof doubles the sample
    reach = bounds.rank_statistic_uniform_deviation(n, n, "power:3", orders)
    lowest, highest = 1 / 32, 15 / 32  # mean of u³ over the lower and the upper half of the ranks
    assert (chosen.high - chosen.low) / 2 == pytest.approx(reach / (highest - lowest), rel=1e-9)
