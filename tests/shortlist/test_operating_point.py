"""The longest prefix of a list with enough hits."""

import numpy as np
import pytest

from podium.exceptions import InputError
from podium.inference import hits_lower_bound
from podium.shortlist import operating_point


def draw(seed, n, ties=False):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    s = rng.normal(size=n) + 2.5 * y
    return y, np.round(2 * s) / 2 if ties else s


@pytest.mark.parametrize("ties", [True, False])
def test_it_is_the_largest_k_whose_bound_is_high_enough(ties):
    (y, s), (_, s_new) = draw(0, 500, ties), draw(1, 300, ties)
    found = operating_point(y, s, s_new, precision=0.7)
    hits = hits_lower_bound(y, s, s_new).hits
    k = max(k for k in range(1, 301) if hits[k - 1] >= 0.7 * k)
    assert found.n_chosen == k
    assert s_new[found.chosen].min() >= s_new[~found.chosen].max()
    if not ties:
        assert np.array_equal(s_new >= found.threshold, found.chosen)


@pytest.mark.slow
def test_the_share_of_positives_in_the_list_is_as_promised():
    broken, n_draws = 0, 150
    for seed in range(n_draws):
        (y, s), (y_new, s_new) = draw([seed, 0], 200), draw([seed, 1], 100)
        chosen = operating_point(y, s, s_new, precision=0.6).chosen
        broken += chosen.any() and y_new[chosen].mean() < 0.6
    assert broken / n_draws <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_draws)


def test_where_nothing_can_be_claimed_no_row_is_chosen():
    y, s = draw(0, 300)
    found = operating_point(y, -s, s, precision=0.95)
    assert found.n_chosen == 0
    assert found.threshold == np.inf
    assert found.guarantee.startswith("No beginning of this list")


def test_a_precision_out_of_range_is_refused():
    with pytest.raises(InputError, match="precision must be in"):
        operating_point(*draw(0, 100), [1.0], precision=1)
