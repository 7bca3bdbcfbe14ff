"""One scale for scores of different members, and the weights of the members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from scipy.special import logit, ndtri

from podium import _input
from podium._types import BoolArray, FloatArray
from podium.criteria import Criterion
from podium.models import WithIntercept
from podium.objective import DataInMemory, Objective
from podium.rankers.calibration.shapes import Platt

_MAX_KNOTS = 2000


@dataclass(frozen=True, eq=False)
class NormalScale:
    """Φ⁻¹ of the share of known negatives below a score, half of those equal to it, linear between them.

    That is the scale of the false positive rate, on which the top of a list is wide. Beyond the ends it rises further,
    by at most one: the top must not be tied.
    """

    knots: FloatArray
    heights: FloatArray
    spread: float

    @classmethod
    def fit(cls, scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> NormalScale:
        known = scores[~is_positive]
        each = np.ones(len(known)) if weight is None else weight[~is_positive]
        with np.errstate(over="ignore"):
            # Equal rows may differ in the last bits of their scores: a step between these would rest on nothing.
            group = np.unique(known.astype(np.float32), return_inverse=True)[1]
        mass = np.bincount(group, weights=each)
        values = np.bincount(group, weights=each * known) / mass
        heights = np.asarray(ndtri((np.cumsum(mass) - mass / 2) / mass.sum()))
        if len(values) > _MAX_KNOTS:  # spaced evenly in the height, so that the ends keep their detail
            chosen = np.unique(np.searchsorted(heights, np.linspace(heights[0], heights[-1], _MAX_KNOTS)))
            values, heights = values[chosen], heights[chosen]
        return cls(values, heights, _spread(scores, weight))

    def __call__(self, scores: FloatArray) -> FloatArray:
        beyond = scores - np.clip(scores, self.knots[0], self.knots[-1])
        return np.interp(scores, self.knots, self.heights) + np.tanh(beyond / self.spread)


@dataclass(frozen=True, eq=False)
class PlattScale:
    """Log-odds that a logistic regression on the score gives."""

    curve: Platt

    @classmethod
    def fit(cls, scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> PlattScale:
        return cls(Platt.fit(scores, is_positive, weight))

    def __call__(self, scores: FloatArray) -> FloatArray:
        return self.curve.log_odds(scores)


def _spread(scores: FloatArray, weight: FloatArray | None) -> float:
    centered = scores - np.average(scores, weights=weight)
    return float(np.sqrt(np.average(centered**2, weights=weight))) or 1.0


def fit_scale(
    name: str, scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None
) -> NormalScale | PlattScale:
    """The scale of a name: ``"rank-normal"`` or ``"platt"``."""
    _input.check_choice("scale", name, ("rank-normal", "platt"))
    return (NormalScale if name == "rank-normal" else PlattScale).fit(scores, is_positive, weight)


_MODEL = WithIntercept()
_STEPS = np.linspace(0, 1, 21)  # from the best weights to equal ones


@dataclass(frozen=True)
class StackProblem:
    """Out-of-fold scores on one scale (rows × members), labels, weights, and the fold of every row."""

    scores: FloatArray
    is_positive: BoolArray
    weight: FloatArray | None
    fold: Any

    def without_fold(self, k: int) -> StackProblem:
        return self._of(self.fold != k)

    def only_fold(self, k: int) -> StackProblem:
        return self._of(self.fold == k)

    def _of(self, rows: Any) -> StackProblem:
        weight = None if self.weight is None else self.weight[rows]
        return StackProblem(self.scores[rows], self.is_positive[rows], weight, self.fold[rows])

    def objective(self, criterion: Criterion) -> Objective:
        """The criterion of the weighted scores; its parameter holds the weights and, last, an intercept."""
        return Objective.of_checked(criterion, _MODEL, DataInMemory(self.scores, self.is_positive, self.weight))

    @property
    def both_classes(self) -> bool:
        return bool(self.is_positive.any()) and not self.is_positive.all()


def stack_weights(problem: StackProblem, criterion: Criterion, pull: float) -> FloatArray:
    r"""Weights that sum to one: the best non-negative ones, drawn to equal ones as far as chance allows.

    With ŵ the maximizer of the criterion over w ≥ 0 and w̄ the best equal weights, the last of
    w_t = (1 − t)·ŵ + t·w̄, 0 ≤ t ≤ 1, whose mean loss over the folds against ŵ is at most ``pull`` standard errors
    of that mean.
    """
    n_members = problem.scores.shape[1]
    if n_members == 1:
        return np.ones(1)
    together = StackProblem(
        problem.scores.mean(axis=1, keepdims=True), problem.is_positive, problem.weight, problem.fold
    )
    slope, intercept = _maximiser(together, criterion, np.array([1.0, _prior_log_odds(problem)]))
    equal = np.append(np.full(n_members, slope / n_members), intercept)
    best = _maximiser(problem, criterion, equal)
    folds = [problem.only_fold(k) for k in np.unique(problem.fold)]
    objectives = [fold.objective(criterion) for fold in folds if fold.both_classes]

    def values(theta: FloatArray) -> FloatArray:
        return np.array([objective(theta)[0] for objective in objectives])

    chosen, at_best = best, values(best)
    for t in _STEPS[1:]:
        theta = (1 - t) * best + t * equal
        losses = at_best - values(theta)
        error = losses.std(ddof=1) / np.sqrt(len(losses)) if len(losses) > 1 else np.inf
        if np.isinf(pull) or losses.mean() <= pull * error:
            chosen = theta
    total = chosen[:-1].sum()
    return chosen[:-1] / total if total > 0 else np.full(n_members, 1 / n_members)


def cross_fitted(problem: StackProblem, criterion: Criterion, pull: float) -> FloatArray:
    """Scores of the stack, the weights for each fold chosen on the others; equal ones where these lack a class."""
    n_members, scores = problem.scores.shape[1], np.empty(len(problem.fold))
    for k in np.unique(problem.fold):
        rest, here = problem.without_fold(k), problem.fold == k
        weights = stack_weights(rest, criterion, pull) if rest.both_classes else np.full(n_members, 1 / n_members)
        scores[here] = problem.scores[here] @ weights
    return scores


def _maximiser(problem: StackProblem, criterion: Criterion, start: FloatArray) -> FloatArray:
    objective = problem.objective(criterion)

    def descent(theta: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = objective(theta)
        return -value, -gradient  # SciPy minimizes

    free = (None, None) if criterion.knows_intercept else (start[-1], start[-1])
    bounds = [(0.0, None)] * (len(start) - 1) + [free]
    return np.asarray(scipy.optimize.minimize(descent, start, jac=True, method="L-BFGS-B", bounds=bounds).x)


def _prior_log_odds(problem: StackProblem) -> float:
    return float(logit(np.average(problem.is_positive, weights=problem.weight)))
