"""From an estimate and its variance to confidence limits in [0, 1], also where few losses, or none, were seen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, expit, logit, ndtr, stdtr, stdtrit

from podium._fast import lists
from podium._shares import normal_quantile
from podium._types import FloatArray
from podium.inference.lists.ranking import Ranking
from podium.ranks.pooled import TieGroups

ALTERNATIVES = ("two-sided", "greater", "less")


class Limits(NamedTuple):
    """Confidence limits of ω, and the standard error behind them, if any."""

    low: float
    high: float
    standard_error: float | None


def wald(estimate: float, variance: float, confidence_level: float) -> Limits:
    """Estimate ± z·SE, cut to [0, 1]."""
    error = float(np.sqrt(variance))
    reach = _reach(error, confidence_level)
    return Limits(max(estimate - reach, 0.0), min(estimate + reach, 1.0), error)


def on_logit_scale(estimate: float, variance: float, confidence_level: float) -> Limits:
    """expit(logit ω̂ ± z·SE/(ω̂(1 − ω̂))): stays inside (0, 1) and leans towards ½, as the sampling error does."""
    error = float(np.sqrt(variance))
    reach = _reach(error, confidence_level) / (estimate * (1 - estimate))
    return Limits(float(expit(logit(estimate) - reach)), float(expit(logit(estimate) + reach)), error)


def _reach(error: float, confidence_level: float) -> float:
    """z·SE; nothing where the error is, also at a level that rounds to 1, whose z is infinite."""
    return normal_quantile(confidence_level) * error if error else 0.0


def student_quantile(confidence_level: float, degrees_of_freedom: float) -> float:
    """The t with P(|T| ≤ t) = ``confidence_level``; the normal quantile for infinitely many degrees of freedom."""
    if np.isinf(degrees_of_freedom):
        return normal_quantile(confidence_level)
    return -float(stdtrit(degrees_of_freedom, (1 - confidence_level) / 2))


def student_level(confidence_level: float, degrees_of_freedom: float) -> float:
    """The level at which normal limits reach as far as Student's do at ``confidence_level``."""
    return normal_level(student_quantile(confidence_level, degrees_of_freedom))


def normal_level(quantile: float) -> float:
    """The level at which normal limits reach this many standard errors to either side."""
    return float(1 - 2 * ndtr(-quantile))


def limits_and_pvalue(
    estimate: float, error: float, alternative: str, confidence_level: float, degrees_of_freedom: float = np.inf
) -> tuple[float, float, float]:
    """Student's limits of an estimate on the side of the alternative, and the p-value of zero."""
    t = estimate / error

    def tail(x: float) -> float:
        return float(ndtr(x) if np.isinf(degrees_of_freedom) else stdtr(degrees_of_freedom, x))

    if alternative == "two-sided":
        reach = student_quantile(confidence_level, degrees_of_freedom) * error
        return estimate - reach, estimate + reach, 2 * tail(-abs(t))
    reach = student_quantile(2 * confidence_level - 1, degrees_of_freedom) * error
    if alternative == "greater":
        return estimate - reach, np.inf, tail(-t)
    return -np.inf, estimate + reach, tail(t)


_LARGEST = 1e15  # rows beyond which SciPy's beta law has no quantiles; its width is then below 1e-7


def event_size(ranking: Ranking, *, near: bool = False, clustered: bool = False) -> float:
    r"""w: how much ω changes by one more loss, a mean in which large losses weigh more.

    The losses considered: one more negative joins the list with the score of positive i and changes ω by e_i; one more
    positive joins with the score of negative j and changes it by e′_j. (It ties with that item, and with all that tie
    with it: the mean over random orders, without other ties that of standing just below and just above the item.) With
    e⁻ = max(−e, 0),

    .. math:: w = \frac{\mathrm{mean}_i (e_i^-)^{k+1} + \mathrm{mean}_j (e_j'^-)^{k+1}}
                       {\mathrm{mean}_i (e_i^-)^k + \mathrm{mean}_j (e_j'^-)^k}, \qquad k = 2,

    or k = 1 for the AUC, whose losses differ less, and for clusters, where w is multiplied by their size. With a steep
    φ the losses that are yet to be seen can be larger than all that were: a few negatives on top of a list of 100 and
    100, 2 % of all, are missing from one sample in eight, and at k = 1 the limits covered .82 to .92 there. Below
    ω̂ = ½ gains take the place of losses; ``near`` exchanges the two, for the limit on the other side. 0 if all tie.
    """
    n, m, ties = ranking.n_pos, ranking.n_neg, ranking.ties
    scores = ranking.scores(+1)
    with_pos, with_neg = lists.sums_with(
        ties.pos, scores.of_groups(), scores.of_groups(0, +1), scores.of_groups(+1, +1)
    )
    direction = -1.0 if (ranking.omega >= 0.5) != near else 1.0
    power = 1 if ranking.is_auc or clustered else 2
    omegas = []
    for sums, sizes in ((with_neg, (n, m + 1)), (with_pos, (n + 1, m))):
        low, high = scores.range(*sizes)
        omegas.append((sums - low) / (high - low))  # scaled before they are raised to a power: φ may hardly rise
    return mean_event((omegas[0], omegas[1]), ties, ranking.omega, direction, power)


def loss_and_gain(ranking: Ranking) -> tuple[float, float]:
    """Sizes of one more loss and of one more gain, whichever side of ½ ω̂ is on."""
    far, near = (event_size(ranking, near=near) for near in (False, True))
    return (far, near) if ranking.omega >= 0.5 else (near, far)


def mean_event(
    with_one: tuple[FloatArray, FloatArray], ties: TieGroups, value: float, direction: float, power: int
) -> float:
    """The w of `event_size` for any measure of a list that has this value.

    ``with_one`` holds its values when one negative, and when one positive, joins each tie group; the direction is −1
    for losses and + 1 for gains.
    """
    lower = higher = 0.0
    for values, mass in zip(with_one, (ties.pos, ties.neg), strict=True):
        of_power, of_next = lists.losses(values, mass, value, direction, power)
        count = mass.sum().item()
        lower += of_power / count
        higher += of_next / count
    return higher / lower if lower > 1e-15**power else 0.0


def pseudo_event_limits(
    estimate: float, variance: float, event: float, confidence_level: float, near_event: float | None = None
) -> Limits:
    r"""Limits from ω̂, its jackknife variance v and the size w of one more loss.

    For ω̂ ≥ ½ (else mirrored) the far limit is a quantile of a beta law with the mean ω̂ − w and about the variance
    v + w² (N_e = y(1 − y)/(v + w²), y = 1 − ω̂ + w):

    .. math:: \mathrm{low} = B^{-1}(\delta/2;\; N_e (1 - y),\; N_e\, y),

    as though one loss more than those seen were about to come; the near limit is that of the logit interval, and 1
    if ω̂ = 1. With few items of a class, the spread of the scores may not have been seen either: given the size of one
    more gain, ``near_event``, the near limit is no nearer than the same rule with gains puts it. Without any
    information (v = w = 0: all scores tie) the limits are 0 and 1.
    """
    error = float(np.sqrt(variance))
    if event < 1e-9 and variance < 1e-24:
        return Limits(0.0, 1.0, error)
    if estimate < 0.5:
        mirrored = pseudo_event_limits(1 - estimate, variance, event, confidence_level, near_event)
        return Limits(1 - mirrored.high, 1 - mirrored.low, error)
    low = _far_limit(estimate, variance, event, confidence_level)
    high = on_logit_scale(estimate, variance, confidence_level).high if estimate < 1 else 1.0
    if near_event is not None:
        high = max(high, 1 - _far_limit(1 - estimate, variance, near_event, confidence_level))
    return Limits(low, high, error)


def both_limits(estimate: float, variance: float, loss: float, gain: float, confidence_level: float) -> Limits:
    """Limits of which both are far ones: below by one more loss, above by one more gain.

    For measures whose sampling law leans to either side, as that of average precision with few positives does.
    """
    low = _far_limit(estimate, variance, loss, confidence_level)
    high = 1 - _far_limit(1 - estimate, variance, gain, confidence_level)
    return Limits(low, high, float(np.sqrt(variance)))


def _far_limit(estimate: float, variance: float, event: float, confidence_level: float) -> float:
    """The lower limit, by a beta law with one more loss than was seen."""
    loss = 1 - estimate + event
    spread = variance + event**2
    # In a list of few items one more loss can cost all of ω, or change nothing: then nothing is excluded.
    if not 0 < loss < 1 or spread == 0:
        return 0.0
    size = loss * (1 - loss) / spread
    if size > _LARGEST:
        return max(1 - loss - normal_quantile(confidence_level) * float(np.sqrt(spread)), 0.0)
    return float(betaincinv(size * (1 - loss), size * loss, (1 - confidence_level) / 2))
