"""Cutoffs that keep positives in, or negatives out: order statistics as tolerance limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import betainc

from podium import _input
from podium._results import wording
from podium._types import FloatArray
from podium.exceptions import DegenerateSampleError
from podium.shortlist.result import (
    INDEPENDENT,
    Shortlist,
    calibration,
    chosen_from,
    just_above,
    new_scores,
    random_share,
)

_THEOREM = "The law of order statistics: the share of a population beyond the k-th of n draws is Beta (Wilks, 1941)."


def by_recall(
    y_cal: npt.ArrayLike,
    s_cal: npt.ArrayLike,
    s_new: npt.ArrayLike | None = None,
    *,
    recall: float = 0.95,
    confidence_level: float = 0.95,
    randomize: bool = False,
    rng: int | np.random.Generator | None = None,
    pos_label: Any = None,
) -> Shortlist:
    r"""The highest cutoff that keeps at least the share ``recall`` of all positives, with confidence.

    At the k-th smallest of n₊ positive scores, the share of positives that reach it is Beta(n₊ + 1 − k, k), for any
    distribution. The cut is the one with the largest k for which

    .. math:: P\bigl(\mathrm{Beta}(n_+ + 1 - k,\, k) \ge \text{recall}\bigr) \ge \text{confidence level}.

    Parameters
    ----------
    y_cal, s_cal : array-like
        Labels and scores of the calibration rows, which were not used to train the scorer.
    s_new : array-like, optional
        Scores of the list to select from, by the same scorer.
    recall : float
        The share of positives to keep, in (0, 1): the true positive rate of the cut in the population.
    confidence_level : float
        The probability, over calibration samples, that the cutoff keeps that share.
    randomize : bool
        Whether to randomize between two adjacent order statistics, so that the guarantee holds with probability exactly
        ``confidence_level`` if scores do not tie. With few positives the cutoff is then less conservative, but random.
    rng : int or numpy.random.Generator, optional
        The seed or source of the random number for ``randomize``.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    Shortlist
        The cutoff and its guarantee.

    Notes
    -----
    Ties only help: the share kept is then larger. Only the positives must be sampled from their population; the share
    of positives may change.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.shortlist import by_recall
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(1000) < 0.3
    >>> by_recall(y, 2 * y + rng.normal(size=1000), recall=0.9)
    With probability at least 95 %, rows that score 0.608853 or more hold at least 90 % of all positives.
    """
    share = _input.check_fraction("recall", recall)
    level = _input.check_fraction("confidence_level", confidence_level)
    pos, neg = calibration(y_cal, s_cal, pos_label)
    chance = random_share(randomize, rng)
    k, attained = _order_statistic(len(pos), 1 - share, level, "positives", "recall", chance)
    return _rate_shortlist(
        threshold=float(pos[k - 1]),
        promise=f"hold at least {wording.level(share)} of all positives",
        not_covered=(
            "How many negatives are chosen with them; and the share in one list, which varies around that in the "
            "population."
        ),
        scores=new_scores(s_new),
        level=level,
        attained=attained,
        sizes=(len(pos), len(neg)),
    )


def by_fpr(
    y_cal: npt.ArrayLike,
    s_cal: npt.ArrayLike,
    s_new: npt.ArrayLike | None = None,
    *,
    fpr: float = 0.05,
    confidence_level: float = 0.95,
    randomize: bool = False,
    rng: int | np.random.Generator | None = None,
    pos_label: Any = None,
) -> Shortlist:
    r"""The lowest cutoff that lets through at most the share ``fpr`` of all negatives, with confidence.

    The share of negatives above the k-th largest of n₋ negative scores is Beta(k, n₋ + 1 − k) for every distribution.
    The cutoff is just above the one with the largest k for which

    .. math:: P\bigl(\mathrm{Beta}(k,\, n_- + 1 - k) \le \text{fpr}\bigr) \ge \text{confidence level}.

    Parameters
    ----------
    y_cal, s_cal : array-like
        Labels and scores of the calibration rows, which were not used to train the scorer.
    s_new : array-like, optional
        Scores of the list to select from, by the same scorer.
    fpr : float
        The largest share of negatives to let through, in (0, 1): the false positive rate of the cut in the population.
    confidence_level : float
        The probability, over calibration samples, that the cutoff lets through no more than that share.
    randomize : bool
        Whether to randomize between two adjacent order statistics, so that the guarantee holds with probability exactly
        ``confidence_level`` if scores do not tie. With few negatives the cutoff is then less conservative, but random.
    rng : int or numpy.random.Generator, optional
        The seed or source of the random number for ``randomize``.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    Shortlist
        The cutoff and its guarantee.

    Notes
    -----
    Ties only help: the share let through is then smaller. Only the negatives must be sampled from their population; the
    share of positives may change.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.shortlist import by_fpr
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(1000) < 0.3
    >>> by_fpr(y, 2 * y + rng.normal(size=1000), fpr=0.1)
    With probability at least 95 %, rows that score 1.42964 or more hold at most 10 % of all negatives.
    """
    share = _input.check_fraction("fpr", fpr)
    level = _input.check_fraction("confidence_level", confidence_level)
    pos, neg = calibration(y_cal, s_cal, pos_label)
    chance = random_share(randomize, rng)
    k, attained = _order_statistic(len(neg), share, level, "negatives", "fpr", chance)
    return _rate_shortlist(
        threshold=just_above(neg[-k]),
        promise=f"hold at most {wording.level(share)} of all negatives",
        not_covered=(
            "How many positives are chosen; and the share in one list, which varies around that in the population."
        ),
        scores=new_scores(s_new),
        level=level,
        attained=attained,
        sizes=(len(pos), len(neg)),
    )


def _order_statistic(
    n: int, share: float, level: float, class_name: str, rate: str, chance: float
) -> tuple[int, float]:
    """The largest k with P(Beta(k, n + 1 − k) ≤ share) ≥ level, and that probability.

    The next k instead, whose probability is less than the level, where ``chance`` is below what makes the mean of both
    the level; a chance of 1 never is.
    """
    probability = betainc(np.arange(1, n + 1), np.arange(n, 0, -1), share)
    k = int(np.count_nonzero(probability >= level))  # it falls as k grows
    if k == 0:
        needed = math.ceil(math.log1p(-level) / math.log1p(-share))
        raise DegenerateSampleError(
            f"A cut by {rate} at this confidence takes {needed:,} {class_name} in the calibration sample; got {n:,}.",
            "ask for less confidence, or for a less demanding rate.",
        )
    attained = float(probability[k - 1])
    if chance < 1 and k < n:
        if chance < (attained - level) / (attained - probability[k]):
            k += 1
        attained = level
    return k, attained


def _rate_shortlist(
    *,
    threshold: float,
    promise: str,
    not_covered: str,
    scores: FloatArray | None,
    level: float,
    attained: float,
    sizes: tuple[int, int],
) -> Shortlist:
    return Shortlist(
        threshold=threshold,
        chosen=chosen_from(scores, threshold),
        guarantee=wording.minus(
            f"With probability at least {_probability(level, attained)}, rows that score {threshold:.6g} or more "
            f"{promise}."
        ),
        method="order statistic",
        theorem=_THEOREM,
        assumption=INDEPENDENT,
        not_covered=not_covered,
        confidence_level=level,
        attained_level=attained,
        n_pos=sizes[0],
        n_neg=sizes[1],
    )


def _probability(level: float, attained: float) -> str:
    """The probability asked for; and the exact one, where so few draws allow none near it."""
    if attained - level <= 0.02:
        return wording.level(level)
    return f"{wording.level(level)} ({wording.percent(attained)} where scores do not tie)"
