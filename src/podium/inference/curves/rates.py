"""Intervals for the rate at one operating point: the TPR at an FPR, and the specificity at a TPR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from podium import _input
from podium._fast.order import groups_of_rows
from podium._results import wording
from podium._results.result import Result
from podium._shares import normal_quantile
from podium._types import Sample
from podium.inference.curves.areas import turned
from podium.inference.curves.bands import roc_band
from podium.inference.curves.fiducial import PositivesAbove, tpr_limits
from podium.inference.hits.new_draw import NewDraw
from podium.inference.intervals.limits import Limits
from podium.inference.lists.estimates import CurveEstimate, Described
from podium.inference.lists.ranking import Ranking
from podium.inference.observed import DesignEstimate, labels_note, refuse_options, tpr_estimate
from podium.labels import Observed
from podium.ranks.pooled import TieGroups
from podium.roc import RocCurve

# Confidence intervals for the true positive rate at a given false positive rate.


# Negatives above the threshold: with fewer, "btii" falls to .70 and less; from the second on it holds everywhere.
_FEW, _SAFE = 5, 20


@dataclass(frozen=True, kw_only=True, repr=False)
class RateInterval(Result):
    """A rate at a point of the ROC curve that was fixed beforehand, with its interval."""

    estimate: float
    low: float
    high: float
    confidence_level: float
    method: str
    guaranteed: bool
    n_pos: int
    n_neg: int
    note: str = ""

    def _line(self, rate: str) -> str:
        """The rate in words, its estimate and interval, the method and the rows."""
        line = wording.estimate_and_interval(self.estimate, self.low, self.high, self.confidence_level)
        method = f"{self.method}, guaranteed" if self.guaranteed else self.method
        return wording.with_note(f"{rate}: {line} ({method}), {wording.rows(self.n_pos, self.n_neg)}", self.note)


@dataclass(frozen=True, kw_only=True, repr=False)
class TprInterval(RateInterval):
    """True positive rate where the false positive rate is ``fpr``, with its interval.

    Attributes
    ----------
    fpr : float
        The false positive rate.
    estimate : float
        The true positive rate on these rows.
    low, high : float
        The limits of the interval.
    confidence_level : float
        The confidence level of the interval.
    method : str
        The method used.
    guaranteed : bool
        Whether the level holds at every sample size.
    n_pos, n_neg : int
        The numbers of positives and of negatives.
    note : str
        A caveat; empty if no weakness is known.
    """

    fpr: float

    def __repr__(self) -> str:
        return self._line(f"TPR at FPR {self.fpr:g}")


def tpr_interval(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    fpr: float,
    confidence_level: float = 0.95,
    method: str = "auto",
    pos_label: Any = None,
) -> TprInterval:
    r"""Confidence interval for the true positive rate at a false positive rate fixed beforehand.

    The threshold is estimated from the negatives; an interval that takes it as known covers far too seldom.

    - ``"btii"``: mean and variance of the resampled rate, z²/2 successes and failures added to the positives
      (Agresti–Coull; Zhou and Qin, 2005). No resampling is needed: the resampled threshold passes a share V of the
      negatives with the distribution Beta(mt + ½, m − mt + ½), and the positives above it are binomial, so that with

      .. math:: \tilde R(V) = \frac{n \hat R(V) + z^2/2}{n + z^2}, \qquad \mathrm{var} = \mathrm{Var}\,\tilde R(V)
         + \frac{E[\tilde R(V)(1 - \tilde R(V))]}{n + z^2}

      the interval is :math:`E \tilde R(V) \pm z \sqrt{\mathrm{var}}`. (The added successes count in the variance
      too: left out, as first published, it would vanish with perfect separation.)
    - ``"fiducial"``: order statistics of both classes drawn anew in place of the unknown rates, in closed form; holds
      also with a handful of negatives above the threshold, or none, where the data say little.
    - ``"exact"``: an order statistic of the negatives that lies beyond the threshold, and the Clopper–Pearson limit of
      the positives above it, each with half of the error. Guaranteed at every sample size, wider.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores of independent rows that were not used to train or choose the scorer.
    fpr : float
        The false positive rate, in (0, 1).
    confidence_level : float
        Coverage of the two-sided interval; nominal unless the method is ``"exact"``.
    method : {"auto", "btii", "fiducial", "exact"}
        See above. ``"auto"``: ``"btii"`` where five negatives or more are expected above the threshold, else
        ``"fiducial"``.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    TprInterval
        The true positive rate with its interval.

    Notes
    -----
    Inside a tie group the curve is straight. ``"exact"`` counts none of the tied positives below, all of them above.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import tpr_interval
    >>> y, s = np.arange(100) % 4 == 0, np.arange(100) % 17
    >>> tpr_interval(y, s + 9 * y, fpr=0.2)
    TPR at FPR 0.2: 0.728, 95 % interval 0.516 to 0.895 (btii), 100 rows, 25 % positive; note: only 15 negatives ...
    """
    t = _input.check_fraction("fpr", fpr)
    level = _input.check_fraction("confidence_level", confidence_level)
    _input.check_choice("method", method, ("auto", "btii", "fiducial", "exact"))
    if isinstance(y_true, Observed) and y_true.has_gaps:
        refuse_options(y_true, method=method != "auto")
        return _tpr_by_design(tpr_estimate(y_true, y_score, t, pos_label), t, level)
    sample = _input.check_sample(y_true, y_score, pos_label=pos_label)
    n_pos = int(sample.is_positive.sum())
    estimate, (limits, method, note) = _at_rate(sample, t, level, method)
    return TprInterval(
        estimate=estimate,
        low=limits.low,
        high=limits.high,
        fpr=t,
        confidence_level=level,
        method=method,
        guaranteed=method == "exact",
        n_pos=n_pos,
        n_neg=len(sample.scores) - n_pos,
        note=note,
    )


def _at_rate(sample: Sample, t: float, level: float, method: str) -> tuple[float, Described]:
    """The true positive rate at a false positive rate, and its limits."""
    n_pos = int(sample.is_positive.sum())
    n_neg = len(sample.scores) - n_pos
    curve, note = RocCurve.of(sample), ""
    if method == "auto":
        method = "fiducial" if t * n_neg < _FEW else "btii"
    if method == "exact":
        band = roc_band(sample.is_positive, sample.scores, confidence_level=level, method="pointwise")
        low, high = (float(limit) for limit in band.at(t))
    elif method == "fiducial":
        low, high = tpr_limits(PositivesAbove.of(TieGroups.of(sample)), t, level)
    else:
        low, high = _resampled_limits(curve, t, level, n_pos, n_neg)
        if t * n_neg < _SAFE:
            note = f"only {t * n_neg:.3g} negatives above the threshold: may fall short where the curve is steep there"
    estimate = float(curve.at(t))
    return estimate, Described(Limits(min(low, estimate), max(high, estimate), None), method, note)


@dataclass(frozen=True, eq=False, kw_only=True)
class RateEstimate(CurveEstimate):
    r"""The true positive rate at a false positive rate t; of a turned list, the specificity at a sensitivity.

    A row above the threshold adds to the rate, and a negative there moves the threshold up: with the slope R' of the
    curve at t the influence values are :math:`\psi_i = 1\{X_i \text{ above}\} - R(t)` and
    :math:`\chi_j = -R'(t)(1\{Y_j \text{ above}\} - t)`. R' is :math:`\frac{c}{1 - c}\frac{m}{n}` with the chance c of a
    positive at the threshold.
    """

    seen: Sample
    fpr: float

    @classmethod
    def of(cls, ranking: Ranking, seen: Sample, fpr: float, name: str) -> RateEstimate:
        curve = RocCurve.of(seen)
        value = float(curve.at(fpr))
        n_pos = int(seen.is_positive.sum())
        n_neg = len(seen.scores) - n_pos
        rows = fpr * n_neg + value * n_pos
        from_top = len(curve.fpr) - 2 - groups_of_rows(seen.scores)[1]
        start, end = (curve.fpr + curve.tpr)[from_top], (curve.fpr + curve.tpr)[from_top + 1]
        above = np.clip((fpr + value - start) / (end - start), 0.0, 1.0)  # of a tie group at the threshold a part
        chance = min(NewDraw.of(seen).chance_at_cut(rows), 0.99)
        slope = chance / (1 - chance) * n_neg / n_pos
        influence = np.where(seen.is_positive, above - value, -slope * (above - fpr))
        for of_class in (seen.is_positive, ~seen.is_positive):
            influence[of_class] -= influence[of_class].mean()
        return cls(name=name, ranking=ranking, value=value, influence=influence, seen=seen, fpr=fpr)

    def of_curve(self, confidence_level: float) -> Described:
        return _at_rate(self.seen, self.fpr, confidence_level, "auto")[1]


def _tpr_by_design(estimate: DesignEstimate, t: float, level: float) -> TprInterval:
    low, high, _ = estimate.limits(level)
    n_pos = round(estimate.ranking.n_pos)
    return TprInterval(
        estimate=estimate.value,
        low=low,
        high=high,
        fpr=t,
        confidence_level=level,
        method="design",
        guaranteed=False,
        n_pos=n_pos,
        n_neg=estimate.design.rows.n_rows - n_pos,
        note=labels_note(estimate.design),
    )


def _resampled_limits(curve: RocCurve, t: float, level: float, n_pos: int, n_neg: int) -> tuple[float, float]:
    z = normal_quantile(level)
    # Equally likely values in place of random ones: the same answer at every call, and a smaller error.
    likely = (np.arange(1000) + 0.5) / 1000
    rate = curve.at(betaincinv(n_neg * t + 0.5, n_neg * (1 - t) + 0.5, likely))
    n_added = n_pos + z**2
    rate = (n_pos * rate + z**2 / 2) / n_added
    reach = z * np.sqrt(rate.var() + np.mean(rate * (1 - rate)) / n_added)
    return max(0.0, float(rate.mean() - reach)), min(1.0, float(rate.mean() + reach))


# Confidence intervals for the specificity at a given sensitivity.


@dataclass(frozen=True, kw_only=True, repr=False)
class SpecificityInterval(RateInterval):
    """Specificity where the true positive rate (sensitivity) is ``tpr``, with its interval.

    Attributes
    ----------
    tpr : float
        The true positive rate.
    estimate : float
        The specificity on these rows.
    low, high : float
        The limits of the interval.
    confidence_level : float
        The confidence level of the interval.
    method : str
        The method used.
    guaranteed : bool
        Whether the level holds at every sample size.
    n_pos, n_neg : int
        The numbers of positives and of negatives.
    note : str
        A caveat; empty if no weakness is known.
    """

    tpr: float

    def __repr__(self) -> str:
        return self._line(f"specificity at sensitivity {self.tpr:g}")


def specificity_interval(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    tpr: float,
    confidence_level: float = 0.95,
    method: str = "auto",
    pos_label: Any = None,
) -> SpecificityInterval:
    """Confidence interval for the specificity, 1 − FPR, at a true positive rate (sensitivity) fixed beforehand.

    With the classes exchanged and the order reversed it is `tpr_interval` at the false positive rate 1 − ``tpr``; the
    threshold is estimated from the positives.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores of independent rows that were not used to train or choose the scorer.
    tpr : float
        The true positive rate, in (0, 1).
    confidence_level : float
        Coverage of the two-sided interval; nominal unless the method is ``"exact"``.
    method : {"auto", "btii", "fiducial", "exact"}
        How the limits are found; see `tpr_interval`.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    SpecificityInterval
        The specificity with its interval.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import specificity_interval
    >>> y, s = np.arange(100) % 4 == 0, np.arange(100) % 17
    >>> specificity_interval(y, s + 9 * y, tpr=0.6)
    specificity at sensitivity 0.6: 0.960, 95 % interval 0.753 to 1.000 (btii), 100 rows, 25 % positive; note: only ...
    """
    rate = _input.check_fraction("tpr", tpr)
    sample = turned(_input.check_sample(y_true, y_score, pos_label=pos_label))
    # Rounded: 1 − 0.8 is a little less than 0.2, where the curve may have a vertical step.
    fpr = round(1 - rate, 12)
    turned_interval = tpr_interval(
        sample.is_positive, sample.scores, fpr=fpr, confidence_level=confidence_level, method=method
    )
    return SpecificityInterval(
        estimate=turned_interval.estimate,
        low=turned_interval.low,
        high=turned_interval.high,
        tpr=rate,
        confidence_level=turned_interval.confidence_level,
        method=turned_interval.method,
        guaranteed=turned_interval.guaranteed,
        n_pos=turned_interval.n_neg,
        n_neg=turned_interval.n_pos,
        note=turned_interval.note.replace("negatives above", "positives below"),
    )
