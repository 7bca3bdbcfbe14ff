import numpy as np
import pytest

from podium import BoostedRanker, GradientBoostedRanker
from podium.exceptions import DegenerateSampleError


def kept_by_definition(path, patience):
    """The best round when ``patience`` rounds in a row brought no better one, or of all."""
    for t in range(len(path)):
        best = int(np.argmax(path[: t + 1]))
        if t - best >= patience:
            return best
    return int(np.argmax(path))


@pytest.mark.parametrize("seed", range(3))
def test_it_stops_after_exactly_so_many_rounds_without_a_better_one(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((200, 6))
    y = X[:, 0] + 0.7 * X[:, 1] + 2 * rng.standard_normal(200) > 0

    def fitted(patience):
        ranker = BoostedRanker("push:2", weak="stumps", n_rounds=80, early_stopping="auc", random_state=0)
        return ranker.set_params(n_iter_no_change=patience).fit(X, y)

    path = fitted(80).validation_path_  # up to its best round
    kept = [len(fitted(patience).rounds_) for patience in range(1, 9)]
    assert kept == [kept_by_definition(path, patience) for patience in range(1, 9)]
    assert len(set(kept)) > 1  # so patience makes a difference here


@pytest.mark.parametrize("ranker", [BoostedRanker(early_stopping="auc"), GradientBoostedRanker(early_stopping="auc")])
def test_a_single_row_of_a_class_cannot_be_both_learned_from_and_watched(ranker):
    X = np.random.default_rng(0).standard_normal((100, 2))
    with pytest.raises(DegenerateSampleError, match=r"two rows of either class.*got 1 positive and 99 negative"):
        ranker.fit(X, np.arange(100) == 3)
