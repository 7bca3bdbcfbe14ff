"""Points of the ROC curve from labels and scores."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from podium.roc.curve import RocCurve
from podium.roc.operating_points import RocPoints


def points(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    thresholds: npt.ArrayLike | None = None,
    prevalence: float | None = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> RocPoints:
    r"""Sensitivity, specificity, predictive values and Youden's index at thresholds, each with its interval.

    Thresholds fixed in advance have pointwise Clopper–Pearson limits. Without them all points of the curve are
    returned, and the limits hold at every threshold at once (equal local levels, as in `podium.inference.roc_band`): a
    threshold chosen on these rows flatters them, and limits that take it as given fail; these hold for it, however it
    was chosen, ``points(y, s).best("youden")`` for instance. Predictive values follow from the rates and the
    prevalence π,

    .. math:: \mathrm{PPV} = \frac{\pi\,\mathrm{Se}}{\pi\,\mathrm{Se} + (1 - \pi)(1 - \mathrm{Sp})}, \qquad
       \mathrm{NPV} = \frac{(1 - \pi)\,\mathrm{Sp}}{(1 - \pi)\,\mathrm{Sp} + \pi(1 - \mathrm{Se})},

    their limits from those of both rates together. All these limits are guaranteed at every sample size, π being known.
    Tied rows are on the same side of a threshold.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores of independent rows that were not used to train or choose the scorer.
    thresholds : array-like, optional
        Thresholds fixed in advance: a row is called positive if its score is at least that. All points of the curve
        by default.
    prevalence : float, optional
        The share π of positives in the population, if it is not that of these rows.
    confidence_level : float
        The coverage of each interval, or of all simultaneously.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    RocPoints
        The points; ``best`` chooses one of them.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.roc import points
    >>> y, s = np.arange(100) % 4 == 0, np.arange(100) % 17
    >>> points(y, s + 9 * y, thresholds=[12])[0]
    at threshold 12 (given): sensitivity 0.840 (0.639 to 0.955), specificity 0.720 (0.604 to 0.818), PPV ...
    >>> points(y, s + 9 * y).best("youden", rng=0).threshold
    15.5
    """
    curve = RocCurve.from_scores(y_true, y_score, pos_label=pos_label)
    return curve.points(thresholds, prevalence=prevalence, confidence_level=confidence_level)
