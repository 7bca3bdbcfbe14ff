"""A second fit with warm_start goes on where the first one ended, as in scikit-learn."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from podium import BoostedRanker, ForestRanker, GradientBoostedRanker, LinearRanker, QuadraticRanker
from podium.exceptions import InputError

_RNG = np.random.default_rng(0)
X = _RNG.standard_normal((300, 4))
Y = X[:, 0] + X[:, 1] ** 2 + _RNG.standard_normal(300) > 0.5

GROWING = [
    (ForestRanker(random_state=0), "n_estimators"),
    (BoostedRanker(), "n_rounds"),
    (BoostedRanker("logloss"), "n_rounds"),
    (BoostedRanker(weak="stumps"), "n_rounds"),
    (BoostedRanker(weak="stumps", early_stopping="auc", random_state=0), "n_rounds"),
    (GradientBoostedRanker(), "n_estimators"),
    (GradientBoostedRanker("auc"), "n_estimators"),
    (GradientBoostedRanker(backend="xgboost"), "n_estimators"),
    (GradientBoostedRanker("auc", backend="xgboost"), "n_estimators"),
]


@pytest.mark.parametrize(("ranker", "count"), GROWING, ids=lambda each: str(each).replace("\n", ""))
def test_two_fits_are_one(ranker, count):
    at_once = clone(ranker).set_params(**{count: 9}).fit(X, Y).decision_function(X)
    growing = clone(ranker).set_params(**{count: 4}, warm_start=True)
    assert np.abs(growing.fit(X, Y).decision_function(X) - at_once).max() > 1e-3
    np.testing.assert_allclose(growing.set_params(**{count: 9}).fit(X, Y).decision_function(X), at_once, atol=1e-9)
    np.testing.assert_allclose(growing.fit(X, Y).decision_function(X), at_once, atol=1e-9)  # nothing to add
    with pytest.raises(InputError, match=rf"{count} must be at least the \d that there are; got 2"):
        growing.set_params(**{count: 2}).fit(X, Y)
    with pytest.raises(InputError, match="goes on with the columns of the last one, 4; got 3"):
        growing.set_params(**{count: 9}).fit(X[:, :3], Y)


LINES = [
    LinearRanker(),
    LinearRanker("push:4"),
    LinearRanker("power:3", scaling="quantile"),
    LinearRanker(l1=0.02),
    QuadraticRanker(),
    QuadraticRanker(linear_term=False),
]


@pytest.mark.parametrize("ranker", LINES, ids=str)
def test_a_line_climbs_from_where_it_was(ranker):
    climbing = clone(ranker).set_params(warm_start=True).fit(X, Y)
    scores, steps = climbing.decision_function(X), climbing.n_iter_
    assert climbing.fit(X, Y).n_iter_ == 1 < steps  # at the top already
    np.testing.assert_allclose(climbing.decision_function(X), scores, atol=1e-3 * np.ptp(scores))
    assert climbing.path_[0] == pytest.approx(climbing.path_[-1], rel=1e-6)
    climbing.fit(X[:, ::-1], Y)  # a bad start here, and no more: criteria have several tops
    fresh = clone(ranker).fit(X[:, ::-1], Y).decision_function(X[:, ::-1])
    assert roc_auc_score(Y, climbing.decision_function(X[:, ::-1])) == pytest.approx(roc_auc_score(Y, fresh), abs=0.02)


def test_early_stopping_goes_on_only_where_it_gains():
    for backend in ("lightgbm", "xgboost"):
        ranker = GradientBoostedRanker(
            backend=backend, n_estimators=5, early_stopping="auc", n_iter_no_change=3, warm_start=True
        ).fit(X, Y)
        path = ranker.validation_paths_[0]
        longer = ranker.set_params(n_estimators=40).fit(X, Y).validation_paths_[0]
        np.testing.assert_array_equal(longer[: len(path)], path)
        assert len(longer) == ranker.n_iter_
        assert longer[-1] == longer.max()


def test_codes_of_categories_stay_those_of_the_first_fit():
    pandas = pytest.importorskip("pandas")
    first = pandas.DataFrame({"color": np.where(Y, "red", "green"), "size": X[:, 1]})
    later = first.assign(color=np.where(Y, "red", "blue"))
    ranker = GradientBoostedRanker(n_estimators=2, warm_start=True).fit(first, Y)
    ranker.set_params(n_estimators=4).fit(later, Y)
    assert roc_auc_score(Y, ranker.decision_function(first)) == 1.0


@pytest.mark.parametrize(
    ("ranker", "change"),
    [
        (BoostedRanker(n_rounds=2), {"weak": "stumps"}),
        (GradientBoostedRanker(n_estimators=2), {"backend": "xgboost"}),
    ],
)
def test_what_weak_rankers_are_cannot_change(ranker, change):
    fitted = clone(ranker).set_params(warm_start=True).fit(X, Y)
    with pytest.raises(InputError, match=f"With warm_start, {next(iter(change))} must not change"):
        fitted.set_params(**change).fit(X, Y)
