import numpy as np
import pytest

from podium.phi import Dcg, EarlyRecognition, SmoothTopShare
from podium.ranks.score_table import score_table
from registry import all_phi

STEEP = [SmoothTopShare(0.999, 1e4, 1e4), EarlyRecognition(2e4), Dcg(5000)]


@pytest.mark.parametrize("phi", [*all_phi(), *STEEP], ids=str)
@pytest.mark.parametrize("size", [50, 2**15, 50_021])
def test_a_table_is_phi_at_every_rank_whether_evaluated_or_interpolated(phi, size):
    phi = phi.bind(size - 1)
    wanted = phi.value(np.arange(1, size) / size)
    found = score_table(phi, size)
    assert found[0] == found[-1] == 0
    np.testing.assert_allclose(found[1:-1], wanted, rtol=0, atol=2e-13 * np.ptp(wanted))
