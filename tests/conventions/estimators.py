"""Every public estimator, small and fast, and the table that all conventions are tried on."""

from functools import cache
from importlib.util import find_spec

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from podium import (
    AutoRanker,
    BoostedRanker,
    CriterionRanker,
    ForestRanker,
    GradientBoostedRanker,
    LinearRanker,
    QuadraticRanker,
    StackedRanker,
    TreeRanker,
)
from podium.selection import CriterionSearch, PenalizedSelection

FEW = {"n_estimators": 4, "num_leaves": 4, "min_child_samples": 5}
MEMBERS = [("tree", DecisionTreeClassifier(max_depth=2)), ("line", LogisticRegression())]
ESTIMATORS = {
    "LinearRanker": LinearRanker(),
    "LinearRanker, L1": LinearRanker("logloss", l1=0.02),
    "QuadraticRanker": QuadraticRanker(),
    "CriterionRanker": CriterionRanker(),
    "BoostedRanker": BoostedRanker(n_rounds=5),
    "GradientBoostedRanker": GradientBoostedRanker(**FEW),
    "GradientBoostedRanker, XGBoost": GradientBoostedRanker("auc", backend="xgboost", **FEW),
    "TreeRanker": TreeRanker(max_depth=2, min_samples_leaf=5),
    "ForestRanker": ForestRanker(n_estimators=4, random_state=0),
    "StackedRanker": StackedRanker(MEMBERS, cv=2, random_state=0),
    "AutoRanker": AutoRanker(candidates=["linear"], random_state=0),
    "CriterionSearch": CriterionSearch(BoostedRanker(n_rounds=5), ["push:1", "push:2"], cv=2),
    "PenalizedSelection": PenalizedSelection([("line", CriterionRanker(criterion="logloss"))]),
}
if find_spec("torch"):
    from podium.neural import NeuralRanker

    ESTIMATORS["NeuralRanker"] = NeuralRanker(
        n_epochs=5, learning_rate=0.05, width=8, n_members=2, early_stopping=None, random_state=0
    )

_RNG = np.random.default_rng(0)
X = _RNG.standard_normal((60, 3)).round(3)
Y = (X[:, 0] - 0.5 * X[:, 1] + 0.7 * _RNG.standard_normal(60) > 0.3).astype(int)


@cache
def fitted(name):
    """The estimator on the table; not to be changed."""
    return clone(ESTIMATORS[name]).fit(X, Y)


@cache
def scores(name):
    """Its scores there; not to be changed."""
    found = fitted(name).decision_function(X)
    found.setflags(write=False)
    return found


class Case:
    """An estimator under a convention."""

    def __init__(self, name):
        self.name = name

    def new(self, **parameters):
        """Unfitted."""
        return clone(ESTIMATORS[self.name]).set_params(**parameters)

    @property
    def fitted(self):
        return fitted(self.name)

    @property
    def scores(self):
        return scores(self.name)

    def scores_alike(self, rows, labels=Y, *, among=None, rtol=1e-6, **options):
        """Rows given otherwise are fitted and scored alike; labels in other words mean the same."""
        found = self.new().fit(rows, labels, **options).decision_function(rows if among is None else among)
        np.testing.assert_allclose(found, self.scores, rtol=rtol, atol=rtol * np.ptp(self.scores))
