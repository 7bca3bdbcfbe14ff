"""Members of a stack: those it has by default, those that fail, those made for it."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from podium import GradientBoostedRanker, LinearRanker, StackedRanker, metrics
from podium.exceptions import InputError
from podium.metrics.scorers import estimator_scores
from podium.rankers.stack.members import default_members
from podium.rankers.stack.smooth import KernelLogistic, SmallNetwork
from rankers.stack.tables import BAYES, noisy


class Broken(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise ValueError("no fit today")


class Endless(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.full(len(X), np.inf)


def test_a_member_that_fails_is_left_out_by_name():
    X, y = noisy()
    with pytest.warns(UserWarning, match="without 'gone', which could not be fitted: no fit today"):
        stack = StackedRanker([("gone", Broken()), ("bayes", BAYES)]).fit(X, y)
    assert stack.members_ == ["bayes"]
    with pytest.warns(UserWarning, match="without 'endless'.*not one finite number per row"):
        StackedRanker([Endless(), BAYES]).fit(X, y)
    with pytest.warns(UserWarning, match="broken"), pytest.raises(InputError, match="No member"):
        StackedRanker([Broken()]).fit(X, y)


def test_weights_reach_members_that_know_them_also_inside_a_pipeline():
    X, y = noisy()
    weight = np.where(X[:, 0] > 0, 1.0, 1e-9)
    for member in (LogisticRegression(), make_pipeline(StandardScaler(with_std=False), LogisticRegression())):
        stack = StackedRanker([member], random_state=0).fit(X, y, weight)
        plain = StackedRanker([member], random_state=0).fit(X, y)
        assert np.abs(stack.decision_function(X) - plain.decision_function(X)).max() > 0.1
    members = [LinearDiscriminantAnalysis(), LogisticRegression()]  # the first knows no weights
    assert len(StackedRanker(members, random_state=0).fit(X, y, weight).members_) == 2


def test_the_default_library_fits_and_names_its_members():
    pytest.importorskip("lightgbm")
    X, y = noisy(200)
    stack = StackedRanker(random_state=0)
    stack.estimators = [
        (name, member.set_params(n_estimators=5) if "n_estimators" in member.get_params() else member)
        for name, member in default_members()
    ]
    stack.fit(X, y)
    assert stack.members_ == [
        "logistic",
        "linear",
        "qda",
        "kernel",
        "network",
        "random-forest",
        "extra-trees",
        "hist-boosting",
        "lightgbm",
        "xgboost",
    ]
    assert metrics.auc(y, stack.oof_stack_) > 0.75


def test_members_of_the_default_library_take_missing_values():
    X, y = noisy(300)
    X[::7, 1] = np.nan
    for name, member in default_members():
        if "n_estimators" in member.get_params():
            member.set_params(n_estimators=5)
        scores = estimator_scores(member.fit(X, y), np.where(np.arange(300)[:, None] % 5 == 0, np.nan, X))
        assert metrics.auc(y, scores) > 0.6, name


def test_members_that_cannot_take_sparse_rows_or_missing_values_are_left_out():
    pytest.importorskip("lightgbm")
    X, y = noisy()
    trees = GradientBoostedRanker(n_estimators=5)
    with pytest.warns(UserWarning, match="without 'gaussiannb'"):
        stack = StackedRanker([BAYES, trees], random_state=0).fit(sparse.csr_matrix(np.maximum(X, 0)), y)
    assert stack.members_ == ["gradientboostedranker"]
    with pytest.warns(UserWarning, match="without 'gaussiannb'"):
        stack = StackedRanker([BAYES, trees], random_state=0).fit(np.where(X > 2, np.nan, X), y)
    assert metrics.auc(y, stack.oof_stack_) > 0.7


def test_two_members_of_one_kind_have_two_names():
    stack = StackedRanker([GaussianNB(), GaussianNB(var_smoothing=0.1)], random_state=0).fit(*noisy())
    assert len(set(stack.members_)) == 2


def test_a_stack_may_hold_rankers_of_podium():
    pytest.importorskip("lightgbm")
    members = [LinearRanker("auc"), GradientBoostedRanker("push:4", n_estimators=5)]
    assert metrics.auc(noisy()[1], StackedRanker(members, random_state=0).fit(*noisy()).oof_stack_) > 0.6


def test_the_kernel_member_sees_distances_that_columns_do_not_show():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 6))
    y = (X**2).sum(axis=1) > 7
    ranker = KernelLogistic(random_state=0).fit(X[:1000], y[:1000])
    assert metrics.auc(y[1000:], ranker.decision_function(X[1000:])) > 0.97
    assert metrics.auc(y[1000:], LogisticRegression().fit(X[:1000], y[:1000]).decision_function(X[1000:])) < 0.6


def test_the_network_sees_what_no_line_shows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 8))
    y = X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(3000) > 0
    ranker = SmallNetwork(random_state=0).fit(X[:2000], y[:2000])
    assert metrics.auc(y[2000:], ranker.decision_function(X[2000:])) > 0.9
    assert metrics.auc(y[2000:], LinearRanker("auc").fit(X[:2000], y[:2000]).decision_function(X[2000:])) < 0.6


def test_the_network_does_not_depend_on_the_number_of_threads():
    # batches so large that their products are shared among threads
    X = np.random.default_rng(0).standard_normal((20_000, 200))
    y = X[:, 0] * X[:, 1] > 0
    scores = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads, "blas"):
            scores.append(SmallNetwork(n_epochs=2, random_state=0).fit(X, y).decision_function(X[:50]))
    np.testing.assert_allclose(*scores, rtol=1e-9)


def test_tags_promise_what_a_member_takes():
    for members, takes_sparse, takes_missing in (
        ("default", True, True),
        ([GaussianNB()], False, False),
        ([GaussianNB(), LogisticRegression()], True, False),
        ([("trees", HistGradientBoostingClassifier())], False, True),
    ):
        tags = StackedRanker(members).__sklearn_tags__().input_tags
        assert (tags.sparse, tags.allow_nan) == (takes_sparse, takes_missing)
