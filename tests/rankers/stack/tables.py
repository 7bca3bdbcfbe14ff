"""Tables and members that the tests of stacks share."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

CANCER = load_breast_cancer(return_X_y=True)


BAYES, SCALED = GaussianNB(), make_pipeline(StandardScaler(), LogisticRegression())


# For these a weight of three is three rows.
EXACT = [LogisticRegression(solver="newton-cholesky", tol=1e-12), DecisionTreeClassifier(max_depth=3)]


def noisy(n_rows=400, seed=0):
    """A line that logistic regression finds, and a sphere that only others find."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, 4))
    return X, X[:, 0] + (X[:, 1:3] ** 2).sum(axis=1) - 2 + rng.standard_normal(n_rows) > 0
