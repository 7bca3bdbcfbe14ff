"""Coverage by simulation, with fewer draws than in docs/coverage_rates.rst: within four standard errors."""

import coverage_rates as simulated
import numpy as np
import pytest

N_DRAWS = 200


@pytest.mark.slow
@pytest.mark.parametrize("shape", simulated.SHAPES, ids=str)
@pytest.mark.parametrize("cell", simulated.CELLS, ids=str)
def test_partial_areas_and_true_positive_rates_are_covered(cell, shape):
    held, _, _ = simulated.coverage(*shape, *cell, N_DRAWS)
    assert (held >= 0.93 - 4 * np.sqrt(0.05 * 0.95 / N_DRAWS)).all()
