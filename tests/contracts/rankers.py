"""What every ranker keeps."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB

from podium import rankers, selection
from podium.rankers import LinearRanker, QuadraticRanker, Ranker, StackedRanker
from podium.selection import CriterionSearch, PenalizedSelection
from registry import Case
from registry import cases as found

MEMBERS = [("logistic", LogisticRegression()), ("bayes", GaussianNB())]
EXAMPLES = {
    "AutoRanker": [lambda cls: cls(candidates=["linear"], random_state=0)],
    "CriterionSearch": [lambda cls: cls(criteria=["auc", "push:2"], cv=3)],
    "BoostedRanker": [lambda cls: cls(), lambda cls: cls(weak="stumps", n_rounds=20)],
    "ForestRanker": [lambda cls: cls(n_estimators=20, random_state=0)],
    "GradientBoostedRanker": [lambda cls: cls(), lambda cls: cls("logloss", n_estimators=20, random_state=0)],
    "PenalizedSelection": [lambda cls: cls([LinearRanker(), QuadraticRanker()])],
    "TreeRanker": [lambda cls: cls(), lambda cls: cls("power:3", penalty=0.005)],
    "StackedRanker": [lambda cls: cls(MEMBERS, random_state=0)],
}
N_ROWS = 150
# Which rows come first decides by chance; the docstrings say so.
DEPENDS_ON_ORDER = (CriterionSearch, StackedRanker)
# Splits are drawn row by row; LightGBM's bins and leaves have a least number of rows, whatever these weigh.
COUNTS_ROWS = ("AutoRanker", "CriterionSearch", "GradientBoostedRanker", "StackedRanker")
WITHOUT_WEIGHTS = (PenalizedSelection,)  # its bounds count rows


def cases() -> list[Case]:
    return [case for package in (rankers, selection) for case in found(package, Ranker, EXAMPLES)]


def _table(seed=0):
    """Rows in which the first column is what matters, and its label."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N_ROWS, 3))
    return X, X[:, 0] + 0.5 * rng.standard_normal(N_ROWS) > 0.3


def _fitted(ranker, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return clone(ranker).fit(*data)


def it_learns_an_obvious_direction(ranker):
    X, y = _table(1)
    assert roc_auc_score(y, _fitted(ranker, *_table()).decision_function(X)) > 0.85


def weights_decide_whom_it_believes(ranker):
    if isinstance(ranker, WITHOUT_WEIGHTS):
        return
    X, y = _table()
    opposed = np.concatenate([X, X]), np.concatenate([y, ~y])
    for heavy, area in (([50, 1], 1.0), ([1, 50], 0.0)):
        scores = _fitted(ranker, *opposed, np.repeat(heavy, N_ROWS).astype(float)).decision_function(X)
        assert abs(roc_auc_score(y, scores) - area) < 0.2


def a_weight_is_a_number_of_equal_rows(ranker):
    if type(ranker).__name__ in COUNTS_ROWS or isinstance(ranker, WITHOUT_WEIGHTS):
        return
    X, y = _table()
    times = 1 + np.arange(N_ROWS) % 3
    weighted = _fitted(ranker, X, y, times.astype(float)).decision_function(X)
    repeated = _fitted(ranker, X.repeat(times, axis=0), y.repeat(times)).decision_function(X)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-5, atol=1e-6 * np.ptp(repeated))


def a_row_without_weight_is_no_row(ranker):
    if isinstance(ranker, WITHOUT_WEIGHTS):
        return
    X, y = _table()
    weight = (np.arange(N_ROWS) % 5 > 0).astype(float)
    weighted = _fitted(ranker, X, y, weight).decision_function(X)
    left_out = _fitted(ranker, X[weight > 0], y[weight > 0]).decision_function(X)
    np.testing.assert_allclose(weighted, left_out, rtol=1e-5, atol=1e-6 * np.ptp(left_out))


def the_order_of_rows_does_not_matter(ranker):
    if isinstance(ranker, DEPENDS_ON_ORDER):
        return
    X, y = _table()
    order = np.random.default_rng(2).permutation(N_ROWS)
    scores, moved = _fitted(ranker, X, y).decision_function(X), _fitted(ranker, X[order], y[order]).decision_function(X)
    np.testing.assert_allclose(moved, scores, rtol=1e-5, atol=1e-6 * np.ptp(scores))


def it_is_a_classifier_of_two_classes_for_scikit_learn(ranker):
    assert is_classifier(ranker)
    assert not ranker.__sklearn_tags__().classifier_tags.multi_class
    X, y = _table()
    named = _fitted(ranker, X, np.where(y, "yes", "no"))
    assert named.classes_.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(named.predict(X) == "yes", named.decision_function(X) > 0)


def it_pickles_and_fitting_changes_no_parameter(ranker):
    X, y = _table()
    fitted = _fitted(ranker, X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).decision_function(X), fitted.decision_function(X))
    assert repr(clone(fitted)) == repr(clone(ranker))
