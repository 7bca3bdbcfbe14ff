"""ω of pairs within a stratum: a center, a query, a level of a covariate."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium import phi as phi_
from podium.inference.groups.strata import Strata
from podium.inference.intervals import pseudo_event
from podium.inference.intervals.interval import Interval
from podium.inference.intervals.limits import student_level
from podium.inference.lists.influence import typical_cluster_size
from podium.phi import Phi


def stratified_interval(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    strata: npt.ArrayLike,
    phi: Phi | str = "auc",
    *,
    new_strata: bool = False,
    confidence_level: float = 0.95,
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> Interval:
    r"""Confidence interval for ω_φ of pairs within strata, so that differences between strata neither help nor hurt.

    With n_k positives, m_k negatives and ω̂_k in stratum k,

    .. math:: \hat\omega = \sum_k w_k \hat\omega_k, \qquad w_k = \frac{n_k m_k}{\sum_l n_l m_l}:

    at φ(u) = u the share of all pairs from one stratum that are in the right order, ties counting one half. Strata
    without both classes have no pair and are left out, which the note says.

    The strata may be these ones for good (centers): then the jackknife variances of the ω̂_k add up with w_k², and every
    stratum needs two of each class. Or the next list has new ones (queries): then they are the independent units, and
    the variance is :math:`\frac{K}{K - 1}\sum_k w_k^2 (\hat\omega_k - \hat\omega)^2`. The limits are pseudo-event ones
    on both sides with Student's degrees of freedom.

    Simulated coverage at .95 (250 lists each, AUC .76 unless said): .964 (3 strata of 20/40), .964 (8 of 5/10), .992 (3
    of 20/40, AUC .98); with new strata .964 (20 of 1/9), .944 (50 of 2/10), .996 (20 of 1/9, AUC .96).

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores; larger scores are more positive. Scores are compared within a stratum only.
    strata : array-like
        The stratum of every row.
    phi : Phi or str
        The score-generating function φ, which says which part of each stratum's list matters.
    new_strata : bool
        Whether the interval is for strata like these, drawn anew, rather than for these very ones.
    confidence_level : float
        The nominal coverage of the two-sided interval.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is three equal rows.
    groups : array-like, optional
        The cluster of every row, where strata stay: rows of a cluster (a patient, say) may depend on each other, also
        across strata. New strata are themselves the independent units.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.

    Returns
    -------
    Interval
        The interval; its numbers of positives and negatives are those of the strata that were used.

    Examples
    --------
    >>> from podium.inference import stratified_interval
    >>> y, s = [0, 0, 0, 1, 0, 1, 1, 1] * 10, [1, 2, 3, 4, 5, 6, 7, 8] * 10
    >>> stratified_interval(y, s, ["north"] * 40 + ["south"] * 40)
    AUC 0.938, 95 % interval 0.8... to 0.9... (pseudo-event, within strata), 80 rows, 50 % positive
    """
    level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
    sample = _input.check_sample(y_true, y_score, sample_weight, pos_label)
    within = Strata.of(sample, strata, sample_weight, groups, new_strata)
    estimate = within.estimate(sample, phi_.resolve(phi))
    covariance = within.covariance([estimate])
    variance, freedom = float(covariance.total[0, 0]), covariance.degrees_of_freedom(np.ones((1, 1)))
    together = 1.0
    if within.clusters is not None:
        together = typical_cluster_size(estimate.ranking.sample, within.clusters)  # rows are lost together
    loss, gain = (min(together * event, 1.0) for event in estimate.events())
    low, high, error = pseudo_event.both_limits(estimate.value, variance, loss, gain, student_level(level, freedom))
    return Interval(
        estimate=estimate.value,
        low=min(low, estimate.value),
        high=max(high, estimate.value),
        standard_error=error,
        confidence_level=level,
        method="pseudo-event, within strata",
        phi=estimate.name,
        scale="omega",
        n_pos=estimate.ranking.n_pos,
        n_neg=estimate.ranking.n_neg,
        note=within.note(),
    )
