"""What scikit-learn's users expect of a classifier: probabilities, class weights, a positive label of their choice."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from podium import (
    BoostedRanker,
    CriterionRanker,
    GradientBoostedRanker,
    LinearRanker,
    QuadraticRanker,
    StackedRanker,
    persist,
)
from podium.exceptions import DegenerateSampleError, InputError

RANKERS = [
    LinearRanker(),
    QuadraticRanker(),
    CriterionRanker(),
    BoostedRanker(n_rounds=20),
    GradientBoostedRanker("auc", n_estimators=20),
    StackedRanker([LogisticRegression(), GaussianNB()], cv=3, random_state=0),
]


def table(n=600, seed=0):
    """Rows whose log-odds are known."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    log_odds = 1.5 * X[:, 0] - X[:, 1] - 1
    return X, rng.random(n) < 1 / (1 + np.exp(-log_odds)), 1 / (1 + np.exp(-log_odds))


@pytest.mark.parametrize("calibrate", ["isotonic", "platt"])
@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
def test_probabilities_are_those_of_the_labels(ranker, calibrate):
    X, y, _ = table(1500)
    X_new, y_new, truth = table(20_000, seed=1)
    fitted = clone(ranker).set_params(calibrate=calibrate).fit(X, y)
    chance = fitted.predict_proba(X_new)
    np.testing.assert_allclose(chance.sum(axis=1), 1)
    np.testing.assert_array_equal(fitted.predict(X_new), chance[:, 1] > 0.5)
    assert abs(chance[:, 1].mean() - y_new.mean()) < 0.03  # 1,500 rows: two standard errors, and more
    # Calibration error in ten bins of as many rows each.
    for rows in np.array_split(np.argsort(chance[:, 1]), 10):
        assert abs(chance[rows, 1].mean() - truth[rows].mean()) < 0.12
    assert log_loss(y_new, chance) < 1.1 * log_loss(y_new, truth) + 0.05
    assert brier_score_loss(y_new, chance[:, 1]) < brier_score_loss(y_new, np.full(len(y_new), y_new.mean()))


def test_without_calibrate_there_are_no_probabilities():
    X, y, _ = table(100)
    assert not hasattr(LinearRanker().fit(X, y), "predict_proba")
    with pytest.raises(InputError, match="calibrate must be one of 'isotonic', 'platt'; got 'yes'"):
        LinearRanker(calibrate="yes").fit(X, y)
    with pytest.raises(DegenerateSampleError, match="needs two of either; got 1"):
        LinearRanker(calibrate="platt").fit(X, np.arange(100) == 0)


def test_soft_voting_takes_calibrated_rankers():
    X, y, _ = table()
    vote = VotingClassifier([("a", LinearRanker(calibrate="platt")), ("b", LogisticRegression())], voting="soft")
    assert roc_auc_score(y, vote.fit(X, y).predict_proba(X)[:, 1]) > 0.8


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
def test_the_positive_label_is_the_one_said(ranker):
    X, y, _ = table()
    named = np.where(y, "bad", "good")
    found = clone(ranker).set_params(pos_label="bad").fit(X, named)
    assert found.classes_.tolist() == ["good", "bad"]
    np.testing.assert_allclose(found.decision_function(X), clone(ranker).fit(X, y).decision_function(X))
    np.testing.assert_array_equal(found.predict(X) == "bad", found.decision_function(X) > 0)
    with pytest.raises(InputError, match=r"pos_label='worse' does not occur in y; got the labels \['bad', 'good'\]"):
        clone(ranker).set_params(pos_label="worse").fit(X, named)


def test_class_weights_are_weights_of_rows():
    X, y, _ = table()
    for weights in ({False: 1, True: 3}, "balanced"):
        factors = np.where(y, 3.0, 1.0) if weights != "balanced" else np.where(y, 300 / y.sum(), 300 / (~y).sum())
        ranker = LinearRanker("logloss", class_weight=weights).fit(X, y)
        weighted = LinearRanker("logloss").fit(X, y, factors)
        np.testing.assert_allclose(ranker.decision_function(X), weighted.decision_function(X))


def test_a_calibrated_ranker_comes_back_from_a_file(tmp_path):
    X, y, _ = table()
    for calibrate in ("isotonic", "platt"):
        ranker = LinearRanker(calibrate=calibrate).fit(X, y)
        persist.save(ranker, tmp_path / "model")
        np.testing.assert_array_equal(persist.load(tmp_path / "model").predict_proba(X), ranker.predict_proba(X))


BY_ROW = {
    f"check_sample_weight_equivalence_on_{kind}_data": "folds are drawn row by row" for kind in ("dense", "sparse")
}


def passes(check, estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@parametrize_with_checks([BoostedRanker(n_rounds=5, calibrate="isotonic")], expected_failed_checks=lambda _: BY_ROW)
def test_scikit_learns_checks_of_probabilities(estimator, check):
    passes(check, estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [LinearRanker(calibrate="isotonic"), BoostedRanker(n_rounds=5, calibrate="platt")],
    expected_failed_checks=lambda _: BY_ROW,
)
def test_scikit_learns_checks_of_further_probabilities(estimator, check):
    passes(check, estimator)
