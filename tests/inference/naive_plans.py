"""Oracles of plans and of decision curves: the formulas of their pages, term by term. Imports nothing of ours."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm


def logit(p):
    return log(p / (1 - p))


def auc_variance(auc, n_pos, n_neg):
    """Of binormal scores: pairs with a row in common, by integrals over that row (Hanley and McNeil)."""
    shift = sqrt(2) * norm.ppf(auc)
    both = quad(lambda x: norm.pdf(x - shift) * norm.cdf(x) ** 2, -12, 12, points=[0, shift])[0]
    return (auc * (1 - auc) + (n_pos + n_neg - 2) * (both - auc**2)) / (n_pos * n_neg)


def width(auc, n_pos, n_neg, level):
    reach = norm.ppf((1 + level) / 2) * sqrt(auc_variance(auc, n_pos, n_neg)) / (auc * (1 - auc))
    low, high = (1 / (1 + exp(-logit(auc) - sign * reach)) for sign in (-1, 1))
    return high - low


def power_of_one(auc, null, n_pos, n_neg, level):
    """That the lower limit, on the logit scale, is above the constant."""
    error = sqrt(auc_variance(auc, n_pos, n_neg)) / (auc * (1 - auc))
    return norm.cdf(abs(logit(auc) - logit(null)) / error - norm.ppf((1 + level) / 2))


def power_of_two(auc_a, auc_b, n_pos, n_neg, level):
    """Of a two-sided comparison of scorers on rows of their own."""
    error = sqrt(auc_variance(auc_a, n_pos, n_neg) + auc_variance(auc_b, n_pos, n_neg))
    z, shift = norm.ppf((1 + level) / 2), (auc_a - auc_b) / error
    return norm.sf(z - shift) + norm.cdf(-z - shift)


def hits_plan(auc, prevalence, k, n_next):
    """Hits among the first k of binormal scores, and the variance of their number in one list."""
    shift, low, high = sqrt(2) * norm.ppf(auc), -20.0, 20.0
    for _ in range(200):  # where the list is cut
        cut = (low + high) / 2
        above = prevalence * norm.sf(cut - shift) + (1 - prevalence) * norm.sf(cut)
        low, high = (cut, high) if above > k / n_next else (low, cut)
    precision = prevalence * norm.sf(cut - shift) / (k / n_next)
    densities = prevalence * norm.pdf(cut - shift), (1 - prevalence) * norm.pdf(cut)
    at_cut = densities[0] / sum(densities)
    return k * precision, k * (precision * (1 - precision) + (1 - k / n_next) * (precision - at_cut) ** 2)


def decision_limits(y, p, thresholds, level, draws, seed):
    """Net benefit with its band; the rates within have two hits and two misses more."""
    n, n_pos = len(y), sum(bool(a) for a in y)
    benefits, rows, found = [], [], []
    for t in thresholds:
        odds = t / (1 - t)
        hits = sum(b >= t and bool(a) for a, b in zip(y, p, strict=True))
        false = sum(b >= t and not a for a, b in zip(y, p, strict=True))
        benefits.append((hits - odds * false) / n)
        found.append(hits / n)
        rows.append((odds, (hits + 2) / (n_pos + 4), (false + 2) / (n - n_pos + 4)))
    pi, size = n_pos / n, len(rows)
    covariance = np.empty((size, size))
    for i, (a, tpr, fpr) in enumerate(rows):
        for j, (b, tpr_b, fpr_b) in enumerate(rows):
            both = pi * min(tpr, tpr_b) + (1 - pi) * a * b * min(fpr, fpr_b)
            means = (pi * tpr - (1 - pi) * a * fpr) * (pi * tpr_b - (1 - pi) * b * fpr_b)
            covariance[i, j] = (both - means) / n
    error = np.sqrt(np.diag(covariance))
    values, vectors = np.linalg.eigh(covariance / np.outer(error, error))
    root = vectors * np.sqrt(np.maximum(values, 0))
    normal = np.random.default_rng(seed).standard_normal((draws, size)) @ root.T
    z = np.quantile(np.abs(normal).max(axis=1), level)
    shift = [z**2 * max(1 - 2 * f, 0) / (4 * (n + z**2)) for f in found]
    return np.array(benefits), np.array(benefits) - z * error, np.array(benefits) + z * error + shift
