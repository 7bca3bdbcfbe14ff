"""More than two classes in order: how often one row of each stands where it should."""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast.order import groups_of_rows
from podium._types import Array, FloatArray
from podium.exceptions import DegenerateSampleError, InputError

_MOST = 20  # classes


def volume_under_surface(y_true: npt.ArrayLike, y_score: npt.ArrayLike) -> float:
    r"""Volume under the ROC surface: the probability that one row of each class, drawn at random, are in order.

    .. math:: P\bigl(s(Z_1) < s(Z_2) < \dots < s(Z_K)\bigr), \qquad Z_k \text{ of the k-th class.}

    For two classes it is the AUC; scores that say nothing have 1/K!. Ties count as in random order: two equal scores of
    neighboring classes by one half, three by one sixth.

    Parameters
    ----------
    y_true : array-like
        Labels, two to twenty different ones, ordered as numbers, truth values or text are.
    y_score : array-like
        Scores; larger ones are meant for later classes.

    Returns
    -------
    float
        The volume, from 0 to 1.

    References
    ----------
    Scurfield, B. K. (1996). Multiple-event forced-choice tasks in the theory of signal detectability. *Journal of
    Mathematical Psychology* 40(3).

    Examples
    --------
    >>> from podium.metrics import volume_under_surface
    >>> volume_under_surface([0, 1, 1, 2], [1.0, 2.0, 4.0, 3.0])
    0.5
    """
    return chains_through(*graded_sample(y_true, y_score))[0]


def graded_sample(y_true: npt.ArrayLike, y_score: npt.ArrayLike) -> tuple[Array, FloatArray]:
    """The number of every row's class, in order from 0 on, and its score; checked."""
    scores = _input.check_scores(y_score)
    labels: Any = np.asarray(y_true)
    if labels.shape != scores.shape:
        raise InputError(f"y_true and y_score must have the same length; got {labels.shape} and {scores.shape}.")
    if labels.dtype.kind not in "biufUS" or (labels.dtype.kind == "f" and np.isnan(labels).any()):
        raise InputError("y_true must hold numbers, truth values or text, none of them missing.")
    values, classes = np.unique(labels, return_inverse=True)
    if not 2 <= len(values) <= _MOST:
        got = "one class" if len(values) == 1 else len(values)
        raise DegenerateSampleError(f"Classes in order must be 2 to {_MOST}; got {got}.")
    return classes, scores.astype(np.float64)


def chains_through(classes: Array, scores: FloatArray) -> tuple[float, FloatArray]:
    """The volume, and for every row the probability that with it the others are in order.

    A chain takes rows of the classes a to b from a group of equal scores, which are in order with probability
    1/(b − a + 1)!, classes before a from lower groups and those after b from higher ones: sums over groups, in
    O(rows · classes³).
    """
    n_classes = int(classes.max()) + 1
    _, group = groups_of_rows(scores)
    share = np.zeros((n_classes, int(group.max()) + 1))
    np.add.at(share, (classes, group), 1.0)
    share /= share.sum(axis=1, keepdims=True)
    lower, higher = _below(share), _below(share[::-1, ::-1])[::-1, ::-1]
    through = np.zeros_like(share)
    for a in range(n_classes):
        for b in range(a, n_classes):
            for k in range(a, b + 1):
                others = np.delete(share[a : b + 1], k - a, axis=0).prod(axis=0)
                through[k] += lower[a] * others * higher[b + 1] / factorial(b - a + 1)
    return min(float(share[0] @ through[0]), 1.0), through[classes, group]  # rounding


def _below(share: FloatArray) -> FloatArray:
    """For b = 0, 1, …: the probability that rows of the first b classes are in order and below each group."""
    n_classes, n_groups = share.shape
    below = np.ones((n_classes + 1, n_groups))
    for b in range(n_classes):
        ending = np.zeros(n_groups)
        for a in range(b + 1):
            ending += below[a] * share[a : b + 1].prod(axis=0) / factorial(b - a + 1)
        below[b + 1] = np.cumsum(ending) - ending
    return below
