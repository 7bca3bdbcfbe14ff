"""From rows to a direction: the recipe behind the linear and quadratic rankers.

Scores are linear in the features of a model. Directions live on a unit sphere in coordinates that a robust scatter of
the features makes round; the criterion is climbed there from a plug-in direction and pulled towards it by
λ = 3·r_φ·d/min(n, m), r_φ = √∫φ'². The pull vanishes as the sample grows; at small samples it removes the losses that
a free maximiser has against logistic regression. The bandwidth is fixed by a rule: N^(−1/5)/r_φ times a robust spread
of the plug-in scores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit

from podium._types import BoolArray, FloatArray, Sample
from podium.criteria import Criterion
from podium.metrics.linear import statistic
from podium.models import LinearModel, QuadraticModel
from podium.phi import Phi
from podium.rankers.lines.plug_in import MAX_NEWTON_COLUMNS, PlugIn, lda, ridge_logistic
from podium.rankers.lines.scatter import Whitening, quantile, robust_scatter
from podium.solvers import Solution, Solver
from podium.solvers.base import Callback

_N_FOLDS = 5
_MANY = 5_000  # rows above which the penalty is not chosen: it matters less, and choosing costs more


@dataclass(frozen=True, eq=False)
class Rows:
    """Standardised rows with labels and weights."""

    X: Any
    is_positive: BoolArray
    weight: FloatArray

    @property
    def n_pos(self) -> float:
        return float(self.weight[self.is_positive].sum())

    @property
    def n_total(self) -> float:
        return float(self.weight.sum())

    @property
    def smaller_class(self) -> float:
        return min(self.n_pos, self.n_total - self.n_pos)

    def subsample(self, n_rows: int, rng: np.random.RandomState) -> Rows:
        """At most so many rows, of either class at least a tenth where it has them; weights stand for the rest."""
        if len(self.weight) <= n_rows:
            return self
        index, weight = [], []
        for c in (self.is_positive, ~self.is_positive):
            members = np.flatnonzero(c)
            size = min(len(members), max(round(n_rows * len(members) / len(c)), n_rows // 10))
            chosen = np.sort(rng.choice(members, size, replace=False))
            index.append(chosen)
            weight.append(self.weight[chosen] * (self.weight[c].sum() / self.weight[chosen].sum()))
        joined = np.concatenate(index)
        return Rows(self.X[joined], self.is_positive[joined], np.concatenate(weight))


@dataclass(frozen=True, eq=False)
class PhiScale:
    """How steep φ is on average, √∫φ'², and how far its values spread, both over the ranks of a list."""

    roughness: float
    standard_deviation: float

    @classmethod
    def of(cls, phi: Phi, n_total: float) -> PhiScale:
        u = np.arange(1, min(int(n_total), 10_000) + 1) / (min(int(n_total), 10_000) + 1)
        bound = phi.bind(n_total)
        return cls(float(np.sqrt(np.mean(bound.derivative(u) ** 2))), float(bound.value(u).std()) or 1.0)


def folds(scores: FloatArray, is_positive: BoolArray) -> FloatArray:
    """Systematic folds: neighbours in the plug-in score go to different ones, equal rows of a class to the same.

    No chance enters, and a row of weight 3 is treated as three equal rows would be.
    """
    fold = np.empty(len(scores))
    for rows in (is_positive, ~is_positive):
        fold[rows] = np.unique(scores[rows], return_inverse=True)[1] % _N_FOLDS
    return fold


def choose_plug_in(features: Any, rows: Rows, phi: Phi) -> PlugIn:
    """Ridge logistic regression; LDA or its robust form where ω_φ of left-out rows is clearly better.

    Clearly: by more than two standard errors of the paired differences over five folds. Of many rows the penalty is 1,
    and one fold is left out instead of each in turn: there the choice is plain.
    """
    many = len(rows.weight) > _MANY
    logistic = partial(ridge_logistic, penalties=(1.0,)) if many else ridge_logistic
    ridge = logistic(features, rows.is_positive, rows.weight)
    if not isinstance(features, np.ndarray) or features.shape[1] > MAX_NEWTON_COLUMNS:
        return ridge
    fold = folds(features @ ridge.direction, rows.is_positive)
    if any(len(np.unique(fold[c])) < _N_FOLDS for c in (rows.is_positive, ~rows.is_positive)):
        return ridge
    fits: list[Callable[..., PlugIn]] = [logistic, lda, partial(lda, robust=True)]
    left_out = range(1 if many else _N_FOLDS)
    values = np.empty((len(fits), len(left_out)))
    for k in left_out:
        train, test = fold != k, fold == k
        for i, fit in enumerate(fits):
            found = fit(features[train], rows.is_positive[train], rows.weight[train])
            sample = Sample(features[test] @ found.direction, rows.is_positive[test], rows.weight[test])
            values[i, k] = statistic(sample, phi)
    gain = values[1:] - values[0]
    error = 0.0 if many else gain.std(axis=1, ddof=1) / np.sqrt(_N_FOLDS)
    clear = np.where(gain.mean(axis=1) > 2 * error, gain.mean(axis=1), -np.inf)
    if np.isneginf(clear).all():
        return ridge
    return replace(fits[1 + int(np.argmax(clear))](features, rows.is_positive, rows.weight), penalty=ridge.penalty)


def whitening(features: Any, plug_in: PlugIn, weight: FloatArray, ridge: float) -> Whitening:
    """Coordinates made round by M = S + k·I, S a robust scatter, k = λ/Σ p(1 − p) what the ridge penalty adds."""
    if not isinstance(features, np.ndarray) or features.shape[1] > MAX_NEWTON_COLUMNS:
        return Whitening.none(features.shape[1])
    scores = features @ plug_in.direction
    p = expit(scores - quantile(scores, weight, 0.5))
    _, scatter = robust_scatter(features, weight)
    k = plug_in.penalty / float(weight @ (p * (1 - p))) + ridge
    return Whitening.of(scatter + k * np.eye(len(scatter)))


def bandwidth_rule(scores: FloatArray, weight: FloatArray, slope: float) -> float:
    """N^(−1/5)/r_φ · min(1, interquartile range/1.349); quartiles count rows by their weight."""
    spread = (quantile(scores, weight, 0.75) - quantile(scores, weight, 0.25)) / 1.349
    return float(weight.sum() ** -0.2 / slope * (min(1.0, spread) if spread > 0 else 1.0))


@dataclass(frozen=True, eq=False)
class Ascent:
    r"""The problem a solver is given: θ = root·v, and v on the unit sphere or free.

    On the sphere, u = v/‖v‖, maximize criterion(u) + pull·⟨u, anchor⟩: for criteria that do not depend on the scale
    of the scores, or have their bandwidth fixed on unit scores. Free, maximize
    criterion(v) − ½·pull·‖v − anchor‖² − ½·ridge·‖v‖². Both are divided by ``unit``.
    """

    model: LinearModel | QuadraticModel
    root: FloatArray
    anchor: FloatArray
    criterion: Criterion
    sphere: bool
    pull: float = 0.0
    ridge: float = 0.0
    unit: float = 1.0

    @property
    def is_free(self) -> bool:
        """Whether nothing keeps θ from growing."""
        return not (self.sphere or self.pull or self.ridge)

    def better_start(self, rows: Rows, start: FloatArray) -> FloatArray:
        """The origin instead, where it is better and not flat: a plug-in rule may fail badly at the extremes."""
        objective, origin = _Objective(self, rows, self.unit), np.zeros_like(start)
        value, gradient = objective(origin)
        return origin if value > objective(start)[0] and gradient.any() else start

    def climb(self, rows: Rows, solver: Solver, start: FloatArray, callback: Callback | None = None) -> Solution:
        """The solution in v, of unit length if on the sphere; its path is in units of the criterion."""
        # A solver's first step has about unit length; on a sphere of this radius it turns v by the angle that start
        # and solution are expected to be apart, some √(d/min(n, m)).
        radius = float(np.sqrt(max(rows.smaller_class / len(start), 1.0))) if self.sphere else 1.0
        unit = self.unit / radius
        if self.sphere:
            start = start * (radius / np.linalg.norm(start))
        found = solver.maximize(_Objective(self, rows, unit), start, callback)
        length = float(np.linalg.norm(found.theta)) if self.sphere else 1.0
        return replace(found, theta=found.theta / length, value=found.value * unit, path=found.path * unit)

    def without_penalties(self, solution: Solution) -> float:
        """The criterion alone at a solution."""
        v = solution.theta
        if self.sphere:
            return solution.value - self.pull * float(v @ self.anchor)
        away = v - self.anchor
        return solution.value + (self.pull * float(away @ away) + self.ridge * float(v @ v)) / 2


class _Objective:
    """What a solver climbs: value and gradient in v, divided by ``unit``, and the curvature where there is one."""

    def __init__(self, ascent: Ascent, rows: Rows, unit: float) -> None:
        self.ascent, self.rows, self.unit = ascent, rows, unit
        self.weight = None if np.all(rows.weight == 1) else rows.weight
        self.latest = (np.empty(0), np.empty(0))  # where the gradient in the scores was computed last, and it

    def __call__(self, v: FloatArray) -> tuple[float, FloatArray]:
        ascent, rows = self.ascent, self.rows
        length = float(np.linalg.norm(v)) if ascent.sphere else 1.0
        u = v / length
        theta = ascent.root @ u
        value, by_score = ascent.criterion.evaluate(
            Sample(ascent.model.scores(rows.X, theta), rows.is_positive, self.weight)
        )
        self.latest = (v.copy(), by_score)
        gradient = ascent.root.T @ ascent.model.vjp(rows.X, theta, by_score)
        if ascent.sphere:
            value += ascent.pull * float(u @ ascent.anchor)
            gradient += ascent.pull * ascent.anchor
            gradient -= u * (u @ gradient)
        else:
            away = u - ascent.anchor
            value -= (ascent.pull * float(away @ away) + ascent.ridge * float(u @ u)) / 2
            gradient -= ascent.pull * away + ascent.ridge * u
        return value / self.unit, gradient / (length * self.unit)

    def curvature(self, theta: FloatArray) -> FloatArray:
        if not np.array_equal(theta, self.latest[0]):
            self(theta)
        ascent = self.ascent
        matrix = ascent.criterion.curvature(self.latest[1], ascent.model.features(self.rows.X))
        penalties = (ascent.pull + ascent.ridge) * np.eye(len(theta))
        return (ascent.root.T @ matrix @ ascent.root + penalties) / self.unit
