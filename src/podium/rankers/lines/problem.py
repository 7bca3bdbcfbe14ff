"""The second stage of a fit: the problem that a solver is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit

from podium._types import FloatArray
from podium.criteria import Criterion, RankStatistic
from podium.metrics.linear import statistic
from podium.models import Model
from podium.phi import Phi
from podium.rankers.lines.plug_in import folds
from podium.rankers.lines.prepare import FEW, PreparedRows
from podium.rankers.lines.scatter import Whitening, robust_scatter, weighted_covariance, weighted_quantile
from podium.solvers import Solver

_FIRMEST = 1e6  # pull, in units of φ: more changes the solution by less than its tolerance, and drowns it in rounding
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
    inverse: Any  # from weights on the features of standardised rows to coordinates
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
            criterion = RankStatistic(criterion.phi, bandwidth=recipe.given_bandwidth, relative=False)
        return replace(plain, criterion=criterion, unit=1 / rows.n_pos)
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
