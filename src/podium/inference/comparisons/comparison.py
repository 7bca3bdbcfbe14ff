"""Is one scorer better than another? Differences of ω_φ, paired or not, for two scorers or many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium import phi as phi_
from podium._collections import accepts_collections
from podium.exceptions import InputError
from podium.inference.comparisons.pairs import Question, one_sided_errors
from podium.inference.comparisons.results import Comparison, Comparisons
from podium.inference.groups.stratified import Strata
from podium.inference.intervals.limits import ALTERNATIVES, Limits
from podium.inference.intervals.methods import IntervalRequest, limits_of
from podium.inference.lists.estimates import MetricEstimate, metric_estimate
from podium.inference.lists.influence import Covariance, clusters_of, covariance_of_rows
from podium.inference.observed import compared, refuse_options
from podium.labels import Observed
from podium.metrics.scorers import named
from podium.phi import Phi


@accepts_collections
def compare(
    y_true: npt.ArrayLike,
    score_a: npt.ArrayLike | Mapping[str, npt.ArrayLike],
    score_b: npt.ArrayLike | None = None,
    phi: Phi | str = "auc",
    *,
    metric: str | None = None,
    paired: bool = True,
    y_true_b: npt.ArrayLike | None = None,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    strata: npt.ArrayLike | None = None,
    new_strata: bool = False,
    pos_label: Any = None,
) -> Comparison | Comparisons:
    r"""Difference of ω_φ, or of another metric, between scorers, with its interval and test.

    Paired, two scorers rate the same rows: the difference of their jackknife influence values gives the variance,

    .. math:: t = \frac{\hat\omega_a - \hat\omega_b}{\sqrt{\widehat{\mathrm{var}}(\hat\omega_a - \hat\omega_b)}},

    at φ(u) = u exactly the statistic of DeLong, DeLong and Clarke-Pearson (1988), ties included. t is referred to
    Student's law with Satterthwaite's degrees of freedom, since the normal law rejects too often with few positives (12
    to 20 of them: 6 to 7 % at the 5 % level). The scorers must have been fixed before these rows were seen.

    Unpaired, the two lists are independent, and their variances would add; but of lists of unequal lengths equal
    scorers would then be told apart in up to 16 % at the 5 % level, since the ω̂ of a short list leans. In place of the
    standard errors stand the distances to the limits of each list's own interval (Zou and Donner 2008), in normal
    quantiles: for the lower limit of the difference those of a down and of b up, for the upper one the other way round,
    and for t those on the side of zero.

    Where a steep statistic of both scorers lies near the end of its scale (above .8, say), a large difference comes
    with a large standard error, and equal scorers are told apart too seldom: in 1 to 3 % of lists at the 5 % level. On
    the scale of logits it would be too often, in up to 30 %. By ``"dcg"``, scorers with equal means but other laws of
    their scores can be told apart too often, in 7 to 20 % of lists of 100 positives and 100 negatives: one whose rare
    losses were not seen looks better than it is, and a note says so.

    Several scorers are compared in all pairs: p-values by Holm, limits that hold for all pairs together (max-t;
    Hothorn, Bretz and Westfall 2008), and an omnibus test of the hypothesis that all are equal.

    Parameters
    ----------
    y_true : array-like
        The labels of the rows; if unpaired, of those of ``score_a``. For paired comparisons they may be
        :class:`podium.labels.Observed`, with gaps and inclusion probabilities: the difference is then that of this very
        list.
    score_a, score_b : array-like
        The scores by the two scorers. Or ``score_a`` alone: a mapping of names to the scores of several scorers, all
        pairs of which are compared.
    phi : Phi or str
        The score-generating function φ, which says which part of the list matters; see `podium.phi`.
    metric : str, optional
        A metric in place of ω_φ: ``"average-precision"``, ``"ndcg"``, ``"precision-at:100"``, ``"recall-at:100"`` or
        ``"lift-at:100"``, each as in `podium.metrics`; what it is in the population as in `interval`.
        Simulated with equal scorers (100/100, 30/270, 20/500 rows; 600 lists each), average precision was told apart
        at the 5 % level in .008 to .040, NDCG in .015 to .057, precision, recall and lift at 20 in .020 to .060.
    paired : bool
        Whether both scorers rated the same rows.
    y_true_b : array-like, optional
        The labels of the rows of ``score_b``, if unpaired.
    alternative : {"two-sided", "greater", "less"}
        What the test is against: any difference, or that a is better (``"greater"``) or worse than b. The interval is
        one-sided in these two cases.
    confidence_level : float
        The nominal coverage of the interval for the difference.
    sample_weight : array-like, optional
        One weight per row, for paired comparisons; a weight of 3 is three equal rows.
    groups : array-like, optional
        The cluster of every row, for paired comparisons: rows of a cluster may depend on each other.
    strata : array-like, optional
        The stratum of every row (center, query), for paired comparisons by a φ: only pairs of rows of one stratum
        count, as in `stratified_interval`.
    new_strata : bool
        Whether the comparison is for strata like these, drawn anew, rather than for these very ones.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.

    Returns
    -------
    Comparison or Comparisons
        The difference of two scorers with its interval and test; for more than two, those of all pairs.

    Examples
    --------
    >>> from podium.inference import compare
    >>> y, a, b = [0, 0, 0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8], [2, 1, 5, 3, 4, 8, 6, 7]
    >>> compare(y, a, b)
    difference in AUC (a − b) +0.062, 95 % interval −0.154 to +0.279, p = 0.506 (paired, two-sided); note: ...
    >>> compare(y, {"old": b, "new": a, "length": [3, 1, 4, 1, 5, 9, 2, 6]})
    3 differences in AUC (p-values by Holm; all equal: p = 0.448): old − new −0.062, p = ...
    """
    _input.check_choice("alternative", alternative, ALTERNATIVES)
    level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
    if metric is not None and phi != "auc":
        raise InputError("Scorers are compared by a φ or by a metric; got both.", "leave out one of them.")
    spec = phi if metric is None else metric
    if strata is not None and (metric is not None or not paired):
        raise InputError("Strata are for paired comparisons by a φ; got a metric, or unpaired lists.")
    if not paired:
        if score_b is None or y_true_b is None or sample_weight is not None or groups is not None:
            raise InputError(
                "An unpaired comparison takes y_true, score_a, score_b and y_true_b, without weights or groups; got "
                f"{'no score_b' if score_b is None else 'no y_true_b' if y_true_b is None else 'weights or groups'}.",
                "y_true_b holds the labels of the rows of score_b.",
            )
        lists: list[tuple[Any, Any]] = [(y_true, score_a), (y_true_b, score_b)]
        apart = [metric_estimate(_input.check_sample(y, s, pos_label=pos_label), spec) for y, s in lists]
        both = level if alternative == "two-sided" else max(2 * level - 1, 0.5)
        limits = [_default_limits(estimate, spec, both) for estimate in apart]
        errors = one_sided_errors(np.array([estimate.value for estimate in apart]), limits, [both, both])
        return Question(apart, _independent(apart), alternative, level, errors).all_pairs(("a", "b"))
    if y_true_b is not None:
        raise InputError("A paired comparison has one vector of labels; got y_true_b.", "pass paired=False.")
    scores = _by_name(score_a, score_b)
    if isinstance(y_true, Observed) and y_true.has_gaps:
        refuse_options(
            y_true, sample_weight=sample_weight is not None, groups=groups is not None, strata=strata is not None
        )
        return Question(*compared(y_true, scores, spec, pos_label), alternative, level).all_pairs(list(scores))
    samples = [_input.check_sample(y_true, s, sample_weight, pos_label) for s in scores.values()]
    estimates: Sequence[MetricEstimate]
    if strata is None:
        clusters = None if groups is None else clusters_of(groups, sample_weight, len(samples[0].scores))
        estimates = [metric_estimate(sample, spec) for sample in samples]
        covariance = covariance_of_rows(np.array([e.influence for e in estimates]), samples[0], clusters)
    else:
        within = Strata.of(samples[0], strata, sample_weight, groups, new_strata)
        stratified = [within.estimate(sample, phi_.resolve(phi)) for sample in samples]
        estimates, covariance = stratified, within.covariance(stratified)
    question = Question(estimates, covariance, alternative, level, within_strata=strata is not None)
    return question.all_pairs(list(scores))


def _by_name(score_a: Any, score_b: Any) -> dict[str, Any]:
    if score_b is not None:
        return {"a": score_a, "b": score_b}
    if not isinstance(score_a, Mapping) or len(score_a) < 2:
        raise InputError(
            f"A comparison needs two scorers; got {'one' if not isinstance(score_a, Mapping) else len(score_a)}.",
            "pass score_b, or several scorers by name as a dictionary.",
        )
    return dict(score_a)


def _default_limits(estimate: MetricEstimate, spec: Phi | str, level: float) -> Limits:
    """Those of `interval`."""
    if named(spec)[0] != "rank-statistic":
        return estimate.limits(level)
    return limits_of(IntervalRequest(estimate.ranking, level), "auto")[0]


def _independent(estimates: Sequence[MetricEstimate]) -> Covariance:
    """Of estimates from lists of their own: nothing off the diagonal."""
    parts = []
    for i, estimate in enumerate(estimates):
        for variance, freedom in covariance_of_rows(estimate.influence[None], estimate.ranking.sample).parts:
            part = np.zeros((len(estimates), len(estimates)))
            part[i, i] = variance[0, 0]
            parts.append((part, freedom))
    return Covariance(tuple(parts))
