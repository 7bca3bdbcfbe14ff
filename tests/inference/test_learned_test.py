import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from podium import DegenerateSampleError, InputTypeError
from podium.inference import learned_two_sample_test


def samples(seed, shift=0.0, spread=1.0, n=120):
    rng = np.random.default_rng(seed)
    return spread * rng.standard_normal((n, 4)) + shift, rng.standard_normal((n - 20, 4))


def test_a_shift_is_found():
    assert learned_two_sample_test(*samples(0, shift=0.6), rng=0).pvalue < 1e-3


@pytest.mark.slow
def test_equality_is_not_found_more_often_than_said():
    pvalues = [learned_two_sample_test(*samples(seed), rng=seed).pvalue for seed in range(60)]
    assert 0.3 < np.mean(pvalues) < 0.7


def test_a_scale_is_found_by_a_scorer_that_can_see_it():
    X, Y = samples(0, spread=2.0)
    assert learned_two_sample_test(X, Y, rng=0).pvalue > 0.01
    assert learned_two_sample_test(X, Y, GaussianNB(), "power:3", rng=0).pvalue < 1e-3


def test_the_ranker_is_left_unfitted_and_the_split_follows_the_seed():
    X, Y = samples(0, shift=0.2)
    ranker = GaussianNB()
    one, same, other = (learned_two_sample_test(X, Y, ranker, rng=seed).statistic for seed in (1, 1, 2))
    assert one == same != other
    assert not hasattr(ranker, "classes_")


def test_split_says_how_many_rows_are_learned_on():
    found = learned_two_sample_test(*samples(0), split=0.25, rng=0)
    assert (found.n_train, found.n_test) == (55, 165)


def test_what_cannot_be_tested_gets_a_sentence():
    X, Y = samples(0)
    with pytest.raises(DegenerateSampleError, match="got 1 rows"):
        learned_two_sample_test(X, Y[:1])
    with pytest.raises(InputTypeError, match="StandardScaler has neither"):
        learned_two_sample_test(X, Y, StandardScaler())
