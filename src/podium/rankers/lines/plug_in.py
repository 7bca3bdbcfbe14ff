"""Plug-in directions: classical linear scores, used as starting point and anchor of the rankers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.linalg import solve
from scipy.special import expit

from podium._types import BoolArray, FloatArray
from podium.metrics.linear import statistic
from podium.models import Model
from podium.phi import Phi
from podium.rankers.lines.rows import Rows, RowSource
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
