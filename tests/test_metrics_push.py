import numpy as np
import pytest
from hypothesis import given

import naive
from podium import metrics
from podium.exceptions import InputError
from podium.metrics.push import LOSSES
from samples import CASES, draw, labelled_scores


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


@given(labelled_scores())
def test_both_heights_sum_to_the_misranked_pairs(sample):
    misranked = metrics.push_risk(*sample, p=1)
    assert metrics.heights(*sample).sum() == metrics.reverse_heights(*sample).sum() == misranked


@given(labelled_scores())
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


# R09, Table 1: labels and scores of Section 3.1; the table was computed with half the stated scores.
LABELS = np.array([-1, 1, -1, 1, -1, -1, 1, 1])
ORIGINAL = np.arange(1.0, 9.0)
SWAP_BOTTOM = np.array([2.0, 1, 3, 4, 5, 6, 7, 8])
SWAP_TOP = np.array([1.0, 2, 3, 4, 5, 7, 6, 8])
TABLE_1 = [
    (ORIGINAL, 33, 17160.17, 430.79),
    (SWAP_BOTTOM, 34, 72289.39, 670.20),
    (SWAP_TOP, 98, 130515.09, 1212.23),
]


@pytest.mark.parametrize(("scores", "zero_one", "exponential", "logistic"), TABLE_1)
def test_table_1_of_rudin(scores, zero_one, exponential, logistic):
    assert metrics.push_risk(LABELS, scores, p=4) == zero_one
    assert round(metrics.push_risk(LABELS, scores / 2, p=4, loss="exponential"), 2) == exponential
    assert round(metrics.push_risk(LABELS, scores / 2, p=4, loss="logistic"), 2) == logistic


# R09, Table 2: columns f1 and f2 of each loss as printed, with their powers of ten multiplied out.
TABLE_2 = {
    "zero_one": (
        ["25", "125", "625", "3.13e3", "1.56e4", "7.81e4", "3.91e5", "1.95e6", "9.77e6", "4.88e7"],
        ["24", "118", "726", "4.88e3", "3.38e4", "23.56e4", "16.48e5", "11.53e6", "80.71e6", "56.50e7"],
    ),
    "exponential": (
        ["50.25", "367.39", "2.73e3", "2.056e4", "1.56e5", "1.20e6", "9.34e6", "7.29e7", "5.72e8", "4.50e9"],
        ["49.80", "362.35", "2.70e3", "2.057e4", "1.60e5", "1.28e6", "10.36e6", "8.53e7", "7.13e8", "6.02e9"],
    ),
    "logistic": (
        ["34.34", "170.18", "851.09", "4.29e3", "2.18e4", "1.114e5", "5.72e5", "2.96e6", "1.53e7", "7.98e7"],
        ["34.09", "167.90", "836.46", "4.22e3", "2.15e4", "1.110e5", "5.79e5", "3.05e6", "1.63e7", "8.74e7"],
    ),
}
LABELS_2 = np.array([1, 1, -1, -1, -1, -1, -1, 1, 1, 1, 1, 1, -1, -1])


def agrees_with_print(value, printed):
    """Whether the value, rounded or truncated in its last printed digit, is the printed one."""
    mantissa, _, exponent = printed.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    if abs(value - float(printed)) <= unit / 2 * (1 + 1e-9):
        return "rounded"
    return "truncated" if 0 <= value - float(printed) < unit else "no"


def test_table_2_of_rudin_all_ninety_cells_one_of_them_truncated():
    f1 = np.arange(14, 0, -1) / 14
    cells = []
    for loss, columns in TABLE_2.items():
        for scores, column in zip((f1, -f1), columns, strict=True):
            for p, printed in enumerate(column, start=1):
                # with half the stated scores
                cells.append(agrees_with_print(metrics.push_risk(LABELS_2, scores / 2, p=p, loss=loss), printed))
        preferred = [float(a) < float(b) for a, b in zip(*columns, strict=True)]
        ours = [
            metrics.push_risk(LABELS_2, f1 / 2, p=p, loss=loss) < metrics.push_risk(LABELS_2, -f1 / 2, p=p, loss=loss)
            for p in range(1, 11)
        ]
        assert ours == preferred
    assert len(cells) == 60
    assert cells.count("no") == 0
    assert cells.count("truncated") <= 1


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
