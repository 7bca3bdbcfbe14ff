"""The third stage of a fit: from the problem to a scoring rule."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from podium._types import FloatArray
from podium.exceptions import ClusterLostError
from podium.objective import Objective
from podium.rankers.lines.prepare import PreparedRows
from podium.rankers.lines.problem import Problem, Recipe
from podium.rankers.lines.rows import RowSource
from podium.solvers import Solution
from podium.solvers.base import Callback, warn_unbounded


@dataclass(frozen=True, eq=False, kw_only=True)
class Climbed:
    """The scoring rule, and how it was found."""

    theta: FloatArray
    criterion_value: float  # without pull and ridge
    bandwidth: float | None
    n_iter: int
    path: FloatArray


def climb(
    problem: Problem, prepared: PreparedRows, recipe: Recipe, rng: np.random.RandomState, callback: Callback
) -> Climbed:
    """Climb from the start that is asked for; where rows are many, most of the way on the subsample."""
    solver, rows, sub = recipe.solver, prepared.rows, prepared.sub
    start = _start(problem, prepared, recipe, rng)
    if start is problem.anchor and not (problem.on_sphere or solver.has_fixed_steps):
        start = _better_start(problem, rows, start)
    known = rows.smaller_class * sub.shape[0] / rows.shape[0]
    if sub.shape[0] < rows.shape[0] and problem.on_sphere:
        start = _solve(problem, sub, recipe, start, known).theta
    solution = _solve(problem, rows, recipe, start, known, callback)
    theta = problem.root @ solution.theta
    may_rise = solution.converged and problem.is_free and problem.criterion.rises_with_scale
    if may_rise and rows.are_separated(problem.model, theta):
        warn_unbounded(type(solver).__name__, solution.n_iter)
    return Climbed(
        theta=theta,
        criterion_value=_without_penalties(problem, solution),
        bandwidth=problem.criterion.relative_bandwidth(sub.scored(problem.model.scores(sub.X, theta))),
        n_iter=max(solution.n_iter, 1),
        path=solution.path,
    )


class PulledObjective:
    """What the solver climbs: :class:`podium.Objective` in the coordinates v of a problem, with its pull, over unit."""

    def __init__(self, problem: Problem, rows: RowSource, unit: float) -> None:
        self.objective = Objective.of_checked(problem.criterion, problem.model, rows.data)
        self.problem, self.unit = problem, unit
        self.best, self.best_value = np.empty(0), -np.inf

    def __call__(self, v: FloatArray) -> tuple[float, FloatArray]:
        """The value, and its gradient in v."""
        value, gradient = self._at(v)
        if value > self.best_value:
            self.best, self.best_value = v.copy(), value
        return value, gradient

    def _at(self, v: FloatArray) -> tuple[float, FloatArray]:
        problem = self.problem
        length = float(np.linalg.norm(v)) if problem.on_sphere else 1.0
        u = v / length
        value, by_theta = self.objective(problem.root @ u)
        gradient = problem.root.T @ by_theta
        if problem.on_sphere:
            value += problem.pull * float(u @ problem.anchor)
            gradient += problem.pull * problem.anchor
            gradient -= u * (u @ gradient)
        else:
            away = u - problem.anchor
            value -= (problem.pull * float(away @ away) + problem.ridge * float(u @ u)) / 2
            gradient -= problem.pull * away + problem.ridge * u
        return value / self.unit, gradient / (length * self.unit)

    def curvature(self, v: FloatArray) -> FloatArray:
        """Minus the second derivative in v, which is free."""
        problem = self.problem
        matrix = problem.root.T @ self.objective.curvature(problem.root @ v) @ problem.root
        return (matrix + (problem.pull + problem.ridge) * np.eye(len(v))) / self.unit


def _solve(
    problem: Problem,
    rows: RowSource,
    recipe: Recipe,
    start: FloatArray,
    known: float,
    callback: Callback | None = None,
) -> Solution:
    """The solution in v, of unit length if on the sphere; its path is in units of the criterion."""
    # A solver's first step has about unit length; on a sphere of this radius it turns v by the angle that start and
    # solution are expected to be apart, some √(d/min(n, m)) of the rows by which the start is known.
    radius = float(np.sqrt(max(known / len(start), 1.0))) if problem.on_sphere else 1.0
    unit = problem.unit / radius
    if problem.on_sphere:
        start = start * (radius / np.linalg.norm(start))
    pulled = PulledObjective(problem, rows, unit)
    pulled.objective.check_solver(recipe.solver)
    try:
        solution = recipe.solver.maximize(pulled, start, callback)
    except ClusterLostError as lost:
        lost.theta = problem.root @ (pulled.best if len(pulled.best) else start)
        raise
    length = float(np.linalg.norm(solution.theta)) if problem.on_sphere else 1.0
    return replace(solution, theta=solution.theta / length, value=solution.value * unit, path=solution.path * unit)


def _start(problem: Problem, prepared: PreparedRows, recipe: Recipe, rng: np.random.RandomState) -> FloatArray:
    """Where to begin, in the coordinates of the problem."""
    if not isinstance(recipe.start, str):
        start = problem.inverse @ prepared.family.given_start(recipe.start, prepared.columns)
        return start if start.any() else problem.anchor  # nothing of it is on the columns that are left
    return problem.anchor if recipe.start == "plug-in" else rng.standard_normal(len(problem.anchor))


def _better_start(problem: Problem, rows: RowSource, start: FloatArray) -> FloatArray:
    """The origin instead, where it is better and not flat: a plug-in rule may fail badly at the extremes."""
    objective, origin = PulledObjective(problem, rows, problem.unit), np.zeros_like(start)
    value, gradient = objective(origin)
    return origin if value > objective(start)[0] and gradient.any() else start


def _without_penalties(problem: Problem, solution: Solution) -> float:
    """The criterion alone at a solution."""
    v = solution.theta
    if problem.on_sphere:
        return solution.value - problem.pull * float(v @ problem.anchor)
    away = v - problem.anchor
    return solution.value + (problem.pull * float(away @ away) + problem.ridge * float(v @ v)) / 2


def at_plug_in(prepared: PreparedRows, recipe: Recipe) -> Climbed:
    """The plug-in rule itself: log-loss is what it maximizes."""
    scores = prepared.scores(prepared.plug_in.direction) + prepared.plug_in.intercept
    value, _ = recipe.criterion.evaluate(prepared.sub.scored(scores))
    return Climbed(
        theta=prepared.plug_in_theta, criterion_value=value, bandwidth=None, n_iter=1, path=np.array([value])
    )
