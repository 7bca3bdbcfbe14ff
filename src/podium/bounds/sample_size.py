"""Sample sizes of bounds, and whether a bound is vacuous at a given size; for every bound."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

from podium._results.result import Result
from podium.bounds import arguments
from podium.exceptions import InputError

Deviation = Callable[[int, int], float]

_LARGEST_SAMPLE = 10**15


def sample_size(deviation: Deviation, epsilon: float, positive_rate: float, *, largest: int = _LARGEST_SAMPLE) -> int:
    """The smallest N whose deviation is at most ε, when a share ``positive_rate`` of the N are positives.

    ``deviation(n_pos, n_neg)`` is any bound of this package with its other arguments filled in. It must fall as the
    sample grows at a fixed share; it is searched by doubling and bisection, with n_pos = positive_rate·N rounded.

    Parameters
    ----------
    deviation : callable
        A function of ``(n_pos, n_neg)`` that returns the bound at these sizes.
    epsilon : float
        The deviation ε to which the bound shall come down.
    positive_rate : float
        The share ρ of positives among all observations, in (0, 1).
    largest : int
        The number of observations beyond which the search gives up.

    Returns
    -------
    int
        The number N of observations, positives and negatives together.

    Examples
    --------
    >>> from podium.bounds import auc_deviation, sample_size
    >>> sample_size(auc_deviation, epsilon=0.1, positive_rate=0.5)
    738
    """
    epsilon, rate = arguments.deviation(epsilon), arguments.positive_share(positive_rate)

    def suffices(n_total: int) -> bool:
        return deviation(*classes(n_total, rate)) <= epsilon

    enough = smallest_list(rate)
    too_few = enough - 1
    while not suffices(enough):
        if enough >= largest:
            raise InputError(
                f"The bound must reach {epsilon:g} for some N up to {largest:,}; got more even there.",
                "ask for a larger epsilon, or for a simpler class of scorers.",
            )
        too_few, enough = enough, min(2 * enough, largest)
    return fewest(suffices, too_few, enough)


def classes(n_total: int, rate: float) -> tuple[int, int]:
    """Positives and negatives among N, at least one of each."""
    n_pos = min(max(round(rate * n_total), 1), n_total - 1)
    return n_pos, n_total - n_pos


def smallest_list(rate: float) -> int:
    """The N from which on both classes are there at their share."""
    return max(2, math.ceil(1 / min(rate, 1 - rate)))


def fewest(suffices: Callable[[int], bool], too_few: int, enough: int) -> int:
    """The smallest N that suffices, between one that does not and one that does."""
    return too_few + 1 + bisect_left(range(too_few + 1, enough), True, key=suffices)


@dataclass(frozen=True, kw_only=True, repr=False)
class Judgment(Result):
    """The value of a bound at one sample size: the deviation on a 0–1 scale, and from which N on it is below 1.

    Attributes
    ----------
    deviation : float
        The bound at this sample size, on a 0–1 scale.
    n_pos, n_neg : int
        The sample size that was asked about.
    needed : int
        The number of observations from which on the bound is below 1, at the same share of positives.
    """

    deviation: float
    n_pos: int
    n_neg: int
    needed: int

    @property
    def vacuous(self) -> bool:
        """The bound allows every value between 0 and 1."""
        return self.deviation >= 1

    def __repr__(self) -> str:
        size = f"{self.n_pos:,} positives and {self.n_neg:,} negatives"
        if self.vacuous:
            return f"vacuous at {size} (±{self.deviation:.4g} on a 0–1 scale); it needs N ≥ {self.needed:,}"
        return f"±{self.deviation:.4g} on a 0–1 scale at {size}; it says something from N = {self.needed:,} on"


def judge(deviation: Deviation, n_pos: int, n_neg: int) -> Judgment:
    """Whether a bound says anything at this sample size and, at the same share of positives, from which N on it does.

    ``deviation(n_pos, n_neg)`` is on a 0–1 scale: any AUC bound as it is; divide a bound on W_φ/n by
    :func:`~podium.bounds.rank_statistic_span`, which puts it on the scale of ω_φ.

    Parameters
    ----------
    deviation : callable
        A function of ``(n_pos, n_neg)`` that returns the bound at these sizes, on a 0–1 scale.
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.

    Returns
    -------
    Judgment
        The deviation at these sizes, whether it is vacuous, and the number of observations from which on it is not.

    Examples
    --------
    >>> from podium.bounds import auc_uniform_deviation, judge, log_rank_shatter
    >>> judge(lambda n, m: auc_uniform_deviation(n, m, log_rank_shatter(2 * n, 2 * m, 15)), 150, 150)
    vacuous at 150 positives and 150 negatives (±4.135 on a 0–1 scale); it needs N ≥ 8,319
    """
    n_pos, n_neg = arguments.counts(n_pos, n_neg)
    below_one = math.nextafter(1, 0)
    needed = sample_size(deviation, below_one, n_pos / (n_pos + n_neg))
    return Judgment(deviation=deviation(n_pos, n_neg), n_pos=n_pos, n_neg=n_neg, needed=needed)
