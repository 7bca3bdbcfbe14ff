"""Interval for the AUC against true negatives, from positives and unlabeled rows with a known share of positives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy.typing as npt

from podium import _input
from podium.inference.intervals.interval import Interval, interval


def unmixed_interval(
    labeled: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    share: float,
    confidence_level: float = 0.95,
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> Interval:
    r"""Confidence interval for the AUC of positives among true negatives, from positives and unlabeled rows.

    With π the share of positives among the unlabeled rows, which are otherwise like the labeled ones, the AUC against
    the unlabeled rows is :math:`\pi/2 + (1 - \pi)\,\mathrm{AUC}'`; so

    .. math:: \mathrm{AUC}' = \frac{\mathrm{AUC} - \pi/2}{1 - \pi},

    the area under `podium.roc.RocCurve.unmixed`, and the limits of the AUC against the unlabeled rows become those of
    AUC′ in the same way, cut to [0, 1]: they hold where those of `interval` do, π being known. A share that is too
    large makes the AUC too good.

    Parameters
    ----------
    labeled, y_score : array-like
        Which rows are labeled (as positive) and which are unlabeled, and their scores.
    share : float
        The share π of positives among the unlabeled rows, in [0, 1).
    confidence_level : float
        The nominal coverage of the two-sided interval.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.
    groups : array-like, optional
        The cluster of each row: rows of a cluster may be dependent, clusters are independent.
    pos_label : object, optional
        The label of the labeled rows, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    Interval
        The interval; its negatives are the unlabeled rows.

    Examples
    --------
    >>> from podium.inference import unmixed_interval
    >>> labeled, s = [0, 0, 0, 1, 0, 1, 1, 1] * 20, [1, 2, 3, 4, 5, 6, 7, 8] * 20
    >>> unmixed_interval(labeled, s, share=0.1)
    AUC 0.986, 95 % interval 0.9... to 1.000 (pseudo-event, unmixed), 160 rows, 50 % positive
    """
    pi = _input.check_number("share", share, 0, 1, open_high=True)
    mixed = interval(
        labeled,
        y_score,
        confidence_level=confidence_level,
        sample_weight=sample_weight,
        groups=groups,
        pos_label=pos_label,
    )

    def unmixed(auc: float) -> float:
        return min(max((auc - pi / 2) / (1 - pi), 0.0), 1.0)

    note = mixed.note
    if not pi / 2 <= mixed.estimate <= 1 - pi / 2:
        beyond = f"an AUC of {mixed.estimate:.3f} against the unlabeled rows is beyond what this share allows"
        note = "; ".join(filter(None, [note, beyond]))
    return replace(
        mixed,
        estimate=unmixed(mixed.estimate),
        low=unmixed(mixed.low),
        high=unmixed(mixed.high),
        standard_error=None if mixed.standard_error is None else mixed.standard_error / (1 - pi),
        method=f"{mixed.method}, unmixed",
        note=note,
    )
