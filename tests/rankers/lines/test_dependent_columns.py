"""Columns that depend linearly on each other: what rows do not vary in drops out, whatever the ranker."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from podium import (
    BoostedRanker,
    CriterionRanker,
    ForestRanker,
    GradientBoostedRanker,
    LinearRanker,
    QuadraticRanker,
    StackedRanker,
    TreeRanker,
)
from podium.rankers.lines.prepare import lda
from podium.rankers.lines.scatter import Whitening, robust_scatter

LINES = [
    LinearRanker(),
    LinearRanker("logloss"),
    LinearRanker("push:2"),
    LinearRanker(scaling=None, alpha=0.1),
    QuadraticRanker(),
    QuadraticRanker("logloss"),
    QuadraticRanker("power:3", linear_term=False),
]
OTHERS = [
    LinearRanker("power:3", scaling="quantile"),
    make_pipeline(StandardScaler(), CriterionRanker()),
    BoostedRanker(n_rounds=20),
    GradientBoostedRanker("auc", n_estimators=20),
    GradientBoostedRanker(backend="xgboost", n_estimators=20),
    ForestRanker(n_estimators=50, random_state=0),
    StackedRanker([LinearRanker("logloss"), QuadraticRanker("logloss")], cv=3, random_state=0),
]


def _rows(seed, n_rows=500):
    """Two numbers whose scale tells the classes apart, one whose mean does, and a town."""
    rng = np.random.default_rng(seed)
    y = rng.random(n_rows) < 0.4
    numbers = rng.standard_normal((n_rows, 3)) * np.where(y[:, None], [1.0, 1.7, 1.0], [1.7, 1.0, 1.0])
    numbers[:, 2] += y
    town = rng.choice(4, n_rows, p=[0.5, 0.3, 0.15, 0.05])
    numbers[:, 2] += 0.5 * (town == 1)
    return numbers * [1.0, 10.0, 0.1] + [0.0, 100.0, 3.0], town, y


def _sums(numbers, n_sums):
    weights = np.random.default_rng(1).integers(1, 5, (3, n_sums)) / [[1.0], [10.0], [0.1]]
    return np.column_stack([numbers, numbers @ weights])


def _levels(town, dropped=0):
    return (town[:, None] == np.arange(dropped, 4)).astype(float)


TABLES = {
    **{f"{k} sums": (lambda x, town, k=k: _sums(x, k), lambda x, town: x) for k in (1, 4)},
    "duplicates": (lambda x, town: np.column_stack([x, x[:, :2], x[:, 0]]), lambda x, town: x),
    "all levels": (
        lambda x, town: np.column_stack([x, _levels(town)]),
        lambda x, town: np.column_stack([x, _levels(town, 1)]),
    ),
    "constants": (
        lambda x, town: np.column_stack([np.full(len(x), 7.0), x, np.full(len(x), -0.3), np.zeros(len(x))]),
        lambda x, town: x,
    ),
}


CASES = [
    *((ranker, table) for ranker in LINES for table in TABLES),
    *zip(OTHERS, 3 * ["4 sums", "duplicates", "all levels"], strict=False),
    # Sums are new columns to cut at: of a single tree they make another one.
    *((TreeRanker(), table) for table in ("duplicates", "all levels", "constants")),
]


@pytest.mark.parametrize(("ranker", "table"), CASES, ids=str)
def test_a_ranker_is_as_good_as_on_the_independent_columns_and_layout_is_no_matter(ranker, table):
    dependent, independent = TABLES[table]
    (*train, y), (*new, y_new) = _rows(0), _rows(1, 2000)

    def scores(columns, layout=np.ascontiguousarray):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return clone(ranker).fit(layout(columns(*train)), y).decision_function(layout(columns(*new)))

    found = scores(dependent)
    assert abs(roc_auc_score(y_new, found) - roc_auc_score(y_new, scores(independent))) <= 0.01
    np.testing.assert_allclose(scores(dependent, np.asfortranarray), found, atol=1e-6 * found.std())


def test_subtotals_kept_with_their_parts_cost_the_quadratic_ranker_nothing():
    X, y = make_classification(600, 8, n_informative=4, weights=[0.8], flip_y=0.05, random_state=0)
    found = cross_val_score(QuadraticRanker(), X, y, scoring="roc_auc").mean()
    apart = cross_val_score(make_pipeline(PCA(6), QuadraticRanker()), X, y, scoring="roc_auc").mean()
    assert found > 0.94  # .669 before
    assert abs(found - apart) < 1e-3
    assert found > cross_val_score(QuadraticDiscriminantAnalysis(reg_param=1e-3), X, y, scoring="roc_auc").mean()


def test_scores_of_folds_are_on_one_scale():
    X, y = make_classification(600, 8, n_informative=4, weights=[0.8], flip_y=0.05, random_state=0)
    by_fold = cross_val_score(QuadraticRanker(), X, y, scoring="roc_auc").mean()
    pooled = roc_auc_score(y, cross_val_predict(QuadraticRanker(), X, y, method="decision_function"))
    assert abs(by_fold - pooled) < 0.01


def test_directions_that_vary_only_between_the_classes_do_not_drop_out():
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.5
    X = np.column_stack([rng.standard_normal((200, 2)), y, 1 - y])
    for ranker in (LinearRanker(), LinearRanker("logloss"), QuadraticRanker()):
        assert roc_auc_score(y, ranker.fit(X, y).decision_function(X)) == 1


def test_fishers_direction_of_dependent_columns_scores_as_scikit_learns():
    numbers, _, y = _rows(2)
    X = _sums(numbers, 2)
    ours = X @ lda(X, y, np.ones(len(y))).direction
    peer = LinearDiscriminantAnalysis().fit(numbers, y).decision_function(numbers)
    assert np.corrcoef(ours, peer)[0, 1] == pytest.approx(1, abs=1e-9)


def test_whitened_rows_have_unit_scatter_and_units_do_not_decide_what_drops_out():
    numbers, _, _ = _rows(3)
    X = _sums(numbers, 2) * [1e6, 1e-6, 1.0, 1e3, 1e-3]
    whitening = Whitening.of(np.cov(X.T))
    assert whitening.rank == 3
    np.testing.assert_allclose(np.cov((X @ whitening.root).T), np.eye(3), atol=1e-8)
    np.testing.assert_allclose(whitening.inverse @ whitening.root, np.eye(3), atol=1e-8)


def test_robust_distances_count_independent_columns_only():
    numbers, _, _ = _rows(4)
    _, alone = robust_scatter(numbers, np.ones(len(numbers)))
    _, beside = robust_scatter(np.column_stack([numbers, numbers]), np.ones(len(numbers)))
    np.testing.assert_allclose(beside[:3, :3], alone, rtol=1e-9)
