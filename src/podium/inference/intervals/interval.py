"""Confidence intervals for any rank statistic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._input import is_collection
from podium._results import wording
from podium._results.result import Result
from podium._types import Array
from podium.exceptions import InputError
from podium.inference.censored import HorizonEstimate
from podium.inference.intervals.methods import METHODS, IntervalRequest, limits_of
from podium.inference.lists.by_name import metric_estimate
from podium.inference.lists.estimates import MetricEstimate
from podium.inference.lists.influence import weighted_rows
from podium.inference.lists.ranking import Ranking
from podium.inference.observed import Bounds, DesignEstimate, estimate_or_bounds, labels_note, refuse_options
from podium.labels import Observed
from podium.metrics.named import Named, Reading, named
from podium.phi import Mww, Phi
from podium.rounds.counted import CountedList
from podium.rounds.rows import RowsLike, refuse, rows_of


@dataclass(frozen=True, kw_only=True, repr=False)
class Interval(Result):
    """A confidence interval, with the share of positives it refers to and a note if coverage is known to be poor.

    Attributes
    ----------
    estimate : float
        The value on these rows.
    low, high : float
        The limits of the interval.
    standard_error : float or None
        The standard error behind the limits, if the method has one.
    confidence_level : float
        The confidence level of the interval.
    method : str
        The method used, which may differ from the requested one.
    phi : str
        The specification of φ, ``"auc"`` for φ(u) = u; or the name of a metric.
    scale : str
        ``"omega"`` for ω_φ, ``"mean"`` for W_φ/n, ``"sum"`` for W_φ, ``"metric"`` for a metric.
    n_pos, n_neg : float
        The numbers, or total weights, of positives and of negatives.
    note : str
        A caveat; empty if no weakness is known.
    """

    estimate: float
    low: float
    high: float
    standard_error: float | None
    confidence_level: float
    method: str
    phi: str
    scale: str
    n_pos: float
    n_neg: float
    note: str = ""

    def __repr__(self) -> str:
        name = wording.statistic(self.phi, self.scale)
        line = wording.estimate_and_interval(self.estimate, self.low, self.high, self.confidence_level)
        method = ", ".join(METHODS[word].name if word in METHODS else word for word in self.method.split(", "))
        return wording.with_note(f"{name} {line} ({method}), {wording.rows(self.n_pos, self.n_neg)}", self.note)


def interval(
    y_true: RowsLike,
    y_score: npt.ArrayLike | None = None,
    phi: Phi | str = "auc",
    *,
    metric: str | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    scale: str = "omega",
    n_resamples: int = 2000,
    rng: Any = None,
    sample_weight: npt.ArrayLike | None = None,
    weights: str = "frequency",
    groups: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> Interval:
    r"""Confidence interval for a rank statistic, or another metric, of a fixed scoring rule.

    The interval covers the population value W_φ = E φ(F(s(X))) (CLV21, Equation 3.3), where X is a positive and F the
    distribution function of the scores in a mixture with the sample's share p of positives, rescaled to ω_φ from 0
    (worst) to 1 (best). For φ(u) = u it is the AUC, which does not depend on p. Tied rows take the mean of φ over their
    ranks, as in random order.

    Let ω̂ be the estimate, v its jackknife variance (see `influence_values`) and z the normal quantile of
    (1 + ``confidence_level``)/2. The pseudo-event limits are Wilson's for a share, in a sample of as many rows N_e as ω̂
    is worth, and as though a part of one more loss (for the upper limit: gain) were about to come:

    .. math:: 1 - \frac{y + \frac{z^2}{2 N_e} + z \sqrt{\frac{y (1 - y)}{N_e} + \frac{z^2}{4 N_e^2}}}
       {1 + z^2 / N_e}, \qquad y = 1 - \hat\omega + w, \quad N_e = \frac{y (1 - y)}{v + w^2},

    where w is three fifths of what one more loss would lower ω̂, or three quarters for φ other than u. So they also hold
    where few losses, or none, were seen. With scores of two values the AUC is ½ + (TPR − FPR)/2, and the limits are
    the hybrid score limits of a difference of two shares (Newcombe 1998, method 10).

    Parameters
    ----------
    y_true, y_score : array-like or Dask collection
        Labels and scores of held-out rows; larger scores are more positive. In place of both, a function that returns
        chunks of them, or a :class:`podium.rounds.CountedList`. Labels may also be :class:`podium.labels.Observed`,
        with gaps: the interval then covers the value of this very list, all of whose rows have scores; or, of labels at
        a horizon, the value of the population.
    phi : Phi or str
        The score-generating function φ, which says which part of the list matters; see `podium.phi`. Or a metric.
    metric : str, optional
        A metric in place of ω_φ, by its name as in `podium.metrics.metric`: ``"average-precision"``, ``"gini"``,
        ``"partial-auc:0.05"``, ``"precision@100"``, ``"wss@95"``, …; see Notes.
    confidence_level : float
        The nominal coverage of the two-sided interval.
    method : str
        The method. For any φ: ``"jackknife"`` (two-sample, on the logit scale), ``"pseudo-event"`` (valid with few
        observed losses), ``"projection"`` (Hájek, logit), ``"bca"`` and ``"percentile"`` (bootstrap), ``"mcdiarmid"``
        (holds for every distribution; wide, and for scores without ties). Only for the AUC:
        ``"delong"``, ``"delong-logit"``, ``"hanley-mcneil"``, ``"newcombe"``, ``"kl"`` (holds for every distribution).
        ``"auto"`` is pseudo-event; its limits replace those of methods that would return a point where no variation was
        observed (perfect separation).
    scale : {"omega", "mean", "sum"}
        Whether the interval is for ω_φ, for W_φ/n or for W_φ.
    n_resamples : int
        The number of bootstrap samples.
    rng : numpy.random.Generator or int, optional
        The generator of bootstrap samples, or its seed.
    sample_weight : array-like, optional
        One weight per row. A weight of 3 is equivalent to three equal rows, so the weights of a class sum to its size.
        Weights known only up to a factor must be scaled to the effective number of rows.
    weights : {"frequency", "sampling"}
        What ``sample_weight`` means: copies of a row, or the reciprocal of the probability with which it was sampled
        (up to a factor), in which case the number of independent rows is that of the rows given.
    groups : array-like, optional
        The cluster of each row (several rows per patient): rows of a cluster may be dependent, clusters are
        independent. For the jackknife, pseudo-event, projection and DeLong methods. Clusters may have any sizes: the
        jackknife leaves out one at a time, with few degrees of freedom if one of them dominates.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    Interval
        The estimate, its limits and standard error, the method used, and a note if coverage may be poor. For observed
        labels without inclusion probabilities, :class:`Bounds` without an estimate.

    Notes
    -----
    A ``metric`` is that of the population with the sample's share of positives; precision, recall and lift at k of N
    rows are those of its first share k/N (for the hits of a list that is yet to come see `precision_at_interval`), and
    NDCG is that of lists this long. The variance is that of the jackknife, or at k by influence at the cut; the limits
    are pseudo-event ones on both sides. A measure that is a monotone function of another one, as Gini is of the AUC,
    has its limits, read on the other scale. Rates at a cut have Wilson's limits, partial AUC and rates at a point of
    the curve those of `partial_auc_interval` and `tpr_interval`; KS those of a difference of shares whose threshold was
    chosen, and the information value those of a root of its value, less what chance gives to so many bins.

    Simulated coverage at .95 with 100/100, 30/270 and 20/2,000 rows (five laws of the scores, among them grades and 2 %
    of the negatives on top; 300 lists each) is .930 to 1 in every cell for average precision, NDCG, precision, recall
    and lift; the documentation tabulates it, and that of the others.

    References
    ----------
    DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing the areas under two or more correlated
    receiver operating characteristic curves: a nonparametric approach. *Biometrics* 44, 837–845.

    Efron, B. (1987). Better bootstrap confidence intervals. *Journal of the American Statistical Association* 82,
    171–185.

    Hanley, J. A. and McNeil, B. J. (1982). The meaning and use of the area under a receiver operating characteristic
    (ROC) curve. *Radiology* 143, 29–36.

    Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions: comparison of eleven
    methods. *Statistics in Medicine* 17, 873–890.

    Newcombe, R. G. (2006). Confidence intervals for an effect size measure based on the Mann–Whitney statistic. Part 2:
    asymptotic methods and evaluation. *Statistics in Medicine* 25, 559–573.

    Examples
    --------
    >>> from podium.inference import interval
    >>> y, s = [0, 0, 0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> interval(y, s, method="delong")
    AUC 0.938, 95 % interval 0.764 to 1.000 (DeLong), 8 rows, 50 % positive; note: only 4 in a class: ...
    >>> interval(y * 10, s * 10, metric="average-precision")
    average precision 0.9..., 95 % interval 0.8... to 0.9... (pseudo-event), 80 rows, 50 % positive
    """
    _input.check_choice("method", method, ("auto", *METHODS))
    _input.check_choice("scale", scale, ("omega", "mean", "sum"))
    level = _input.check_fraction("confidence_level", confidence_level)
    n_resamples = _input.check_integer("n_resamples", n_resamples, 2)
    if metric is not None and phi != "auc":
        raise InputError("A statistic is chosen by phi or by metric; got both.", "omit one of them.")
    spec = phi if metric is None else metric
    if isinstance(y_true, Observed) and y_true.has_gaps:
        refuse_options(y_true, method=method != "auto", scale=scale != "omega", groups=groups is not None)
        if y_true.horizon is not None:
            refuse_options(y_true, sample_weight=sample_weight is not None)
            return _at_horizon(y_true, y_score, named(spec), pos_label, level)
        known = estimate_or_bounds(y_true, y_score, spec, sample_weight, pos_label, level)
        # Only labels with gaps can give bounds: all other callers need not ask.
        return known if isinstance(known, Bounds) else _by_design(known, level)  # type: ignore[return-value]
    note, clusters = "", None
    if y_score is not None and not is_collection(y_score) and (sample_weight is not None or groups is not None):
        n_rows = len(_input.check_scores(y_score))
        sample_weight, clusters, note = weighted_rows(sample_weight, weights, groups, n_rows)
    rows, found = rows_of(y_true, y_score, sample_weight, pos_label), named(spec)
    is_counted = isinstance(rows, CountedList)
    ranking = Ranking.of_counts(rows.with_rows_apart, Mww()) if isinstance(rows, CountedList) else Ranking(rows, Mww())
    reading = found.reading(ranking.n_pos, ranking.n_neg)
    base = found if reading is None else named(reading.of)
    if is_counted:
        refuse("interval", metric=base.phi is None, groups=groups, weights=weights != "frequency")
    if base.phi is None or (reading is not None and scale != "omega"):
        if scale != "omega" or method not in ("auto", "pseudo-event"):
            raise InputError(
                f"A metric has its own scale and limits; got scale or method with {spec!r}.",
                "omit these, or choose a φ.",
            )
        return _with(note, _metric_interval(metric_estimate(ranking.sample, spec), level, clusters))
    case = IntervalRequest(ranking.with_phi(base.phi), level, clusters, n_resamples, np.random.default_rng(rng))
    result = interval_of(case, method, scale)
    return _with(note, result if reading is None else _read(result, str(found), reading))


def _with(note: str, result: Interval) -> Interval:
    return replace(result, note="; ".join(filter(None, [result.note, note]))) if note else result


def interval_of(case: IntervalRequest, method: str = "auto", scale: str = "omega") -> Interval:
    """The interval for a list that is checked already."""
    limits, used, note = limits_of(case, method)
    ranking = case.ranking
    result = Interval(
        estimate=ranking.omega,
        low=min(limits.low, ranking.omega),
        high=max(limits.high, ranking.omega),
        standard_error=limits.standard_error,
        confidence_level=case.confidence_level,
        method=used,
        phi=str(ranking.phi),
        scale="omega",
        n_pos=ranking.n_pos,
        n_neg=ranking.n_neg,
        note=note,
    )
    return result if scale == "omega" else _rescaled(result, scale, *ranking.range)


def _metric_interval(estimate: MetricEstimate, level: float, clusters: Array | None) -> Interval:
    limits, method, note = estimate.described(level, clusters)
    ranking = estimate.ranking
    return Interval(
        estimate=estimate.value,
        low=limits.low,
        high=limits.high,
        standard_error=limits.standard_error,
        confidence_level=level,
        method=method,
        phi=estimate.name,
        scale="metric",
        n_pos=ranking.n_pos,
        n_neg=ranking.n_neg,
        note=note,
    )


def _at_horizon(observed: Observed, y_score: Any, found: Named, pos_label: Any, level: float) -> Interval:
    estimate = HorizonEstimate.of(observed, y_score, found.phi or str(found), pos_label)
    reading = found.reading(estimate.ranking.n_pos, estimate.ranking.n_neg)
    if reading is not None:
        return _read(_at_horizon(observed, y_score, named(reading.of), pos_label, level), str(found), reading)
    low, high, error = estimate.limits(level)
    return Interval(
        estimate=estimate.value,
        low=low,
        high=high,
        standard_error=error,
        confidence_level=level,
        method="censoring weights",
        phi=estimate.name,
        scale="omega" if estimate.name == str(estimate.ranking.phi) else "metric",
        n_pos=estimate.ranking.n_pos,
        n_neg=estimate.ranking.n_neg,
        note=estimate.note,
    )


def _by_design(estimate: DesignEstimate, level: float) -> Interval:
    low, high, error = estimate.limits(level)
    rows = estimate.design.rows
    n_pos = estimate.ranking.n_pos
    return Interval(
        estimate=estimate.value,
        low=low,
        high=high,
        standard_error=error,
        confidence_level=level,
        method="design",
        phi=estimate.name,
        scale="omega" if estimate.name == str(estimate.ranking.phi) else "metric",
        n_pos=n_pos,
        n_neg=rows.n_rows - n_pos,
        note=labels_note(estimate.design),
    )


def _rescaled(result: Interval, scale: str, low: float, high: float) -> Interval:
    """From ω to W_φ = W_min + ω(W_max − W_min), or to W_φ/n."""
    count = result.n_pos if scale == "mean" else 1.0
    start, stretch = low / count, (high - low) / count
    reading = Reading(result.phi, lambda omega: start + stretch * omega, lambda _: stretch)
    return replace(_read(result, result.phi, reading), scale=scale)


def _read(result: Interval, name: str, reading: Reading) -> Interval:
    """The interval of a measure that is a function of this one."""
    low, high = reading.limits(result.low, result.high)
    error, scale = result.standard_error, abs(reading.slope(result.estimate))
    return replace(
        result,
        estimate=reading.to(result.estimate),
        low=low,
        high=high,
        standard_error=None if error is None else scale * error,
        phi=name,
        scale="metric",
        note="; ".join(filter(None, [reading.note, result.note])),
    )
