"""Two scorers of the same rows, or of different ones, and the difference of a quantity of their ROC curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from podium import _input
from podium._fast.order import groups_of_rows
from podium._types import Array, FloatArray, Sample
from podium.exceptions import DegenerateSampleError
from podium.inference.comparisons.results import CurveComparison
from podium.inference.intervals.limits import ALTERNATIVES
from podium.inference.lists.influence import variance_of_rows
from podium.roc import RocCurve

Quantity = Callable[[RocCurve], float]


@dataclass(frozen=True)
class TwoLists:
    """Two checked lists; ``paired`` if their rows are the same."""

    a: Sample
    b: Sample
    paired: bool

    @classmethod
    def of(cls, y_true: npt.ArrayLike, score_a: Any, score_b: Any, y_true_b: Any, pos_label: Any) -> TwoLists:
        labels_b = y_true if y_true_b is None else y_true_b
        a, b = (_input.check_sample(y, s, pos_label=pos_label) for y, s in ((y_true, score_a), (labels_b, score_b)))
        for sample in (a, b):
            n_pos = int(sample.is_positive.sum())
            if min(n_pos, len(sample.scores) - n_pos) < 2:
                raise DegenerateSampleError(
                    f"A comparison needs at least two positives and two negatives; got {n_pos} positive and "
                    f"{len(sample.scores) - n_pos} negative."
                )
        return cls(a, b, y_true_b is None)

    def variances(self, influence: Callable[[Sample], FloatArray]) -> tuple[float, float | None]:
        """Variance of a difference from influence values, and the degrees of freedom of Satterthwaite if unpaired.

        With variances v and w of independent lists of N and M rows, (v + w)²/(v²/(N − 1) + w²/(M − 1)).
        """
        a, b = influence(self.a), influence(self.b)
        if self.paired:
            return variance_of_rows(a - b, self.a), None
        v, w = variance_of_rows(a, self.a), variance_of_rows(b, self.b)
        scale = v**2 / (len(a) - 1) + w**2 / (len(b) - 1)
        return v + w, (v + w) ** 2 / scale if scale > 0 else None

    def resampled_variance(self, quantity: Quantity, n_resamples: int, rng: np.random.Generator) -> float:
        """Variance of the difference over bootstrap samples, drawn within the classes; the same rows if paired."""
        curves = [_Resampled.of(sample) for sample in (self.a, self.b)]
        differences = np.empty(n_resamples)
        for draw in range(n_resamples):
            counts = curves[0].draw(rng)
            other = counts if self.paired else curves[1].draw(rng)
            differences[draw] = quantity(curves[0].curve(counts)) - quantity(curves[1].curve(other))
        return float(differences.var(ddof=1))


@dataclass(frozen=True)
class _Resampled:
    """A list whose rows may come several times: its curve from how often each does."""

    is_positive: Array
    group: Array  # of each row, 0 for the best
    n_groups: int

    @classmethod
    def of(cls, sample: Sample) -> _Resampled:
        values, group = groups_of_rows(sample.scores)
        return cls(sample.is_positive, len(values) - 1 - group, len(values))

    def draw(self, rng: np.random.Generator) -> Array:
        counts = np.zeros(len(self.group), dtype=np.int64)
        for rows in (np.flatnonzero(self.is_positive), np.flatnonzero(~self.is_positive)):
            counts[rows] = rng.multinomial(len(rows), np.full(len(rows), 1 / len(rows)))
        return counts

    def curve(self, counts: Array) -> RocCurve:
        rates = []
        for weight in (counts * ~self.is_positive, counts * self.is_positive):
            upto = np.concatenate([[0.0], np.cumsum(np.bincount(self.group, weight, self.n_groups))])
            rates.append(upto / upto[-1])
        return RocCurve(rates[0], rates[1], np.full(self.n_groups + 1, np.nan))


def curve_comparison(
    quantity: str,
    estimates: tuple[float, float],
    variance: float,
    freedom: float | None,
    *,
    alternative: str,
    confidence_level: float,
    method: str,
    paired: bool,
    note: str = "",
) -> CurveComparison:
    """Interval and test of a difference from its variance: normal, or Student's with so many degrees of freedom."""
    _input.check_choice("alternative", alternative, ALTERNATIVES)
    level = _input.check_fraction("confidence_level", confidence_level)
    law = scipy.stats.norm if freedom is None else scipy.stats.t(freedom)
    difference, error = estimates[0] - estimates[1], float(np.sqrt(variance))
    seen = error > 1e-12
    statistic = difference / error if seen else 0.0
    pvalue = {
        "two-sided": 2 * float(law.sf(abs(statistic))),
        "greater": float(law.sf(statistic)),
        "less": float(law.cdf(statistic)),
    }[alternative]
    reach = float(law.ppf((1 + level) / 2 if alternative == "two-sided" else level)) * error
    return CurveComparison(
        quantity=quantity,
        difference=difference,
        low=-np.inf if alternative == "less" else difference - reach,
        high=np.inf if alternative == "greater" else difference + reach,
        standard_error=error,
        statistic=statistic,
        degrees_of_freedom=freedom,
        pvalue=pvalue if seen else 1.0,
        alternative=alternative,
        confidence_level=level,
        estimate_a=estimates[0],
        estimate_b=estimates[1],
        method=method,
        paired=paired,
        note=note if seen else "no variation was seen: nothing can be said of the difference",
    )
