"""The second and third stage of a fit: set up the optimization problem, and solve it for a scoring rule."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit

from podium._types import FloatArray
from podium.criteria import Criterion, RankStatistic
from podium.exceptions import ClusterLostError
from podium.metrics.linear import statistic
from podium.models import Model
from podium.objective import Objective
from podium.phi import Phi
from podium.rankers.lines.prepare import FEW, PreparedRows, folds
from podium.rankers.lines.rows import RowSource
from podium.rankers.lines.scatter import Whitening, robust_scatter, weighted_covariance, weighted_quantile
from podium.solvers import Solution, Solver
from podium.solvers.base import Callback, warn_unbounded

_FIRMEST = 1e6  # pull, in units of φ: more changes the solution by less than its tolerance, and drowns it in rounding
# Fixed steps repeat every error of the gradient: where φ′ is steep it grows a thousandfold in twenty steps.
TOL_OF_FIXED_STEPS = 1e-12
_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the bandwidth rule, for cross-validation

# From a bandwidth to an unfitted ranker that takes it.
WithBandwidth = Callable[[float], Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class Recipe:
    """The parameters of a linear or quadratic ranker."""

    criterion: Criterion
    as_given: bool  # an object of the user's, with its own bandwidth, or else made from a specification
    solver: Solver
    alpha: float
    shrinkage: float | None  # None: by the rule
    scaling: str | None
    bandwidth: float | str  # or "rule", or "cv"
    start: FloatArray | str  # or "plug-in", or "random"

    @property
    def given_bandwidth(self) -> float | None:
        return None if isinstance(self.bandwidth, str) else self.bandwidth

    def pull(self, rule: float) -> float:
        """How strongly to pull towards the plug-in direction."""
        return rule if self.shrinkage is None else self.shrinkage


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    r"""A criterion in coordinates v of the parameter θ = root·v, v on the unit sphere or free.

    On the sphere, u = v/‖v‖, maximize criterion(u) + pull·⟨u, anchor⟩: for criteria that do not depend on the scale
    of the scores, or have their bandwidth fixed on unit scores. Free, maximize
    criterion(v) − ½·pull·‖v − anchor‖² − ½·ridge·‖v‖². Both are divided by ``unit``.
    """

    criterion: Criterion
    model: Model
    root: Any  # a matrix, dense or sparse
    inverse: Any  # from weights on the features of standardized rows to coordinates
    anchor: FloatArray
    on_sphere: bool = False
    pull: float = 0.0
    ridge: float = 0.0
    unit: float = 1.0

    @property
    def is_free(self) -> bool:
        """Whether nothing keeps θ from growing."""
        return not (self.on_sphere or self.pull or self.ridge)


def problem(prepared: PreparedRows, recipe: Recipe, with_bandwidth: WithBandwidth) -> Problem:
    """The criterion in coordinates that suit solver and criterion, with its pull and its bandwidth."""
    criterion, solver, plug_in, rows = recipe.criterion, recipe.solver, prepared.plug_in, prepared.rows
    plain = Problem(
        criterion=criterion,
        model=prepared.family.model,
        root=prepared.embedding,
        inverse=sparse.eye_array(prepared.n_features, format="csr"),
        anchor=plug_in.direction,
        ridge=recipe.alpha,
    )
    if solver.has_fixed_steps:  # Algorithm 1 climbs the sum over the positives, not the mean
        if criterion.phi is not None and not recipe.as_given:
            criterion = RankStatistic(
                criterion.phi, bandwidth=recipe.given_bandwidth, relative=False, tol=TOL_OF_FIXED_STEPS
            )
        elif criterion.phi is not None and criterion.is_scale_free:
            warnings.warn(
                f"{type(solver).__name__} takes fixed steps in θ, and the bandwidth of this criterion follows the "
                "spread of the scores: that is not Algorithm 1 of CLV21, whose h is fixed (4.10).\n"
                "Hint: RankStatistic(relative=False), or the ranker's algorithm_1(...), is as printed.",
                UserWarning,
                stacklevel=2,
            )
        return replace(plain, criterion=criterion, model=prepared.family.stepped, unit=1 / rows.n_pos)
    if solver.needs_curvature and recipe.shrinkage == 0:  # it needs no metric, and one may be a bad one
        return plain
    ridge = 0.0 if criterion.phi is None else recipe.alpha
    whitened = whitening(prepared, ridge)
    anchor = whitened.inverse @ plug_in.direction
    free = replace(plain, root=prepared.embedding @ whitened.root, inverse=whitened.inverse, anchor=anchor)
    if criterion.phi is None:
        return replace(free, pull=recipe.pull(3 * whitened.rank / rows.smaller_class))
    length = float(np.linalg.norm(anchor))
    anchor = anchor / length if length > 0 else np.full(len(anchor), len(anchor) ** -0.5)
    scale = PhiScale.of(criterion.phi, rows.n_total)
    if not recipe.as_given:
        scores = prepared.scores(whitened.root @ anchor)
        h = _bandwidth(prepared, recipe, criterion.phi, scores, scale.roughness, with_bandwidth)
        tol = 1e-10 if rows.shape[0] <= FEW else 1e-6
        criterion = RankStatistic(criterion.phi, bandwidth=h, relative=False, tol=tol)
    pull = recipe.pull(3 * scale.roughness * whitened.rank / rows.smaller_class)
    return replace(
        free,
        criterion=criterion,
        anchor=anchor,
        on_sphere=True,
        pull=min(pull, _FIRMEST * scale.standard_deviation),
        ridge=0.0,  # it is in the metric
        unit=scale.standard_deviation,
    )


def _bandwidth(
    prepared: PreparedRows,
    recipe: Recipe,
    phi: Phi,
    scores: FloatArray,
    roughness: float,
    with_bandwidth: WithBandwidth,
) -> float:
    """As given, by the rule, or the best multiple of the rule by cross-validation."""
    if recipe.given_bandwidth is not None:
        return recipe.given_bandwidth
    h = bandwidth_rule(scores, prepared.sub.weight, roughness)
    h *= (prepared.rows.n_total / prepared.sub.n_total) ** -0.2
    return h * best_factor(h, prepared, phi, with_bandwidth) if recipe.bandwidth == "cv" else h


@dataclass(frozen=True, eq=False)
class PhiScale:
    """How steep φ is on average, √∫φ'², and how far its values spread, both over the ranks of a list."""

    roughness: float
    standard_deviation: float

    @classmethod
    def of(cls, phi: Phi, n_total: float) -> PhiScale:
        n_ranks = min(max(int(n_total), 1), 10_000)  # weights may sum to less than one row
        u = np.arange(1, n_ranks + 1) / (n_ranks + 1)
        bound = phi.bind(n_total)
        # A φ that is flat at all ranks of a short list has no scale of its own there.
        return cls(float(np.sqrt(np.mean(bound.derivative(u) ** 2))) or 1.0, float(bound.value(u).std()) or 1.0)


def whitening(prepared: PreparedRows, ridge: float) -> Whitening:
    """Coordinates made round by M = S + k·I, S a robust scatter, k = λ/Σ p(1 − p) what the ridge penalty adds.

    Of many columns only those units are kept in which the plug-in rule was found, such that its scores have unit
    variance.
    """
    plug_in, weight = prepared.plug_in, prepared.sub.weight
    scores = prepared.scores(plug_in.direction)
    if prepared.is_wide:
        share, units = weight / weight.sum(), np.ones(prepared.n_features) if plug_in.units is None else plug_in.units
        variance = float(share @ (scores - share @ scores) ** 2) / float(np.sum((plug_in.direction / units) ** 2) or 1)
        return Whitening.by_units(units / np.sqrt(variance or 1.0))
    features = prepared.features
    p = expit(scores - weighted_quantile(scores, weight, 0.5))
    _, scatter = robust_scatter(features, weight)
    k = plug_in.penalty / float(weight @ (p * (1 - p))) + ridge
    return Whitening.of(scatter + k * np.eye(len(scatter)), weighted_covariance(features, weight))


def bandwidth_rule(scores: FloatArray, weight: FloatArray, roughness: float) -> float:
    """N^(−1/5)/r_φ · min(1, interquartile range/1.349); quartiles count rows by their weight."""
    spread = (weighted_quantile(scores, weight, 0.75) - weighted_quantile(scores, weight, 0.25)) / 1.349
    return float(weight.sum() ** -0.2 / roughness * (min(1.0, spread) if spread > 0 else 1.0))


def best_factor(h: float, prepared: PreparedRows, phi: Phi, with_bandwidth: WithBandwidth) -> float:
    """The multiple of the rule whose fits have the best mean ω_φ on left-out rows."""
    rows = prepared.standardized
    fold = folds(prepared.scores(prepared.plug_in.direction), rows.is_positive)
    values = np.zeros(len(_FACTORS))
    for i, factor in enumerate(_FACTORS):
        for k in np.unique(fold):
            train, test = rows.only(fold != k), rows.only(fold == k)
            ranker = with_bandwidth(factor * h).fit(train.X, train.is_positive, train.weight)
            values[i] += statistic(test.scored(ranker.decision_function(test.X)), phi)
    return _FACTORS[int(np.argmax(values))]


@dataclass(frozen=True, eq=False, kw_only=True)
class Ascent:
    """The scoring rule, and how it was found."""

    theta: FloatArray
    criterion_value: float  # without pull and ridge
    bandwidth: float | None
    n_iter: int
    path: FloatArray


def climb(
    problem: Problem, prepared: PreparedRows, recipe: Recipe, rng: np.random.RandomState, callback: Callback
) -> Ascent:
    """Maximize from the requested start; with many rows, mostly on the subsample."""
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
    return Ascent(
        theta=theta,
        criterion_value=_without_penalties(problem, solution),
        bandwidth=problem.criterion.relative_bandwidth(sub.scored(problem.model.scores(sub.X, theta))),
        n_iter=max(solution.n_iter, 1),
        path=solution.path,
    )


class PulledObjective(Objective):
    """What the solver climbs: the criterion in the coordinates v of a problem, with its pull, over unit."""

    def __init__(self, problem: Problem, rows: RowSource, unit: float) -> None:
        self._set(problem.criterion, problem.model, rows.data, 0.0)
        self.problem, self.unit = problem, unit
        self.best, self.best_value = np.empty(0), -np.inf

    def __call__(self, v: FloatArray) -> tuple[float, FloatArray]:
        """The value, and its gradient in v."""
        problem = self.problem
        length = float(np.linalg.norm(v)) if problem.on_sphere else 1.0
        u = v / length
        value, by_theta = self.data.value_and_gradient(self.criterion, self.model, problem.root @ u)
        gradient = problem.root.T @ by_theta
        if problem.on_sphere:
            value += problem.pull * float(u @ problem.anchor)
            gradient += problem.pull * problem.anchor
            gradient -= u * (u @ gradient)
        else:
            away = u - problem.anchor
            value -= (problem.pull * float(away @ away) + problem.ridge * float(u @ u)) / 2
            gradient -= problem.pull * away + problem.ridge * u
        value /= self.unit
        if value > self.best_value:
            self.best, self.best_value = v.copy(), value
        return value, gradient / (length * self.unit)

    def curvature(self, v: FloatArray) -> FloatArray:
        """Minus the second derivative in v, which is free."""
        problem = self.problem
        by_theta = self.data.curvature(self.criterion, self.model, problem.root @ v)
        matrix = problem.root.T @ by_theta @ problem.root
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
    pulled.check_solver(recipe.solver)
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


def at_plug_in(prepared: PreparedRows, recipe: Recipe) -> Ascent:
    """The plug-in rule itself, which maximizes log-loss."""
    scores = prepared.scores(prepared.plug_in.direction) + prepared.plug_in.intercept
    value, _ = recipe.criterion.evaluate(prepared.sub.scored(scores))
    return Ascent(theta=prepared.plug_in_theta, criterion_value=value, bandwidth=None, n_iter=1, path=np.array([value]))
