"""Gradient boosted trees."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.utils.estimator_checks import parametrize_with_checks

from podium import GradientBoostedRanker, metrics
from podium.criteria import RankStatistic
from podium.exceptions import DegenerateSampleError, InputError
from podium.selection import CriterionSearch

SMALL = {"n_estimators": 8, "learning_rate": 0.4, "min_child_samples": 1, "random_state": 0}


EXACT_BINS = {"params": {"min_data_in_bin": 1}}  # then only rows and weights tell


RANKERS = [
    GradientBoostedRanker(**SMALL, **EXACT_BINS),
    GradientBoostedRanker("push:4", **SMALL, **EXACT_BINS),
    GradientBoostedRanker("auc", **SMALL, **EXACT_BINS),
    GradientBoostedRanker("ir-push", backend="xgboost", **SMALL),
    GradientBoostedRanker("auc"),
]


BACKENDS = ("lightgbm", "xgboost")


CANCER = load_breast_cancer(return_X_y=True)


SINGLE_PRECISION = "XGBoost's leaves are in single precision: equal to 2e-7, where the check wants 1e-7"


NOT_TO_ROUNDING = {f"check_sample_weight_equivalence_on_{kind}_data": SINGLE_PRECISION for kind in ("dense", "sparse")}


BY_ROWS = "LightGBM's bins and leaves have a least number of rows, not of weight, unless that is one"


def expected_failures(ranker):
    counts_rows = ranker.params is None and ranker.backend == "lightgbm"
    return dict.fromkeys(NOT_TO_ROUNDING, BY_ROWS) if counts_rows else {} if ranker.params else NOT_TO_ROUNDING


@pytest.mark.slow  # those of the defaults are among the tests of conventions
@parametrize_with_checks(RANKERS, expected_failed_checks=expected_failures)
def test_scikit_learns_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks fit on noise
        check(estimator)


def test_log_loss_is_plain_lightgbm():
    from lightgbm import LGBMClassifier

    X, y = CANCER
    ours = GradientBoostedRanker("logloss").fit(X[::2], y[::2])
    theirs = LGBMClassifier(n_jobs=1, verbose=-1).fit(X[::2], y[::2])
    expected = theirs.booster_.predict(X[1::2], raw_score=True)
    np.testing.assert_allclose(ours.decision_function(X[1::2]) + ours.threshold_, expected, rtol=1e-10, atol=1e-10)


def test_log_loss_is_plain_xgboost():
    import xgboost

    X, y = CANCER
    params = {"max_depth": 3, "max_leaves": 0, "grow_policy": "depthwise", "min_child_weight": 1}
    ours = GradientBoostedRanker("logloss", backend="xgboost", n_estimators=20, params=params).fit(X[::2], y[::2])
    theirs = xgboost.XGBClassifier(n_estimators=20, learning_rate=0.1, n_jobs=1, **params).fit(X[::2], y[::2])
    expected = theirs.predict(X[1::2], output_margin=True)
    np.testing.assert_allclose(ours.decision_function(X[1::2]) + ours.threshold_, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "criterion", ["auc", "power:3", "push:4", "ir-push", "bottom:2", RankStatistic("auc")], ids=str
)
def test_every_criterion_learns_nearly_as_well_as_log_loss(backend, criterion):
    X, y = CANCER
    ranker = GradientBoostedRanker(criterion, backend=backend, n_estimators=40).fit(X[::2], y[::2])
    assert metrics.auc(y[1::2], ranker.decision_function(X[1::2])) > 0.965  # log-loss: .985


def test_rows_far_beyond_lightgbms_limit_on_queries_are_one_list():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12_000, 3))
    y = X[:, 0] + rng.standard_normal(12_000) > 1
    ranker = GradientBoostedRanker("push:4", n_estimators=10).fit(X, y)
    assert metrics.auc(y, ranker.decision_function(X)) > 0.8


@pytest.mark.parametrize("backend", BACKENDS)
def test_weights_equal_repetition_as_in_the_librarys_own_objective(backend):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 8, (120, 4)).astype(float)
    y = X[:, 0] + rng.standard_normal(120) > 4
    weight = rng.integers(1, 4, 120)
    for criterion in ("logloss", "push:4", "auc"):
        # few leaves: LightGBM limits rows of a leaf, not their weight, whatever the objective
        ranker = GradientBoostedRanker(criterion, backend=backend, num_leaves=6, **SMALL)
        if backend == "lightgbm":
            ranker.set_params(**EXACT_BINS)
        weighted = clone(ranker).fit(X, y, weight).decision_function(X)
        repeated = clone(ranker).fit(X.repeat(weight, axis=0), y.repeat(weight)).decision_function(X)
        np.testing.assert_allclose(weighted, repeated, atol=1e-4)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("criterion", ["logloss", "push:4"])
def test_early_stopping_keeps_the_best_round_of_the_rows_left_out(backend, criterion):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 5))
    y = X[:, 0] + 2 * rng.standard_normal(400) > 0
    ranker = GradientBoostedRanker(
        criterion, backend=backend, n_estimators=200, early_stopping="power:3", n_iter_no_change=5, random_state=0
    ).fit(X, y)
    (path,) = ranker.validation_paths_
    assert ranker.n_iter_ == len(path) == np.argmax(path) + 1 < 195


@pytest.mark.parametrize("backend", BACKENDS)
def test_bags_differ_and_their_scores_are_averaged(backend):
    X, y = CANCER
    ranker = GradientBoostedRanker(backend=backend, n_estimators=10, n_bags=3, random_state=0).fit(X, y)
    each = np.array([model.scores(X) for model in ranker.models_])
    assert np.abs(each[0] - each[1]).max() > 0.01
    np.testing.assert_allclose(ranker.decision_function(X) + ranker.threshold_, each.mean(axis=0))
    again = clone(ranker).fit(X, y)
    np.testing.assert_array_equal(ranker.decision_function(X), again.decision_function(X))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("criterion", ["logloss", "push:4"])
def test_contributions_sum_to_the_score(backend, criterion):
    X, y = CANCER
    ranker = GradientBoostedRanker(criterion, backend=backend, n_estimators=10).fit(X, y)
    total = ranker.contributions(X).sum(axis=1)
    np.testing.assert_allclose(total, ranker.decision_function(X) + ranker.threshold_, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("backend", BACKENDS)
def test_sparse_rows_and_missing_values_are_taken(backend):
    X, y = CANCER
    ranker = GradientBoostedRanker("push:4", backend=backend, n_estimators=5)
    thin = sparse.csr_matrix(np.where(np.median(X, axis=0) < X, X, 0.0))
    assert np.isfinite(ranker.fit(thin, y).decision_function(thin)).all()
    assert ranker.contributions(thin).shape == (len(y), X.shape[1] + 1)
    holes = np.where(np.arange(X.size).reshape(X.shape) % 7 == 0, np.nan, X)
    assert metrics.auc(y, ranker.fit(holes, y).decision_function(holes)) > 0.95


@pytest.mark.parametrize("backend", BACKENDS)
def test_categories_are_split_by_sets_of_codes(backend):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 12, (600, 1))
    y = np.isin(X[:, 0], [1, 4, 6, 11]) ^ (rng.random(600) < 0.1)  # no order in the codes
    ranker = GradientBoostedRanker(backend=backend, n_estimators=1, num_leaves=3, min_child_samples=5)
    assert metrics.auc(y, clone(ranker).fit(X, y).decision_function(X)) < 0.8
    ranker.set_params(categorical_features=[0])
    assert metrics.auc(y, ranker.fit(X, y).decision_function(X)) > 0.85
    assert ranker.contributions(X).shape == (600, 2)


def test_a_search_over_criteria_takes_boosted_trees():
    X, y = CANCER
    search = CriterionSearch(GradientBoostedRanker(n_estimators=5), ["logloss", "push:2"], cv=3, random_state=0)
    assert search.fit(X, y).best_criterion_ in ("logloss", "push:2")
    assert metrics.auc(y, search.decision_function(X)) > 0.95


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_pickled_ranker_scores_alike(backend):
    X, y = CANCER
    ranker = GradientBoostedRanker("auc", backend=backend, n_estimators=5).fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ranker)).decision_function(X), ranker.decision_function(X))


def test_a_progress_line_counts_rounds_of_all_bags(caplog):
    caplog.set_level("INFO", "podium")
    X, y = CANCER
    GradientBoostedRanker(n_estimators=4, n_bags=2, verbose=1).fit(X, y)
    assert "8/8" in caplog.text


def test_the_xgboost_backend_does_not_load_lightgbm():
    pytest.importorskip("xgboost")
    code = (
        "import sys, numpy as np; from podium import GradientBoostedRanker\n"
        "X = np.arange(20.0)[:, None]; GradientBoostedRanker(backend='xgboost', n_estimators=1).fit(X, X[:, 0] > 9)\n"
        "print('lightgbm' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"backend": "catboost"}, "backend must be one of 'lightgbm', 'xgboost'"),
        ({"criterion": "aucc"}, "criterion must be a known specification"),
        ({"criterion": "top:0.9"}, "needs a continuous φ"),
        ({"categorical_features": [30]}, "categorical_features must be 0 to 29; got 30"),
        ({"n_bags": 0}, "n_bags must be 1 or more"),
        ({"n_estimators": 0}, "n_estimators must be 1 or more"),
        ({"learning_rate": 0}, "learning_rate must be in"),
        ({"num_leaves": 1}, "num_leaves must be 2 or more"),
        ({"early_stopping": "aucc"}, "A metric must be known by its name"),
    ],
)
def test_bad_parameters_get_a_sentence(options, sentence):
    with pytest.raises(InputError, match=sentence):
        GradientBoostedRanker(**options).fit(*CANCER)


@pytest.mark.parametrize("criterion", ["logloss", "auc", "push:4", "power:3"])
def test_few_rows_are_split_and_constant_columns_get_a_sentence(criterion):
    X, y = np.arange(20.0)[:, None], np.arange(20) >= 12
    ranker = GradientBoostedRanker(criterion, n_estimators=20).fit(X, y)
    assert metrics.auc(y, ranker.decision_function(X)) > 0.9
    with pytest.raises(DegenerateSampleError, match="a column whose values differ; got 2"):
        GradientBoostedRanker(criterion).fit(np.ones((20, 2)), y)


@pytest.mark.parametrize("backend", ["lightgbm", "xgboost"])
def test_absent_entries_of_sparse_rows_are_zeros(backend):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6)) * (rng.random((300, 6)) < 0.3)
    y = X[:, 0] + X[:, 1] + 0.5 * rng.standard_normal(300) > 0.2
    ranker = GradientBoostedRanker(backend=backend, n_estimators=10)
    dense, thin = (clone(ranker).fit(rows, y) for rows in (X, sparse.csr_array(X)))
    for rows in (X, sparse.csr_array(X)):
        np.testing.assert_allclose(thin.decision_function(rows), dense.decision_function(X), rtol=1e-6)
    np.testing.assert_allclose(thin.contributions(sparse.csr_array(X)), dense.contributions(X), atol=1e-6)


def test_values_beyond_single_precision_are_refused_by_xgboost_in_a_sentence():
    X, y = np.random.default_rng(0).standard_normal((60, 2)), np.arange(60) % 2
    with pytest.raises(InputError, match=r"within ±3\.4e\+38, the range of single precision; got 1e\+150"):
        GradientBoostedRanker(backend="xgboost").fit(np.column_stack([X, np.full(60, 1e150)]), y)


def test_a_fit_without_a_seed_is_the_same_every_time():
    X, y = np.random.default_rng(0).standard_normal((200, 3)), np.arange(200) % 2
    ranker = GradientBoostedRanker(n_bags=2, n_estimators=5, early_stopping="auc")
    np.testing.assert_array_equal(*(clone(ranker).fit(X, y).decision_function(X) for _ in range(2)))


def test_columns_far_from_zero_keep_their_digits_in_xgboost():
    pytest.importorskip("xgboost")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.random(300) < 0.4
    far = X * [1e-3, 1, 1] + [1e6, 0, -1e7]
    near, there = (GradientBoostedRanker("auc", backend="xgboost", n_estimators=10).fit(each, y) for each in (X, far))
    assert there.decision_function(far) == pytest.approx(near.decision_function(X), abs=1e-5)
