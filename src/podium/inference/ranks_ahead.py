"""The rank that a row will take in the next list, from the scores of earlier rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from podium import _input
from podium._results import wording
from podium._results.result import Result, Table
from podium._types import Array, FloatArray

_DRAWS = 4000
_MOST_PLACES = 100  # among the known rows, at which limits are taken
_HALVINGS = 8


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class RankInterval(Result):
    """The ranks that rows will take in the next list.

    Attributes
    ----------
    rank : ndarray
        The rank of every row in its own list: 1 for the highest score, and the same for rows that tie.
    low, high : ndarray
        The limits of its rank among ``n_next`` rows, itself included.
    n_next : int
        The length of the next list.
    n_known : int
        The number of earlier rows.
    simultaneous : bool
        Whether the limits hold for all rows at once, or each for its own row.
    confidence_level : float
        The probability that they hold.
    """

    rank: Array
    low: Array
    high: Array
    n_next: int
    n_known: int
    simultaneous: bool
    confidence_level: float

    def __repr__(self) -> str:
        first = int(np.argmin(self.rank))
        return (
            f"Ranks in the next list of {self.n_next:,} rows at {wording.level(self.confidence_level)}"
            f"{', all at once' if self.simultaneous else ''}, from {self.n_known:,} earlier rows: the row that is "
            f"first here {self.low[first]:,} to {self.high[first]:,}"
        )

    def _table(self) -> Table:
        rows = zip(self.rank.tolist(), self.low.tolist(), self.high.tolist(), strict=True)
        return ("rank", "low", "high"), sorted(rows)


def rank_interval(
    s_new: npt.ArrayLike,
    s_known: npt.ArrayLike,
    *,
    n_next: int | None = None,
    simultaneous: bool = False,
    confidence_level: float = 0.95,
) -> RankInterval:
    r"""Limits of the rank that each row would take in the next list of the same kind.

    The next list has ``n_next`` − 1 rows beside this one, that come from the same population as the N known rows.
    Of these, a are above the row. How many of the m = ``n_next`` − 1 others will be is known but for chance: above the
    g-th best known row there will be :math:`K_g` with

    .. math:: K_g \sim \mathrm{BetaBinomial}(m;\; g,\; N + 1 - g),

    whatever the law of the scores. The limits are 1 + the lower quantile of :math:`K_a` and 1 + the upper quantile
    of :math:`K_{a+1}` (Thatcher 1964); each is broken with probability (1 − ``confidence_level``)/2 at most, for
    any row. Of more than 100 known rows the limits are those of the nearest of 100 places g. Simultaneously they
    are at the level that lets all hold together, by simulation of the order in which known and next rows come. Of
    known rows that tie with the row, all or none count as above.

    Parameters
    ----------
    s_new : array-like
        The scores of the rows whose ranks are asked for.
    s_known : array-like
        The scores of earlier rows of the same population by the same scorer, such as the calibration rows. They need no
        labels, but must not have been used to train it.
    n_next : int, optional
        The length of the next list; by default that of ``s_new``.
    simultaneous : bool
        Whether the limits hold for all rows at once, or each for its own row.
    confidence_level : float
        The probability with which they hold.

    Returns
    -------
    RankInterval
        The ranks in the list of ``s_new``, and the limits.

    Notes
    -----
    This is the rank by score. The rank that a row would have by its true chance cannot be told from labels of other
    rows: nothing says which of two rows with scores alike is the more likely positive.

    References
    ----------
    Thatcher, A. R. (1964). Relationships between Bayesian and confidence limits for predictions. *Journal of the Royal
    Statistical Society B* 26, 176–192.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import rank_interval
    >>> rng = np.random.default_rng(0)
    >>> rank_interval(rng.normal(size=1000), rng.normal(size=400))
    Ranks in the next list of 1,000 rows at 95 %, from 400 earlier rows: the row that is first here 1 to 11
    """
    level = _input.check_fraction("confidence_level", confidence_level)
    _input.check_choice("simultaneous", simultaneous, (True, False))
    new, known = (
        np.asarray(_input.check_scores(each, name), dtype=np.float64)
        for each, name in ((s_new, "s_new"), (s_known, "s_known"))
    )
    n_next = len(new) if n_next is None else _input.check_integer("n_next", n_next, 1)
    n_known, ordered = len(known), np.sort(known)
    above, reached = (n_known - np.searchsorted(ordered, new, side=side) for side in ("right", "left"))
    places, tails, m = _places(n_known), np.array([(1 - level) / 2] * 2), n_next - 1
    if simultaneous:
        tails = _joint_tail(n_known, m, 1 - level) * np.ones(2)
    below = np.searchsorted(places, above, side="right") - 1
    beyond = np.searchsorted(places, reached, side="right")
    least, most = _quantile(places, n_known, m, tails[0]), _quantile(places, n_known, m, 1 - tails[1])
    return RankInterval(
        rank=1 + len(new) - np.searchsorted(np.sort(new), new, side="right"),
        low=1 + least[below],
        high=1 + most[beyond],
        n_next=n_next,
        n_known=n_known,
        simultaneous=simultaneous,
        confidence_level=level,
    )


def _places(n_known: int) -> Array:
    """Places of known rows from the top, where their limits are: of many rows some, as far apart as these are wide."""
    angles = np.linspace(0.0, np.pi / 2, _MOST_PLACES)
    inner = np.arange(1, n_known + 1) if n_known <= _MOST_PLACES else np.round((n_known + 1) * np.sin(angles) ** 2)
    return np.unique([0, 1, *inner, n_known, n_known + 1]).astype(np.int64)


def _quantile(g: Array, n_known: int, m: int, level: float) -> Array:
    """The least k with P(K_g ≤ k) ≥ level; 0 above all rows and m below all."""
    low, high = np.full(g.shape, -1), np.full(g.shape, m)
    inside = (g > 0) & (g <= n_known)
    while (high - low > 1)[inside].any():
        k = (low + high) // 2
        enough = np.zeros(g.shape, dtype=np.bool_)
        enough[inside] = _upto(k[inside], g[inside], n_known, m) >= level
        low, high = np.where(enough, low, k), np.where(enough, k, high)
    return np.where(g == 0, 0, high)


def _upto(k: Array, g: Array, n_known: int, m: int) -> FloatArray:
    """P(K_g ≤ k): among the first g + k of all rows, in random order, g known ones at least.

    A hypergeometric tail, summed over twelve standard deviations to either side of the mean.
    """
    first, total = g + k, n_known + m
    mean = first * (n_known / total)
    reach = 12 * np.sqrt(mean * (1 - n_known / total) * (total - first) / max(total - 1, 1)) + 30
    start = np.maximum(np.ceil(mean - reach), np.maximum(first - m, 0))
    x = start[:, None] + np.arange(int(2 * reach.max()) + 2)
    possible = x <= np.minimum(first, n_known)[:, None]
    x = np.where(possible, x, start[:, None])
    chance = np.exp(_log_choose(n_known, x) + _log_choose(m, first[:, None] - x) - _log_choose(total, first)[:, None])
    return np.asarray(np.sum(chance, axis=1, where=possible & (x >= g[:, None])))


def _log_choose(n: int, k: Any) -> Any:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


@lru_cache(maxsize=64)
def _joint_tail(n_known: int, m: int, error: float) -> float:
    """The tail of each K_g at which all limits hold together but with this probability."""
    rng, places = np.random.default_rng(0), _places(n_known)
    # The shares of the population between known rows are exponentials over their sum.
    gaps = rng.standard_gamma(np.diff(places), size=(_DRAWS, len(places) - 1))
    above = rng.multinomial(m, gaps / gaps.sum(axis=1, keepdims=True)).cumsum(axis=1)[:, :-1]
    least, most = error / (2 * len(places)), error / 2  # as Bonferroni, and as though there were one limit
    for _ in range(_HALVINGS):
        tail = float(np.sqrt(least * most))
        low, high = (_quantile(places[1:-1], n_known, m, level) for level in (tail, 1 - tail))
        broken = np.mean(((above < low) | (above > high)).any(axis=1))
        least, most = (tail, most) if broken <= error else (least, tail)
    return least
