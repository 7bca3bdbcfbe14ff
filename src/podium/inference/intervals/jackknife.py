r"""Two-sample jackknife of ω̂_φ: exact leave-one-out values in O(N) after the sort, no derivative of φ."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from podium import _input
from podium._fast import lists
from podium._types import FloatArray
from podium.inference.intervals import projection
from podium.inference.lists.influence import Influence
from podium.inference.lists.ranking import Ranking
from podium.phi import Phi, resolve


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
    return influence(Ranking(sample, resolve(phi))).rows(sample)


def influence(ranking: Ranking) -> Influence:
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
        return projection.influence(ranking)
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
