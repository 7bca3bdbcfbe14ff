r"""The chance of a positive label of every row, learned from the rows that have one.

With few labels of a class, and where a predictor all but decides, a logistic regression is too sure of itself: its
chances near 0 leave nothing to be found. Firth's penalty, Jeffreys' prior on the coefficients, keeps them off the ends:
with one predictor of two values it gives :math:`(x + 1/2)/(n + 1)` of each.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from podium._types import Array, FloatArray

_RIDGE = 1e-6  # of columns that say the same
_LONGEST_STEP = 3.0  # of a coefficient of a column of variance 1
_MOST_STEPS, _CLOSE = 60, 1e-7


def chance_of_label(X: FloatArray, positives: Array, known: Array) -> FloatArray:
    """By a logistic regression with Firth's penalty, fitted to the positives among so many known labels of every row.

    A row may stand for several that are alike.
    """
    Z = with_intercept(X, known)
    return np.asarray(expit(Z @ firth(Z, positives, known)[0]))


def with_intercept(X: FloatArray, known: Array) -> FloatArray:
    """A column of ones, and the columns with mean 0 and variance 1 among the known rows."""
    share = known / known.sum()
    mean = share @ X
    spread = np.sqrt(share @ (X - mean) ** 2)
    return np.column_stack([np.ones(len(X)), (X - mean) / np.where(spread > 1e-12, spread, 1.0)])


def firth(Z: FloatArray, positives: Array, known: Array) -> tuple[FloatArray, FloatArray]:
    r"""Coefficients and their covariance (Firth 1993).

    They solve :math:`\sum_i z_i \{y_i - n_i p_i + h_i (1/2 - p_i)\} = 0`, where :math:`h_i` is the leverage of row i,
    :math:`n_i` of whose labels are known.
    """
    some = known > 0
    Z, positives, known = Z[some], np.where(known, positives, 0)[some], known[some]
    beta, ridge = np.zeros(Z.shape[1]), _RIDGE * np.eye(Z.shape[1])
    for _ in range(_MOST_STEPS):
        chance = expit(Z @ beta)
        weight = known * chance * (1 - chance)
        inverse = np.linalg.inv((Z * weight[:, None]).T @ Z + ridge)
        leverage = weight * ((Z @ inverse) * Z).sum(axis=1)
        step = inverse @ (Z.T @ (positives - known * chance + leverage * (0.5 - chance)))
        longest = np.abs(step).max()
        beta += step * min(1.0, _LONGEST_STEP / max(longest, _CLOSE))
        if longest < _CLOSE:
            break
    return np.asarray(beta), np.asarray(inverse)
