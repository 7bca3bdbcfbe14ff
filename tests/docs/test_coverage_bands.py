"""Coverage by simulation, with fewer draws than in docs/coverage_bands.rst: within four standard errors."""

import coverage_bands as simulated
import numpy as np
import pytest

N_DRAWS = 300


def least(level):
    return level - 4 * np.sqrt(0.05 * 0.95 / N_DRAWS)


def cells(sizes):
    return pytest.mark.parametrize(
        ("auc", "sd", "n_pos", "n_neg"), [(*shape, *size) for shape in simulated.SHAPES for size in sizes]
    )


@pytest.mark.slow
@cells(simulated.SIZES[:3])
def test_bands_hold_the_whole_curve(auc, sd, n_pos, n_neg):
    rng = np.random.default_rng(0)
    held = dict(zip(simulated.METHODS, simulated.bands(rng, auc, sd, n_pos, n_neg, N_DRAWS), strict=True))
    assert held["ell"].coverage >= 0.95
    assert held["ks"].coverage >= 0.95
    assert held["calibrated"].coverage >= least(0.93)
    assert held["bootstrap"].coverage >= least(0.93)
