"""The longest prefix of a list with sufficient precision, valid for all lengths simultaneously."""

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
