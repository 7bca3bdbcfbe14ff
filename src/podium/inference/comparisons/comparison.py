"""Comparisons of two or more scorers: differences of ω_φ, paired or unpaired, of arrays or of lists in chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._input import is_collection
from podium._types import Array, FloatArray
from podium.exceptions import InputError
from podium.inference.comparisons.pairs import Question, one_sided_errors, paired_errors
from podium.inference.comparisons.results import Comparison, Comparisons
from podium.inference.groups.stratified import Strata
from podium.inference.intervals.influence import jackknife
from podium.inference.intervals.limits import ALTERNATIVES, Limits, loss_and_gain
from podium.inference.intervals.methods import IntervalRequest, limits_of
from podium.inference.lists.estimates import MetricEstimate, metric_estimate
from podium.inference.lists.influence import Covariance, Influence, clusters_of, covariance_of_rows
from podium.inference.lists.ranking import Ranking
from podium.inference.observed import compared, refuse_options
from podium.labels import Observed
from podium.metrics.scorers import named
from podium.phi import Phi, resolve
from podium.rounds.computation import Partitions, Take, over_chunks, run
from podium.rounds.counted import CountedList
from podium.rounds.counting import check_chunk, counting
from podium.rounds.rows import Chunks, RowsLike, elsewhere, refuse


@dataclass(frozen=True, eq=False)
class Lists:
    """The same rows by several scorers: what takes a step over the list of each, and over all of them together.

    A step over all is called with labels, a mapping of names to scores, and weights if there are any.
    """

    each: dict[str, Take]
    together: Take

    @classmethod
    def of_chunks(cls, chunks: Chunks) -> Lists:
        """Chunks of labels, scores by name, and weights if rows have any."""
        _, scores, *_ = next(iter(chunks()))
        return cls({name: over_chunks(partial(_columns, chunks, name)) for name in scores}, over_chunks(chunks))

    @classmethod
    def of_collections(cls, y_true: Any, scores: Mapping[str, Any], sample_weight: Any) -> Lists:
        """Dask collections."""
        columns = {f"scores of {name}": each for name, each in scores.items()}
        partitions = Partitions.of(y_true=y_true, **columns, sample_weight=sample_weight)
        each = {name: elsewhere(y_true, one, sample_weight) for name, one in scores.items()}
        return cls(each, lambda step: partitions.map_reduce(_ByName(step, tuple(scores))))  # type: ignore[arg-type]

    def compare(
        self,
        phi: Phi,
        alternative: str,
        level: float,
        pos_label: Any = None,
        memory: float | None = None,
        margin: float | None = None,
    ) -> Comparison | Comparisons:
        """Compare all pairs of scorers, which share the memory."""
        counted = {}
        for name, take in self.each.items():
            share = None if memory is None else memory / len(self.each)
            counted[name] = run(counting(pos_label=pos_label, memory=share), take)
            counted[name].require_exact()
        influence = {name: jackknife(Ranking.of_counts(one, phi)) for name, one in counted.items()}
        products = self.together(partial(_products, influence, pos_label))
        sizes = next(iter(counted.values()))
        covariance = Covariance(
            tuple((sums / (n * (n - 1)), n - 1.0) for sums, n in zip(products, (sizes.n_pos, sizes.n_neg), strict=True))
        )
        estimates = [_estimate(one, phi, float(covariance.total[i, i])) for i, one in enumerate(counted.values())]
        errors = paired_errors(estimates, covariance)
        return Question(estimates, covariance, alternative, level, errors, margin=margin).all_pairs(list(counted))


def _columns(chunks: Chunks, name: str) -> Iterator[tuple[Any, ...]]:
    return ((y_true, scores[name], *weights) for y_true, scores, *weights in chunks())


@dataclass(frozen=True, eq=False)
class _ByName:
    """A step over all scorers for columns of scores that come one after the other, and a last one of weights if any."""

    step: Callable[..., FloatArray]
    names: tuple[str, ...]

    def __call__(self, y_true: Any, *columns: Any, where: str) -> FloatArray:
        scores, weights = columns[: len(self.names)], columns[len(self.names) :]
        return self.step(y_true, dict(zip(self.names, scores, strict=True)), *weights, where=where)


def _products(
    influence: Mapping[str, Influence],
    pos_label: Any,
    y_true: Any,
    scores: Mapping[str, Any],
    sample_weight: Any = None,
    *,
    where: str = "",
) -> FloatArray:
    """Sums over the rows of each class of a chunk of the products of their influence values."""
    chunks = {name: check_chunk(y_true, scores[name], sample_weight, pos_label, where)[0] for name in influence}
    rows = next(iter(chunks.values()))
    of_rows = [influence_of_rows(influence[name], chunk.scores, chunk.is_positive) for name, chunk in chunks.items()]
    values, weight = np.array(of_rows), np.ones(len(rows.scores)) if rows.weight is None else rows.weight
    return np.array(
        [(weight[one] * values[:, one]) @ values[:, one].T for one in (rows.is_positive, ~rows.is_positive)]
    )


def influence_of_rows(influence: Influence, scores: Array, is_positive: Array) -> FloatArray:
    """The influence value of each of these rows of a counted list."""
    group = np.searchsorted(influence.ties.values, scores, "right") - 1
    return np.where(is_positive, *influence.of_groups(group))


@dataclass(frozen=True, eq=False)
class _Estimate(MetricEstimate):
    """ω_φ of a counted list, whose variance is known without its rows."""

    variance: float = 0.0

    def limits(self, confidence_level: float, clusters: Array | None = None) -> Limits:
        if len(self.ranking.ties.values) == 1:  # all scores tie: nothing is known
            return Limits(0.0, 1.0, 0.0)
        return self.limits_from(self.variance, confidence_level)


def _estimate(counted: CountedList, phi: Phi, variance: float) -> _Estimate:
    ranking = Ranking.of_counts(counted.with_rows_apart, phi)
    events = partial(loss_and_gain, ranking)
    return _Estimate(str(phi), ranking, ranking.omega, np.zeros(0), events, variance=variance)


def compare(
    y_true: RowsLike,
    score_a: npt.ArrayLike | Mapping[str, npt.ArrayLike] | None = None,
    score_b: npt.ArrayLike | None = None,
    phi: Phi | str = "auc",
    *,
    metric: str | None = None,
    paired: bool = True,
    y_true_b: npt.ArrayLike | None = None,
    alternative: str = "two-sided",
    margin: float | None = None,
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

    Unpaired, the two lists are independent and their variances add; but with lists of unequal lengths equal scorers
    would then be rejected in up to 16 % at the 5 % level, since the ω̂ of a short list is skewed. The standard errors
    are therefore replaced by the distances to the limits of each list's own interval (Zou and Donner 2008), in normal
    quantiles: for the lower limit of the difference those of a down and of b up, for the upper limit the reverse, and
    for t those on the side of zero.

    For a φ other than u the same holds of paired scorers: a large difference comes with a large standard error, and one
    that owes it to losses that were not seen with a small one. Their errors are the distances to limits that allow for
    .45 of the loss or gain that `interval` allows for, correlated as the estimates are. Equal scorers are then rejected
    in 3 to 5 % of lists at the 5 % level, in fewer if they agree nearly everywhere or hardly ever err; scorers of equal
    ω_φ of which one has a few rare, large losses in up to 10 % of lists of 100 positives and 100 negatives. With
    ``"dcg"``, whose standard error is that of the jackknife, it is up to 20 %, and a note says so.

    With a ``margin`` M the question is not whether scorers differ but whether they differ by less than M. The p-values
    are those of the one-sided hypotheses

    .. math:: H_{-}: \omega_a - \omega_b \le -M, \qquad H_{+}: \omega_a - \omega_b \ge M:

    with ``alternative="greater"`` that of H₋ (rejected: a is not worse than b by M or more, non-inferiority), with
    ``"less"`` that of H₊ (b is not worse than a), and two-sided the larger of both (rejected: equivalence within M;
    Schuirmann 1987). At the level α, equivalence is shown if the interval at the confidence level 1 − 2α lies within
    ±M, non-inferiority if its lower limit lies above −M. The margin must be chosen before the rows were seen. At the
    5 % level an AUC that is lower by just the margin is found not to be worse in 5 to 7 % of lists, with 30 positives
    in up to 9 %.

    Several scorers are compared in all pairs: p-values are adjusted by Holm, limits hold simultaneously for all pairs
    (max-t; Hothorn, Bretz and Westfall 2008), and an omnibus test is for the hypothesis that all are equal.

    Parameters
    ----------
    y_true : array-like or Dask collection
        The labels of the rows; if unpaired, of those of ``score_a``. Or a function that returns chunks of labels, a
        mapping of names to scores, and weights if rows have any; then pass nothing else about the rows. For paired
        comparisons also :class:`podium.labels.Observed`: the difference is then that of this very list.
    score_a, score_b : array-like or Dask collection
        The scores of the two scorers. Or only ``score_a``: a mapping of names to the scores of several scorers, which
        are compared in all pairs.
    phi : Phi or str
        The score-generating function φ, which says which part of the list matters; see `podium.phi`.
    metric : str, optional
        A metric in place of ω_φ: ``"average-precision"``, ``"ndcg"``, ``"precision-at:100"``, ``"recall-at:100"`` or
        ``"lift-at:100"``, each as in `podium.metrics`; what it is in the population as in `interval`.
        In simulations with equal scorers (100/100, 30/270, 20/500 rows; 600 lists each), the 5 % test rejected for
        average precision in .008 to .040, NDCG in .015 to .057, precision, recall and lift at 20 in .020 to .060.
    paired : bool
        Whether both scorers rated the same rows.
    y_true_b : array-like, optional
        The labels of the rows of ``score_b``, if unpaired.
    alternative : {"two-sided", "greater", "less"}
        The alternative: any difference, or that a is better (``"greater"``) or worse (``"less"``) than b. In the latter
        two cases the interval is one-sided.
    margin : float, optional
        The largest difference that does not matter, above 0: tests non-inferiority (one-sided) or equivalence.
    confidence_level : float
        The nominal coverage of the interval for the difference.
    sample_weight : array-like, optional
        One weight per row, for paired comparisons; a weight of 3 is equivalent to three equal rows.
    groups : array-like, optional
        The cluster of each row, for paired comparisons: rows of a cluster may be dependent.
    strata : array-like, optional
        The stratum of each row (center, query), for paired comparisons by a φ: only pairs of rows within strata count,
        as in `stratified_interval`.
    new_strata : bool
        Whether the comparison is for new strata from the same population, rather than for these strata.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    Comparison or Comparisons
        The difference between two scorers with its interval and test; for more than two, those of all pairs.

    Examples
    --------
    >>> from podium.inference import compare
    >>> y, a, b = [0, 0, 0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8], [2, 1, 5, 3, 4, 8, 6, 7]
    >>> compare(y, a, b)
    difference in AUC (a − b) +0.062, 95 % interval −0.154 to +0.279, p = 0.506 (paired, two-sided); note: ...
    >>> compare(y, a, b, margin=0.4, alternative="greater")
    difference in AUC (a − b) +0.062, 95 % interval −0.109 to +1.000, p < 0.001 (paired, not worse by 0.4); note: ...
    >>> compare(y, {"old": b, "new": a, "length": [3, 1, 4, 1, 5, 9, 2, 6]})
    3 differences in AUC (p-values by Holm; all equal: p = 0.448): old − new −0.062, p = ...
    """
    _input.check_choice("alternative", alternative, ALTERNATIVES)
    level = _input.check_fraction("confidence_level", confidence_level)
    if margin is not None:
        margin = _input.check_number("margin", margin, 0, open_low=True)
    if metric is not None and phi != "auc":
        raise InputError("Compare scorers by a φ or by a metric; got both.", "omit one of them.")
    if callable(y_true) or is_collection(y_true):
        refuse("compare", metric=metric, unpaired=not paired, y_true_b=y_true_b, groups=groups, strata=strata)
        scored = (
            Lists.of_chunks(y_true)
            if callable(y_true)
            else Lists.of_collections(y_true, _by_name(score_a, score_b), sample_weight)
        )
        return scored.compare(resolve(phi), alternative, level, pos_label, margin=margin)
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
        covariance = _independent(apart)
        unpaired = Question(apart, covariance, alternative, level, errors, paired=False, margin=margin)
        return unpaired.all_pairs(("a", "b"))
    if y_true_b is not None:
        raise InputError("A paired comparison has one vector of labels; got y_true_b.", "pass paired=False.")
    scores = _by_name(score_a, score_b)
    if isinstance(y_true, Observed) and y_true.has_gaps:
        refuse_options(
            y_true, sample_weight=sample_weight is not None, groups=groups is not None, strata=strata is not None
        )
        return Question(*compared(y_true, scores, spec, pos_label), alternative, level, margin=margin).all_pairs(
            list(scores)
        )
    y: Any = y_true
    samples = [_input.check_sample(y, s, sample_weight, pos_label) for s in scores.values()]
    estimates: Sequence[MetricEstimate]
    if strata is None:
        clusters = None if groups is None else clusters_of(groups, sample_weight, len(samples[0].scores))
        estimates = [metric_estimate(sample, spec) for sample in samples]
        covariance = covariance_of_rows(np.array([e.influence for e in estimates]), samples[0], clusters)
    else:
        within = Strata.of(samples[0], strata, sample_weight, groups, new_strata)
        stratified = [within.estimate(sample, resolve(phi)) for sample in samples]
        estimates, covariance = stratified, within.covariance(stratified)
    leaning = paired_errors(estimates, covariance) if strata is None and groups is None else None
    question = Question(
        estimates, covariance, alternative, level, leaning, within_strata=strata is not None, margin=margin
    )
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
