import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

import naive
from podium import _input, ranks
from podium.ranks.pooled import TieGroups, positive_ranks
from samples import CASES, draw, labeled_scores


@pytest.mark.parametrize("case", CASES)
def test_ranks_equal_their_definition_and_scipy(case):
    _, s = draw(*case)
    np.testing.assert_allclose(ranks.mid_ranks(s), [naive.mid_rank(t, s) for t in s])
    np.testing.assert_allclose(ranks.mid_ranks(s), rankdata(s))
    np.testing.assert_allclose(ranks.max_ranks(s), rankdata(s, method="max"))


@given(labeled_scores(), st.data())
def test_integer_weights_equal_repeated_rows(sample, data):
    y, s = sample
    w = np.array(data.draw(st.lists(st.integers(1, 4), min_size=len(s), max_size=len(s))))
    repeated = np.repeat(np.arange(len(s)), w)
    for function in (ranks.mid_ranks, ranks.max_ranks):
        np.testing.assert_allclose(function(s, w)[repeated], function(s[repeated]))
    weighted = TieGroups.of(_input.check_sample(y, s, w))
    plain = TieGroups.of(_input.check_sample(y[repeated], s[repeated]))
    for name in ("values", "pos", "neg"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(plain, name))


@given(labeled_scores())
def test_positives_have_the_same_ranks_alone_as_in_the_pooled_sample(sample):
    y, s = sample
    for weight in (None, np.ones(len(s))):
        found = positive_ranks(_input.check_sample(y, s, weight))
        mid = np.sort(ranks.mid_ranks(s)[y])
        np.testing.assert_allclose(found.mid if weight is None else np.repeat(found.mid, found.mass.astype(int)), mid)


def test_ranks_of_integers_too_large_for_floats_are_exact():
    s = 2**60 + np.array([3, 1, 2])
    assert ranks.mid_ranks(s).tolist() == [3, 1, 2]
    assert positive_ranks(_input.check_sample([1, 0, 0], s)).mid.tolist() == [3]
