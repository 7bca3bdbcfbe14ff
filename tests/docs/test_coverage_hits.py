"""Coverage of the hits of a new list, with fewer draws than in docs/coverage_hits.rst: within four standard errors."""

import coverage_hits as simulated
import numpy as np
import pytest

N_DRAWS = 300


@pytest.mark.slow
@pytest.mark.parametrize("design", simulated.DESIGNS, ids=lambda d: f"{d.name}, {d.auc}, {d.n_rows} to {d.n_next}")
def test_the_hits_of_the_next_list_are_covered(design):
    held = simulated.simulate(design, N_DRAWS, n_fixed=0)
    error = np.sqrt(0.05 * 0.95 / N_DRAWS)
    assert (held.ranges >= 0.95 - 4 * error).all()
    assert held.bounds is None or (held.bounds >= 0.95 - 4 * error).all()
