"""How far two distributions over bins are apart, with limits: the stability of a column, the information of a score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import chndtrinc

from podium import _input
from podium._results import wording
from podium._results.result import Result
from podium._shares import normal_quantile
from podium._types import Array, FloatArray
from podium.inference.intervals.limits import Limits
from podium.metrics.cuts import at_least_half_a_row

_FEW_IN_BIN = 10  # rows: with fewer, logarithms of their shares are not nearly normal


@dataclass(frozen=True)
class Divergence:
    r"""Σ (p − q) ln(p/q) over bins, of shares p of n rows and q of m others, with limits on the scale of its root.

    One row more in bin b adds :math:`\psi(b) = \ln(p_b/q_b) - q_b/p_b` to n times the sum if it is among the first, and
    :math:`\chi(b) = -\ln(p_b/q_b) - p_b/q_b` to m times if it is among the others, each less its mean. The estimate
    leans upward, by

    .. math:: \frac12 \sum_b \Bigl(\frac{(1 - p_b)(1 + q_b/p_b)}{n} + \frac{(1 - q_b)(1 + p_b/q_b)}{m}\Bigr)

    to the second order, which is (B − 1)(1/n + 1/m) for equal distributions: limits are around the estimate less that,
    with the variance of what chance gives to B bins, 2(B − 1)(1/n + 1/m)², added. The upper limit is not below that of
    a noncentral chi-squared law, which the sum over (1/n + 1/m) has where p and q differ little.
    """

    p: FloatArray
    q: FloatArray
    n: float
    m: float

    @property
    def value(self) -> float:
        return float((self.p - self.q) @ np.log(self.p / self.q))

    @property
    def influence(self) -> tuple[FloatArray, FloatArray]:
        """What a row of either sample in each bin adds."""
        weight, ratio = np.log(self.p / self.q), self.p / self.q
        psi, chi = weight - 1 / ratio, -weight - ratio
        return psi - self.p @ psi / self.p.sum(), chi - self.q @ chi / self.q.sum()

    @property
    def by_chance(self) -> float:
        """What two samples of one distribution have in the mean."""
        return (len(self.p) - 1) * (1 / self.n + 1 / self.m)

    def limits(self, confidence_level: float) -> tuple[Limits, str]:
        """The limits, and a note where a bin has few rows."""
        p, q, n, m = self.p, self.q, self.n, self.m
        too_much = (((1 - p) * (1 + q / p)).sum() / n + ((1 - q) * (1 + p / q)).sum() / m) / 2
        center, z = max(self.value - float(too_much), 0.0), normal_quantile(confidence_level)
        psi, chi = self.influence
        of_chance = 2 * (len(p) - 1) * (1 / n + 1 / m) ** 2
        error = float(np.sqrt(p @ psi**2 / max(n - 1, 1) + q @ chi**2 / max(m - 1, 1) + of_chance))
        # On the scale of the root, where the variance of a divergence is nearly constant.
        reach = z * error / (2 * np.sqrt(max(center, error)))
        fewest = float(min((n * p).min(), (m * q).min()))
        # With an empty bin the estimate is too small rather than too large: its half a row stands for far fewer.
        upper = center if fewest >= 1 else self.value
        low, high = max(np.sqrt(center) - reach, 0.0) ** 2, (np.sqrt(upper) + reach) ** 2
        # Near zero the sum over 1/n + 1/m is noncentral chi-squared, around what it is in the population.
        unit, tail = 1 / n + 1 / m, (1 - confidence_level) / 2
        high = max(high, unit * float(np.nan_to_num(chndtrinc(self.value / unit, len(p) - 1, tail))))
        note = f"a bin has {fewest:g} rows of a class: fewer bins say more, and these limits may fall short"
        return Limits(min(low, self.value), max(high, self.value), error), note if fewest < _FEW_IN_BIN else ""


@dataclass(frozen=True, kw_only=True, repr=False)
class StabilityIndex(Result):
    """Population stability index of two samples, with its interval.

    Attributes
    ----------
    estimate : float
        The index on these rows.
    low, high : float
        The limits of the interval.
    by_chance : float
        What the index of these rows would be in the mean if nothing had changed.
    confidence_level : float
        The confidence level of the interval.
    n_bins : int
        The number of bins, or of categories.
    n_expected, n_actual : int
        The numbers of rows then and now.
    note : str
        A caveat; empty if no weakness is known.
    """

    estimate: float
    low: float
    high: float
    by_chance: float
    confidence_level: float
    n_bins: int
    n_expected: int
    n_actual: int
    note: str = ""

    def __repr__(self) -> str:
        line = wording.estimate_and_interval(self.estimate, self.low, self.high, self.confidence_level)
        rows = f"{self.n_expected:,} and {self.n_actual:,} rows"
        return wording.with_note(
            f"stability index {line}, {self.by_chance:.2g} by chance alone, {self.n_bins} bins, {rows}", self.note
        )


def stability_index(
    expected: npt.ArrayLike, actual: npt.ArrayLike, *, n_bins: int = 10, confidence_level: float = 0.95
) -> StabilityIndex:
    r"""Population stability index (PSI): how far scores, or a column, have moved from then to now.

    .. math:: \mathrm{PSI} = \sum_b (a_b - e_b) \ln\frac{a_b}{e_b}

    with the shares e and a of the expected and of the actual rows in bin b. Of a column that a model uses it is called
    the characteristic stability index (CSI). Bins hold equal numbers of the expected rows; text is taken as it stands,
    a category per bin. A bin without rows of one sample counts half a row.

    The usual limits of .1 and .25 know nothing of the number of rows: where nothing has changed, the index of n and m
    rows in B bins is (B − 1)(1/n + 1/m) in the mean. The interval does know it, and contains 0 then.

    Parameters
    ----------
    expected, actual : array-like
        Scores or values of a column, of the rows that the model was made with and of those of today.
    n_bins : int
        The number of bins of numbers.
    confidence_level : float
        Nominal coverage of the two-sided interval.

    Returns
    -------
    StabilityIndex
        The index with its interval, and what it would be by chance.

    References
    ----------
    Yurdakul, B. and Naranjo, J. (2020). Statistical properties of the population stability index. *Journal of Risk
    Model Validation* 14(4), 89–100.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import stability_index
    >>> rng = np.random.default_rng(0)
    >>> stability_index(rng.normal(size=2000), rng.normal(0.3, size=1000))
    stability index 0.086, 95 % interval 0.033 to 0.126, 0.013 by chance alone, 10 bins, 2,000 and 1,000 rows
    """
    level = _input.check_fraction("confidence_level", confidence_level)
    then, now, n_all = _binned(expected, actual, _input.check_integer("n_bins", n_bins, 2))
    counts = [np.bincount(which, minlength=n_all) for which in (now, then)]
    used = counts[0] + counts[1] > 0
    sizes = len(now), len(then)
    a, e = (at_least_half_a_row(each[used]) / size for each, size in zip(counts, sizes, strict=True))
    found = Divergence(a, e, *sizes)
    limits, note = found.limits(level)
    return StabilityIndex(
        estimate=found.value,
        low=limits.low,
        high=limits.high,
        by_chance=found.by_chance,
        confidence_level=level,
        n_bins=int(used.sum()),
        n_expected=len(then),
        n_actual=len(now),
        note=note.replace("of a class", "of a sample"),
    )


def _binned(expected: npt.ArrayLike, actual: npt.ArrayLike, n_bins: int) -> tuple[Array, Array, int]:
    """The bin of every row then and now, and how many bins there are."""
    columns = [_input.column_of(each, name) for each, name in ((expected, "expected"), (actual, "actual"))]
    if any(column.dtype.kind not in "biuf" for column in columns):
        names, which = np.unique(np.concatenate([column.astype(str) for column in columns]), return_inverse=True)
        return which[: len(columns[0])], which[len(columns[0]) :], len(names)
    then, now = _input.check_scores(columns[0], "expected"), _input.check_scores(columns[1], "actual")
    # Between the values that end a bin, so that equal ones are together.
    cuts = np.unique(np.quantile(then, np.arange(1, n_bins) / n_bins, method="inverted_cdf"))
    return np.searchsorted(cuts, then), np.searchsorted(cuts, now), len(cuts) + 1
