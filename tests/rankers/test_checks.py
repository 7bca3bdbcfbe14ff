"""Data are checked once, at the door: what is beneath trusts them."""

import numpy as np
import pytest
import sklearn.utils.validation
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from podium import (
    BoostedRanker,
    CriterionRanker,
    GradientBoostedRanker,
    LinearRanker,
    QuadraticRanker,
    StackedRanker,
    _input,
)

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :10] / X[:, :10].std(axis=0)
WEIGHT = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float)
DOORS = [
    *((_input, name) for name in ("check_sample", "check_scores", "check_labels", "check_weights")),
    *((sklearn.utils.validation, name) for name in ("check_X_y", "check_array")),
]


@pytest.fixture
def checks(monkeypatch):
    """The names of the checks called; what a check calls itself is part of it."""
    called, inside = [], []

    def counted(name, check):
        def wrapped(*args, **kwargs):
            if not inside:
                called.append(name)
            inside.append(name)
            try:
                return check(*args, **kwargs)
            finally:
                inside.pop()

        return wrapped

    for module, name in DOORS:
        monkeypatch.setattr(module, name, counted(name, getattr(module, name)))
    return called


@pytest.mark.parametrize(
    "ranker",
    [
        LinearRanker(),
        LinearRanker("push:4"),
        LinearRanker("logloss"),
        QuadraticRanker("power:3"),
        CriterionRanker(criterion="push:2", alpha=0.1),
        BoostedRanker(n_rounds=5),
        GradientBoostedRanker("auc", n_estimators=3),
    ],
    ids=str,
)
def test_a_fit_checks_rows_once_and_weights_once(ranker, checks):
    ranker.fit(X, Y)
    assert checks == ["check_X_y"]
    checks.clear()
    ranker.fit(X, Y, WEIGHT)
    assert sorted(checks) == ["check_X_y", "check_weights"]


def test_a_stack_of_two_checks_no_more_than_its_members_do(checks):
    # Members: 12 fits, as many scorings of their training rows for a common origin, 10 of left-out rows. The stack: its
    # own rows, its folds, three intervals.
    members = [("line", LinearRanker()), ("logistic", LinearRanker("logloss"))]
    StackedRanker(members, random_state=0).fit(X, Y)
    assert len(checks) <= 39
    checks.clear()
    StackedRanker(members, random_state=0).fit(X, Y, WEIGHT)
    assert len(checks) <= 58
    checks.clear()
    strangers = [("logistic", LogisticRegression(max_iter=1000)), ("bayes", GaussianNB())]
    StackedRanker(strangers, random_state=0).fit(X, Y)
    assert len(checks) <= 40
