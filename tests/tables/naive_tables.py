"""Oracles of tables: what is said of columns, by counting rows. Imports nothing of ours."""

from __future__ import annotations

from math import sqrt

from scipy.stats import beta


def binomial_tail(k, n, p):
    """P(X ≥ k), the distribution function of the k-th of n uniforms at p."""
    return beta.cdf(p, k, n - k + 1) if k else 1.0


def is_more(n_here, rows, n_there, training):
    """Whether the share is larger by more than a tenth, and by more than chance allows once in a hundred thousand."""
    chance = max(n_there, 1) / training
    return n_here / rows - n_there / training > 0.1 and binomial_tail(n_here, rows, chance) < 1e-5


def has_shifted(share_here, rows, share_there):
    """Whether shares at most a value differ by more than a quarter and two and a half standard errors of a half."""
    return abs(share_here - share_there) > 0.25 + 2.5 / sqrt(rows)


def place(score, scores):
    """From 0 at the bottom to 100 on top; rows that tie count half."""
    return 100 * (sum(other < score for other in scores) + sum(other == score for other in scores) / 2) / len(scores)


def mean_and_limits(values):
    n = len(values)
    mean = sum(values) / n
    reach = 1.959963984540054 * sqrt(sum((v - mean) ** 2 for v in values) / n) / sqrt(n)
    return mean, mean - reach, mean + reach


def drawn_share(labels, everybody, prior=20):
    """The share of positives of a value, with twenty rows of the share of all beside its own."""
    return (sum(labels) + prior * sum(everybody) / len(everybody)) / (len(labels) + prior)
