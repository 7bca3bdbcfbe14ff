"""A point of the ROC curve: a threshold, and all rates that follow from it, each with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from podium._results import wording
from podium._results.result import Result
from podium._types import FloatArray


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
