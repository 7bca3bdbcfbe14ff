"""Operating points of a curve: thresholds, rates, and their limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._results import wording
from podium._results.result import Result, Table
from podium._shares import order_statistic_limits
from podium._types import Array, FloatArray
from podium.exceptions import InputError
from podium.roc.local_levels import local_level


class Rate(NamedTuple):
    """An estimate with its limits."""

    estimate: float
    low: float
    high: float


class Rates(NamedTuple):
    """Estimates with their limits, one for every threshold."""

    estimate: FloatArray
    low: FloatArray
    high: FloatArray

    def at(self, i: int) -> Rate:
        return Rate(*(float(values[i]) for values in self))


RATES = ("sensitivity", "specificity", "ppv", "npv", "youden")


@dataclass(frozen=True, kw_only=True, repr=False)
class RocPoint(Result):
    """What follows from calling the rows at or above a threshold positive.

    Attributes
    ----------
    threshold : float
        The threshold; the best one lies halfway between two scores.
    threshold_low, threshold_high : float or None
        The limits of the best threshold; None where the threshold was not chosen as the best.
    sensitivity, specificity : Rate
        The shares of the positives at or above the threshold and of the negatives below it: estimate, low, high.
    ppv, npv : Rate
        The share of positives among those called positive, and of negatives among those called negative, in a
        population with the prevalence.
    youden : Rate
        Youden's index: sensitivity + specificity − 1.
    true_positives, false_positives, true_negatives, false_negatives : int
        The counts on these rows.
    prevalence : float
        The share of positives in the population.
    confidence_level : float
        The confidence level of the intervals.
    chosen_by : str
        How the threshold was chosen.
    """

    threshold: float
    threshold_low: float | None
    threshold_high: float | None
    sensitivity: Rate
    specificity: Rate
    ppv: Rate
    npv: Rate
    youden: Rate
    true_positives: int
    false_positives: int
    true_negatives: int
    false_negatives: int
    prevalence: float
    confidence_level: float
    chosen_by: str

    def __repr__(self) -> str:
        named = {"sensitivity": self.sensitivity, "specificity": self.specificity, "PPV": self.ppv, "NPV": self.npv}
        rates = ", ".join(f"{name} {r.estimate:.3f} ({r.low:.3f} to {r.high:.3f})" for name, r in named.items())
        return (
            f"at threshold {wording.minus(f'{self.threshold:.5g}')} ({self.chosen_by}): {rates}; "
            f"{wording.level(self.confidence_level)} intervals, prevalence {wording.percent(self.prevalence)}"
        )


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class RocPoints(Result):
    """Points of an ROC curve; ``points[i]`` is a single one, ``points.best()`` the best.

    Attributes
    ----------
    thresholds : ndarray
        The thresholds: those that were given, or the scores themselves, from infinity down to the lowest.
    sensitivity, specificity, ppv, npv, youden : Rates
        As in :class:`RocPoint`, with arrays of estimates, lower and upper limits.
    true_positives, false_positives : ndarray
        How many positives and how many negatives are at or above each threshold.
    n_pos, n_neg : int
        The numbers of positives and of negatives.
    prevalence : float
        The share of positives in the population.
    confidence_level : float
        The confidence level of the intervals.
    simultaneous : bool
        Whether the limits hold at all thresholds together, as they must for one that is chosen on these rows.
    """

    thresholds: FloatArray
    sensitivity: Rates
    specificity: Rates
    ppv: Rates
    npv: Rates
    youden: Rates
    true_positives: Array
    false_positives: Array
    n_pos: int
    n_neg: int
    prevalence: float
    confidence_level: float
    simultaneous: bool

    def __len__(self) -> int:
        return len(self.thresholds)

    def __iter__(self) -> Iterator[RocPoint]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, i: int) -> RocPoint:
        return self._point(i, "one of all points" if self.simultaneous else "given")

    def _point(self, i: int, chosen_by: str, limits: tuple[float | None, float | None] = (None, None)) -> RocPoint:
        hits, alarms = int(self.true_positives[i]), int(self.false_positives[i])
        return RocPoint(
            threshold=float(self.thresholds[i]),
            threshold_low=limits[0],
            threshold_high=limits[1],
            **{name: getattr(self, name).at(i) for name in RATES},
            true_positives=hits,
            false_positives=alarms,
            true_negatives=self.n_neg - alarms,
            false_negatives=self.n_pos - hits,
            prevalence=self.prevalence,
            confidence_level=self.confidence_level,
            chosen_by=chosen_by,
        )

    def __repr__(self) -> str:
        held = "simultaneous" if self.simultaneous else "pointwise"
        return (
            f"{len(self):,} points of an ROC curve: sensitivity, specificity, PPV, NPV and Youden's index with "
            f"{wording.level(self.confidence_level)} intervals, {held}; {wording.rows(self.n_pos, self.n_neg)}"
        )

    def _table(self) -> Table:
        # Twenty points are enough to read.
        shown = np.unique(np.linspace(0, len(self) - 1, min(len(self), 20)).round().astype(int))

        def text(rate: Rate) -> str:
            return wording.minus(f"{rate.estimate:.3f} ({rate.low:.3f} to {rate.high:.3f})")

        heading = ("threshold", "sensitivity", "specificity", "PPV", "NPV", "Youden's index")
        return heading, [
            (float(self.thresholds[i]), *(text(getattr(self, name).at(i)) for name in RATES)) for i in shown
        ]

    def best(
        self, by: str = "youden", *, cost_ratio: float | None = None, n_resamples: int = 500, rng: Any = None
    ) -> RocPoint:
        """The best point of the whole curve, with the limits of its threshold.

        The limits are for the best threshold of the population. The rates at and between the scores seen are drawn anew
        (order statistics of uniforms, as in `podium.inference.tpr_interval` with ``method="fiducial"``); every draw
        leaves a range of thresholds that may be the best, and of these ranges the quantiles are taken. Simulated with
        normal scores, 15 to 500 of a class, separated by .5 to 3.5 standard deviations (400 samples each), they
        covered .975 to 1; percentiles of bootstrap samples cover .70 with 15 positives that hardly overlap with 300
        negatives.

        Parameters
        ----------
        by : {"youden", "closest"}
            The largest Se + r·Sp (Youden), or the least (1 − Se)² + r (1 − Sp)²: the point of the curve closest to the
            upper left corner. Of equal ones the strictest.
        cost_ratio : float, optional
            How much worse a missed positive is than a false alarm, c. Then r = (1 − π)/(cπ) with the prevalence π, and
            Youden's best is the point of the least expected cost; without it r = 1.
        n_resamples : int
            The number of draws for the limits of the threshold.
        rng : int or numpy.random.Generator, optional
            The generator of these draws, or its seed.

        Returns
        -------
        RocPoint
            The point. Its rates were chosen on these rows, and their limits allow for that.
        """
        criterion = _CRITERIA[_input.check_choice("by", by, tuple(_CRITERIA))]
        draws = _input.check_integer("n_resamples", n_resamples, 2)
        if not self.simultaneous:
            raise InputError(
                "The best point is chosen among all points of the curve; got those at given thresholds.",
                "omit thresholds.",
            )
        weight = 1.0
        if cost_ratio is not None:
            cost = _input.check_number("cost_ratio", cost_ratio, 0, open_low=True)
            weight = (1 - self.prevalence) / (cost * self.prevalence)
        values = criterion(self.sensitivity.estimate, self.specificity.estimate, weight)
        chosen = int(np.argmax(values >= values.max() - 1e-12))
        generator, (hits, alarms) = np.random.default_rng(rng), (self.true_positives, self.false_positives)
        ends = np.empty((draws, 2), int)
        for one in ends:
            tpr, fpr = (_uniform_order_statistics(n, generator) for n in (self.n_pos, self.n_neg))
            # With k positives above a cut the true positive rate is between the k-th and the next order statistic.
            least = criterion(tpr[hits], 1 - fpr[alarms + 1], weight)
            most = criterion(tpr[hits + 1], 1 - fpr[alarms], weight)
            possible = np.flatnonzero(most >= (least + most).max() / 2)
            one[:] = possible[0], possible[-1]
        tail = (1 - self.confidence_level) / 2
        scores = np.append(self.thresholds, -np.inf)  # any threshold from a score down to the next one cuts the same
        high = scores[min(chosen, int(np.quantile(ends[:, 0], tail, method="inverted_cdf")))]
        low = scores[max(chosen, int(np.quantile(ends[:, 1], 1 - tail, method="inverted_cdf"))) + 1]
        point = self._point(chosen, f"best by {by}", (float(low), float(high)))
        return replace(point, threshold=_halfway(float(scores[chosen]), float(scores[chosen + 1])))


def points_of(
    curve: tuple[FloatArray, FloatArray, FloatArray],
    sizes: tuple[int, int],
    thresholds: npt.ArrayLike | None,
    prevalence: float | None,
    confidence_level: float,
) -> RocPoints:
    """Of a curve, its false and true positive rates and scores, from so many positives and negatives."""
    fpr, tpr, scores = curve
    if thresholds is None:
        cuts, at = scores, np.arange(len(scores))
    else:
        cuts = _input.check_scores(thresholds, "thresholds").astype(np.float64)
        at = np.searchsorted(-scores, -cuts, side="right") - 1
    simultaneous = thresholds is None
    level = _input.check_fraction("confidence_level", confidence_level)
    n_pos, n_neg = sizes
    pi = n_pos / (n_pos + n_neg)
    if prevalence is not None:
        pi = _input.check_fraction("prevalence", prevalence)
    if simultaneous:
        tail = joint = local_level(n_pos, n_neg, level) / 2
    else:
        tail = (1 - level) / 2
        joint = (1 - level**0.5) / 2  # both rates inside at once, the classes being independent
    hits, alarms = (np.round(n * rate[at]).astype(np.intp) for n, rate in ((n_pos, tpr), (n_neg, fpr)))
    counts = (hits, n_pos), (n_neg - alarms, n_neg)
    se, sp = (_binomial(count, total, joint) for count, total in counts)

    def following(value: Callable[[FloatArray, FloatArray], FloatArray]) -> Rates:
        """A quantity that rises with both rates."""
        return Rates(*(value(*both) for both in zip(se, sp, strict=True)))

    return RocPoints(
        thresholds=cuts,
        sensitivity=_binomial(*counts[0], tail),
        specificity=_binomial(*counts[1], tail),
        ppv=following(lambda se, sp: _share(pi * se, (1 - pi) * (1 - sp))),
        npv=following(lambda se, sp: _share((1 - pi) * sp, pi * (1 - se))),
        youden=following(lambda se, sp: se + sp - 1),
        true_positives=hits,
        false_positives=alarms,
        n_pos=n_pos,
        n_neg=n_neg,
        prevalence=pi,
        confidence_level=level,
        simultaneous=simultaneous,
    )


_CRITERIA: dict[str, Callable[[FloatArray, FloatArray, float], FloatArray]] = {
    "youden": lambda se, sp, r: se + r * sp,
    "closest": lambda se, sp, r: -((1 - se) ** 2) - r * (1 - sp) ** 2,
}


def _halfway(upper: float, lower: float) -> float:
    """Between two scores; the upper one where they are neighbors among the floating-point numbers."""
    middle = upper / 2 + lower / 2
    return middle if middle > lower or np.isinf(middle) else upper


def _uniform_order_statistics(n: int, rng: np.random.Generator) -> FloatArray:
    """Of n uniforms drawn anew, with 0 before and 1 behind them."""
    upto = np.cumsum(rng.standard_exponential(n + 1))
    return np.append(0.0, upto / upto[-1])


def _binomial(count: Array, total: int, tail: float) -> Rates:
    """Clopper–Pearson limits, each missed with probability ``tail`` at most."""
    low, high = order_statistic_limits(total, tail)
    return Rates(count / total, low[count], high[count + 1])


def _share(part: FloatArray, rest: FloatArray) -> FloatArray:
    """NaN where nothing is called so."""
    whole = part + rest
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
