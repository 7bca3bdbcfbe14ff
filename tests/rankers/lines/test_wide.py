"""Many columns, sparse or dense: nothing of columns by columns, and as good as a logistic regression."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from podium import LinearRanker, Objective, QuadraticRanker
from podium.criteria import LogLoss
from podium.exceptions import InputError
from podium.models import LinearModel
from podium.phi import Mww
from podium.rankers.lines.many_columns import (
    _steepest_at_origin,
    mean_difference,
    squares_and_presence,
    typical_sizes,
    wide_logistic,
)
from podium.rankers.lines.rows import Columns, Rows


def _texts(n_rows, n_words, seed=0):
    """How often words occur, frequent ones and rare ones, some of them more often in positive texts."""
    rng = np.random.default_rng(seed)
    tilt = np.random.default_rng(9).standard_normal(n_words) * (np.arange(n_words) % 3 == 0)
    y = rng.random(n_rows) < 0.4
    rate = 20 / np.arange(1, n_words + 1) / np.log(n_words)
    occurs = rng.random((n_rows, n_words)) < rate * np.exp(np.where(y[:, None], tilt, -tilt) * 0.4)
    text, word = (places.astype(np.int32) for places in np.nonzero(occurs))  # liblinear takes no others
    return sparse.csr_array((rng.integers(1, 4, len(text)) / 10.0, (text, word)), shape=(n_rows, n_words)), y


@pytest.mark.parametrize("criterion", ["auc", "logloss", "power:3", "push:2"])
def test_sparse_rows_are_ranked_as_well_as_by_liblinear(criterion):
    (X, y), (X_new, y_new) = _texts(1500, 2000), _texts(1500, 2000, seed=1)
    peer = LogisticRegression(solver="liblinear").fit(X, y).decision_function(X_new)
    ours = LinearRanker(criterion).fit(X, y).decision_function(X_new)
    assert roc_auc_score(y_new, ours) > roc_auc_score(y_new, peer) - 0.003


def test_dense_rows_with_more_columns_than_rows_are_ranked_as_well_as_by_logistic_regression():
    rng = np.random.default_rng(0)
    w = rng.standard_normal(1000) / 12
    X, X_new = rng.standard_normal((2, 500, 1000))
    y, y_new = (rng.random(500) < 1 / (1 + np.exp(-rows @ w)) for rows in (X, X_new))
    peer = LogisticRegression().fit(X, y).decision_function(X_new)
    ours = LinearRanker().fit(1000 * X + 5, y).decision_function(1000 * X_new + 5)  # units do not matter
    assert roc_auc_score(y_new, ours) > roc_auc_score(y_new, peer) - 0.003


def test_rare_columns_of_ones_count_as_much_as_frequent_ones():
    X = np.array([[0.0, 0.0, 3.0], [0.0, 1.0, -1.0], [2.0, 0.0, 2.0], [0.0, 1.0, 5.0]])
    for table in (X, sparse.csr_array(X)):
        rows = Rows(table, np.array([True, False, True, False]), np.ones(4))
        sizes = typical_sizes(*squares_and_presence(rows, Columns.fit(rows, rows, standardize=False)))
        np.testing.assert_allclose(sizes, [2, 1, np.sqrt(39 / 4)])


def test_the_plug_in_rule_of_many_columns_is_scikit_learns_at_the_same_penalty():
    X, y = _texts(600, 400)
    found = wide_logistic(LinearModel(), Rows(X, y, np.ones(600)), [(np.ones(400), 1.0)], Mww())
    peer = LogisticRegression(C=1 / found.penalty, tol=1e-8, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(found.direction, peer.coef_[0], atol=0.02 * np.abs(peer.coef_).max())
    assert found.intercept == pytest.approx(peer.intercept_[0], abs=0.05)


def test_a_climb_ends_at_a_share_of_the_steepest_slope_at_its_origin():
    X, y = _texts(300, 400)
    weight, unit = 1.0 + np.arange(300) % 3, 1.0 + np.arange(400)
    rows = Rows(X, y, weight)
    design = sparse.hstack([X * unit, np.ones((300, 1))], format="csr")
    objective = Objective(LogLoss(), LinearModel(), design, y, weight)
    _, gradient = objective(np.append(np.zeros(400), np.log(rows.n_pos / rows.n_neg)))
    steepest = _steepest_at_origin(rows, unit, mean_difference(LinearModel(), rows))
    assert steepest == pytest.approx(np.abs(gradient).max(), rel=1e-12)


def test_a_sparse_fit_takes_little_more_than_the_data():
    X, y = _texts(4000, 6000)
    LinearRanker().fit(X[:200], y[:200])  # compile first
    tracemalloc.start()
    LinearRanker().fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * 1.4e6 + 8 * 150 * 6000  # thrice the data, and vectors of L-BFGS; columns by columns are 288 MB


def test_a_quadratic_of_many_columns_makes_no_matrix_of_its_features():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 150))
    y = X[:, 0] ** 2 + 0.3 * rng.standard_normal(80) > 1
    tracemalloc.start()
    QuadraticRanker(max_iter=5).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6  # 11,475 features: one matrix of features by features has 1 GB


def test_a_weight_is_a_number_of_equal_rows_of_sparse_tables():
    X, y = _texts(300, 400)
    times = 1 + np.arange(300) % 3
    weighted = LinearRanker().fit(X, y, times.astype(float)).decision_function(X)
    repeated = LinearRanker().fit(X[np.repeat(np.arange(300), times)], y.repeat(times)).decision_function(X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-5 * weighted.std())


def test_a_fit_to_many_rows_is_the_same_every_time_unless_a_seed_says_otherwise():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((11_000, 3))
    y = X[:, 0] + rng.standard_normal(11_000) > 1
    for ranker in (LinearRanker(), QuadraticRanker()):
        first, second, other = (
            clone(ranker).set_params(random_state=seed).fit(X, y).decision_function(X) for seed in (None, None, 7)
        )
        np.testing.assert_array_equal(first, second)
        assert not np.array_equal(first, other)


def test_a_quadratic_too_large_says_so_before_it_takes_the_memory():
    X = np.zeros((4, 30_000))
    X[:, 0] = range(4)
    with pytest.raises(InputError, match=r"450,045,000 weights; to fit it needs about 144\.\d GB of memory; .* left"):
        QuadraticRanker().fit(X, [0, 1, 0, 1])


def test_memory_that_is_not_there_is_a_sentence(monkeypatch):
    def allocate(*_):
        raise MemoryError("Unable to allocate 22.4 GiB for an array with shape (54764, 54764)")

    monkeypatch.setattr(LinearRanker, "_recipe", allocate)
    with pytest.raises(InputError, match=r"LinearRanker could not hold .* 4 rows of 1 columns: Unable to allocate 22"):
        LinearRanker().fit(np.arange(4.0)[:, None], [0, 1, 0, 1])
