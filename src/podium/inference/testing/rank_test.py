"""Two-sample linear rank tests for any φ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium import phi as phi_
from podium._fast.draws import resample
from podium._results import wording
from podium._results.result import Result
from podium._types import Array, FloatArray
from podium.inference.intervals.limits import ALTERNATIVES, limits_and_pvalue
from podium.inference.testing.exact_null import SLACK, exact_tails, feasible
from podium.phi import Median, Phi
from podium.ranks import max_ranks, mid_ranks
from podium.ranks.means import RankMeans

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
        How many standard errors W_φ is from its mean.
    pvalue : float
        The p-value of the test.
    alternative, method : str
        The alternative, and the method that was used.
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
    exact given the ties. φ says against what the test is strong: ``"auc"`` a shift (Wilcoxon, Mann and Whitney),
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
        What the test is against: any difference, or that x tends to be larger (``"greater"``) or smaller. Two-sided
        p-values are twice the smaller one-sided one.
    method : {"auto", "asymptotic", "permutation", "exact"}
        How the p-value is found: by a normal approximation without continuity correction, from random splits of the
        pooled sample, or from all of them.
        ``"auto"``: exact where that is quick (up to 34 values for any φ, about a hundred for ``"auc"``, or a handful
        against hundreds), else asymptotic, or permutation if φ jumps, for then the null distribution is coarse, or if a
        sample has fewer than 10 observations.
    n_resamples : int
        Number of random splits of ``"permutation"``.
    rng : int or numpy.random.Generator, optional
        Seed or generator of the random splits; without it they differ from call to call.

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
    chosen = phi_.resolve(phi).bind(n + m)
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
    sums: Array = resample.permutation_sums(rng, n_resamples, scores.copy(), n)
    observed = scores[:n].sum()
    slack = SLACK * np.ptp(scores)  # equal sums differ by rounding
    lower = (1 + np.count_nonzero(sums <= observed + slack)) / (n_resamples + 1)
    upper = (1 + np.count_nonzero(sums >= observed - slack)) / (n_resamples + 1)
    return lower, upper


def _pvalue(lower: float, upper: float, alternative: str) -> float:
    if alternative == "two-sided":
        return min(2 * min(lower, upper), 1.0)
    return upper if alternative == "greater" else lower
