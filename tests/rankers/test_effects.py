import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from podium import BoostedRanker, GradientBoostedRanker, LinearRanker, QuadraticRanker, StackedRanker, metrics
from podium.datasets import LocationModel
from podium.exceptions import InputError

RANKERS = [
    LinearRanker(),
    QuadraticRanker(),
    BoostedRanker(n_rounds=20),
    GradientBoostedRanker(n_estimators=10),
    StackedRanker([LogisticRegression()], random_state=0),
]


def useful_and_useless(n_rows=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, 3))
    return X, X[:, 0] + 0.5 * X[:, 1] + rng.standard_normal(n_rows) > 0


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda r: type(r).__name__)
def test_every_ranker_tells_a_useful_feature_from_a_useless_one(ranker):
    ranker.fit(*useful_and_useless())
    found = ranker.feature_effects(*useful_and_useless(seed=1), random_state=0)
    assert found.effect[0] > found.effect[1] > found.effect[2]
    assert found.low[0] > 0
    assert found.high[2] < 0.05


def test_the_effect_is_the_fall_of_omega():
    X, y = useful_and_useless()
    ranker = LinearRanker().fit(X, y)
    found = ranker.feature_effects(X, y, "power:3", n_repeats=1, random_state=0)
    shuffled = X.copy()
    shuffled[:, 0] = X[np.random.RandomState(0).permutation(len(X)), 0]
    before, after = (metrics.rank_statistic(y, ranker.decision_function(rows), phi="power:3") for rows in (X, shuffled))
    assert found.effect[0] == pytest.approx(before - after)
    assert found.omega == pytest.approx(before)


def test_intervals_cover_the_effect_in_the_population():
    model = LocationModel(0.4, dimension=3)
    ranker = LinearRanker().fit(*model.sample(300, 300, 0))
    truth = ranker.feature_effects(*model.sample(100_000, 100_000, 1), n_repeats=1, random_state=0).effect
    found = [ranker.feature_effects(*model.sample(100, 100, seed), random_state=seed) for seed in range(2, 102)]
    covered = np.mean([(f.low <= truth) & (truth <= f.high) for f in found])
    assert covered > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 100)


def test_a_feature_that_is_not_used_has_no_effect_and_no_error():
    X, y = useful_and_useless()
    ranker = LinearRanker().fit(X, y)
    ranker.coef_[2] = 0.0
    found = ranker.feature_effects(X, y)
    assert (found.effect[2], found.standard_error[2]) == pytest.approx((0, 0), abs=1e-15)


def test_names_of_columns_sparse_rows_and_weights():
    X, y = useful_and_useless()
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["age", "income", "noise"])
    found = LinearRanker().fit(frame, y).feature_effects(frame, y, random_state=0)
    assert found.names == ("age", "income", "noise")
    assert repr(found).startswith("AUC 0.840; it falls by 0.264 (0.224 to 0.304) without age, ")
    plain = LinearRanker().fit(X, y)
    thin = plain.feature_effects(sparse.csr_matrix(X), y, random_state=0)
    np.testing.assert_allclose(thin.effect, plain.feature_effects(X, y, random_state=0).effect)
    half = plain.feature_effects(X, y, sample_weight=np.arange(600) % 2, random_state=0)
    np.testing.assert_allclose(half.effect, plain.feature_effects(X[1::2], y[1::2], random_state=0).effect)


def test_text_labels_and_bad_input():
    X, y = useful_and_useless()
    words = np.where(y, "yes", "no")
    ranker = LinearRanker().fit(X, words)
    np.testing.assert_array_equal(
        ranker.feature_effects(X, words, random_state=0).effect,
        LinearRanker().fit(X, y).feature_effects(X, y, random_state=0).effect,
    )
    with pytest.raises(InputError, match="n_repeats must be 1 or more"):
        ranker.feature_effects(X, words, n_repeats=0)
    with pytest.raises(InputError, match="same length"):
        ranker.feature_effects(X, words[:5])


def test_the_standard_error_is_that_of_the_rows_and_of_the_shuffles():
    X, y = useful_and_useless(80)
    ranker, n_repeats = LinearRanker().fit(X, y), 3
    ours = ranker.feature_effects(X, y, n_repeats=n_repeats, random_state=0)

    def shares_of_pairs_won(scores):
        wins = scores[y][:, None] > scores[~y]
        return wins.mean(axis=1), wins.mean(axis=0), wins.mean()

    rng = np.random.RandomState(0)
    before = shares_of_pairs_won(ranker.decision_function(X))
    for j in range(3):
        after = []
        for _ in range(n_repeats):
            shuffled = X.copy()
            shuffled[:, j] = X[rng.permutation(len(X)), j]
            after.append(shares_of_pairs_won(ranker.decision_function(shuffled)))
        # DeLong's variance of the difference, and the variance of a mean of shuffles (Mann-Whitney, by all pairs)
        rows = sum(
            np.var(before[side] - np.mean([each[side] for each in after], axis=0), ddof=1) / len(before[side])
            for side in (0, 1)
        )
        shuffles = np.var([each[2] for each in after], ddof=1) / n_repeats
        assert ours.standard_error[j] == pytest.approx(np.sqrt(rows + shuffles), rel=1e-9)


def test_labels_that_were_not_trained_on_are_refused():
    X, y = LocationModel(0.3, dimension=2).sample(30, 30, 0)
    with pytest.raises(InputError, match="y must have the labels of the training rows"):
        LinearRanker().fit(X, y).feature_effects(X, np.where(y, "yes", "no"))
