import numpy as np
import pytest

from podium import metrics, phi
from podium.bounds import kl_interval, rank_statistic_bias, rank_statistic_deviation
from podium.exceptions import InputError
from podium.inference import certificate
from podium.roc import RocCurve
from samples import draw
from test_inference_bands import binormal


def test_the_auc_is_certified_by_relative_entropy():
    y, s = draw(1, 40, 2)
    found = certificate(y, s, delta=0.1)
    assert found.estimate == metrics.auc(y, s)
    assert (found.low, found.high) == tuple(kl_interval(found.estimate, int(y.sum()), int((~y).sum()), 0.1))
    assert found.statement.startswith("With probability at least 90%, the AUC of this scorer is between")
    assert "no row had a part" in found.assumption
    assert found.guaranteed


def test_any_other_statistic_is_certified_by_its_bounded_differences_and_its_bias():
    y, s, _ = binormal(np.random.default_rng(0), 500, 1500)
    found = certificate(y, s, "power:3")
    # On the scale of W: W = ℓ + ω(h − ℓ), for u³ with p = ¼ by hand.
    worst, best = 0.25**3 / 4, (1 - 0.75**4)
    reach = rank_statistic_deviation(500, 1500, "power:3", 0.05) + rank_statistic_bias(500, 1500, "power:3")
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
        found = certificate(y, s, spec, delta=0.2)
        inside += found.low <= true <= found.high
    assert inside >= 80


def test_rows_that_chose_the_scorer_guarantee_nothing():
    y, s = draw(0)
    found = certificate(y, s, held_out=False)
    assert found.statement.startswith("Nothing is guaranteed")
    assert "chosen on these" in found.statement
    assert (found.low, found.high, found.guaranteed) == (0.0, 1.0, False)
    assert "no guarantee" in repr(found)


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
    assert "rows" in found.statement.split("takes about")[1]


def test_one_row_of_each_class_has_an_answer():
    found = certificate([0, 1], [1, 2])
    assert (found.low, found.high) == (pytest.approx(0.025), 1.0)


def test_a_certificate_is_one_line_to_list_and_words_to_print():
    found = certificate(*draw(0), delta=0.05)
    assert "\n" not in repr(found)
    assert str(found) == f"{found.statement}\nAssumption: {found.assumption}"
    assert found.to_dict()["method"] == "kl"


def test_an_impossible_probability_is_refused():
    with pytest.raises(InputError, match="delta must be in"):
        certificate([0, 1], [1, 2], delta=0)
    with pytest.raises(InputError, match="held_out must be one of"):
        certificate([0, 1], [1, 2], held_out="yes")
