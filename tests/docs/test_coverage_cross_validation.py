"""Coverage by simulation, with fewer draws than in docs/coverage_cross_validation.rst: within four standard errors."""

import coverage_cross_validation as simulated
import numpy as np
import pytest

N_DRAWS = 60


@pytest.mark.slow
@pytest.mark.parametrize("design", simulated.DESIGNS[:4], ids=str)
def test_fitted_expected_and_refitted_models_are_covered(design):
    cell = simulated.simulate(design, N_DRAWS)
    assert min(cell[:3]) >= 0.93 - 4 * np.sqrt(0.05 * 0.95 / N_DRAWS)
