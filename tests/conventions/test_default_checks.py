"""scikit-learn's own checks of every public ranker as it comes: with default parameters."""

import inspect
import warnings

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from conventions.differences import FAILED_CHECKS
from podium import (
    AutoRanker,
    BoostedRanker,
    CriterionRanker,
    ForestRanker,
    GradientBoostedRanker,
    LinearRanker,
    QuadraticRanker,
    ScorecardRanker,
    StackedRanker,
    TreeRanker,
    rankers,
    selection,
)
from podium.rankers import GradedRanker
from podium.selection import CriterionSearch, PenalizedSelection

FAST = [
    LinearRanker(),
    QuadraticRanker(),
    ScorecardRanker(),
    CriterionRanker(),
    BoostedRanker(),
    TreeRanker(),
    ForestRanker(n_estimators=20),
    GradientBoostedRanker(),
    GradientBoostedRanker(backend="xgboost"),
    GradedRanker(),
    PenalizedSelection([LinearRanker(), QuadraticRanker()]),
]
# Up to ten minutes each; smaller ones of these kinds are checked in every run.
SLOW = [ForestRanker(), StackedRanker(), AutoRanker(), CriterionSearch()]


def failing(estimator):
    return FAILED_CHECKS.get(repr(estimator), {})


def passes(check, estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks fit on noise
        check(estimator)


@parametrize_with_checks(FAST, expected_failed_checks=failing)
def test_scikit_learns_checks(estimator, check):
    passes(check, estimator)


@pytest.mark.slow
@parametrize_with_checks(SLOW, expected_failed_checks=failing)
def test_scikit_learns_checks_of_slow_ones(estimator, check):
    passes(check, estimator)


def test_every_public_ranker_is_checked():
    public = {
        kind
        for room in (rankers, selection)
        for kind in map(room.__dict__.get, room.__all__)
        if inspect.isclass(kind) and hasattr(kind, "fit") and kind is not rankers.Ranker
    }
    assert public == {type(each) for each in (*FAST, *SLOW)}
