"""The lowest cutoff with sufficient precision: exact tests down the list, with fresh starts along it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import bdtrc

from podium import _input
from podium._fast.order import ascending
from podium._results import wording
from podium._types import Array, FloatArray
from podium.inference import hits_lower_bound
from podium.shortlist.result import (
    EXCHANGEABLE,
    INDEPENDENT,
    Shortlist,
    calibration,
    chosen_from,
    just_above,
    new_scores,
    random_share,
)

_THEOREM = "Fallback procedure (Wiens, 2003) of exact binomial tests given the next score."
_ONCE = " The precision crosses the one asked for only once as the cut goes down."
_GROWTH = 1.1  # from one cut of the grid to the next
_FRESH_STARTS = 4  # with few rows on top that are wrong, one of four finds .59 of the positives where two find .59
_AT_THE_CUT = 0.5  # share of the error spent at the cut in question; the rest is kept for fresh starts below it


def by_precision(
    y_cal: npt.ArrayLike,
    s_cal: npt.ArrayLike,
    s_new: npt.ArrayLike | None = None,
    *,
    precision: float = 0.8,
    confidence_level: float = 0.95,
    randomize: bool = False,
    rng: int | np.random.Generator | None = None,
    pos_label: Any = None,
) -> Shortlist:
    r"""The lowest cutoff at which the share of positives is above ``precision``, with confidence.

    Given the (k + 1)-th largest calibration score, the labels of the k rows above it are independent draws with the
    precision of that cutoff, so that with H hits among them

    .. math:: P\bigl(\mathrm{Binomial}(k, \text{precision}) \ge H\bigr) \le 1 - \text{confidence level}

    rejects that the precision is at most the target. Cuts are tested in increasing k over a grid that depends only on
    the number of rows; it begins where a sample precision midway between ``precision`` and 1 rejects, and grows by a
    tenth each time. If a cut were not precise enough, none below it would be: so a cut is settled, and with it all cuts
    above, either by its own test or by that of a fresh start further down. Its own test has half of the error; the
    other half is split over those of up to four fresh starts, at equal ratios along the grid, that still lie below.
    What was kept for starts that were passed is free again: past the last one each test has the whole error.

    Parameters
    ----------
    y_cal, s_cal : array-like
        Labels and scores of the calibration rows, which were not used to train the scorer.
    s_new : array-like, optional
        Scores of the list to select from, by the same scorer.
    precision : float
        The share of positives among selected rows to exceed, in (0, 1): the positive predictive value in the
        population.
    confidence_level : float
        The probability, over calibration samples, that it is exceeded.
    randomize : bool
        Whether to randomize the binomial tests, so that each has exactly its nominal level. With few rows the cutoff is
        then less conservative, but random.
    rng : int or numpy.random.Generator, optional
        The seed or source of the random number for ``randomize``.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    Shortlist
        The cutoff and its guarantee; the threshold is infinite if nothing can be guaranteed.

    Notes
    -----
    Rows that tie with the (k + 1)-th are excluded; a k that leaves fewer rows than the first of the grid is skipped.
    The share of positives must be that of the calibration rows. A few negatives with the highest scores do not decide:
    a fresh start below them can still reject. The guarantee is for all rows above the cut together; the very first
    may be less precise.

    References
    ----------
    Wiens, B. L. (2003). A fixed sequence Bonferroni procedure for testing multiple endpoints. *Pharmaceutical
    Statistics* 2.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.shortlist import by_precision
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.3
    >>> by_precision(y, 2 * y + rng.normal(size=2000), precision=0.8)
    With probability at least 95 %, more than 80 % of the rows that score 1.74968 or more are positive. Tested on the
    2,000 calibration rows from the best 37 down, starting again at 89, 183, 427 and 909.
    """
    share = _input.check_fraction("precision", precision)
    level = _input.check_fraction("confidence_level", confidence_level)
    pos, neg = calibration(y_cal, s_cal, pos_label)
    scores = ascending(np.concatenate([pos, neg]))
    n = len(scores)
    k = grid(n, share, level)
    below = np.append(-np.inf, scores)[n - k]  # the (k + 1)-th largest; below all rows where k is n
    rows = n - np.searchsorted(scores, below, side="right")  # ties with it are left out
    hits = len(pos) - np.searchsorted(pos, below, side="right")
    below, rows, hits = (each[rows >= k[0]] for each in (below, rows, hits))
    beyond = bdtrc(hits, rows, share)  # one random number for all tests: each is exact by itself
    tail = beyond + random_share(randomize, rng) * (bdtrc(hits - 1, rows, share) - beyond)
    starts = fresh_starts(k) - (len(k) - len(rows))
    starts = starts[starts > 0]
    lowest = _lowest_settled(tail, starts, 1 - level)
    threshold = just_above(below[lowest]) if lowest is not None else np.inf
    return Shortlist(
        threshold=threshold,
        chosen=chosen_from(new_scores(s_new), threshold),
        guarantee=_sentence(threshold, share, level, n, rows[[0, *starts]]),
        method="fallback procedure",
        theorem=_THEOREM,
        assumption=INDEPENDENT + _ONCE,
        not_covered=(
            "How many positives are missed; and the share in one list, which varies around that in the population."
        ),
        confidence_level=level,
        attained_level=None,
        n_pos=len(pos),
        n_neg=len(neg),
    )


@lru_cache(maxsize=64)
def grid(n: int, precision: float, confidence_level: float) -> Array:
    """Numbers of rows at which is tested, from the fewest with which a test can be expected to reject, to all."""
    k = np.arange(1, n + 1)
    midway = np.ceil(k * (1 + precision) / 2)
    rejects = np.flatnonzero(bdtrc(midway - 1, k, precision) <= 1 - confidence_level)
    if not len(rejects):
        return k[-1:]
    places = [int(k[rejects[0]])]
    while places[-1] < n:
        places.append(min(n, max(places[-1] + 1, int(places[-1] * _GROWTH))))
    return np.array(places)


def fresh_starts(k: Array) -> Array:
    """Places in the grid, at equal ratios between its first and last number of rows, where testing starts again.

    One for each doubling of the rows, and at most four.
    """
    n_starts = min(_FRESH_STARTS, int(np.log2(k[-1] / k[0])))
    ratios = np.arange(1, n_starts + 1) / (n_starts + 1)
    places = np.searchsorted(k, k[0] * (k[-1] / k[0]) ** ratios)
    return np.asarray(np.unique(places[(places > 0) & (places < len(k))]))


def _lowest_settled(tail: FloatArray, starts: Array, error: float) -> int | None:
    """The lowest cut that is rejected, by its own test or as a fresh start, when all above it are settled."""
    lowest = None
    at = 0
    while at < len(tail):
        later = starts[starts > at]
        own, each = (_AT_THE_CUT, (1 - _AT_THE_CUT) / len(later)) if len(later) else (1.0, 0.0)
        rejected = [at] * bool(tail[at] <= own * error) + [int(place) for place in later if tail[place] <= each * error]
        if not rejected:
            break
        lowest = rejected[-1]
        at = lowest + 1
    return lowest


def _sentence(threshold: float, share: float, level: float, n: int, first: Array) -> str:
    at_least = f"With probability at least {wording.level(level)}"
    *others, last = [f"{rows:,}" for rows in first[1:]] or [""]
    fresh = f", starting again at {', '.join(others)}{' and ' if others else ''}{last}" if last else ""
    tested = f"Tested on the {n:,} calibration rows from the best {first[0]:,} down{fresh}."
    if np.isposinf(threshold):
        return f"No cut can be claimed to have a precision above {wording.level(share)}. {tested}"
    which = f"rows that score {threshold:.6g} or more" if np.isfinite(threshold) else "rows"
    return wording.minus(
        f"{at_least}, more than {wording.level(share)} of {'the' if np.isfinite(threshold) else 'all'} {which} are "
        f"positive. {tested}"
    )


def operating_point(
    y_cal: npt.ArrayLike,
    s_cal: npt.ArrayLike,
    s_new: npt.ArrayLike,
    *,
    precision: float = 0.8,
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> Shortlist:
    """The longest prefix of a list of which at least the share ``precision`` is positive, with confidence.

    `podium.inference.hits_lower_bound` bounds the hits among the first k rows of this list for all k simultaneously;
    the shortlist is the first k rows with the largest k whose bound is at least ``precision`` · k. No correction for
    considering all k is needed.

    Parameters
    ----------
    y_cal, s_cal : array-like
        Labels and scores of the calibration rows, which were not used to train the scorer.
    s_new : array-like
        Scores of the list to select from, by the same scorer.
    precision : float
        The smallest share of positives among the selected rows of this list, in (0, 1).
    confidence_level : float
        The probability, over calibration samples and lists, that it is reached.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    Shortlist
        The selected rows and their guarantee.

    Notes
    -----
    Unlike `by_precision` the guarantee is for the share in this list, not in the population. Rows tied at the cutoff
    are selected in their given order.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.shortlist import operating_point
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(4000) < 0.3
    >>> s = 3 * y + rng.normal(size=4000)
    >>> operating_point(y[:2000], s[:2000], s[2000:], precision=0.8).n_chosen
    645
    """
    share = _input.check_fraction("precision", precision)
    scores = new_scores(s_new)
    assert scores is not None
    bound = hits_lower_bound(y_cal, s_cal, scores, confidence_level=confidence_level, pos_label=pos_label)
    m = len(scores)
    enough = np.flatnonzero(bound.hits >= share * np.arange(1, m + 1) * (1 - 1e-12))
    k = int(enough[-1]) + 1 if len(enough) else 0
    order = np.argsort(-scores, kind="stable")
    chosen = np.zeros(m, dtype=np.bool_)
    chosen[order[:k]] = True
    ordered = np.append(scores[order], -np.inf)
    cut_in_tie = k > 0 and ordered[k - 1] == ordered[k]
    level = wording.level(bound.confidence_level)
    return Shortlist(
        threshold=None if cut_in_tie else float(ordered[k - 1]) if k else np.inf,
        chosen=chosen,
        guarantee=(
            f"With probability at least {level}, {bound.at(k):,} or more of the first {k:,} rows are positive."
            if k
            else f"No beginning of this list can be claimed to be {wording.level(share)} positive."
        ),
        method="lower bound for hits at every k",
        theorem="Exchangeable ranks with equal local levels at every k at once (Song, Jin and Candès, 2026).",
        assumption=EXCHANGEABLE,
        not_covered="Which of the chosen rows are positive.",
        confidence_level=bound.confidence_level,
        attained_level=None,
        n_pos=bound.n_pos,
        n_neg=bound.n_neg,
    )
