import math

import numpy as np
import pytest
from hypothesis import given

import naive
from criteria import naive_pushes
from podium import metrics
from podium.exceptions import InputError
from podium.experiments.r09 import table1, table2
from podium.experiments.r09.push_tables import agreement
from podium.metrics import pair_contributions, push_risk, winner_take_all
from podium.metrics.push_sums import LOSSES
from samples import CASES, draw, labeled_scores


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("p", [1, 2.5, 4])
@pytest.mark.parametrize("case", CASES)
def test_push_risk_equals_its_definition(loss, p, case):
    y, s = draw(*case)
    w = np.random.default_rng(0).random(len(s)) + 0.2
    for weight in (None, w):
        expected = naive.push_risk(y, s, p, loss, weight)
        ours = metrics.push_risk(y, s, p=p, loss=loss, sample_weight=weight)
        assert ours == pytest.approx(expected, rel=1e-12)
        if expected:
            logged = metrics.push_risk(y, s, p=p, loss=loss, sample_weight=weight, log=True)
            assert logged == pytest.approx(np.log(expected), rel=1e-12, abs=1e-12)
            n, m = (y.sum(), (~y).sum()) if weight is None else (w[y].sum(), w[~y].sum())
            norm = metrics.push_risk(y, s, p=p, loss=loss, sample_weight=weight, normalize=True)
            assert norm == pytest.approx((expected / m) ** (1 / p) / n, rel=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_heights_equal_their_definition_in_input_order(case):
    y, s = draw(*case)
    assert metrics.heights(y, s).tolist() == naive.heights(y, s)
    assert metrics.reverse_heights(y, s).tolist() == naive.reverse_heights(y, s)
    assert metrics.max_height(y, s) == max(naive.heights(y, s))


@given(labeled_scores())
def test_both_heights_sum_to_the_misranked_pairs(sample):
    misranked = metrics.push_risk(*sample, p=1)
    assert metrics.heights(*sample).sum() == metrics.reverse_heights(*sample).sum() == misranked


@given(labeled_scores())
def test_the_root_of_the_risk_tends_to_the_worst_negative(sample):
    # R_max ≤ R_p^(1/p) ≤ m^(1/p) R_max, so the limit p → ∞ is R_max.
    worst = metrics.max_height(*sample)
    if worst == 0:
        assert metrics.push_risk(*sample, p=64, log=True) == -np.inf
        return
    root = np.exp(metrics.push_risk(*sample, p=512, log=True) / 512)
    assert worst <= root * (1 + 1e-12)
    assert root == pytest.approx(worst, rel=0.02)
    assert metrics.push_risk(*sample, p=np.inf) == pytest.approx(worst)


@pytest.mark.parametrize(("loss", "printed"), table1.PRINTED.items())
def test_table_1_of_rudin(loss, printed):
    for scores, cell in zip(table1.LISTS.values(), printed, strict=True):
        value = metrics.push_risk(table1.LABELS, table1.SCALE * np.array(scores), p=4, loss=loss)
        assert agreement(value, cell) == "rounded"


def test_table_2_of_rudin_all_ninety_cells_one_of_them_truncated():
    cells, preferred = [], []
    for loss, columns in table2.PRINTED.items():
        for name, column in columns.items():
            for p, printed in zip(table2.POWERS, column, strict=True):
                value = metrics.push_risk(table2.LABELS, table2.SCORES[name], p=p, loss=loss)
                cells.append(agreement(value, printed))
        for p in table2.POWERS:
            first, second = (metrics.push_risk(table2.LABELS, f, p=p, loss=loss) for f in table2.SCORES.values())
            preferred.append((first < second) == (p >= table2.PRINTED_TURN[loss]))
    assert len(cells) == 60
    assert cells.count("rounded") == 59
    assert cells.count("truncated") == 1
    assert len(preferred) == 30
    assert all(preferred)


def test_hinge_sums_do_not_cancel_at_any_scale():
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.5
    for scale in (1.0, 30.0, 1000.0):
        for shift in (0.0, 1e5):
            s = np.round(rng.standard_normal(300) * scale * 256) / 256 + shift  # differences are exact
            for loss in ("hinge", "squared_hinge"):
                expected = naive.push_risk(y, s, 1, loss)
                assert metrics.push_risk(y, s, p=1, loss=loss) == pytest.approx(expected, rel=1e-13)


def test_logarithms_avoid_overflow():
    y, s = [1, 0, 0], [-1e4, 1e4, 0.0]
    assert metrics.push_risk(y, s, p=64, loss="exponential") == np.inf
    assert metrics.push_risk(y, s, p=64, loss="exponential", log=True) == pytest.approx(64 * 2e4)
    assert metrics.push_risk(y, s, p=64, loss="exponential", log=True, normalize=True) == pytest.approx(
        2e4 - np.log(2) / 64
    )


def test_bad_powers_and_losses_are_refused():
    with pytest.raises(InputError, match="p must be in"):
        metrics.push_risk([0, 1], [1, 2], p=0.5)
    with pytest.raises(InputError, match=r"loss must be one of 'zero_one'"):
        metrics.push_risk([0, 1], [1, 2], loss="square")


@pytest.mark.parametrize("margin", [0.0, 0.5, 1.0, 2.5])
@pytest.mark.parametrize("p", [1, 3])
def test_with_a_margin_pairs_count_that_are_not_clearly_apart(margin, p):
    rng = np.random.default_rng(4)
    y, scores = np.arange(30) < 12, rng.integers(0, 12, 30) / 2  # halves: differences are exact
    sums = [sum(x - t <= margin for x in scores[y]) for t in scores[~y]]
    assert push_risk(y, scores, p, margin=margin) == sum(s**p for s in sums)
    mean = np.mean([(s / 12) ** p for s in sums]) ** (1 / p)
    assert push_risk(y, scores, p, margin=margin, normalize=True) == pytest.approx(mean, rel=1e-12)


def test_a_margin_of_another_loss_is_refused():
    with pytest.raises(InputError, match="A margin needs"):
        push_risk([0, 1], [1, 2], 2, "hinge", margin=0.5)


def test_the_winner_takes_all_unless_a_negative_stands_or_ties_on_top():
    assert winner_take_all([0, 1, 1], [1, 2, 0]) == 0.0
    assert winner_take_all([0, 1, 1], [2, 2, 0]) == 1.0
    assert winner_take_all([0, 1, 1], [3, 2, 0]) == 1.0


PAIR_LOSSES = {
    "zero_one": lambda r: float(r <= 0),
    "exponential": lambda r: math.exp(-r),
    "logistic": lambda r: math.log1p(math.exp(-r)),
    "hinge": lambda r: max(1 - r, 0),
    "squared_hinge": lambda r: max(1 - r, 0) ** 2,
}


@pytest.mark.parametrize("loss", PAIR_LOSSES)
@pytest.mark.parametrize("p", [1, 2.5])
def test_contributions_of_pairs_equal_their_definition(loss, p):
    rng = np.random.default_rng(5)
    y, scores = np.arange(17) < 7, rng.integers(0, 9, 17) / 3
    positives, negatives = sorted(scores[y], reverse=True), sorted(scores[~y], reverse=True)
    each = np.array([[PAIR_LOSSES[loss](x - t) for t in negatives] for x in positives])
    expected = np.array([[each[i, k] * each[:, k].sum() ** (p - 1) for k in range(10)] for i in range(7)])
    found = pair_contributions(y, scores, p, loss)
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-10, atol=1e-15)
    assert expected.sum() == pytest.approx(push_risk(y, scores, p, loss), rel=1e-10)


def test_contributions_neither_overflow_nor_are_shared_where_there_is_no_loss():
    far = pair_contributions([1, 0, 0], [0.0, 1e4, 2e4], 64)
    np.testing.assert_allclose(far, [[1.0, 0.0]])
    for loss in LOSSES:
        farthest = pair_contributions([1, 0, 0], [-1e308, 1e308, 0.0], 3, loss)
        assert farthest.sum() == pytest.approx(1)
    assert not pair_contributions([1, 1, 0], [5.0, 4.0, 0.0], 2, "hinge").any()
    with pytest.raises(InputError, match="p must be in"):
        pair_contributions([0, 1], [1, 2], np.inf)


@pytest.mark.parametrize("loss", naive.LOSSES)
@pytest.mark.parametrize("case", CASES)
def test_the_risk_of_any_price_equals_its_definition(loss, case):
    y, s = draw(*case)
    weight = np.random.default_rng(0).integers(1, 4, len(s))
    for w in (None, weight):
        for price in (lambda r: r + r**3, np.expm1, np.log1p):
            expected = -naive_pushes.price_objective(y, s / 8, price, loss, w)
            ours = metrics.push_risk(y, s / 8, loss=loss, price=price, sample_weight=w)
            assert ours == pytest.approx(math.exp(expected), rel=1e-11)
            logged = metrics.push_risk(y, s / 8, loss=loss, price=price, sample_weight=w, log=True)
            assert logged == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_a_power_as_price_is_the_push():
    y, s = draw(*CASES[0])
    for loss in naive.LOSSES:
        by_price = metrics.push_risk(y, s, loss=loss, price=lambda r: r**4)
        assert by_price == pytest.approx(metrics.push_risk(y, s, 4, loss), rel=1e-12)


def test_prices_that_are_none_are_refused():
    for price in (lambda r: -r, lambda r: 1.0, lambda r: r / 0.0):
        with pytest.raises(InputError, match="price must give a finite number"), np.errstate(all="ignore"):
            metrics.push_risk([0, 1], [2, 1], price=price)
    for options in ({"p": 2}, {"normalize": True}):
        with pytest.raises(InputError, match="takes the place of the power"):
            metrics.push_risk([0, 1], [2, 1], price=np.exp, **options)
