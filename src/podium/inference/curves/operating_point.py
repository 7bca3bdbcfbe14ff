"""A point of the ROC curve: a threshold, given or chosen, and all rates that follow from it, each with its interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._results import wording
from podium._results.result import Result
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.inference.curves.local_levels import local_level, order_statistic_limits
from podium.roc import RocCurve


class Rate(NamedTuple):
    """An estimate with its limits."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, repr=False)
class OperatingPoint(Result):
    """What follows from calling the rows at or above a threshold positive.

    Attributes
    ----------
    threshold : float
        The threshold; a chosen one lies halfway between two scores.
    threshold_low, threshold_high : float or None
        The limits of the best threshold, by bootstrap; None where the threshold was given.
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
        How the threshold came about.
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
            f"at threshold {self.threshold:.5g} ({self.chosen_by}): {rates}; "
            f"{wording.level(self.confidence_level)} intervals, prevalence {wording.percent(self.prevalence)}"
        )


def operating_point(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    threshold: float | None = None,
    best: str | None = None,
    cost_ratio: float = 1.0,
    prevalence: float | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    rng: Any = None,
    pos_label: Any = None,
) -> OperatingPoint:
    r"""Sensitivity, specificity, predictive values and Youden's index at a threshold, each with its interval.

    A threshold given beforehand has Clopper–Pearson limits. A threshold chosen on these rows flatters them, and limits
    that take it as given fail; here they hold at every threshold at once (equal local levels, as in `roc_band`), hence
    for the one that was chosen, however it was. Predictive values follow from the rates and the prevalence π,

    .. math:: \mathrm{PPV} = \frac{\pi\,\mathrm{Se}}{\pi\,\mathrm{Se} + (1 - \pi)(1 - \mathrm{Sp})}, \qquad
       \mathrm{NPV} = \frac{(1 - \pi)\,\mathrm{Sp}}{(1 - \pi)\,\mathrm{Sp} + \pi(1 - \mathrm{Se})},

    their limits from those of both rates together. All limits are guaranteed at every sample size, π being known.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores of independent rows that had no part in choosing the scorer.
    threshold : float, optional
        A threshold fixed beforehand: a row is called positive where its score is at least that.
    best : {"youden", "closest"}, optional
        Instead, the threshold with the largest Se + r·Sp (Youden), or the point of the curve closest to the upper left
        corner, with the least (1 − Se)² + r (1 − Sp)²; of equal ones the strictest. "youden" if no threshold is given.
    cost_ratio : float
        How much worse a missed positive is than a false alarm, c: r = (1 − π)/(cπ) if this or the prevalence is given,
        else 1.
    prevalence : float, optional
        The share π of positives in the population, if it is not that of these rows.
    confidence_level : float
        Nominal coverage of each interval.
    n_resamples : int
        Number of bootstrap samples for the limits of the best threshold.
    rng : int or numpy.random.Generator, optional
        Seed or generator of the bootstrap.
    pos_label
        The positive label, where labels are not 0/1, −1/1 or booleans.

    Returns
    -------
    OperatingPoint
        The threshold, the rates with their intervals, and the counts.

    Examples
    --------
    >>> y, s = np.arange(100) % 4 == 0, np.arange(100) % 17
    >>> operating_point(y, s + 9 * y, threshold=12)
    at threshold 12 (given): sensitivity 0.840 (0.639 to 0.955), specificity 0.720 (0.604 to 0.818), PPV ...
    >>> operating_point(y, s + 9 * y, best="youden", rng=0).threshold
    15.5
    """
    level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
    draws = _input.check_integer("n_resamples", n_resamples, 2)
    sample = _input.check_sample(y_true, y_score, pos_label=pos_label)
    pos, neg = sample.scores[sample.is_positive], sample.scores[~sample.is_positive]
    share = len(pos) / len(sample.scores)
    rate = (
        share
        if prevalence is None
        else _input.check_number("prevalence", prevalence, 0, 1, open_low=True, open_high=True)
    )
    cost = _input.check_number("cost_ratio", cost_ratio, 0, open_low=True)
    if threshold is not None and best is not None:
        raise InputError("A threshold is given or chosen; got both threshold and best.", "drop one of them.")
    low = high = None
    if threshold is not None:
        cut, how = _input.check_number("threshold", threshold), "given"
        tail = (1 - level) / 2
        joint = (1 - level**0.5) / 2  # both rates inside at once, the classes being independent
    else:
        how = _input.check_choice("best", "youden" if best is None else best, tuple(_CRITERIA))
        weight = 1.0 if cost == 1 and prevalence is None else (1 - rate) / (cost * rate)
        cut = _best_threshold(pos, neg, how, weight)
        generator = np.random.default_rng(rng)
        drawn = [
            _best_threshold(generator.choice(pos, len(pos)), generator.choice(neg, len(neg)), how, weight)
            for _ in range(draws)
        ]
        low, high = (float(v) for v in np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf"))
        tail = joint = local_level(len(pos), len(neg), level) / 2
        low, high = min(low, cut), max(high, cut)
    above, below = int((pos >= cut).sum()), int((neg < cut).sum())
    sure = [_limits(k, n, joint) for k, n in ((above, len(pos)), (below, len(neg)))]

    def following(value: Callable[[float, float], float]) -> Rate:
        """A quantity that rises with both rates."""
        estimate = value(sure[0].estimate, sure[1].estimate)
        return Rate(estimate, *(value(sure[0][i], sure[1][i]) for i in (1, 2)))

    return OperatingPoint(
        threshold=cut,
        threshold_low=low,
        threshold_high=high,
        sensitivity=_limits(above, len(pos), tail),
        specificity=_limits(below, len(neg), tail),
        ppv=following(lambda se, sp: _share(rate * se, (1 - rate) * (1 - sp))),
        npv=following(lambda se, sp: _share((1 - rate) * sp, rate * (1 - se))),
        youden=following(lambda se, sp: se + sp - 1),
        true_positives=above,
        false_positives=len(neg) - below,
        true_negatives=below,
        false_negatives=len(pos) - above,
        prevalence=rate,
        confidence_level=level,
        chosen_by=how if threshold is not None else f"best by {how}",
    )


_CRITERIA: dict[str, Callable[[FloatArray, FloatArray, float], FloatArray]] = {
    "youden": lambda se, sp, r: se + r * sp,
    "closest": lambda se, sp, r: -((1 - se) ** 2) - r * (1 - sp) ** 2,
}


def _best_threshold(pos: FloatArray, neg: FloatArray, best: str, weight: float) -> float:
    """Halfway from the score at the best point of the curve to the next one below; infinite where none is called."""
    curve = RocCurve.from_scores(np.repeat([True, False], [len(pos), len(neg)]), np.concatenate([pos, neg]))
    value = _CRITERIA[best](curve.tpr, 1 - curve.fpr, weight)
    at = int(np.argmax(value >= value.max() - 1e-12))
    next_below = curve.thresholds[at + 1] if at + 1 < len(curve.thresholds) else -np.inf
    if not np.isfinite(curve.thresholds[at]):
        return float(np.inf)
    return float((curve.thresholds[at] + next_below) / 2)


def _limits(count: int, total: int, tail: float) -> Rate:
    low, high = order_statistic_limits(total, tail)
    return Rate(count / total, float(low[count]), float(high[count + 1]))


def _share(part: float, rest: float) -> float:
    """NaN where nothing is called so."""
    return part / (part + rest) if part + rest > 0 else float("nan")
