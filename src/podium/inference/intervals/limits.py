"""From an estimate and its variance to confidence limits in [0, 1], also where few losses, or none, were seen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr, stdtr, stdtrit

from podium._fast import lists
from podium._shares import normal_quantile, wilson
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


# What one more row would change: the losses and gains that limits allow for.
#
# Parts and powers were chosen together by simulated coverage (docs/coverage_laws.rst). Three fifths of a loss suffice
# for the AUC, whose losses differ little. With a steep φ the losses that are yet to be seen can be larger than all that
# were: a few negatives on top of a list of 100 and 100, 2 % of all, are missing from one sample in eight.


PART = {1: 0.6, 2: 0.75}  # of the mean loss, in which losses weigh by this power of themselves


def loss_and_gain(ranking: Ranking, *, clustered: bool = False) -> tuple[float, float]:
    r"""How much ω falls by a part c of one more loss, and rises by one of one more gain.

    The losses considered: one more negative joins the list with the score of positive i and changes ω by e_i; one more
    positive joins with the score of negative j and changes it by e′_j. (It ties with that item, and with all that tie
    with it: the mean over random orders, without other ties that of standing just below and just above the item.) With
    e⁻ = max(−e, 0) the loss is a mean in which large ones weigh more,

    .. math:: w = c\,\frac{\mathrm{mean}_i (e_i^-)^{k+1} + \mathrm{mean}_j (e_j'^-)^{k+1}}
                       {\mathrm{mean}_i (e_i^-)^k + \mathrm{mean}_j (e_j'^-)^k}, \qquad k = 2,\ c = 3/4,

    or k = 1 and c = 3/5 for the AUC and for clusters, where w is multiplied by their size. The gain is the same of
    e⁺ = max(e, 0). Both are 0 if all tie.
    """
    n, m, ties = ranking.n_pos, ranking.n_neg, ranking.ties
    scores = ranking.scores(+1)
    with_pos, with_neg = lists.sums_with(
        ties.pos, scores.of_groups(), scores.of_groups(0, +1), scores.of_groups(+1, +1)
    )
    power = 1 if ranking.is_auc or clustered else 2
    omegas = []
    for sums, sizes in ((with_neg, (n, m + 1)), (with_pos, (n + 1, m))):
        low, high = scores.range(*sizes)
        omegas.append((sums - low) / (high - low))  # scaled before they are raised to a power: φ may hardly rise
    return mean_events((omegas[0], omegas[1]), ties, ranking.omega, power)


def mean_events(
    with_one: tuple[FloatArray, FloatArray], ties: TieGroups, value: float, power: int
) -> tuple[float, float]:
    """The w of `loss_and_gain` for any measure of a list that has this value.

    ``with_one`` holds its values when one negative, and when one positive, joins each tie group.
    """
    events = []
    for direction in (-1.0, 1.0):
        lower = higher = 0.0
        for values, mass in zip(with_one, (ties.pos, ties.neg), strict=True):
            of_power, of_next = lists.losses(values, mass, value, direction, power)
            count = mass.sum().item()
            lower += of_power / count
            higher += of_next / count
        events.append(PART[power] * higher / lower if lower > 1e-15**power else 0.0)
    return events[0], events[1]


def pseudo_event_limits(estimate: float, variance: float, loss: float, gain: float, confidence_level: float) -> Limits:
    r"""Limits from ω̂, its variance v, and the sizes of one more loss and of one more gain.

    With y = 1 − ω̂ + w, as though a loss of the size w were about to come, the lower limit is Wilson's for a share

    .. math:: 1 - \frac{y + \frac{z^2}{2 N_e} + z \sqrt{\frac{y (1 - y)}{N_e} + \frac{z^2}{4 N_e^2}}}
       {1 + z^2 / N_e}, \qquad N_e = \frac{y (1 - y)}{v + w^2},

    the least ω from which an estimate of 1 − y is no more than z standard errors away if a row counts as much as N_e
    rows say it does. The upper limit is the same for 1 − ω with a gain. Without any information (v = 0 and no event
    changes ω: all scores tie) the limits are 0 and 1.
    """
    low = _score_limit(estimate, variance, loss, confidence_level)
    high = 1 - _score_limit(1 - estimate, variance, gain, confidence_level)
    return Limits(low, high, float(np.sqrt(variance)))


def _score_limit(estimate: float, variance: float, event: float, confidence_level: float) -> float:
    """The lower limit."""
    loss, spread, z = 1 - estimate + event, variance + event**2, normal_quantile(confidence_level)
    # In a list of few items one more loss can cost all of ω, or change nothing: then nothing is excluded.
    if not 0 < loss < 1 or spread == 0 or np.isinf(z):
        return 0.0
    size = loss * (1 - loss) / spread
    return max(1 - float(wilson(size * loss, size, z)[1]), 0.0)
