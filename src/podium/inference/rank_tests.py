"""Two-sample rank tests with any φ: exact, by permutation, and by normal approximation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast import draws
from podium._results import wording
from podium._results.result import Result
from podium._types import Array, FloatArray
from podium.exceptions import InputError
from podium.inference.intervals.limits import ALTERNATIVES, limits_and_pvalue
from podium.phi import Median, Phi, resolve
from podium.ranks import max_ranks, mid_ranks
from podium.ranks.means import RankMeans

# The exact null distribution of a linear rank statistic: all ways to draw the one sample from the pooled scores.
#
# Two sums are equal if they differ by no more than ``SLACK`` of the range of the scores, which is far more than
# rounding makes them differ: sums that are equal are always counted as such, so that no p-value is too small by
# rounding. Where the scores are multiples of one number (ranks, powers of ranks, Savage's scores of short lists),
# different sums differ by at least that number, and the p-value is exact; otherwise sums closer than the slack count as
# ties, which can only enlarge it.


SLACK = 1e-10  # of the range of the scores
_MOST_STEPS = 50_000_000  # additions when sums are counted on a lattice: about a tenth of a second
_QUICK_SUBSETS = 1 << 17  # of either half of the scores: about a tenth of a second
_MOST_SUBSETS = 1 << 21  # about two seconds
_MOST_PARTS = 1000  # of the smallest difference of two scores, in search of a common measure


def feasible(scores: FloatArray, n_drawn: int) -> bool:
    """Whether the exact distribution takes about a tenth of a second at most."""
    n_drawn = min(n_drawn, len(scores) - n_drawn)
    return _n_subsets(len(scores), n_drawn) <= _QUICK_SUBSETS or _lattice(scores, n_drawn) is not None


def exact_tails(scores: FloatArray, n_drawn: int) -> tuple[float, float]:
    """P(W ≤ w) and P(W ≥ w) for W the sum of ``n_drawn`` of the scores at random, w that of the first ones."""
    if 2 * n_drawn > len(scores):  # the others have the smaller sum where these have the larger
        lower, upper = exact_tails(scores[::-1], len(scores) - n_drawn)
        return upper, lower
    keys = _lattice(scores, n_drawn)
    if keys is not None:
        return _lattice_tails(keys, n_drawn)
    if _n_subsets(len(scores), n_drawn) > _MOST_SUBSETS:
        raise InputError(
            f"The exact distribution has too many values to list; got {n_drawn} of {len(scores)} items.",
            "method='permutation' draws from it.",
        )
    return _halves_tails(scores, n_drawn)


def _lattice(scores: FloatArray, n_drawn: int) -> Array | None:
    """The scores, less the smallest, as whole multiples of a common measure; None if there is none that is useful."""
    heights = scores - scores.min()
    distinct = np.unique(heights)
    smallest = np.diff(distinct)[np.diff(distinct) > SLACK * distinct[-1]].min()
    parts = np.arange(1, _MOST_PARTS + 1)
    largest = heights.max() / smallest * parts
    parts = parts[largest * n_drawn**2 * len(scores) <= _MOST_STEPS]
    multiples = distinct / smallest * parts[:, None]
    off = np.abs(multiples - np.rint(multiples)).max(axis=1, initial=0.0)
    whole = parts[off <= SLACK * np.rint(distinct[-1] / smallest * parts)]
    return np.rint(heights / smallest * whole[0]).astype(np.int64) if len(whole) else None


def _lattice_tails(keys: Array, n_drawn: int) -> tuple[float, float]:
    """By the number of ways to reach every sum with every number of items, taken in one by one."""
    observed = int(keys[:n_drawn].sum())
    ways = np.zeros((n_drawn + 1, int(np.sort(keys)[-n_drawn:].sum()) + 1))
    ways[0, 0] = 1.0
    for taken, key in enumerate(keys.tolist(), start=1):
        ways[1:, key:] += ways[:-1, : ways.shape[1] - key]
        if taken % 500 == 0:
            ways /= ways.max()  # only ratios count, and the numbers of ways outgrow a float
    possible = ways[n_drawn]
    total = possible.sum()
    return float(possible[: observed + 1].sum() / total), float(possible[observed:].sum() / total)


def _halves_tails(scores: FloatArray, n_drawn: int) -> tuple[float, float]:
    """By all subsets of either half of the scores: k from the one, sorted, and n − k from the other."""
    observed, slack = scores[:n_drawn].sum(), SLACK * np.ptp(scores)
    half = len(scores) // 2
    one, other = _subset_sums(scores[:half], n_drawn), _subset_sums(scores[half:], n_drawn)
    at_most = at_least = 0
    for k in range(max(0, n_drawn - len(scores) + half), min(half, n_drawn) + 1):
        rest = observed - one[k]
        ordered = np.sort(other[n_drawn - k])
        at_most += int(np.searchsorted(ordered, rest + slack, side="right").sum())
        at_least += int((len(ordered) - np.searchsorted(ordered, rest - slack, side="left")).sum())
    total = math.comb(len(scores), n_drawn)
    return at_most / total, at_least / total


def _subset_sums(scores: FloatArray, largest: int) -> list[FloatArray]:
    """Sums of all subsets of size 0, 1, …, ``largest`` (at most all)."""
    sums = [np.zeros(1)]
    for score in scores:
        grown = [np.append(a, b + score) for a, b in zip(sums[1:], sums[:-1], strict=True)]
        sums = [sums[0], *grown] + ([sums[-1] + score] if len(sums) <= largest else [])
    return sums


def _n_subsets(n_items: int, n_drawn: int) -> int:
    """Of the larger half, of at most so many items; any number beyond the limit stands for all that are larger."""
    half = (n_items + 1) // 2
    count = 0
    for k in range(min(n_drawn, half) + 1):
        count += math.comb(half, k)
        if count > _MOST_SUBSETS:
            break
    return count


# Many tests at once.


def holm(pvalues: FloatArray) -> FloatArray:
    """Adjusted by Holm's method: the k-th smallest of K times K − k + 1, made nondecreasing, at most 1."""
    order = np.argsort(pvalues)
    adjusted = np.empty(len(pvalues))
    adjusted[order] = np.maximum.accumulate(pvalues[order] * np.arange(len(pvalues), 0, -1)).clip(max=1.0)
    return adjusted


# Two-sample linear rank tests for any φ.


METHODS = ("auto", "asymptotic", "permutation", "exact")


@dataclass(frozen=True, kw_only=True, repr=False)
class RankTest(Result):
    """A rank test: W_φ = Σ φ(Rank/(N+1)) over the first sample, its null moments, and the p-value.

    Attributes
    ----------
    statistic : float
        W_φ of the first sample.
    null_mean, null_standard_error : float
        Mean and standard error of W_φ if both samples come from one distribution.
    zscore : float
        Distance of W_φ from its null mean, in standard errors.
    pvalue : float
        The p-value of the test.
    alternative, method : str
        The alternative and the method used.
    phi : str
        The specification of φ; ``"auc"`` for φ(u) = u.
    n_x, n_y : int
        The sizes of the two samples.
    """

    statistic: float
    null_mean: float
    null_standard_error: float
    zscore: float
    pvalue: float
    alternative: str
    method: str
    phi: str
    n_x: int
    n_y: int

    def __repr__(self) -> str:
        return (
            f"{wording.statistic(self.phi, 'sum')} {wording.minus(f'{self.statistic:.4g}')} "
            f"({wording.minus(f'{self.null_mean:.4g}')} ± {self.null_standard_error:.3g} if both samples are alike), "
            f"z = {wording.minus(f'{self.zscore:.2f}')}, {wording.pvalue(self.pvalue)} "
            f"({self.method}, {self.alternative}), {self.n_x:,} and {self.n_y:,} observations"
        )


def rank_test(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    phi: Phi | str = "auc",
    *,
    alternative: str = "two-sided",
    method: str = "auto",
    n_resamples: int = 9999,
    rng: Any = None,
) -> RankTest:
    r"""Test whether two samples of numbers come from one distribution (CV08, §4; CLV21, §2.3).

    .. math:: W = \sum_{i \le n} a_i, \qquad a_l = \phi\bigl(\mathrm{Rank}_l/(N+1)\bigr),

    the sum over the n values of ``x`` of the scores of their ranks among all N = n + m values. If both samples come
    from one distribution, W has the mean and the variance

    .. math:: E_0 W = n \bar a, \qquad \mathrm{Var}_0 W = \frac{nm}{N(N-1)} \sum_{l \le N} (a_l - \bar a)^2,

    where ā is the mean of all N scores. Tied values share the mean of the scores of their ranks, and the moments are
    exact given the ties. φ determines the alternatives with high power: ``"auc"`` a shift (Wilcoxon, Mann and Whitney),
    ``"van-der-waerden"`` a shift of normal samples, ``"savage"`` proportional hazards, ``"median"`` a shift of samples
    with long tails (Mood: the score is 1 above the median of all values and −1 elsewhere), ``"power:3"`` a difference
    among the largest values.

    Parameters
    ----------
    x, y : array-like
        The two samples.
    phi : Phi or str
        The score-generating function φ; see `podium.phi`.
    alternative : {"two-sided", "greater", "less"}
        The alternative: any difference, or that x tends to be larger (``"greater"``) or smaller (``"less"``). Two-sided
        p-values are twice the smaller one-sided p-value.
    method : {"auto", "asymptotic", "permutation", "exact"}
        How to compute the p-value: by a normal approximation without continuity correction, from random splits of the
        pooled sample, or from all splits. ``"auto"``: exact if that is fast (up to 34 values for any φ, about a hundred
        for ``"auc"``, or a handful against hundreds), else asymptotic, or permutation if φ jumps, since the null
        distribution is then coarse, or if a sample has fewer than 10 observations.
    n_resamples : int
        Number of random splits of ``"permutation"``.
    rng : int or numpy.random.Generator, optional
        Seed or generator of the random splits; without it they differ between calls.

    Returns
    -------
    RankTest
        The statistic with its mean and standard error under the hypothesis, and the p-value.

    Examples
    --------
    >>> from podium.inference import rank_test
    >>> rank_test([1.1, 2.2, 3.3, 4.4], [0.5, 1.0, 1.5, 2.0])
    W of auc 2.667 (2 ± 0.385 if both samples are alike), z = 1.73, p = 0.114 (exact, two-sided), 4 and 4 observations
    """
    _input.check_choice("alternative", alternative, ALTERNATIVES)
    _input.check_choice("method", method, METHODS)
    n_resamples = _input.check_integer("n_resamples", n_resamples, 1)
    first, second = _input.check_scores(x, "x"), _input.check_scores(y, "y")
    n, m = len(first), len(second)
    chosen = resolve(phi).bind(n + m)
    scores = _scores(np.concatenate([first, second]), chosen)
    observed, mean = float(scores[:n].sum()), n * float(scores.mean())
    error = float(np.sqrt(n * m / ((n + m) * max(n + m - 1, 1)) * ((scores - scores.mean()) ** 2).sum()))
    if error <= 1e-14 * abs(scores).max():  # all values tie, or φ does not tell their ranks apart
        method, error, zscore, pvalue = "exact", 0.0, 0.0, 1.0
    else:
        if method == "auto":
            rough = chosen.discontinuous or min(n, m) < 10
            method = "exact" if feasible(scores, n) else "permutation" if rough else "asymptotic"
        zscore = (observed - mean) / error
        if method == "asymptotic":
            pvalue = limits_and_pvalue(observed - mean, error, alternative, 0.95)[2]
        elif method == "exact":
            pvalue = _pvalue(*exact_tails(scores, n), alternative)
        else:
            pvalue = _pvalue(*_permutation_tails(scores, n, n_resamples, np.random.default_rng(rng)), alternative)
    return RankTest(
        statistic=observed,
        null_mean=mean,
        null_standard_error=error,
        zscore=zscore,
        pvalue=pvalue,
        alternative=alternative,
        method=method,
        phi=str(chosen),
        n_x=n,
        n_y=m,
    )


def _scores(values: Array, phi: Phi) -> FloatArray:
    """The score of every value of the pooled sample: the mean of φ over the ranks of its tie group."""
    if isinstance(phi, Median):  # Mood's: whether a value exceeds the median of all; one that equals it does not
        middle = (len(values) - 1) // 2  # the lower of two: their mean may overflow, and has the same values above it
        return np.where(values > np.partition(values, middle)[middle], 1.0, -1.0)
    upto = max_ranks(values)
    return RankMeans.of(phi, len(values)).mean(2 * mid_ranks(values) - upto - 1, upto)


def _permutation_tails(scores: FloatArray, n: int, n_resamples: int, rng: np.random.Generator) -> tuple[float, float]:
    """P(W ≤ w) and P(W ≥ w) among random splits and the observed one."""
    sums: Array = draws.permutation_sums(rng, n_resamples, scores.copy(), n)
    observed = scores[:n].sum()
    slack = SLACK * np.ptp(scores)  # equal sums differ by rounding
    lower = (1 + np.count_nonzero(sums <= observed + slack)) / (n_resamples + 1)
    upper = (1 + np.count_nonzero(sums >= observed - slack)) / (n_resamples + 1)
    return lower, upper


def _pvalue(lower: float, upper: float, alternative: str) -> float:
    if alternative == "two-sided":
        return min(2 * min(lower, upper), 1.0)
    return upper if alternative == "greater" else lower
