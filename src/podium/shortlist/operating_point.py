"""The longest beginning of a list with hits enough, whichever lengths were looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._results import wording
from podium.inference import hits_lower_bound
from podium.shortlist.result import EXCHANGEABLE, Shortlist, new_scores


def operating_point(
    y_cal: npt.ArrayLike,
    s_cal: npt.ArrayLike,
    s_new: npt.ArrayLike,
    *,
    precision: float = 0.8,
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> Shortlist:
    """The longest beginning of a list of which at least the share ``precision`` are positive, with confidence.

    `podium.inference.hits_lower_bound` bounds the hits among the first k rows of this very list at every k at once; the
    shortlist is the first k rows with the largest k whose bound is at least ``precision`` · k. There is no price for
    having looked at all k.

    Parameters
    ----------
    y_cal, s_cal : array-like
        Labels and scores of the calibration rows, which had no part in making the scorer.
    s_new : array-like
        Scores of the list to choose from, by the same scorer.
    precision : float
        The least share of positives among the chosen rows of this list, in (0, 1).
    confidence_level : float
        The probability, over calibration samples and lists, that it is reached.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.

    Returns
    -------
    Shortlist
        The rows chosen and what is guaranteed of them.

    Notes
    -----
    Unlike `by_precision` it promises the share in this one list, not in the population. Rows that tie at the cut are
    taken in the order in which they stand.

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
    share = _input.check_number("precision", precision, 0, 1, open_low=True, open_high=True)
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
