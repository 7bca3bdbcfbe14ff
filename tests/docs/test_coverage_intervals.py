"""Coverage and size by simulation, fewer draws than in docs/coverage_intervals.rst: within four standard errors."""

import coverage_intervals as simulated
import numpy as np
import pytest
from populations import Binormal

from podium import phi as phi_
from podium.metrics import rank_statistic

N_DRAWS = 500
SLACK = 4 * np.sqrt(0.05 * 0.95 / N_DRAWS)


@pytest.mark.parametrize("phi", ["mww", "power:3", "smooth-top:0.9"])
@pytest.mark.parametrize("law", [Binormal(0.9), Binormal(0.8, 2, rounding=0.5)], ids=str)
def test_the_truth_of_the_simulations_is_the_limit_of_long_samples(phi, law):
    y, s = law.draw(np.random.default_rng(0), 60_000, 140_000)
    assert rank_statistic(y, s, phi=phi) == pytest.approx(law.omega(phi_.resolve(phi), 0.3), abs=0.006)


def test_the_truth_of_the_auc_is_its_closed_form():
    assert Binormal(0.87, 2).omega(phi_.resolve("mww"), 0.2) == pytest.approx(0.87, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", simulated.SIZES[:3], ids=str)
@pytest.mark.parametrize("law", simulated.LAWS, ids=str)
@pytest.mark.parametrize("phi", ["mww", "power:3"])
def test_the_default_covers_at_mild_phi(phi, law, sizes):
    assert simulated.coverage(law, sizes, phi, n_draws=N_DRAWS).coverage > 0.93 - SLACK


@pytest.mark.slow
@pytest.mark.parametrize("sizes", simulated.SIZES[:3], ids=str)
@pytest.mark.parametrize("law", simulated.STEEP_LAWS, ids=str)
@pytest.mark.parametrize("phi", ["power:8", "smooth-top:0.9"])
def test_the_default_covers_at_steep_phi_also_near_perfection(phi, law, sizes):
    assert simulated.coverage(law, sizes, phi, n_draws=N_DRAWS).coverage > 0.93 - SLACK


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.9, 0.99])
@pytest.mark.parametrize("rounding", [None, 1])
@pytest.mark.parametrize("phi", ["mww", "power:8"])
def test_pseudo_event_limits_cover_at_other_levels_and_with_ties(phi, rounding, level):
    law = Binormal(0.95, rounding=rounding)
    found = simulated.coverage(law, (50, 50), phi, method="pseudo-event", level=level, n_draws=N_DRAWS)
    assert found.coverage > level - 0.02 - 4 * np.sqrt(level * (1 - level) / N_DRAWS)


@pytest.mark.slow
def test_the_logit_jackknife_fails_at_steep_phi_near_perfection_as_its_note_says():
    found = simulated.coverage(Binormal(0.97), (50, 50), "smooth-top:0.9", method="jackknife", n_draws=N_DRAWS)
    assert found.coverage < 0.9


@pytest.mark.slow
@pytest.mark.parametrize("phi", ["mww", "power:3"])
@pytest.mark.parametrize("sizes", simulated.SIZES[:3], ids=str)
def test_the_paired_test_holds_its_level(phi, sizes):
    assert 0.03 - SLACK < simulated.paired_size(sizes, phi, n_draws=N_DRAWS) < 0.07 + SLACK


@pytest.mark.slow
@pytest.mark.parametrize("phi", ["mww", "power:8", "van-der-waerden", "logrank", "median"])
@pytest.mark.parametrize("rounding", [None, 0.5])
def test_rank_tests_hold_their_level(phi, rounding):
    assert simulated.rank_test_size((20, 20), phi, rounding, n_draws=N_DRAWS) < 0.05 + SLACK


@pytest.mark.slow
def test_the_learned_test_holds_its_level():
    assert simulated.learned_test_size((40, 60), "mww", n_draws=200) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 200)
