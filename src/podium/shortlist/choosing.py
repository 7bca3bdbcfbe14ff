"""A path of cuts to choose from after looking, each with a stated share of negatives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast.order import ascending
from podium._results import wording
from podium._results.result import Result, Table
from podium._types import Array, FloatArray
from podium.exceptions import InputError
from podium.shortlist.result import EXCHANGEABLE, Shortlist, calibration, chosen_from, new_scores

_DRAWS = 4000
_FIRST = 100  # calibration negatives looked at one by one; further down in steps of a fiftieth
_STEP = 1.02
_SURE = 3  # standard errors by which the mean over draws is raised
_THEOREM = (
    "The expected largest ratio of both counts of negatives, in random order (exchangeability): a post-hoc bound."
)
_NOT_COVERED = (
    "The share in this one list, which may be larger than stated, most where few rows are chosen; and which of the "
    "chosen rows are false."
)


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ShortlistPath(Result):
    """Cuts of one list, each with a stated share of negatives, any of which may be chosen after looking.

    Attributes
    ----------
    thresholds : ndarray
        The cuts, highest first: rows with at least this score are selected.
    n_rows : ndarray
        How many rows of the list each cut selects.
    shares : ndarray
        The stated share of negatives among these; it grows down the list.
    scores : ndarray
        The scores of the list.
    guarantee : str
        The guarantee, in a sentence.
    method : str
        The method that determines the stated shares.
    theorem : str
        The theorem behind the guarantee.
    assumption : str
        The assumptions of the guarantee.
    not_covered : str
        What the guarantee does not cover.
    n_pos, n_neg : int
        The numbers of positives and of negatives among the calibration rows.
    """

    thresholds: FloatArray
    n_rows: Array
    shares: FloatArray
    scores: FloatArray
    guarantee: str
    method: str
    theorem: str
    assumption: str
    not_covered: str
    n_pos: int
    n_neg: int

    def choose(self, *, n_rows: int | None = None, share: float | None = None) -> Shortlist:
        """The longest cut with at most so many rows, or with at most this stated share of negatives.

        Parameters
        ----------
        n_rows : int, optional
            The most rows to select.
        share : float, optional
            The largest stated share of negatives, in (0, 1); as often as one likes, also after looking.

        Returns
        -------
        Shortlist
            The selected rows, with the share that was stated for them.
        """
        if (n_rows is None) == (share is None):
            raise InputError("One of n_rows and share is needed; got both or neither.", "path.choose(share=0.2).")
        if n_rows is not None:
            allowed = self.n_rows <= _input.check_integer("n_rows", n_rows, 1)
        else:
            allowed = self.shares <= _input.check_fraction("share", share)
        n_allowed = int(np.count_nonzero(allowed))
        threshold = float(self.thresholds[n_allowed - 1]) if n_allowed else np.inf
        stated = stated_as(self.shares[n_allowed - 1]) if n_allowed else ""
        all_cuts = _sentence(self.n_rows, self.shares, len(self.scores))
        return Shortlist(
            threshold=threshold,
            chosen=chosen_from(self.scores, threshold),
            guarantee=(
                f"Stated share of negatives among them: {stated}. However the cut is chosen, the mean of true over "
                "stated share is at most 1."
                if n_allowed
                else f"No cut of the path is this short, or states as little: {all_cuts}"
            ),
            method=self.method,
            theorem=self.theorem,
            assumption=self.assumption,
            not_covered=self.not_covered,
            confidence_level=None,
            attained_level=None,
            n_pos=self.n_pos,
            n_neg=self.n_neg,
        )

    def _table(self) -> Table:
        return ("rows", "from score", "stated share of negatives"), [
            (int(n), float(t), stated_as(share))
            for n, t, share in zip(self.n_rows, self.thresholds, self.shares, strict=True)
        ]

    def __repr__(self) -> str:
        return self.guarantee


def path(y_cal: npt.ArrayLike, s_cal: npt.ArrayLike, s_new: npt.ArrayLike, *, pos_label: Any = None) -> ShortlistPath:
    r"""Cuts of a list, each with a stated share of negatives that holds on average whichever is chosen after looking.

    With c of n calibration rows negative and at or above a cut that selects k of the m rows of the list, the stated
    share of negatives among these is

    .. math:: \widehat\alpha = C\, \frac{m}{k} \cdot \frac{c + 1 + b}{n + 1}, \qquad b = 2 + \min(n/m, 10),

    where C makes :math:`E \max_c V_c\, (n + 1) / (m\, (c + 1 + b)) = 1` for the number :math:`V_c` of white balls
    before the (c + 1)-th of n black ones, when m white and n black ones are drawn in random order, c = 0, …, n.

    The share is valid at every cut at once: order the negatives of both samples by score, ties at random. Their
    exchangeability makes them the beginning of such a random order, and at a cut with c calibration negatives the false
    rows of the list are among those before the (c + 1)-th. So true over stated share is at most
    :math:`V_c (n + 1) / (C\, m\, (c + 1 + b))` at every cut, and its maximum over cuts has an expectation of at most 1.
    The cut may be chosen for any reason, even with the labels of the list in sight.

    Parameters
    ----------
    y_cal, s_cal : array-like
        Labels and scores of the calibration rows, which were not used to train the scorer.
    s_new : array-like
        Scores of the list to select from, by the same scorer.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    ShortlistPath
        The cuts, with the number of rows and the stated share of negatives of each.

    Notes
    -----
    Ties count against the list. Cuts that select fewer rows than another without a smaller share are left out, and so
    are those whose stated share is 1 or more. C is the mean over 4,000 draws of a fixed seed, three standard errors
    added. The price of choosing afterwards: where `by_fdr` needs ``fdr`` to be at least a given share, the one stated
    here is larger by C · (1 + b/(c + 1)), about 1.3 with 50 calibration negatives above the cut.

    Examples
    --------
    >>> import numpy as np
    >>> from podium import shortlist
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(4000) < 0.3
    >>> s = 3 * y + rng.normal(size=4000)
    >>> cuts = shortlist.path(y[:2000], s[:2000], s[2000:])
    >>> cuts
    516 cuts of 2,000 rows, from the first 253 (stated share of negatives: 2 %) to the first 2,000 (86.9 %). Choose
    after looking: whichever cut is chosen, the mean of true over stated share is at most 1.
    >>> cuts.choose(n_rows=600)
    597 of 2,000 rows selected. Stated share of negatives among them: 14 %. However the cut is chosen, the mean of
    true over stated share is at most 1.
    """
    pos, neg = calibration(y_cal, s_cal, pos_label)
    scores = new_scores(s_new)
    assert scores is not None
    thresholds, n_rows, shares = _stated(neg, len(pos) + len(neg), scores)
    # A cut stays if none further down states as little, and if it states less than all.
    least_below = np.minimum.accumulate(np.append(shares, 1.0)[::-1])[::-1][1:]
    kept = shares < least_below
    thresholds, n_rows, shares = thresholds[kept], n_rows[kept], shares[kept]
    return ShortlistPath(
        thresholds=thresholds,
        n_rows=n_rows,
        shares=shares,
        scores=scores,
        guarantee=_sentence(n_rows, shares, len(scores)),
        method="post-hoc conformal selection",
        theorem=_THEOREM,
        assumption=EXCHANGEABLE,
        not_covered=_NOT_COVERED,
        n_pos=len(pos),
        n_neg=len(neg),
    )


def _stated(neg: FloatArray, n: int, scores: FloatArray) -> tuple[FloatArray, Array, FloatArray]:
    """All cuts of the list, the highest first: threshold, rows selected, and their stated share of negatives."""
    ordered, m = ascending(scores), len(scores)
    first = np.flatnonzero(np.append(True, np.diff(ordered) > 0))[::-1]
    thresholds, n_rows = ordered[first], m - first
    above = len(neg) - np.searchsorted(neg, thresholds, side="left")
    offset = _offset(n, m)
    return thresholds, n_rows, _inflation(n, m) * m / n_rows * (above + 1 + offset) / (n + 1)


def _offset(n: int, m: int) -> float:
    """Negatives added to those counted, lest the very first rows decide what is stated of all others."""
    return 2 + min(n / m, 10)


@lru_cache(maxsize=64)
def _inflation(n: int, m: int) -> float:
    """The expected largest ratio of m white balls before the j-th of n black ones to what is expected, j + offset."""
    rng, offset = np.random.default_rng(0), _offset(n, m)
    steps = _FIRST * _STEP ** np.arange(1, 1 + int(np.log(max(1.0, (n + 1) / _FIRST)) / np.log(_STEP)))
    places = np.unique([*range(1, min(_FIRST, n) + 1), *np.minimum(steps.astype(np.int64), n), n + 1])
    gaps = np.diff(places, prepend=0)
    sums = rng.standard_gamma(gaps, size=(_DRAWS, len(gaps)))  # of exponentials: the places of order statistics
    left = np.cumsum(sums[:, ::-1], axis=1)[:, ::-1]
    white, largest = np.zeros(_DRAWS, dtype=np.int64), np.zeros(_DRAWS)
    for i, before in enumerate(places - gaps):
        share = sums[:, i] / left[:, i] if i < len(gaps) - 1 else 1.0
        white += rng.binomial(m - white, share)
        np.maximum(largest, white / (before + 1 + offset), out=largest)
    ratios = largest * (n + 1) / m
    return float(np.mean(ratios) + _SURE * np.std(ratios) / np.sqrt(_DRAWS))


def _sentence(n_rows: Array, shares: FloatArray, m: int) -> str:
    if not len(n_rows):
        return f"No cut of these {m:,} rows can be stated to have less than 100 % negatives."
    short, long = (f"{n_rows[i]:,} ({{}}{stated_as(shares[i])})" for i in (0, -1))
    return (
        f"{len(n_rows):,} cuts of {m:,} rows, from the first {short.format('stated share of negatives: ')} to the "
        f"first {long.format('')}. Choose after looking: whichever cut is chosen, the mean of true over stated share "
        "is at most 1."
    )


def stated_as(share: float) -> str:
    """Rounded up: no smaller share is stated than that which holds."""
    return wording.level(np.ceil(1000 * share) / 1000)
