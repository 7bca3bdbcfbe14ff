"""At least so many hits among the first k of a list, for every k at once and whatever the distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast.order import ascending, by_class
from podium._results import wording
from podium._results.result import Result
from podium._types import Array, Sample
from podium.exceptions import InputError
from podium.inference.hits.fixed_composition import others_before


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class HitsLowerBound(Result):
    """Simultaneous lower bounds on the hits among the first k = 1, …, ``n_next`` rows of a list.

    Attributes
    ----------
    hits : ndarray of int
        ``hits[k - 1]`` is the lower bound for the first k rows.
    confidence_level : float
        Probability that all bounds hold.
    n_pos, n_neg : int
        Numbers of labeled positives and negatives.
    n_next : int
        Length of the list.
    is_scored : bool
        Whether the bound is for a list with known scores, or for any list of that length.
    """

    hits: Array
    confidence_level: float
    n_pos: int
    n_neg: int
    n_next: int
    is_scored: bool

    def at(self, k: int) -> int:
        """The fewest hits among the first k rows.

        Parameters
        ----------
        k : int
            How many rows are inspected.

        Returns
        -------
        int
            The bound.
        """
        k = _input.check_integer("k", k, 1, self.n_next, f"the list has {self.n_next} rows.")
        return int(self.hits[k - 1])

    def __repr__(self) -> str:
        tenth = -(-self.n_next // 10)
        which = "this list" if self.is_scored else "a new list"
        level = wording.level(self.confidence_level)
        return (
            f"At least {self.at(tenth):,} hits in the first {tenth:,} and {self.at(self.n_next):,} in all of {which} "
            f"of {self.n_next:,} rows, guaranteed with probability {level} at every k at once"
        )


def hits_lower_bound(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    next_score: npt.ArrayLike | None = None,
    *,
    n_next: int | None = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> HitsLowerBound:
    r"""Lower bound for the hits among the first k rows of an unlabeled list, at every k at once, distribution-free.

    Take n labeled rows and a list of m. Replace the scores of all positives, in both, by −∞: what is left are n + m
    exchangeable values. So the number :math:`V_c` of *negatives* in the list above the (c + 1)-th best labeled
    negative is at most as large as a beta-binomial variable,

    .. math:: V_c \preceq \text{beta-binomial}(m,\, c + 1,\, n - c),

    for all c at once as in a random order of n + m rows (smaller only where scores tie). Limits :math:`v_c`, each
    exceeded with the same small probability, are kept all at once with the probability that a walk through such an
    order gives exactly (equal local levels; Song, Jin and Candès, 2026). With :math:`M_c` rows of the list above that
    negative, the first k rows hold at least

    .. math:: \min(k, M_c) - v_c

    hits. Likewise with the negatives replaced by −∞: at least :math:`l_c = m - v_{n-c}` *positives* of the list score
    no lower than the c-th best labeled positive, and with :math:`M^+_c` rows that do, the first k hold at least
    :math:`l_c - \max(0, M^+_c - k)` hits. The first is the sharper where nearly all of the first rows are hits, the
    second where hits are rare. The bound is the best of all of them, each of the two families having half of the
    error.

    Without ``next_score`` the list is not known yet. :math:`M_c` and :math:`M^+_c` then have limits of the same kind,
    from all rows, and each of four families has a quarter of the error.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores of rows that were not used to train or choose the scorer.
    next_score : array-like, optional
        Scores of the list, by the same scorer.
    n_next : int, optional
        Length of a list that is not known yet; by default the number of labeled rows.
    confidence_level : float
        Probability, at least, that the hits are at or above the bound for every k.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    HitsLowerBound
        The lower bound on the hits among the first k, for every k.

    Notes
    -----
    The assumption is that labeled and listed rows, with their labels, are exchangeable: for instance, drawn
    independently from one population. Clusters of rows or another share of positives are not covered. Tied rows may be
    in any order. The exact limits are computed for up to about 5,000 labeled rows and as many in the
    list, slightly wider ones beyond.

    References
    ----------
    Song, Z., Jin, Y. and Candès, E. J. (2026). Everywhere valid bounds on false discovery proportions in conformal
    inference. arXiv:2605.20726.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import hits_lower_bound
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(1000) < 0.2
    >>> s = y + 0.5 * rng.normal(size=1000)
    >>> bound = hits_lower_bound(y[:500], s[:500], s[500:])
    >>> bound.at(50), int(y[500:][np.argsort(-s[500:])[:50]].sum())
    (27, 42)
    """
    level = _input.check_fraction("confidence_level", confidence_level)
    sample = _input.check_sample(y_true, y_score, pos_label=pos_label)
    n = len(sample.scores)
    if next_score is None:
        m = n if n_next is None else _input.check_integer("n_next", n_next, 1)
        fewest = FewestHits.of_any_list(sample, m, level)
    else:
        listed = ascending(_input.check_scores(next_score, "next_score"))
        m = len(listed)
        if n_next not in (None, m):
            raise InputError(f"n_next must be the length of next_score, {m}, or be left out; got {n_next}.")
        pos, neg = (scores[::-1] for scores in by_class(sample.scores, sample.is_positive))
        above, upto = m - np.searchsorted(listed, neg, side="right"), m - np.searchsorted(listed, pos, side="left")
        fewest = FewestHits.of(above, upto, others_before(n, m, 1 - (1 - level) / 2))
    n_pos = int(np.count_nonzero(sample.is_positive))
    return HitsLowerBound(
        hits=fewest.at(np.arange(1, m + 1)),
        confidence_level=level,
        n_pos=n_pos,
        n_neg=n - n_pos,
        n_next=m,
        is_scored=next_score is not None,
    )


@dataclass(frozen=True, eq=False, slots=True)
class FewestHits:
    """The bound as a function of k, from numbers for each labeled row: the list itself may be longer than memory.

    ``above`` and ``false_hits``: rows of the list above each labeled negative, at least, and negatives among them, at
    most. ``upto`` and ``captured``: rows no lower than each labeled positive, at most, and positives among them, at
    least. All are ascending.
    """

    above: Array
    false_hits: Array
    upto: Array
    captured: Array

    @classmethod
    def of(cls, above: Array, upto: Array, limits: Array) -> FewestHits:
        """From the limits of others before a labeled row."""
        # All of the list stands above a labeled row without a score, of which there are as many as positives.
        captured = _at_least(limits, np.arange(1, len(upto) + 1))
        return cls(np.append(above, limits[-1]), limits[: len(above) + 1], upto, captured)

    @classmethod
    def of_any_list(cls, sample: Sample, n_next: int, level: float) -> FewestHits:
        """For a list of so many rows that is not known yet."""
        n = len(sample.scores)
        pos, neg = (scores[::-1] for scores in by_class(sample.scores, sample.is_positive))
        labeled = ascending(sample.scores)
        limits = others_before(n, n_next, 1 - (1 - level) / 4)
        above = _at_least(limits, n - np.searchsorted(labeled, neg, side="right"))
        return cls.of(above, limits[n - np.searchsorted(labeled, pos, side="left")], limits)

    def at(self, k: Array | int) -> Array:
        """The fewest hits among the first k rows."""
        return np.maximum(0, np.maximum(self._by_thresholds(k), self._by_captures(k)))

    def _by_thresholds(self, k: Array | int) -> Array:
        """Max over c of min(k, above_c) − false_hits_c."""
        first = np.searchsorted(self.above, k)  # the first c with above_c ≥ k; there is one, the last
        before = np.concatenate([[0], np.maximum.accumulate(self.above - self.false_hits)])
        return np.maximum(k - self.false_hits[first], before[first])

    def _by_captures(self, k: Array | int) -> Array:
        """Max over c of captured_c − max(0, upto_c − k)."""
        n_inside = np.searchsorted(self.upto, k, side="right")  # how many c have upto_c ≤ k
        behind = np.append(np.maximum.accumulate((self.captured - self.upto)[::-1])[::-1], -self.above[-1])
        return np.maximum(np.append(0, self.captured)[n_inside], k + behind[n_inside])


def _at_least(limits: Array, r: Array) -> Array:
    """Fewest of the others that stand no lower than the r-th best labeled row: the same limits, from below."""
    return np.asarray(limits[-1] - limits[len(limits) - 1 - r])
