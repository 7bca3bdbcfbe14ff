"""Hájek projection of W_φ: influence values in closed form."""

from __future__ import annotations

import numpy as np

from podium._fast import lists
from podium._fast.lists import variance
from podium.inference.lists.influence import Influence
from podium.inference.lists.ranking import Ranking


def influence(ranking: Ranking) -> Influence:
    r"""Influence values of the Hájek projection (CLV21, Prop. 4, with the empirical distribution put in).

    Let group g hold t rows, the ranks (b, c], and let M_g be the mean of φ over them. One more row below the group
    moves M_g by D_g, one that ties with it by d_g:

    .. math:: D_g = \frac{\phi(\frac{c + 1/2}{N+1}) - \phi(\frac{b + 1/2}{N+1})}{t}, \qquad
              d_g = \frac{\phi(\frac{c + 1/2}{N+1}) - M_g}{t},

    which are the derivatives φ'/(N+1) and ½φ'/(N+1) where nothing ties, and 1/(N+1) and ½/(N+1) at φ(u) = u. With
    e(l, i) = D of the group of X_l if X_l is above row i, d if they tie, 0 below,

    .. math:: A_i = M(X_i) + \sum_{l \ne i} e(l, i), \qquad B_j = \tfrac{m}{n}\sum_l e(l, j)

    are, up to a constant, the influence values of W_φ/n; here they are divided by (W_max − W_min)/n. At φ(u) = u they
    give DeLong's variance, ties included. Asymptotic, for a continuous φ; the jackknife is exact for every φ.
    """
    ranking.require_two_per_class()
    ties = ranking.ties
    size = ties.n_total + 1
    upto = np.cumsum(ties.total, dtype=np.float64)
    phi = ranking.phi.bind(ties.n_total)
    mean, at_top = ranking.scores(0).of_groups(), phi.value((upto + 0.5) / size)
    past = (at_top - phi.value((upto - ties.total + 0.5) / size)) / ties.total
    beside = (at_top - mean) / ties.total
    raised = lists.sums_above(ties.pos, past) + ties.pos * beside
    low, high = ranking.range
    return Influence(ties, mean + raised - beside, raised, ties.n_pos / (high - low), ties.n_neg / (high - low))


def auc_variance(ranking: Ranking) -> float:
    """DeLong's variance of the AUC without tie groups: the shortest way where rows count once."""
    ranking.require_two_per_class()
    if ranking.is_grouped:
        return auc_influence(ranking).variance()
    pos, neg = ranking.classes
    of_pos, of_neg = (variance(won) for won in ranking.wins)
    return float(of_pos / len(neg) ** 2 / len(pos) + of_neg / len(pos) ** 2 / len(neg))


def auc_influence(ranking: Ranking) -> Influence:
    r"""DeLong's structural components: the projection at φ(u) = u.

    .. math:: V_i = \tfrac1m \sum_j c(X_i, Y_j), \qquad V'_j = \tfrac1n \sum_i c(X_i, Y_j)
    """
    ranking.require_two_per_class()
    ties = ranking.ties
    won, lost = lists.half_cumulated(ties.neg), lists.half_cumulated(ties.pos)
    return Influence(ties, won, lost, 1 / ties.n_neg, -1 / ties.n_pos)
