"""The push family of criteria."""

import numpy as np
import pytest

from contracts.criteria import LOSSES, cases
from criteria import naive_pushes
from podium import metrics
from podium._types import Sample
from podium.criteria import (
    BottomPush,
    CrucialPairs,
    CustomPrice,
    ExponentialPrice,
    IRPush,
    PNormPush,
    Push,
    SmoothPartialAuc,
    resolve,
)
from podium.exceptions import DegenerateSampleError, InputError, InputTypeError
from registry import title
from samples import CASES, draw, weighted_rows

EVERY = [case.make() for case in cases() if not case.name.startswith(("RankStatistic", "LogLoss"))]


PUSHES = [each for each in EVERY if not isinstance(each, CrucialPairs)]


every_criterion = pytest.mark.parametrize("criterion", EVERY, ids=title)


every_push = pytest.mark.parametrize("criterion", PUSHES, ids=title)


# The bandwidth of the smooth partial AUC follows the spread of the scores, so that its gradient may have any sign.
every_monotone_push = pytest.mark.parametrize(
    "criterion", [each for each in PUSHES if not isinstance(each, SmoothPartialAuc)], ids=title
)


every_loss = pytest.mark.parametrize("loss", LOSSES)


@every_loss
@pytest.mark.parametrize("p", [1, 2.5, 4, 16, np.inf])
@pytest.mark.parametrize("case", CASES)
def test_the_push_equals_its_definition_by_double_loop(loss, p, case):
    y, s = draw(*case)
    weight = np.random.default_rng(0).random(len(s)) + 0.2
    for w in (None, weight):
        value, _ = PNormPush(p, loss, tol=1e-12).value_and_gradient(s, y, w)
        assert value == pytest.approx(naive_pushes.push_objective(y, s, p, loss, w), rel=1e-12, abs=1e-12)
        if np.isfinite(p):
            value, _ = BottomPush(p, loss, tol=1e-12).value_and_gradient(s, y, w)
            assert value == pytest.approx(naive_pushes.bottom_objective(y, s, p, loss, w), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_other_prices_equal_their_definition_by_double_loop(case):
    y, s = draw(*case)
    weight = np.random.default_rng(0).random(len(s)) + 0.2
    for w in (None, weight):
        assert IRPush().value_and_gradient(s, y, w)[0] == pytest.approx(naive_pushes.ir_objective(y, s, w), rel=1e-12)
        for loss in LOSSES:
            value, _ = Push(ExponentialPrice(), loss, tol=1e-12).value_and_gradient(s, y, w)
            assert value == pytest.approx(naive_pushes.price_objective(y, s, np.exp, loss, w), rel=1e-11)
            own = CustomPrice(lambda r: r + r**2, lambda r: 1 + 2 * r)
            value, _ = Push(own, loss, tol=1e-12).value_and_gradient(s, y, w)
            expected = naive_pushes.price_objective(y, s, lambda r: r + r**2, loss, w)
            assert value == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_the_exponential_loss_separates():
    # log R_{p,exp} = p·LSE_i(−f(x_i)) + LSE_k(p·f(x̃_k))
    s, y, _ = weighted_rows(200)
    for p in (1, 4, 64):
        separable = p * np.log(np.exp(-s[y]).sum()) + np.log(np.exp(p * s[~y]).sum())
        value, gradient = PNormPush(p).value_and_gradient(s, y)
        assert -p * value == pytest.approx(separable, rel=1e-12)
        np.testing.assert_allclose(gradient[y], np.exp(-s[y]) / np.exp(-s[y]).sum(), rtol=1e-12)
        np.testing.assert_allclose(gradient[~y], -np.exp(p * s[~y]) / np.exp(p * s[~y]).sum(), rtol=1e-12)


@every_loss
def test_an_integer_power_as_a_price_of_ones_own_is_the_push(loss):
    s, y, w = weighted_rows()
    value, gradient = Push(CustomPrice(lambda r: r**3, lambda r: 3 * r**2), loss).value_and_gradient(s, y, w)
    expected, slopes = (3 * PNormPush(3, loss)).value_and_gradient(s, y, w)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-10, atol=1e-14)


@every_criterion
def test_the_gradient_sums_to_zero(criterion):
    s, y, w = weighted_rows(30)
    s = np.round(s * 16) / 16  # on the edges of cells
    _, gradient = criterion.value_and_gradient(s, y, w)
    assert abs(gradient.sum()) <= 1e-12 * np.abs(gradient).sum()


@every_monotone_push
def test_positives_are_pulled_up_and_negatives_pushed_down(criterion):
    s, y, _ = weighted_rows()
    _, gradient = criterion.value_and_gradient(s, y)
    assert (gradient[y] >= 0).all()
    assert (gradient[~y] <= 0).all()
    assert gradient.any()


@every_push
@pytest.mark.parametrize("weighted", [True, False])
def test_merged_chunks_equal_the_whole(criterion, weighted):
    s, y, w = weighted_rows(400)
    s[::5] = np.round(s[::5], 1)
    order = np.argsort(~y, kind="stable")  # the first chunks hold positives only, the last none
    s, y, w = s[order], y[order], w[order]
    value, gradient = criterion.value_and_gradient(s, y, w if weighted else None)
    for n_chunks in (2, 7):
        chunks = [
            Sample(s[part], y[part], w[part] if weighted else None) for part in np.array_split(np.arange(400), n_chunks)
        ]
        merged, gradients = criterion.over_chunks(chunks)
        assert merged == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(np.concatenate(gradients), gradient, atol=1e-12 * np.abs(gradient).max())


@pytest.mark.parametrize("price", [np.square, np.expm1, lambda r: r])
def test_theorem_1_of_rudin(price):
    # K g(R_max/K) ≤ R_{g,1} ≤ K g(R_max), R_{g,1} ≤ R_{g,ℓ}
    s, y, _ = weighted_rows(40)
    worst, n_neg = metrics.max_height(y, s), (~y).sum()
    risk = price(metrics.heights(y, s)).sum()
    assert n_neg * price(worst / n_neg) <= risk <= n_neg * price(worst)
    for loss in ("exponential", "hinge", "squared_hinge"):
        assert risk <= np.exp(-naive_pushes.price_objective(y, s, price, loss))


def test_at_p_1_the_push_is_the_objective_of_rankboost():
    s, y, _ = weighted_rows()
    misranking = sum(np.exp(-(a - b)) for a in s[y] for b in s[~y])
    assert PNormPush(1).value_and_gradient(s, y)[0] == pytest.approx(-np.log(misranking), rel=1e-13)


# R09, Table 1 (computed with half the stated scores)
@pytest.mark.parametrize(
    ("scores", "exponential", "logistic"),
    [
        ([1, 2, 3, 4, 5, 6, 7, 8], 17160.17, 430.79),
        ([2, 1, 3, 4, 5, 6, 7, 8], 72289.39, 670.20),
        ([1, 2, 3, 4, 5, 7, 6, 8], 130515.09, 1212.23),
    ],
)
def test_table_1_of_rudin(scores, exponential, logistic):
    y = np.array([False, True, False, True, False, False, True, True])
    for loss, printed in (("exponential", exponential), ("logistic", logistic)):
        value, _ = PNormPush(4, loss, tol=1e-10).value_and_gradient(np.array(scores) / 2, y)
        assert round(np.exp(-4 * value), 2) == printed


def test_table_2_of_rudin_prefers_the_better_top_from_the_same_p_on():
    y = np.array([1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0], bool)
    better_top = np.arange(14, 0, -1) / 28  # half the stated scores
    for loss, first in (("exponential", 4), ("logistic", 7)):
        for p in range(1, 11):
            top, _ = PNormPush(p, loss).value_and_gradient(better_top, y)
            rest, _ = PNormPush(p, loss).value_and_gradient(-better_top, y)
            assert (top > rest) == (p >= first)


def test_criteria_add_up_and_take_factors():
    s, y, w = weighted_rows()
    both = PNormPush(4) + 0.5 * BottomPush(2)
    top, bottom = PNormPush(4).value_and_gradient(s, y, w), BottomPush(2).value_and_gradient(s, y, w)
    value, gradient = both.value_and_gradient(s, y, w)
    assert value == pytest.approx(top[0] + 0.5 * bottom[0], rel=1e-15)
    np.testing.assert_allclose(gradient, top[1] + 0.5 * bottom[1], rtol=1e-14)
    twice, _ = (2 * (both + IRPush())).value_and_gradient(s, y, w)
    assert twice == pytest.approx(2 * value + 2 * IRPush().value_and_gradient(s, y, w)[0], rel=1e-14)


@pytest.mark.parametrize("factor", [0, -1.0, np.inf, "2"])
def test_factors_that_are_not_positive_are_refused(factor):
    with pytest.raises((InputError, InputTypeError)):
        factor * PNormPush(4)


@pytest.mark.parametrize(
    ("spec", "criterion"),
    [
        ("push:4", PNormPush(4)),
        ("push:4:logistic", PNormPush(4, "logistic")),
        ("push:inf:squared-hinge", PNormPush(np.inf, "squared_hinge")),
        ("ir-push", IRPush()),
        ("bottom:2", BottomPush(2)),
        ("partial-auc:0.05", SmoothPartialAuc(0.05)),
    ],
)
def test_specifications(spec, criterion):
    assert resolve(spec) == criterion


@pytest.mark.parametrize("spec", ["push", "push:x", "push:0.5", "push:4:cubic", "ir-push:3", "partial-auc:2"])
def test_bad_specifications_are_refused_with_a_sentence(spec):
    with pytest.raises(InputError):
        resolve(spec)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: PNormPush(0.9), "p must be in"),
        (lambda: PNormPush(loss="cubic"), "loss must be one of"),
        (lambda: PNormPush(tol=1.0), "tol must be in"),
        (lambda: CrucialPairs(), "exactly one of"),
        (lambda: CrucialPairs(pairs=[1, 2]), "pairs must be whole row numbers"),
        (lambda: CustomPrice(np.sqrt, lambda r: 1 / (1 + r)), "convex"),
        (lambda: CustomPrice(lambda r: -r, lambda r: -1.0 + 0 * r), "non-negative"),
        (lambda: CustomPrice(np.square, lambda r: r), "derivative must be that of value"),
    ],
)
def test_unusable_parameters_are_refused(make, match):
    with pytest.raises(InputError, match=match):
        make()


def test_unusable_rows_are_refused():
    with pytest.raises(DegenerateSampleError):
        PNormPush().value_and_gradient([1.0, 2.0], [True, True])
    with pytest.raises(DegenerateSampleError, match="no group has both"):
        CrucialPairs(groups=[0, 1]).value_and_gradient([1.0, 2.0], [True, False])
    with pytest.raises(InputError, match="one entry per score"):
        CrucialPairs(groups=[0, 1]).value_and_gradient([1.0, 2.0, 3.0], [True, False, True])
    with pytest.raises(InputError, match="row numbers from 0 to 1"):
        CrucialPairs(pairs=[[0, 2]]).value_and_gradient([1.0, 2.0], [True, False])
    steep = CustomPrice(np.expm1, np.exp)
    with pytest.raises(InputError, match="does not overflow"):
        Push(steep).value_and_gradient([-50.0, 50.0], [True, False])
