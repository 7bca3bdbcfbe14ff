"""Intervals that hold for every distribution of independent scores: from the bounds, wide."""

from __future__ import annotations

import numpy as np

from podium import bounds
from podium.exceptions import InputError
from podium.inference.intervals.limits import Limits
from podium.inference.lists.ranking import Ranking


def kl(ranking: Ranking, confidence_level: float) -> Limits:
    """All AUCs that Chernoff's inequality does not exclude (`podium.bounds.kl_interval`)."""
    n_pos, n_neg = _counts(ranking)
    low, high = bounds.kl_interval(ranking.omega, n_pos, n_neg, confidence_level=confidence_level)
    return Limits(low, high, None)


def mcdiarmid(ranking: Ranking, confidence_level: float) -> Limits:
    """W_φ/n ± (deviation + bias), for a φ with bounded derivative (`podium.bounds.rank_statistic_deviation`).

    The AUC has no bias. Otherwise ω of the population has its own range, ℓ = (1/p)∫₀^p φ and h = (1/p)∫_{1−p}^1 φ, a
    little off that of a sample; the limits hold by either.
    """
    n_pos, n_neg = _counts(ranking)
    phi = ranking.phi.bind(n_pos + n_neg)
    low, high = (end / n_pos for end in ranking.range)
    mean = low + ranking.omega * (high - low)
    reach = bounds.rank_statistic_deviation(n_pos, n_neg, phi, confidence_level=confidence_level)
    ranges = [(low, high)]
    if not ranking.is_auc:
        reach += bounds.rank_statistic_bias(n_pos, n_neg, phi)
        share = n_pos / (n_pos + n_neg)
        upto_share, upto_rest, whole = phi.integral(np.array([share, 1 - share, 1.0]))
        ranges.append((float(upto_share) / share, float(whole - upto_rest) / share))
    return Limits(
        max(min((mean - reach - start) / (end - start) for start, end in ranges), 0.0),
        min(max((mean + reach - start) / (end - start) for start, end in ranges), 1.0),
        None,
    )


def _counts(ranking: Ranking) -> tuple[int, int]:
    if ranking.sample.weight is not None:
        raise InputError("A guaranteed interval is for rows that count once; got sample_weight.", "repeat the rows.")
    return int(ranking.n_pos), int(ranking.n_neg)
