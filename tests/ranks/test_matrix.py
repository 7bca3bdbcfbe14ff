"""Rank matrices by their definition, by counts of all of them, and as the AUC."""

import itertools

import numpy as np
import pytest

from podium import bounds, metrics
from podium.exceptions import InputError
from podium.ranks import bipartite_rank_matrix, count_bipartite_orders
from samples import CASES, draw


@pytest.mark.parametrize("case", CASES)
def test_the_rank_matrix_equals_its_definition_and_its_mean_is_the_auc(case):
    y, s = draw(*case)
    y = np.asarray(y).astype(bool)
    expected = [[float(a > b) + 0.5 * float(a == b) for b in np.asarray(s)[~y]] for a in np.asarray(s)[y]]
    found = bipartite_rank_matrix(y, s)
    np.testing.assert_array_equal(found, expected)
    assert found.mean() == pytest.approx(metrics.auc(y, s), rel=1e-12)


@pytest.mark.parametrize(("n_pos", "n_neg"), [(1, 1), (1, 3), (2, 2), (2, 3)])
def test_all_weak_orders_show_every_rank_matrix_that_there_is(n_pos, n_neg):
    # A05, Definition 4.2 and Theorem 4.3: ψ(m, n) is the number over all functions.
    n_total = n_pos + n_neg
    everything = np.array(list(itertools.product(range(n_total), repeat=n_total)))
    assert count_bipartite_orders(np.arange(n_total) < n_pos, everything) == bounds.count_rank_matrices(n_pos, n_neg)


def test_linear_scorers_of_one_feature_show_three_orders():
    x = np.array([0.3, 1.2, -0.7, 2.0, 0.1])  # A05, §4.4: w > 0, w < 0, w = 0
    assert count_bipartite_orders([1, 1, 0, 0, 0], np.outer(np.linspace(-2, 2, 9), x)) == 3


def test_unsigned_and_boolean_scores_are_compared_not_subtracted():
    scores = np.array([1, 200, 200, 3], dtype=np.uint8)
    np.testing.assert_array_equal(bipartite_rank_matrix([1, 1, 0, 0], scores), [[0, 0], [0.5, 1]])


def test_scores_of_another_shape_and_too_many_pairs_are_refused():
    with pytest.raises(InputError, match="one row per scorer"):
        count_bipartite_orders([0, 1], [1.0, 2.0])
    y = np.arange(30_000) < 15_000
    with pytest.raises(InputError, match="at most 100,000,000 pairs"):
        bipartite_rank_matrix(y, np.zeros(30_000))
