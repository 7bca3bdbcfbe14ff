"""Smoothed rank statistics by their definitions (CLV21, §4.2 and §5.1). Imports nothing of ours."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import stats

from naive import classes

# K as distributions of SciPy; K ∝ (1 − t²)^p on [−1, 1] is a beta density.
KERNELS = {
    "gaussian": stats.norm(),
    "logistic": stats.logistic(),
    "laplace": stats.laplace(),
    "epanechnikov": stats.beta(2, 2, loc=-1, scale=2),
    "biweight": stats.beta(3, 3, loc=-1, scale=2),
    "triweight": stats.beta(4, 4, loc=-1, scale=2),
}


def smoothed_cdf(t, scores, weight, kernel, h):
    """F̂_h(t) = (1/N) Σ_l κ((t − s_l)/h), (4.8); a weight is a number of repetitions."""
    return sum(w * KERNELS[kernel].cdf((t - s) / h) for s, w in zip(scores, weight, strict=True)) / sum(weight)


def smoothed_rank_statistic(scores, is_positive, weight, phi: Callable, kernel, h):
    """(1/n) Σ_i φ(F̂_h(s_i)) over the positives, (4.10)."""
    total, n_pos = 0.0, 0.0
    for s, positive, w in zip(scores, is_positive, weight, strict=True):
        if positive:
            total += w * phi(smoothed_cdf(s, scores, weight, kernel, h))
            n_pos += w
    return total / n_pos


def smoothed_gradient(scores, is_positive, weight, phi_prime: Callable, kernel, h):
    """(5.1) with (5.2) and one parameter per score: row i moves with +1 where it is t, −1 where it is summed over."""
    scores, weight = np.asarray(scores, float), np.asarray(weight, float)
    gradient = np.zeros(len(scores))
    n_total, n_pos = weight.sum(), weight[np.asarray(is_positive)].sum()
    for i in np.flatnonzero(is_positive):
        slope = weight[i] / n_pos * phi_prime(smoothed_cdf(scores[i], scores, weight, kernel, h))
        for j in range(len(scores)):
            force = slope * weight[j] * KERNELS[kernel].pdf((scores[i] - scores[j]) / h) / (n_total * h)
            gradient[i] += force
            gradient[j] -= force
    return gradient


def smoothed_matrices(scores, is_positive, weight, phi, phi_prime, kernel, bandwidth, relative):
    """Value, gradient and the largest term of its sums, by N × N matrices; h = bandwidth · σ if relative.

    With h = bσ, the chain rule adds (∂W/∂h) · b · ∂σ/∂s_j, ∂σ/∂s_j = w_j (s_j − s̄)/(N σ).
    """
    scores, weight = np.asarray(scores, float), np.asarray(weight, float)
    n_total = weight.sum()
    mean = weight @ scores / n_total
    sigma = np.sqrt(weight @ (scores - mean) ** 2 / n_total)
    h = bandwidth * sigma if relative else bandwidth
    t = (scores[:, None] - scores) / h
    cdf = KERNELS[kernel].cdf(t) @ weight / n_total
    share = np.where(is_positive, weight, 0.0) / weight[is_positive].sum()
    value = share[is_positive] @ phi(cdf[is_positive])
    v = np.zeros(len(scores))
    v[is_positive] = share[is_positive] * phi_prime(cdf[is_positive])
    density = KERNELS[kernel].pdf(t)
    terms = v * (density @ weight) / (n_total * h)
    gradient = terms - weight * (density @ v) / (n_total * h)
    if relative:
        by_bandwidth = -(v @ (density * t) @ weight) / (n_total * h)
        gradient += by_bandwidth * bandwidth * weight * (scores - mean) / (n_total * sigma)
    return value, gradient, np.abs(terms).max()


def smooth_partial_auc(is_positive, scores, max_fpr, bandwidth, weight=None, relative=True):
    """(1/n) Σ_i (1 − FPR(f(x_i))/α)₊, the rate smoothed by a logistic kernel of width bandwidth, or bandwidth · σ."""
    weight = np.ones(len(scores)) if weight is None else np.asarray(weight)
    h = bandwidth * (math.sqrt(np.cov(scores, aweights=weight, ddof=0)) if relative else 1.0)
    pos, neg = classes(is_positive, scores, weight)
    rates = [sum(w * KERNELS["logistic"].cdf((t - s) / h) for t, w in neg) / sum(w for _, w in neg) for s, _ in pos]
    return sum(v * max(0.0, 1 - r / max_fpr) for (_, v), r in zip(pos, rates, strict=True)) / sum(v for _, v in pos)
