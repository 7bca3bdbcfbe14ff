"""Confidence intervals for the specificity at a given sensitivity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from podium import _input
from podium.inference.curves.partial_area import turned
from podium.inference.curves.tpr import RateInterval, tpr_interval


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
        The method that was used.
    guaranteed : bool
        Whether the level holds at every sample size.
    n_pos, n_neg : int
        The numbers of positives and of negatives.
    note : str
        What to keep in mind; empty where no weakness is known.
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
        Labels and scores of independent rows that had no part in choosing the scorer.
    tpr : float
        The true positive rate, in (0, 1).
    confidence_level : float
        Coverage of the two-sided interval; nominal unless the method is ``"exact"``.
    method : {"auto", "btii", "fiducial", "exact"}
        How the limits are found; see `tpr_interval`.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.

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
    rate = _input.check_number("tpr", tpr, 0, 1, open_low=True, open_high=True)
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
