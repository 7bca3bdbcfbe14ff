"""A band for the whole precision–recall curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._results import wording
from podium._results.result import Result
from podium._shares import least_share
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.inference.curves.bands import RocBand, roc_band


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class PrBand(Result):
    """A band around a precision–recall curve.

    Attributes
    ----------
    recall, low, high : ndarray
        The band at the recalls where it has corners and at a thousand between.
    prevalence_low, prevalence_high : float
        Limits of the share of positives; equal where it was given.
    roc : RocBand
        The band of the ROC curve that this one comes from.
    confidence_level : float
        Probability that the whole curve is inside.
    """

    recall: FloatArray
    low: FloatArray
    high: FloatArray
    prevalence_low: float
    prevalence_high: float
    roc: RocBand
    confidence_level: float

    @property
    def label(self) -> str:
        """A short description of the band, used as its label in plots."""
        return f"{wording.level(self.confidence_level)} simultaneous band"

    @property
    def mean_width(self) -> float:
        """The area between the two lines."""
        return float(np.trapezoid(self.high - self.low, self.recall))

    def at(self, recall: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """The band at recalls.

        Parameters
        ----------
        recall : array-like
            Recalls, in [0, 1].

        Returns
        -------
        low, high : ndarray
            The lower and upper limits of the precision there.
        """
        r = np.asarray(recall, dtype=np.float64)
        if np.isnan(r).any() or (r < 0).any() or (r > 1).any():
            raise InputError(f"recall must be in [0, 1]; got {recall!r}.")
        return _limits(r, self.roc, self.prevalence_low, self.prevalence_high)

    def __repr__(self) -> str:
        surety = "guaranteed" if self.roc.guaranteed else "approximate"
        return (
            f"Precision–recall curve, {self.label}, {surety}, mean width {self.mean_width:.3f}, "
            f"{wording.rows(self.roc.n_pos, self.roc.n_neg)}"
        )


def pr_band(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    prevalence: float | None = None,
    confidence_level: float = 0.95,
    method: str = "ell",
    rng: np.random.Generator | int | None = None,
    pos_label: Any = None,
) -> PrBand:
    r"""A band that contains the true precision–recall curve of a fixed scorer.

    Precision at recall r follows from the ROC curve, whose inverse is F, and the share π of positives:

    .. math:: \mathrm{precision}(r) = \frac{\pi r}{\pi r + (1 - \pi) F(r)} .

    It rises with π and falls with F. So a band for the whole ROC curve and limits for π give a band for the whole
    precision–recall curve. Given how many positives there are, the ROC band holds with its own probability, so the two
    multiply: the ROC band has level γ^(3/4) and the Clopper–Pearson limits of π have γ^(1/4), γ being
    ``confidence_level``. Where ``prevalence`` is given, the ROC band has all of it.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores of independent rows that were not used to train or choose the scorer.
    prevalence : float, optional
        Share of positives in the population, where it is known; positives and negatives may then have been sampled each
        by itself.
    confidence_level : float
        Probability that the curve is inside, everywhere.
    method : {"ell", "calibrated", "ks", "dkw", "bootstrap"}
        How the ROC band is made; see `roc_band`. Guaranteed where that is.
    rng : numpy.random.Generator, int or None
        Generator or seed for ``"calibrated"`` and ``"bootstrap"``.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    PrBand
        The band at recalls from 0 to 1; ``band.at(recall)`` gives its limits at others.

    Notes
    -----
    Tied rows are a straight segment of the ROC curve, which is curved here; precision is never interpolated linearly.
    At a recall of 0 the upper limit is 1.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import pr_band
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(1000) < 0.3
    >>> pr_band(y, y + rng.normal(size=1000))
    Precision–recall curve, 95 % simultaneous band, guaranteed, mean width 0.429, 1,000 rows, 28 % positive
    """
    level = _input.check_fraction("confidence_level", confidence_level)
    _input.check_choice("method", method, ("ell", "calibrated", "ks", "dkw", "bootstrap"))
    of_roc = level if prevalence is not None else level**0.75
    roc = roc_band(y_true, y_score, confidence_level=of_roc, method=method, rng=rng, pos_label=pos_label)
    if prevalence is not None:
        low = high = _input.check_fraction("prevalence", prevalence)
    else:
        tail = (1 - level**0.25) / 2
        n_rows = roc.n_pos + roc.n_neg
        low, high = float(least_share(roc.n_pos, n_rows, tail)), 1 - float(least_share(roc.n_neg, n_rows, tail))
    recall = np.unique(np.concatenate([np.linspace(0, 1, 1001), roc.low, roc.high]))
    lower, upper = _limits(recall, roc, low, high)
    return PrBand(
        recall=recall,
        low=lower,
        high=upper,
        prevalence_low=low,
        prevalence_high=high,
        roc=roc,
        confidence_level=level,
    )


def _limits(
    recall: FloatArray, roc: RocBand, prevalence_low: float, prevalence_high: float
) -> tuple[FloatArray, FloatArray]:
    # The true positive rate is the recall at the latest where the lower line passes it, at the earliest the upper one.
    latest = np.interp(recall, roc.low, roc.fpr, right=1.0)
    earliest = np.interp(-recall, -roc.high[::-1], roc.fpr[::-1], right=0.0)
    return _precision(prevalence_low, recall, latest), _precision(prevalence_high, recall, earliest)


def _precision(prevalence: float, recall: FloatArray, fpr: FloatArray) -> FloatArray:
    hits, others = prevalence * recall, (1 - prevalence) * fpr
    return np.divide(hits, hits + others, out=np.ones_like(hits), where=hits + others > 0)
