"""Pushes at their limits: large p, wide lists, classes far apart."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import expit, logsumexp

from contracts.criteria import LOSSES
from criteria import naive_pushes
from podium import metrics
from podium._types import Sample
from podium.criteria import (
    BottomPush,
    IRPush,
    PNormPush,
)
from podium.criteria.push.logistic import CellwisePush
from podium.exceptions import DegenerateSampleError, InputError
from podium.sums.frame import PLAIN, Extent
from samples import draw, weighted_rows

every_loss = pytest.mark.parametrize("loss", LOSSES)


@pytest.mark.parametrize(
    ("loss", "scale"),
    [  # e^(−r) overflows in the double loop beyond a scale of 30
        *((loss, scale) for loss in LOSSES for scale in (1.0, 30.0)),
        *((loss, 1000.0) for loss in LOSSES if loss != "exponential"),
    ],
)
def test_sums_do_not_cancel_at_any_scale(loss, scale):
    y, s = draw(7, 200)
    s = np.round(s * scale * 256) / 256 + 4096  # differences are exact
    for p in (1, 3):
        value, _ = PNormPush(p, loss, tol=1e-12).value_and_gradient(s, y)
        expected = naive_pushes.push_objective(y, s, p, loss)
        tol = 1e-11 if loss == "logistic" else 1e-13
        assert np.expm1(p * (value - expected)) == pytest.approx(0, abs=tol * max(1, p * abs(expected)))


@every_loss
@pytest.mark.parametrize("far", [-1e4, 1e4, 30.0, -30.0])
def test_no_overflow_at_p_64_and_scores_of_ten_thousand(loss, far):
    s, y = np.array([far, far + 1, -far, -far + 0.5, 3.0]), np.array([True, True, False, False, False])
    for criterion in (PNormPush(64, loss), BottomPush(64, loss), PNormPush(np.inf, loss), IRPush()):
        value, gradient = criterion.value_and_gradient(s, y)
        assert np.isfinite(gradient).all()
        if np.isinf(value):  # hinge losses of a list with margins cost nothing
            assert loss in ("hinge", "squared_hinge")
            assert far > 0
            assert not gradient.any()


def test_the_logistic_loss_of_a_wide_list_is_the_exponential_one():
    s, y = np.array([1e4, 9e3, -1e4, -2e4]), np.array([True, True, False, False])
    value, gradient = PNormPush(4, "logistic").value_and_gradient(s, y)
    expected, slopes = PNormPush(4).value_and_gradient(s, y)
    assert value == pytest.approx(expected, rel=1e-14)
    np.testing.assert_allclose(gradient, slopes)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("p", [1, 1.5, 4])
@pytest.mark.parametrize("make", [PNormPush, BottomPush])
def test_logistic_sums_at_the_nodes_of_cells_equal_those_over_all_pairs(make, p, weighted):
    """Enough rows for cells; sums, value and gradient by the pair matrix."""
    rng = np.random.default_rng(0)
    y = rng.random(5_000) < 0.1
    s, w = rng.standard_normal(len(y)) + y, rng.integers(1, 4, len(y)) * 1.0 if weighted else np.ones(len(y))
    criterion = make(p, "logistic", tol=1e-6)
    rows = Sample(s, y, w)
    extent, _ = Extent.of(rows)
    assert CellwisePush.suited(criterion._loss, criterion._price, criterion.judges_positives, PLAIN, extent) is not None
    margins = s[y][:, None] - s[~y]
    losses = np.logaddexp(0, -margins)
    slopes = -expit(-margins)
    above, below = w[y], w[~y]
    if make is BottomPush:
        losses, slopes, above, below = losses.T, slopes.T, below, above
    sums = above @ losses
    prices = below * sums**p / (below @ sums**p)
    on_below = (above @ slopes) * prices / sums
    on_above = -above * (slopes @ (prices / sums))
    expected = np.empty(len(y))
    expected[y], expected[~y] = (on_above, on_below) if make is PNormPush else (-on_below, -on_above)
    value, gradient = criterion.value_and_gradient(s, y, w if weighted else None)
    assert value == pytest.approx(-np.log(below @ sums**p) / p, rel=1e-7)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6)
    # chunks merge
    half = len(y) // 2
    parts = [Sample(s[:half], y[:half], w[:half]), Sample(s[half:], y[half:], w[half:])]
    merged, gradients = criterion.over_chunks(parts)
    assert merged == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(np.concatenate(gradients), gradient, rtol=1e-9)


def test_classes_far_apart_underflow_nowhere_however_many_rows():
    s = np.repeat([0.0, 45.0], 10_000)
    y = s > 0
    value, gradient = PNormPush(2, "logistic").value_and_gradient(s, y)
    assert value == pytest.approx(-(np.log(10_000) * 2 + 2 * -45 + np.log(10_000)) / 2, rel=1e-12)
    np.testing.assert_allclose(gradient, np.where(y, 1e-4, -1e-4))


@every_loss
def test_the_push_tends_to_the_worst_negative_as_p_grows(loss):
    # R_max ≤ R_p^(1/p) ≤ m^(1/p) R_max
    s, y, _ = weighted_rows()
    worst, gradient = PNormPush(np.inf, loss).value_and_gradient(s, y)
    for p in (64, 4096):
        value, _ = PNormPush(p, loss).value_and_gradient(s, y)
        assert worst - np.log((~y).sum()) / p <= value <= worst
    assert np.count_nonzero(gradient[~y]) == 1
    assert gradient[~y].argmin() == s[~y].argmax()


def test_negatives_that_tie_for_the_worst_share_the_subgradient():
    _, gradient = PNormPush(np.inf).value_and_gradient([0.0, 1.0, 1.0], [True, False, False])
    np.testing.assert_allclose(gradient, [1.0, -0.5, -0.5])


@pytest.mark.parametrize("loss", ["exponential", "hinge", "squared_hinge"])
def test_the_certificate_of_the_worst_negative_holds_on_the_sample(loss):
    # R_max ≤ R_{p,1}^(1/p) ≤ R_{p,ℓ}^(1/p) = e^(−value)
    s, y, _ = weighted_rows(80)
    for p in (1, 4, 32):
        zero_one = np.exp(metrics.push_risk(y, s, p=p, log=True) / p)
        assert metrics.max_height(y, s) <= zero_one * (1 + 1e-12)
        assert zero_one <= np.exp(-PNormPush(p, loss).value_and_gradient(s, y)[0])


@pytest.mark.parametrize("scale", [1.0, 300.0])
@pytest.mark.parametrize("weighted", [True, False])
def test_exponential_pushes_of_a_long_list_equal_sums_by_scipy(weighted, scale):
    """More rows than stay in cache at once, in one piece and in chunks, some of one class."""
    rng = np.random.default_rng(3)
    y = rng.random(40_001) < 0.3
    y[:100] = True
    s, w = scale * rng.standard_normal(len(y)), rng.integers(1, 4, len(y)) * 1.0 if weighted else None
    ones = np.ones(len(y)) if w is None else w
    cuts = [0, 50, 100, 20_000, len(y)]
    chunks = [Sample(s[a:b], y[a:b], None if w is None else w[a:b]) for a, b in pairwise(cuts)]
    total = logsumexp(s[~y], b=ones[~y])
    mean = ones[y] @ np.logaddexp(0, total - s[y]) / ones[y].sum()
    values, gradients = {IRPush(): -mean}, {}
    on_positives = ones[y] * expit(total - s[y]) / ones[y].sum()
    gradients[IRPush()] = on_positives, -on_positives.sum() * ones[~y] * np.exp(s[~y] - total)
    for push, up, down in ((PNormPush(4), 1, 4), (BottomPush(2.5), 2.5, 1)):
        above, below = logsumexp(-up * s[y], b=ones[y]), logsumexp(down * s[~y], b=ones[~y])
        values[push] = -above / up - below / down
        gradients[push] = ones[y] * np.exp(-up * s[y] - above), -ones[~y] * np.exp(down * s[~y] - below)
    for push, expected in values.items():
        value, gradient = push.value_and_gradient(s, y, w)
        assert value == pytest.approx(expected, rel=1e-13)
        np.testing.assert_allclose(gradient[y], gradients[push][0], rtol=1e-11, atol=1e-300)
        np.testing.assert_allclose(gradient[~y], gradients[push][1], rtol=1e-11, atol=1e-300)
        merged, parts = push.over_chunks(chunks)
        assert merged == pytest.approx(value, rel=1e-13)
        np.testing.assert_allclose(np.concatenate(parts), gradient, rtol=1e-12)


@pytest.mark.parametrize("push", [PNormPush(4), BottomPush(4), IRPush()], ids=str)
def test_scores_that_overflowed_and_chunks_without_pairs_are_refused(push):
    for bad in (np.nan, np.inf, 1e200):
        with pytest.raises(InputError, match=r"finite scores|within"):
            push.evaluate(Sample(np.array([bad, 0.0]), np.array([True, False])))
    with pytest.raises(DegenerateSampleError, match="needs a pair"):
        push.over_chunks([Sample(np.array([1.0, 0.0]), np.array([True, True]))])
