"""The first stage of a fit: scale the columns, and compute a plug-in direction, start and anchor of the rankers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg import solve
from scipy.special import expit

from podium._types import BoolArray, FloatArray
from podium.metrics.linear import statistic
from podium.models import LinearModel, Model, QuadraticModel
from podium.phi import Phi
from podium.rankers.lines.rows import Columns, NormalScores, Rows, RowSource
from podium.rankers.lines.scatter import robust_scatter, weighted_covariance, within_classes

_PENALTIES = tuple(10.0 ** np.arange(3, -5, -1))
_NEWTON_STEPS = 50
_N_FOLDS = 5
_MANY = 5_000  # rows above which the penalty is not chosen: it matters less, and choosing costs more
MAX_NEWTON_COLUMNS = 300  # above, the Hessian costs more than it saves


@dataclass(frozen=True, eq=False)
class PlugIn:
    """A direction in the columns given, its intercept, the ridge penalty that was used, and in which units."""

    direction: FloatArray
    intercept: float
    penalty: float
    units: FloatArray | None = None  # of the features, where these are many and others than those given


def is_wide(model: Model, rows: RowSource) -> bool:
    """Whether features are too many, or rows too sparse, for matrices of features by features."""
    return not rows.is_dense or model.n_features(rows.shape[1]) > MAX_NEWTON_COLUMNS


def ridge_logistic(
    X: FloatArray, is_positive: BoolArray, weight: FloatArray, penalties: Sequence[float] = _PENALTIES
) -> PlugIn:
    r"""Logistic regression with the ridge penalty that predicts left-out rows best.

    Minimizes :math:`\sum_l w_l \log(1 + e^{-y_l\eta_l}) + \tfrac\lambda2\|\theta\|^2` by Newton's method for λ from
    1e3 down to 1e-4. The log-loss of left-out rows needs no refits: with q_l = x_lᵀH⁻¹x_l, leaving out one row of
    unit weight moves its log-odds to η_l + (p_l − y_l) q_l/(1 − p_l(1 − p_l) q_l) in one Newton step.
    """
    design = np.column_stack([np.ones(len(X)), X])
    y = is_positive.astype(np.float64)
    theta = np.zeros(design.shape[1])
    best = (np.inf, theta, 0.0)
    for penalty in penalties:
        theta = _newton(design, y, weight, penalty, theta)
        left_out = _left_out_loss(design, y, weight, penalty, theta) if len(penalties) > 1 else 0.0
        if left_out < best[0]:
            best = (left_out, theta, float(penalty))
    _, theta, penalty = best
    return PlugIn(theta[1:], float(theta[0]), penalty)


def _newton(design: FloatArray, y: FloatArray, weight: FloatArray, penalty: float, theta: FloatArray) -> FloatArray:
    ridge = np.full(design.shape[1], penalty)
    ridge[0] = 0.0  # the intercept is free

    def loss(candidate: FloatArray) -> float:
        eta = design @ candidate
        return float(weight @ (np.logaddexp(0, eta) - y * eta) + ridge @ candidate**2 / 2)

    current = loss(theta)
    for _ in range(_NEWTON_STEPS):
        p = expit(design @ theta)
        gradient = design.T @ (weight * (p - y)) + ridge * theta
        step = solve(_hessian(design, weight * p * (1 - p), ridge), gradient, assume_a="pos")
        decrease = float(gradient @ step)
        scale = 1.0
        while scale > 1e-8 and (after := loss(theta - scale * step)) > current - 1e-4 * scale * decrease:
            scale /= 2
        if scale <= 1e-8:
            break
        theta, current = theta - scale * step, after
        if decrease < 1e-12 * (1 + abs(current)):
            break
    return theta


def _hessian(design: FloatArray, curvature: FloatArray, ridge: FloatArray) -> FloatArray:
    hessian = design.T @ (curvature[:, None] * design)
    hessian[np.diag_indices_from(hessian)] += ridge + 1e-10 * (1 + np.trace(hessian) / len(hessian))
    return hessian


def _left_out_loss(design: FloatArray, y: FloatArray, weight: FloatArray, penalty: float, theta: FloatArray) -> float:
    ridge = np.full(design.shape[1], penalty)
    ridge[0] = 0.0
    eta = design @ theta
    p = expit(eta)
    curvature = p * (1 - p)
    q = np.einsum("ij,ij->i", design @ np.linalg.inv(_hessian(design, weight * curvature, ridge)), design)
    moved = eta + (p - y) * q / np.maximum(1 - curvature * q, 1e-3)
    return float(weight @ (np.logaddexp(0, moved) - y * moved))


def lda(X: FloatArray, is_positive: BoolArray, weight: FloatArray, *, robust: bool = False) -> PlugIn:
    """Fisher's direction S⁻¹(μ₊ − μ₋); ``robust`` with locations and scatter of a t₃ distribution."""
    if robust:
        (negative, positive), scatter = robust_scatter(X, weight, is_positive)
    else:
        negative, positive = (np.average(X[c], axis=0, weights=weight[c]) for c in (~is_positive, is_positive))
        centered = X - np.where(is_positive[:, None], positive, negative)
        scatter = (centered * weight[:, None]).T @ centered / weight.sum()
    root = within_classes(scatter, weighted_covariance(X, weight)).root
    direction = root @ (root.T @ (positive - negative))
    return PlugIn(direction, -float(direction @ (positive + negative)) / 2, 0.0)


def folds(scores: FloatArray, is_positive: BoolArray) -> FloatArray:
    """Systematic folds: neighbors in the plug-in score go to different ones, equal rows of a class to the same.

    Deterministic, and a row of weight 3 is equivalent to three equal rows.
    """
    fold = np.empty(len(scores))
    for rows in (is_positive, ~is_positive):
        fold[rows] = np.unique(scores[rows], return_inverse=True)[1] % _N_FOLDS
    return fold


def choose_plug_in(rows: Rows, phi: Phi) -> PlugIn:
    """Ridge logistic regression, or LDA or robust LDA if its cross-validated ω_φ is clearly better.

    Clearly means by more than two standard errors of the paired differences over five folds. With many rows the penalty
    is 1, and a single fold is left out, since the choice is then unambiguous.
    """
    many = len(rows.weight) > _MANY
    logistic = partial(ridge_logistic, penalties=(1.0,)) if many else ridge_logistic
    features = rows.X
    ridge = logistic(features, rows.is_positive, rows.weight)
    fold = folds(features @ ridge.direction, rows.is_positive)
    if any(len(np.unique(fold[c])) < _N_FOLDS for c in (rows.is_positive, ~rows.is_positive)):
        return ridge
    fits: list[Callable[..., PlugIn]] = [logistic, lda, partial(lda, robust=True)]
    left_out = range(1 if many else _N_FOLDS)
    values = np.empty((len(fits), len(left_out)))
    for k in left_out:
        train, test = fold != k, fold == k
        for i, fit in enumerate(fits):
            direction = fit(features[train], rows.is_positive[train], rows.weight[train]).direction
            values[i, k] = statistic(rows.only(test).scored(features[test] @ direction), phi)
    gain = values[1:] - values[0]
    error = 0.0 if many else gain.std(axis=1, ddof=1) / np.sqrt(_N_FOLDS)
    clear = np.where(gain.mean(axis=1) > 2 * error, gain.mean(axis=1), -np.inf)
    if np.isneginf(clear).all():
        return ridge
    return replace(fits[1 + int(np.argmax(clear))](features, rows.is_positive, rows.weight), penalty=ridge.penalty)


# Rows that plug-in and metric need: they are a start, a yardstick and an anchor whose pull vanishes with more rows.
FEW = 10_000
_PER_COLUMN = 200


class Family(ABC):
    """Operations that differ between linear and quadratic rules."""

    model: LinearModel | QuadraticModel
    chooses_columns = False  # whether columns to which the plug-in rule gives no weight drop out

    @property
    def stepped(self) -> Model:
        """The model in whose parameter fixed steps are taken."""
        return self.model

    @abstractmethod
    def plug_in(self, rows: Rows, columns: Columns, phi: Phi) -> PlugIn:
        """The plug-in rule, on the features of standardized rows."""

    @abstractmethod
    def model_rows(self, X: Any, columns: Columns) -> Any:
        """Rows as the model scores them."""

    @abstractmethod
    def embedding(self, columns: Columns) -> Any:
        """The map from weights on the features of standardized rows to the parameter of the model."""

    @abstractmethod
    def check_start(self, start: Any, n_columns: int) -> FloatArray:
        """A start as users give it, checked."""

    @abstractmethod
    def given_start(self, start: FloatArray, columns: Columns) -> FloatArray:
        """Weights on the features of standardized rows, from a start that the user gave."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PreparedRows:
    """Rows as the model scores them, and what is known before any criterion is climbed."""

    family: Family
    columns: Columns
    quantiles: NormalScores | None  # of the columns as given, where they are scaled by them
    rows: RowSource
    sub: Rows  # the subsample that plug-in and metric are taken from; all rows if they are few
    standardized: Rows  # the same with standardized columns
    plug_in: PlugIn
    embedding: Any

    @property
    def n_features(self) -> int:
        return len(self.plug_in.direction)

    @property
    def is_wide(self) -> bool:
        """Whether features are too many for matrices of features by features."""
        return is_wide(self.family.model, self.standardized)

    @property
    def features(self) -> Any:
        """Of the standardized subsample."""
        return self.family.model.features(self.standardized.X)

    def scores(self, weights: FloatArray) -> FloatArray:
        """Of the subsample, by weights on the features of standardized rows."""
        return self.family.model.scores(self.standardized.X, weights)

    @property
    def uses_no_column(self) -> bool:
        """Whether a rule that chooses columns chose none."""
        return self.family.chooses_columns and not self.plug_in.direction.any()

    def on_used_columns(self) -> PreparedRows:
        """Only with the columns to which the plug-in rule gives weight; as it is where that is none."""
        used = np.flatnonzero(self.plug_in.direction)
        if len(used) == 0:
            return self
        columns = self.columns.only(used)
        return replace(
            self,
            columns=columns,
            standardized=replace(self.standardized, X=self.standardized.X[:, used]),
            plug_in=replace(self.plug_in, direction=self.plug_in.direction[used]),
            embedding=self.family.embedding(columns),
        )

    @property
    def plug_in_theta(self) -> FloatArray:
        """The plug-in rule as a parameter of the model."""
        return self.embedding @ self.plug_in.direction


def subsample_size(n_columns: int) -> int:
    """How many rows plug-in and metric are taken from at most."""
    return max(FEW, _PER_COLUMN * n_columns)


def prepare(rows: RowSource, scaling: str | None, family: Family, phi: Phi, rng: np.random.RandomState) -> PreparedRows:
    """Scale the columns, and find the plug-in rule: of dense rows, on at most 10,000, or 200 per column."""
    quantiles = None
    if scaling == "quantile" and isinstance(rows, Rows):
        quantiles = NormalScores.fit(rows.X, rows.weight)
        rows = rows.mapped(quantiles.transform)
    sub = rows.subsample(subsample_size(rows.shape[1]) if rows.is_dense else rows.shape[0], rng)
    if sub.shape[0] == rows.shape[0]:
        rows = sub  # all of them are here
    columns = Columns.fit(sub, rows, standardize=scaling is not None)
    standardized = sub.mapped(columns.standardize)
    in_model = partial(family.model_rows, columns=columns)
    scored = rows.mapped(in_model)
    prepared = PreparedRows(
        family=family,
        columns=columns,
        quantiles=quantiles,
        rows=scored,
        sub=scored if isinstance(scored, Rows) and sub is rows else sub.mapped(in_model),
        standardized=standardized,
        plug_in=family.plug_in(standardized, columns, phi),
        embedding=family.embedding(columns),
    )
    return prepared.on_used_columns() if family.chooses_columns else prepared
