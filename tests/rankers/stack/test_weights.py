import pickle

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from podium import StackedRanker
from podium.datasets import LocationModel


def noisy(n_rows=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, 4))
    return X, X[:, 0] + np.abs(X[:, 1]) + 1.5 * rng.standard_normal(n_rows) > 1


def by_definition(scores, y, fold, pull):
    """Weights of two members for the log-likelihood: the last on the way to equal ones that chance allows."""
    sign = np.where(y, 1.0, -1.0)

    def gain(theta, rows=slice(None)):
        return log_expit(sign * (scores @ theta[:-1] + theta[-1]))[rows].mean()

    def top(of, size):
        bounds = [(0, None)] * (size - 1) + [(None, None)]
        return minimize(lambda theta: -of(theta), np.r_[np.ones(size - 1), 0.0], bounds=bounds, tol=1e-12).x

    best = top(gain, 3)
    slope, intercept = top(lambda theta: gain([theta[0] / 2, theta[0] / 2, theta[1]]), 2)
    equal = np.array([slope / 2, slope / 2, intercept])
    chosen = best
    for t in np.linspace(0, 1, 201):
        theta = (1 - t) * best + t * equal
        losses = np.array([gain(best, fold == k) - gain(theta, fold == k) for k in np.unique(fold)])
        if losses.mean() <= pull * losses.std(ddof=1) / np.sqrt(len(losses)):
            chosen = theta
    return chosen[:-1] / chosen[:-1].sum()


@pytest.mark.parametrize("pull", [0.0, 0.3, 1.0])
def test_weights_are_drawn_to_equal_ones_by_so_many_standard_errors_of_the_mean(pull):
    X, y = noisy()
    fold = np.arange(len(y)) % 8
    stack = StackedRanker(
        [("logistic", LogisticRegression()), ("bayes", GaussianNB())], cv=PredefinedSplit(fold), pull=pull
    ).fit(X, y)
    expected = by_definition(stack.oof_scores_, y, fold, pull)
    assert stack.weights_ == pytest.approx(expected, abs=0.026)  # a twentieth of the way


def test_the_threshold_is_the_best_of_scores_out_of_fold():
    X, y = noisy()
    members = [("nearest", KNeighborsClassifier(3)), ("logistic", LogisticRegression())]  # the first knows its rows
    stack = StackedRanker(members, pull=np.inf, random_state=0).fit(X, y)

    def errors(threshold):
        return np.count_nonzero((stack.oof_stack_ > threshold) != y)

    least = min(errors(cut) for cut in [-np.inf, *stack.oof_stack_])
    assert errors(stack.threshold_) == least


def test_members_of_weight_zero_are_named_and_not_kept():
    class Reversed(ClassifierMixin, BaseEstimator):
        """Ranks the worst first, and is large."""

        def fit(self, X, y):
            self.classes_, self.ballast_ = np.unique(y), np.zeros(10**5)
            self.line_ = LogisticRegression().fit(X, y)
            return self

        def decision_function(self, X):
            return -self.line_.decision_function(X)

    X, y = LocationModel(0.5).sample(100, 100, rng=0)
    line, folds = ("line", LogisticRegression()), PredefinedSplit(np.arange(200) % 5)
    stack = StackedRanker([line, ("reversed", Reversed())], cv=folds, pull=0.0).fit(X, y)
    assert stack.members_ == ["line", "reversed"]
    assert stack.weights_.tolist() == [1.0, 0.0]
    assert len(pickle.dumps(stack._models)) < 10**5
    np.testing.assert_allclose(stack._scores(X), StackedRanker([line], cv=folds).fit(X, y)._scores(X))
