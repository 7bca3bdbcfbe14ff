"""A stack of rankers."""

import warnings

import numpy as np
import pytest
from joblib import parallel_backend
from sklearn.base import clone
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from podium import StackedRanker, metrics
from podium.criteria import LogLoss, resolve
from podium.exceptions import InputError
from podium.rankers.stack.smooth import KernelLogistic, SmallNetwork
from podium.rankers.stack.weights import StackProblem, stack_weights
from rankers.stack.tables import BAYES, CANCER, EXACT, SCALED, noisy

# The check wants nearly all rows in a class of ten million times the weight.
THRESHOLD = {"check_class_weight_classifiers": "the threshold moves, just above the negatives left out, and no further"}


BATCHES = {"check_sample_weight_equivalence_on_dense_data": "batches of repeated rows are not those of weighted rows"}


@parametrize_with_checks([StackedRanker(EXACT, cv=3, random_state=0)], expected_failed_checks=lambda _: THRESHOLD)
def test_scikit_learns_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks fit on noise
        check(estimator)


@pytest.mark.slow  # nobody meets these outside a stack
@parametrize_with_checks(
    [KernelLogistic(20, random_state=0), SmallNetwork((8,), n_epochs=20, random_state=0)],
    expected_failed_checks=lambda estimator: BATCHES if isinstance(estimator, SmallNetwork) else THRESHOLD,
)
def test_scikit_learns_checks_of_members(estimator, check):
    test_scikit_learns_checks(estimator, check)


def test_members_that_err_differently_are_better_together():
    X, y = noisy(1000)
    members = [LogisticRegression(), QuadraticDiscriminantAnalysis(), ExtraTreesClassifier(50, random_state=0)]
    X_new, y_new = noisy(5000, seed=1)
    single = [metrics.auc(y_new, clone(m).fit(X, y).predict_proba(X_new)[:, 1]) for m in members]
    stack = StackedRanker(members, random_state=0).fit(X, y)
    assert metrics.auc(y_new, stack.decision_function(X_new)) > max(single) - 0.002


def test_the_score_is_the_weighted_mean_of_scaled_fold_models():
    X, y = noisy()
    stack = StackedRanker([LogisticRegression(), BAYES], refit=False, random_state=0).fit(X, y)
    total = np.zeros(len(y))
    for w, models, z in zip(stack.weights_, stack._models, stack._scales, strict=True):
        assert len(models) == (5 if w > 0 else 0)  # one that counts nothing is not kept
        for model in models:
            raw = model.decision_function(X) if hasattr(model, "decision_function") else model.predict_proba(X)[:, 1]
            total += w * z(raw) / 5
    np.testing.assert_allclose(stack.decision_function(X) + stack.threshold_, total)


def test_intervals_are_for_the_phi_of_the_criterion():
    X, y = noisy()
    stack = StackedRanker([SCALED, BAYES], criterion="power:3", random_state=0).fit(X, y)
    assert set(stack.oof_intervals_) == {"pipeline", "gaussiannb", "stack"}
    for name, scores in zip(stack.members_, stack.oof_scores_.T, strict=True):
        found = stack.oof_intervals_[name]
        assert found.estimate == pytest.approx(metrics.rank_statistic(y, scores, phi="power:3"))
        assert found.low < found.estimate < found.high
    assert stack.oof_intervals_["stack"].estimate == pytest.approx(
        metrics.rank_statistic(y, stack.oof_stack_, phi="power:3")
    )


@pytest.mark.parametrize("criterion", ["logloss", "auc", "push:2"])
def test_weights_are_those_of_the_useful_members(criterion):
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2 == 0
    signal, noise = y + 0.7 * rng.standard_normal(600), rng.standard_normal(600)
    problem = StackProblem(np.column_stack([signal, noise, -signal]), y, None, np.arange(600) // 2 % 5)
    weights = stack_weights(problem, resolve(criterion), pull=0.0)
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1)
    assert weights[0] > 0.9


def test_weights_of_log_loss_are_those_of_logistic_regression_where_none_is_negative():
    rng = np.random.default_rng(0)
    y = np.arange(500) % 2 == 0
    Z = y[:, None] * [0.5, 1.0] + rng.standard_normal((500, 2))
    weights = stack_weights(StackProblem(Z, y, None, np.arange(500) // 2 % 5), LogLoss(), pull=0.0)
    theirs = LogisticRegression(C=1e10, tol=1e-8).fit(Z, y).coef_[0]
    np.testing.assert_allclose(weights, theirs / theirs.sum(), atol=1e-3)


def test_the_pull_goes_from_the_best_weights_to_equal_ones():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2 == 0
    Z = y[:, None] * [0.5, 0.9, 0.7] + rng.standard_normal((200, 3))
    problem = StackProblem(Z, y, None, np.arange(200) // 2 % 5)
    best, drawn, equal = (stack_weights(problem, LogLoss(), pull) for pull in (0.0, 1.0, np.inf))
    np.testing.assert_allclose(equal, 1 / 3)
    assert np.abs(drawn - 1 / 3).max() < np.abs(best - 1 / 3).max()


@pytest.mark.parametrize("options", [{"scale": "platt"}, {"refit": True}, {"pull": np.inf}, {"criterion": "auc"}])
def test_every_option_ranks_well(options):
    X, y = CANCER
    stack = StackedRanker([SCALED, BAYES], random_state=0, **options).fit(X[::2], y[::2])
    assert metrics.auc(y[1::2], stack.decision_function(X[1::2])) > 0.985
    assert stack.score(X[1::2], y[1::2]) > 0.9


def test_the_same_seed_gives_the_same_list_whatever_the_number_of_processes():
    X, y = noisy()
    stack = StackedRanker([ExtraTreesClassifier(10), BAYES], random_state=3)
    one = clone(stack).set_params(n_jobs=1).fit(X, y).decision_function(X)
    with parallel_backend("threading"):  # processes take seconds to begin, and get the same seeds
        np.testing.assert_array_equal(clone(stack).set_params(n_jobs=2).fit(X, y).decision_function(X), one)


def test_a_progress_line_counts_members_and_fits(caplog):
    caplog.set_level("INFO", "podium")
    StackedRanker([BAYES, SCALED], cv=3, verbose=1).fit(*noisy())
    assert "8/8" in caplog.text


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"estimators": "all"}, "estimators must be 'default' or a list"),
        ({"estimators": []}, "estimators must be 'default' or a list"),
        ({"estimators": [3]}, "must have a method fit; got 3"),
        ({"estimators": [BAYES], "cv": 1}, "cv must be 2 or more"),
        ({"estimators": [BAYES], "scale": "z"}, "scale must be one of"),
        ({"estimators": [BAYES], "pull": -1}, "pull must be in"),
        ({"estimators": [BAYES], "criterion": "aucc"}, "criterion must be a known specification"),
    ],
)
def test_bad_parameters_get_a_sentence(options, sentence):
    with pytest.raises(InputError, match=sentence):
        StackedRanker(**options).fit(*noisy())
