"""The lowest cutoff with sufficient precision: exact tests from the top of the list down."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import bdtrc

from podium import _input
from podium._fast.order import ascending
from podium._results import wording
from podium._types import Array
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

_THEOREM = "Fixed-sequence testing (Maurer, Hothorn and Lehmacher, 1995) of exact binomial tests given the next score."
_ONCE = " The precision crosses the one asked for only once as the cut goes down."
_GROWTH = 1.1  # from one cut of the grid to the next


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

    rejects that the precision is at most the target. Tests proceed in increasing k over a grid that depends only on the
    number of rows, and stop at the first that does not reject: fixed-sequence testing needs no correction. The grid
    begins where a sample precision midway between ``precision`` and 1 rejects, and grows by a tenth each time.

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
    The share of positives must be that of the calibration rows.

    References
    ----------
    Maurer, W., Hothorn, L. A. and Lehmacher, W. (1995). Multiple comparisons in drug clinical trials and preclinical
    assays: a-priori ordered hypotheses. *Biometrie in der chemisch-pharmazeutischen Industrie* 6.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.shortlist import by_precision
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.3
    >>> by_precision(y, 2 * y + rng.normal(size=2000), precision=0.8)
    With probability at least 95 %, more than 80 % of the rows that score 1.74968 or more are positive.
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
    rejected = tail <= 1 - level
    n_rejected = int(np.argmin(np.append(rejected, False)))
    threshold = just_above(below[n_rejected - 1]) if n_rejected else np.inf
    return Shortlist(
        threshold=threshold,
        chosen=chosen_from(new_scores(s_new), threshold),
        guarantee=_sentence(threshold, share, level, n, k),
        method="fixed-sequence testing",
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


def _sentence(threshold: float, share: float, level: float, n: int, k: Array) -> str:
    at_least = f"With probability at least {wording.level(level)}"
    if np.isfinite(threshold):
        return wording.minus(
            f"{at_least}, more than {wording.level(share)} of the rows that score {threshold:.6g} or more are positive."
        )
    if threshold < 0:
        return f"{at_least}, more than {wording.level(share)} of all rows are positive."
    return (
        f"No cut can be claimed to have a precision above {wording.level(share)}: {n:,} calibration rows, of which "
        f"the best {k[0]:,} were looked at first, do not show it."
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
