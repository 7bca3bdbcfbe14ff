"""What a comparison of two ROC curves returns: by a part of their area, at a point, or as a whole."""

from __future__ import annotations

from dataclasses import dataclass

from podium._results import wording
from podium._results.result import Result


@dataclass(frozen=True, kw_only=True, repr=False)
class CurveComparison(Result):
    """A quantity of the ROC curve of scorer a less that of scorer b: interval and test.

    Attributes
    ----------
    quantity : str
        What is compared, in words.
    difference : float
        The value of a less that of b.
    low, high : float
        The limits of the interval; infinite on the side that a one-sided alternative leaves open.
    standard_error : float
        The standard error of the difference.
    statistic : float
        The difference over its standard error.
    degrees_of_freedom : float or None
        Of Student's t, where the lists are independent (Satterthwaite); None where the normal distribution is used.
    pvalue : float
        The p-value of no difference.
    alternative : str
        The alternative that was tested.
    confidence_level : float
        The confidence level of the interval.
    estimate_a, estimate_b : float
        The values of the two scorers.
    method : str
        The method that was used.
    paired : bool
        Whether both scorers rated the same rows.
    note : str
        What to keep in mind; empty where no weakness is known.
    """

    quantity: str
    difference: float
    low: float
    high: float
    standard_error: float
    statistic: float
    degrees_of_freedom: float | None
    pvalue: float
    alternative: str
    confidence_level: float
    estimate_a: float
    estimate_b: float
    method: str
    paired: bool
    note: str = ""

    def __repr__(self) -> str:
        line = wording.estimate_and_interval(self.difference, self.low, self.high, self.confidence_level, signed=True)
        pairing = "paired" if self.paired else "unpaired"
        return wording.with_note(
            f"difference in {self.quantity} (a − b) {line}, {wording.pvalue(self.pvalue)} "
            f"({self.method}, {pairing}, {self.alternative})",
            self.note,
        )
