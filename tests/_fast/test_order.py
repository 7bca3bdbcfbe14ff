import numpy as np
import pytest

from podium._fast.lists import order

N = 3000
NOISE = np.random.default_rng(0).standard_normal(N)


@pytest.mark.parametrize(
    "scores",
    [
        NOISE,
        np.round(NOISE),
        1e9 + NOISE,  # agree in the upper bits, unless centred
        np.where(NOISE > 2, 1e300, NOISE * 1e-300),
        np.concatenate([np.full(N // 2, -0.0), np.zeros(N - N // 2)]),
        1 + np.arange(N)[::-1] * 2.0**-52,
        np.sort(NOISE),
        NOISE[:1],
    ],
    ids=["normal", "ties", "large", "extreme", "zeros", "last bit", "sorted", "one"],
)
def test_ascending_is_an_argsort_of_the_chosen_rows(scores):
    chosen = np.random.default_rng(1).random(len(scores)) < 0.6
    rows, values = order.ascending(scores, chosen)
    np.testing.assert_array_equal(values, np.sort(scores[chosen]))
    np.testing.assert_array_equal(values, scores[rows])
    np.testing.assert_array_equal(np.sort(rows), np.flatnonzero(chosen))


def test_scores_that_agree_in_all_upper_bits_are_sorted_otherwise(monkeypatch):
    scores = np.concatenate([[-1e300, 1e300], 1 + np.random.default_rng(2).permutation(N) * 2.0**-52])
    chosen = np.ones(len(scores), bool)
    settled = []
    monkeypatch.setattr(
        order, "_settled", lambda *args, plain=order._settled: settled.append(plain(*args)) or settled[-1]
    )
    rows, values = order.ascending(scores, chosen)
    np.testing.assert_array_equal(values, np.sort(scores))
    np.testing.assert_array_equal(values, scores[rows])
    scores = np.concatenate([np.full(4 * N, 7.0), scores])  # the centre is elsewhere
    rows, values = order.ascending(scores, np.ones(len(scores), bool))
    np.testing.assert_array_equal(values, np.sort(scores))
    assert settled == [True, False]
