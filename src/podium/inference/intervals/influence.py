"""Variances of ω̂_φ: Hájek's projection in closed form, and the exact two-sample jackknife, in O(N) after the sort."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast import lists
from podium._fast.lists import variance
from podium._types import FloatArray
from podium.inference.lists.influence import Influence
from podium.inference.lists.ranking import Ranking
from podium.phi import Phi, resolve


def projection(ranking: Ranking) -> Influence:
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


def influence_values(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    phi: Phi | str = "auc",
    *,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> FloatArray:
    r"""What each row contributes to ω̂_φ, in input order: the jackknife influence values.

    .. math:: \psi_i = (n - 1)(\bar\omega_+ - \omega_{-i}), \qquad \chi_j = (m - 1)(\bar\omega_- - \omega_{-j}),

    for the n positives and the m negatives, where ω with an index −i is ω̂ of the list without that row and ω̄ the mean
    of these values over its class. An influence value is positive where the row raises ω̂, and the values of each class
    sum to zero. The variance of ω̂ is Σψ_i²/(n(n − 1)) + Σχ_j²/(m(m − 1)), at φ(u) = u exactly that of DeLong, DeLong
    and Clarke-Pearson (1988), ties included.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores, one of each per row; larger scores are more positive.
    phi : Phi or str
        The score-generating function φ: an object of `podium.phi` or a specification such as ``"power:3"``.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    ndarray
        One value per row, in the order of the input; rows of weight zero are left out.

    Examples
    --------
    >>> from podium.inference import influence_values
    >>> influence_values([0, 0, 1, 1], [1, 3, 2, 4])
    array([ 0.25, -0.25, -0.25,  0.25])
    """
    sample = _input.check_sample(y_true, y_score, sample_weight, pos_label)
    return jackknife(Ranking(sample, resolve(phi))).rows(sample)


def jackknife(ranking: Ranking) -> Influence:
    r"""Jackknife influence values ψ_i = (n − 1)(ω̄₊ − ω_{−i}), χ_j = (m − 1)(ω̄₋ − ω_{−j}).

    ω_{−i} is ω̂ of the list without positive i, ω̄₊ their mean. Their variance is the two-sample jackknife

    .. math:: \frac{n-1}{n}\sum_i(\omega_{-i} - \bar\omega_+)^2 + \frac{m-1}{m}\sum_j(\omega_{-j} - \bar\omega_-)^2,

    at φ(u) = u exactly DeLong's, ties included. When an item leaves a list of N, groups below it keep their ranks, now
    worth φ(k/N), groups above it fall by one rank, and its own group loses its last rank; so prefix sums of the means
    of φ over these ranks give all leave-one-out values. Items are independent; weights count rows, and one unit of
    weight is left out at a time; where weights sum to more than 10⁸, its limit, the projection, takes its place.
    """
    n, m = ranking.n_pos, ranking.n_neg
    ranking.require_two_per_class()
    if ranking.is_long and not ranking.phi.discontinuous:
        return projection(ranking)
    scores = ranking.scores(-1)
    without_pos, without_neg = lists.sums_without(
        ranking.ties.pos, scores.of_groups(), scores.of_groups(0, -1), scores.of_groups(-1, -1)
    )
    pos_low, pos_high = scores.range(n - 1, m)
    neg_low, neg_high = scores.range(n, m - 1)
    return Influence(
        ranking.ties,
        without_pos,
        without_neg,
        -(n - 1) / (pos_high - pos_low),
        -(m - 1) / (neg_high - neg_low),
    )
