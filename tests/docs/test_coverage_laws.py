"""The laws of docs/coverage_laws.rst, and some of its cells with fewer draws: within four standard errors."""

import coverage_laws as simulated
import numpy as np
import pytest
from laws import LAWS, contaminated, ordinal

from podium import phi as phi_
from podium.metrics import rank_statistic

N_DRAWS = 300
SLACK = 4 * np.sqrt(0.07 * 0.93 / N_DRAWS)


@pytest.mark.parametrize("phi", ["auc", "power:8", "smooth-top:0.95"])
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_truth_is_the_limit_of_long_samples(law, phi):
    y, s = law.draw(np.random.default_rng(0), 30_000, 70_000)
    assert rank_statistic(y, s, phi=phi) == pytest.approx(law.omega(phi_.resolve(phi), 0.3), abs=0.012)


@pytest.mark.slow
@pytest.mark.parametrize("phi", ["power:8", "early-recognition:20", "dcg"])
@pytest.mark.parametrize("law", [contaminated(0.02), ordinal([0.1, 0.3, 0.6], [0.6, 0.3, 0.1])], ids=str)
def test_ties_and_a_few_negatives_on_top_are_covered(law, phi):
    def draw(rng):
        return law.draw(rng, 100, 100)

    found = simulated.cell(draw, phi, simulated.truth(draw, phi, 100, 100, law), N_DRAWS)
    assert float(found[1]) > 0.93 - SLACK


@pytest.mark.slow
@pytest.mark.parametrize("constant", [True, False])
def test_few_clusters_are_covered(constant):
    def draw(rng):
        return simulated.clustered(rng, 20, 10, constant)

    assert float(simulated.cell(draw, "auc", 0.9, N_DRAWS)[1]) > 0.93 - SLACK
