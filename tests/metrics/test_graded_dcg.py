"""Gains of grades, discounted by position."""

import numpy as np
import pytest
from sklearn.metrics import dcg_score, ndcg_score

from podium import metrics
from podium.exceptions import DegenerateSampleError, InputError


def graded(seed, n=30, n_scores=12):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, n).astype(float), rng.integers(0, n_scores, n) / n_scores


@pytest.mark.parametrize("k", [None, 1, 7, 30])
@pytest.mark.parametrize("seed", range(5))
def test_it_is_scikit_learns_which_averages_ties_too(seed, k):
    g, s = graded(seed)
    assert metrics.graded_dcg(g, s, k) == pytest.approx(dcg_score([g], [s], k=k), rel=1e-12)
    assert metrics.graded_dcg(g, s, k, normalize=True) == pytest.approx(ndcg_score([g], [s], k=k), rel=1e-12)
    assert metrics.graded_dcg(g, s, k, base=10) == pytest.approx(dcg_score([g], [s], k=k, log_base=10), rel=1e-12)


def test_it_is_the_mean_over_orders_inside_ties():
    g, s = graded(9, n=12, n_scores=4)

    def gain(order):
        return sum(g[i] / np.log2(2 + place) for place, i in enumerate(order))

    rng, orders = np.random.default_rng(0), []
    for _ in range(4000):
        shuffled = rng.permutation(len(s))
        orders.append(gain(shuffled[np.argsort(-s[shuffled], kind="stable")]))
    error = np.std(orders) / np.sqrt(len(orders))
    assert metrics.graded_dcg(g, s) == pytest.approx(np.mean(orders), abs=4 * error)


def test_of_two_grades_it_is_the_dcg_and_a_weight_is_a_number_of_rows():
    g, s = graded(3)
    times = 1 + np.arange(30) % 3
    assert metrics.graded_dcg(g > 1, s, 9) == pytest.approx(metrics.dcg(g > 1, s, 9), rel=1e-12)
    weighted = metrics.graded_dcg(g, s, 20, normalize=True, sample_weight=times)
    assert weighted == pytest.approx(
        metrics.graded_dcg(g.repeat(times), s.repeat(times), 20, normalize=True), rel=1e-12
    )
    some = (np.arange(30) % 4 > 0).astype(float)
    assert metrics.graded_dcg(g, s, sample_weight=some) == pytest.approx(metrics.graded_dcg(g[some > 0], s[some > 0]))


def test_what_it_refuses():
    for call, sentence in (
        (lambda: metrics.graded_dcg([0, 1], [1.0]), "must have the same length; got 2 and 1"),
        (lambda: metrics.graded_dcg([0, -1], [1.0, 2.0]), "that is not negative; got -1"),
        (lambda: metrics.graded_dcg([0, 1], [1.0, 2.0], k=3), "k must be 1 to 2; got 3"),
    ):
        with pytest.raises(InputError, match=sentence):
            call()
    with pytest.raises(DegenerateSampleError, match="needs a row of relevance above zero"):
        metrics.graded_dcg([0, 0], [1.0, 2.0], normalize=True)
