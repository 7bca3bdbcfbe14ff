import numpy as np

from podium import TreeRanker


def n_segments(seed, strength):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((300, 4))
    return len(TreeRanker().fit(X, strength * X[:, 0] + rng.standard_normal(300) > 0.5).segments_.rows)


def test_on_pure_noise_a_tree_is_seldom_cut():
    uncut = sum(n_segments(seed, 0.0) == 1 for seed in range(16))
    assert uncut >= 11  # nine in ten expected; without a test against no cut, four in ten


def test_what_is_there_is_cut():
    assert all(n_segments(seed, 2.0) > 1 for seed in range(6))
