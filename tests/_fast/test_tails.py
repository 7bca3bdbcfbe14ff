"""The scale of numeric columns against its definition."""

import numpy as np
import pytest

from podium._fast.reductions import draw_in_tails


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_linear_in_the_middle_logarithmic_beyond_and_the_center_where_nothing_is_known(kind):
    x = np.array([5.0, 8.0, -1.0, 11.0, 11.1, -300.0, 1e308, np.nan, np.inf, -np.inf])
    out = np.empty((len(x), 2), kind)
    draw_in_tails(x, 5.0, 2.0, 3.0, 0.0, out[:, 0])
    z = np.where(np.isfinite(x), (x - 5) / 2, 0)
    expected = np.where(np.abs(z) <= 3, z, np.sign(z) * (3 + np.log(1 + np.maximum(np.abs(z) - 3, 0))))
    np.testing.assert_allclose(out[:, 0], expected, rtol=1e-14 if kind is np.float64 else 1e-6)


def test_it_is_increasing_and_without_a_jump_where_the_tail_begins():
    x = np.linspace(-20, 20, 4001)
    out = np.empty_like(x)
    draw_in_tails(x, 0.0, 1.0, 3.0, 0.0, out)
    assert np.all(np.diff(out) > 0)
    assert np.diff(out).max() <= 0.0100001
