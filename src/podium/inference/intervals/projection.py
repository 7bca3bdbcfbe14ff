"""Hájek projection of W_φ: influence values from the derivative of φ."""

from __future__ import annotations

import numpy as np

from podium._fast.lists import shifts
from podium._fast.lists.wins import wins
from podium.inference.lists.influence import Influence
from podium.inference.lists.ranking import Ranking


def influence(ranking: Ranking) -> Influence:
    r"""Influence values of the Hájek projection (CLV21, Prop. 4, with the empirical distribution put in).

    With mid-ranks R, u = R/(N+1) and c(a, b) = 1{a > b} + ½·1{a = b},

    .. math:: A_i = \phi(u_i) + \tfrac1{N+1}\sum_{l \ne i} \phi'(u_l)\, c(X_l, X_i), \qquad
              B_j = \tfrac{m}{n(N+1)}\sum_l \phi'(u_l)\, c(X_l, Y_j)

    are, up to a constant, the influence values of W_φ/n; here they are divided by (W_max − W_min)/n. At φ(u) = u they
    give DeLong's variance, ties included. Asymptotic, for a differentiable φ; the jackknife needs neither.
    """
    ranking.require_two_per_class()
    ties = ranking.ties
    size = ties.n_total + 1
    upto = np.cumsum(ties.total, dtype=np.float64)
    u = (upto - (ties.total - 1) / 2) / size
    phi = ranking.phi.bind(ties.n_total)
    slope = np.where(ties.pos > 0, phi.derivative(u), 0.0)
    raised = shifts.sums_above(ties.pos, slope) + ties.pos * slope / 2
    low, high = ranking.range
    return Influence(
        ties,
        phi.value(u) + (raised - slope / 2) / size,
        raised / size,
        ties.n_pos / (high - low),
        ties.n_neg / (high - low),
    )


def auc_variance(ranking: Ranking) -> float:
    """DeLong's variance of the AUC without tie groups: the shortest way where rows count once."""
    ranking.require_two_per_class()
    if ranking.sample.weight is not None:
        return auc_influence(ranking).variance()
    pos, neg = ranking.classes
    return float(
        np.var(ranking.wins, ddof=1) / len(neg) ** 2 / len(pos)
        + np.var(wins(neg, pos), ddof=1) / len(pos) ** 2 / len(neg)
    )


def auc_influence(ranking: Ranking) -> Influence:
    r"""DeLong's structural components: the projection at φ(u) = u.

    .. math:: V_i = \tfrac1m \sum_j c(X_i, Y_j), \qquad V'_j = \tfrac1n \sum_i c(X_i, Y_j)
    """
    ranking.require_two_per_class()
    ties = ranking.ties
    won, lost = shifts.half_cumulated(ties.neg), shifts.half_cumulated(ties.pos)
    return Influence(ties, won, lost, 1 / ties.n_neg, -1 / ties.n_pos)
