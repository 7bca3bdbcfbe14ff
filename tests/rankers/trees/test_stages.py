"""Criteria that only the top of the list feels: trees climb log-loss first."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from podium import GradientBoostedRanker, metrics
from podium.criteria import LogLoss, RankStatistic, SmoothPartialAuc, resolve
from podium.rankers.trees.curvature import boosting_criterion
from podium.rankers.trees.task import LOG_LOSS_FIRST

X, Y = load_breast_cancer(return_X_y=True)
TRAIN, NEW = np.arange(len(Y)) % 2 == 0, np.arange(len(Y)) % 2 == 1


def test_which_criteria_are_local():
    for spec, is_local in {
        "partial-auc:0.05": True,
        "smooth-top:0.95": True,
        "early-recognition:20": True,
        "dcg": True,
        "logrank": True,
        "auc": False,
        "power:3": False,
        "push:4": False,
        "logloss": False,
    }.items():
        assert boosting_criterion(spec).is_local is is_local
    assert not (resolve("partial-auc:0.05") + 0.5 * LogLoss()).is_local
    assert (SmoothPartialAuc() + RankStatistic("smooth-top:0.9")).is_local


@pytest.mark.parametrize("backend", ["lightgbm", "xgboost"])
def test_the_first_rounds_are_those_of_log_loss_and_the_others_are_not(backend):
    local, plain = (
        GradientBoostedRanker(criterion, backend=backend, n_estimators=10).fit(X, Y).models_[0]
        for criterion in ("partial-auc:0.1", "logloss")
    )
    assert LOG_LOSS_FIRST == 0.8
    assert local.n_rounds == 10
    first, same = (
        type(each)(each.booster, each.start, 8, None)
        if backend == "lightgbm"
        else type(each)(each.booster, None, 8, None)
        for each in (local, plain)
    )
    np.testing.assert_allclose(first.scores(X), same.scores(X), rtol=1e-6)
    assert np.abs(local.scores(X) - plain.scores(X)).max() > 0.01


@pytest.mark.parametrize("criterion", ["partial-auc:0.05", "smooth-top:0.95"])
def test_the_top_is_about_as_good_as_by_log_loss(criterion):
    # Without such rounds: .80 and .57, and .93 by log-loss, in the mean of five splits.
    by_log_loss, by_it = (
        metrics.partial_auc(Y[NEW], GradientBoostedRanker(each).fit(X[TRAIN], Y[TRAIN]).decision_function(X[NEW]), 0.05)
        for each in ("logloss", criterion)
    )
    assert by_it / 0.05 > by_log_loss / 0.05 - 0.05


def test_a_single_round_and_rows_that_are_watched():
    assert GradientBoostedRanker("partial-auc:0.1", n_estimators=1).fit(X, Y).n_iter_ == 1
    ranker = GradientBoostedRanker("partial-auc:0.1", n_estimators=30, early_stopping="partial-auc:0.1").fit(X, Y)
    (path,) = ranker.validation_paths_
    assert len(path) == ranker.n_iter_
    assert path[-1] == path.max()
