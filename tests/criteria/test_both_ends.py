import numpy as np
import pytest

from contracts.criteria import LOSSES
from criteria import naive_pushes
from podium.criteria import BothEndsPush, BottomPush, PNormPush
from podium.exceptions import InputError
from samples import CASES, draw


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("p", [1, 2.5, 16])
@pytest.mark.parametrize("case", CASES)
def test_it_equals_the_printed_sum_by_double_loop(loss, p, case):
    y, s = draw(*case)
    weight = np.random.default_rng(0).random(len(s)) + 0.2
    for w in (None, weight):
        value, _ = BothEndsPush(p, 0.3, loss, tol=1e-12).value_and_gradient(s, y, w)
        assert value == pytest.approx(naive_pushes.both_ends_objective(y, s, p, 0.3, loss, w), rel=1e-11, abs=1e-11)


def test_it_tends_to_either_end_as_the_constant_does():
    y, s = draw(*CASES[0])
    for bottom, end in ((1e-300, PNormPush(3)), (1e300, BottomPush(3))):
        value, gradient = BothEndsPush(3, bottom).value_and_gradient(s, y)
        expected, slopes = end.value_and_gradient(s, y)
        assert value + np.log(max(bottom, 1.0)) / 3 == pytest.approx(expected, rel=1e-12)
        np.testing.assert_allclose(gradient, slopes, atol=1e-12)


def test_at_p_one_both_ends_are_the_same_sum():
    y, s = draw(*CASES[0])
    both = BothEndsPush(1, 0.25).value_and_gradient(s, y)[0]
    assert both == pytest.approx(PNormPush(1).value_and_gradient(s, y)[0] - np.log(1.25), rel=1e-12)


def test_hinges_that_cost_nothing_have_no_gradient():
    value, gradient = BothEndsPush(2, 1.0, "hinge").value_and_gradient([0.0, 5.0], [False, True])
    assert value == np.inf
    assert not gradient.any()


def test_an_infinite_p_is_refused():
    with pytest.raises(InputError, match="p must"):
        BothEndsPush(np.inf)
