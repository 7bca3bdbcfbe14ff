"""The public API as random calls: each draws its arguments, calls, and checks what it can against an oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from arrays import choose, columns, sample, scores
from bound_calls import PHI, a_bound
from oracles import auc, close, order
from sklearn.ensemble import ExtraTreesClassifier

from podium import criteria, inference, kernels, metrics, monitor, rankers, shortlist
from podium import phi as phi_
from podium._fast.reductions import draw_in_tails
from podium.inference.intervals import methods
from podium.metrics.push_sums import LOSSES
from podium.ranks import max_ranks, mid_ranks
from podium.roc import RocCurve, points

CRITERIA = ("auc", "power:3", "smooth-top:0.9", "early-recognition:20", "van-der-waerden", "logrank", "dcg", "logloss")
CRITERIA += ("push:4", "push:4:logistic", "push:1:hinge", "push:2:squared-hinge", "push:inf:logistic", "bottom:2")
CRITERIA += ("bottom:4:logistic", "ir-push", "partial-auc:0.05", "partial-auc:0.5", "push:64:logistic")
METHODS = ("auto", *methods.METHODS)

Call = Callable[[np.random.Generator], Any]


class WrongError(AssertionError):
    """A value that an oracle contradicts."""


def expect(holds: bool, *what: Any) -> None:
    """Complain about a value."""
    if not holds:
        raise WrongError(" ".join(map(repr, what)))


def rank_metric(function: Callable[..., Any], *, at_most: float = np.inf, **draws: Callable[..., Any]) -> Call:
    """A metric of ranks alone: the same for the numbers of the distinct scores, and in its range."""

    def call(rng: np.random.Generator) -> Any:
        y, s, w = sample(rng)
        options = {name: draw(rng) for name, draw in draws.items()}
        value = function(y, s, sample_weight=w, **options)
        same = function(y, order(np.asarray(s)), sample_weight=w, **options)
        expect(close(value, same), value, same)
        if np.ndim(value) == 0:
            expect(-1e-9 <= value <= at_most + 1e-9, value)
        return value

    return call


def an_auc(rng: np.random.Generator) -> Any:
    y, s, w = sample(rng)
    value = metrics.auc(y, s, sample_weight=w)
    if len(s) <= 40:
        expect(abs(value - auc(y, s, w)) < 1e-12, value, auc(y, s, w))
    return value


def a_curve(rng: np.random.Generator) -> Any:
    y, s, w = sample(rng)
    curve = RocCurve.from_scores(y, s, w)
    expect(bool((np.diff(curve.fpr) >= 0).all() and (np.diff(curve.tpr) >= 0).all()), "falls")
    expect(close(curve.auc(), metrics.auc(y, s, sample_weight=w), 1e-11), "area")
    hull = curve.hull()
    expect(hull.auc() >= curve.auc() - 1e-12, "hull")
    low, high = np.sort(rng.random(2))
    parts = curve.partial_auc(high, low), curve.distance(hull), curve.at([low, high])
    return *parts, curve.rank_statistic(choose("auc", "power:3", "logrank")(rng), 0.3)


def repeated_rows(rng: np.random.Generator) -> Any:
    """A whole weight is as many equal rows."""
    y, s, _ = sample(rng)
    w = rng.integers(1, 6, len(s))
    phi = choose(*PHI)(rng)
    value = metrics.rank_statistic(y, s, phi, sample_weight=w, scale="mean")
    rows = metrics.rank_statistic(np.repeat(y, w), np.repeat(s, w), phi, scale="mean")
    expect(close(value, rows), phi, value, rows)
    return value


def a_push_risk(rng: np.random.Generator) -> Any:
    y, s, w = sample(rng)
    loss, p = choose(*LOSSES)(rng), choose(1.0, 2.0, 4.5, 64.0, np.inf)(rng)
    normalize = bool(rng.random() < 0.5)
    value = metrics.push_risk(y, s, p=p, loss=loss, log=True, normalize=normalize, sample_weight=w)
    if loss == "zero_one":
        same = metrics.push_risk(y, order(s), p=p, loss=loss, log=True, normalize=normalize, sample_weight=w)
        expect(close(value, same), value, same)
    return value


def a_criterion(rng: np.random.Generator) -> Any:
    y, s, w = sample(rng)
    spec = choose(*CRITERIA)(rng)
    criterion = criteria.resolve(spec)
    tol = choose(1e-3, 1e-6, 1e-8, 1e-9, 1e-12)(rng)
    if "logistic" in spec:
        criterion = criteria.PNormPush(choose(1.0, 2.0, 4.0)(rng), "logistic", tol)
    elif rng.random() < 0.3:
        kernel = choose(*kernels.BY_NAME)(rng)
        relative = bool(rng.random() < 0.5)
        bandwidth = 10.0 ** rng.uniform(-5, 5)
        smooth = choose("auc", "power:3", "logrank")(rng)
        criterion = criteria.RankStatistic(smooth, kernel, bandwidth, relative=relative, tol=tol)
    value, gradient = criterion.value_and_gradient(s, y, w)
    expect(bool(np.isfinite(gradient).all()), spec, "gradient")
    if criterion.phi is not None and phi_.resolve(criterion.phi).sup_norm == 1:
        expect(-1e-6 <= value <= 1 + 1e-6, spec, value)
    if spec.startswith(("push", "bottom", "ir")) and criterion.phi is None:
        expect(abs(gradient.sum()) <= 1e-4 * max(np.abs(gradient).max(), 1e-300) * len(gradient), spec, "sum")
    return value, gradient


def an_interval(rng: np.random.Generator) -> Any:
    y, s, w = sample(rng)
    found = inference.interval(
        y, s, choose(*PHI)(rng), method=choose(*METHODS)(rng), sample_weight=w, n_resamples=50, rng=0
    )
    expect(found.low - 1e-9 <= found.estimate <= found.high + 1e-9, found)
    return found


def a_comparison(rng: np.random.Generator) -> Any:
    y, s, w = sample(rng)
    found = inference.compare(y, s, scores(rng, len(s)), choose("auc", "power:3", "dcg")(rng), sample_weight=w)
    expect(0 <= found.pvalue <= 1, found)
    return found


def a_test(rng: np.random.Generator) -> Any:
    x, y = scores(rng, int(rng.integers(1, 20))), scores(rng, int(rng.integers(1, 20)))
    found = inference.rank_test(x, y, choose(*PHI)(rng), n_resamples=99, rng=0)
    expect(0 <= found.pvalue <= 1, found)
    return found


def a_shortlist(rng: np.random.Generator) -> Any:
    y, s, _ = sample(rng)
    new, share = scores(rng, int(rng.integers(1, 50))), float(rng.random())
    found = choose(
        lambda: shortlist.by_fdr(y, s, new, fdr=share),
        lambda: shortlist.by_recall(y, s, new, recall=share),
        lambda: shortlist.by_fpr(y, s, new, fpr=share),
        lambda: shortlist.by_precision(y, s, new, precision=share),
        lambda: shortlist.by_cost(y, s, new, gain=2.0, cost=share),
    )(rng)()
    expect(bool((found.chosen == (new.astype(float) >= found.threshold)).all()), found)
    return found


def a_monitor(rng: np.random.Generator) -> Any:
    y, s, _ = sample(rng)
    phi = choose("auc", "power:3", "top:0.9", "dcg", "early-recognition:20")(rng)
    drift = monitor.DriftMonitor(np.tile(s, 20), phi).update(scores(rng, 30))
    quality = monitor.PerformanceMonitor(np.tile(y, 50), np.tile(s, 50), phi).update(y, s)
    expect(quality.e_value >= 0 and drift.e_value >= 0 and quality.low <= quality.high, quality, drift)
    return quality, drift


def other_inference(rng: np.random.Generator) -> Any:
    y, s, _ = sample(rng)
    number = float(rng.random())
    return choose(
        lambda: inference.tpr_interval(y, s, fpr=number),
        lambda: inference.specificity_interval(y, s, tpr=number),
        lambda: inference.partial_auc_interval(y, s, max_fpr=number),
        lambda: inference.precision_at_interval(y, s, k=int(rng.integers(1, len(s) + 2))),
        lambda: inference.influence_values(y, s, choose(*PHI)(rng)),
        lambda: inference.certificate(y, s, choose("auc", "power:3")(rng)),
        lambda: inference.push_certificate(y, s, 1 + 4 * number),
        lambda: a_shortlist(rng),
        lambda: a_monitor(rng),
    )(rng)()


def with_groups(rng: np.random.Generator) -> Any:
    """Estimates by group, stratum or covariate, and points of the curve: inside their limits."""
    y, s, w = sample(rng)
    groups, phi = rng.integers(0, rng.integers(1, 5), len(s)), choose("auc", "power:3", "dcg")(rng)
    found = choose(
        lambda: tuple(inference.by_group(y, s, groups, phi, sample_weight=w)),
        lambda: (inference.stratified_interval(y, s, groups, phi, sample_weight=w),),
        lambda: (inference.stratified_interval(y, s, groups, phi, new_strata=True, sample_weight=w),),
        lambda: (inference.unmixed_interval(y, s, share=float(rng.random()), sample_weight=w),),
        lambda: (inference.covariate_adjusted_interval(y, s, scores(rng, len(s))),),
        lambda: (inference.interval(y, s, metric="average-precision", sample_weight=w),),
        lambda: (points(y, s).best(choose("youden", "closest")(rng), n_resamples=5, rng=0).youden,),
    )(rng)()
    for each in found:
        expect(each.low - 1e-9 <= each.estimate <= each.high + 1e-9, each)
    return found


def a_long_list(rng: np.random.Generator) -> Any:
    """Long enough to be put in order by counting."""
    long = np.arange(40_000.0) // rng.integers(1, 4)
    tailed = np.tan(long[::-1] + rng.random()) * 10.0 ** rng.uniform(-300, 300)
    s = choose(long, tailed, np.exp2(rng.integers(-1000, 1000, 40_000)))(rng)
    h = choose(None, 5e-4)(rng)  # cells in which some of the rows are, or fewer than matter
    return choose(
        lambda: inference.interval(long % 7 < 3, s, "power:2.5").estimate,
        lambda: inference.interval(long % 7 < 3, s, method="delong").estimate,
        lambda: metrics.auc(long % 7 < 3, s),
        lambda: mid_ranks(s),
        lambda: criteria.RankStatistic("power:3", bandwidth=h).value_and_gradient(s, long % 7 < 3),
        lambda: criteria.IRPush().value_and_gradient(np.clip(s, -1e99, 1e99), long % 7 < 3),
    )(rng)()


def forests_in_a_stack(X: Any, *rest: Any) -> Any:
    """Well within single precision: beyond it scikit-learn's forests refuse, and the stack says that it goes on."""
    return rankers.StackedRanker([ExtraTreesClassifier(3)], cv=2).fit(np.clip(X, -1e30, 1e30), *rest).weights_


def seldom(rng: np.random.Generator) -> Any:
    """What takes longer, and loops that nothing else uses."""
    y, s, w = sample(rng)
    return choose(
        lambda: inference.roc_band(y, s, method="ell", n_resamples=100, rng=0),
        lambda: inference.roc_band(y, s, method="calibrated", n_resamples=100, rng=0),
        lambda: inference.roc_band(y, s, method="bootstrap", n_resamples=100, rng=0),
        lambda: inference.hits_lower_bound(y, s, scores(rng, 30)),
        lambda: inference.rank_test(s, scores(rng, 20), method="permutation", n_resamples=99, rng=0),
        lambda: inference.interval(y, s, method="delong", sample_weight=w),
        lambda: rankers.BoostedRanker(weak="stumps", n_rounds=5).fit(*columns(rng)[:2]).n_features_in_,
        lambda: rankers.LinearRanker("logloss", l1=0.01).fit(*columns(rng)[:2]).coef_,
        lambda: rankers.BoostedRanker("push:2", n_rounds=5).fit(*columns(rng)[:2]).n_features_in_,
        lambda: rankers.TreeRanker(choose(*PHI)(rng), rule_depth=2).fit(*columns(rng)).segments_.rows,
        lambda: forests_in_a_stack(*columns(rng)),
        lambda: draw_in_tails(np.asarray(s, np.float64), 0.0, 1.0, 3.0, 0.0, np.empty(len(s))),
        lambda: rankers.ForestRanker(n_estimators=3, categorical_features=[0]).fit(*columns(rng)).n_features_in_,
    )(rng)()


def a_ranker(rng: np.random.Generator) -> Any:
    if rng.random() > 0.03:  # a fit takes longer than a hundred metrics
        return None
    X, y, w = columns(rng)
    made = choose(
        lambda: rankers.LinearRanker(choose(*CRITERIA)(rng)),
        lambda: rankers.QuadraticRanker(choose("auc", "push:2")(rng)),
        lambda: rankers.BoostedRanker(choose("push:1", "push:4:logistic")(rng)),
    )(rng)()
    return made.fit(X, y, sample_weight=w).decision_function(X)


CALLS: dict[str, Call] = {
    "auc": an_auc,
    "curve": a_curve,
    "rank_statistic": rank_metric(metrics.rank_statistic, at_most=1, phi=choose(*PHI)),
    "repeated rows": repeated_rows,
    "bedroc": rank_metric(metrics.bedroc, at_most=1, alpha=choose(0.1, 20.0, 1e4)),
    "partial_auc": rank_metric(
        metrics.partial_auc, at_most=1, max_fpr=choose(0.01, 0.3, 1.0), standardize=choose(None, "mean")
    ),
    "tpr_at_fpr": rank_metric(metrics.tpr_at_fpr, at_most=1, fpr=choose(0.0, 0.1, 1.0)),
    "precision_at": rank_metric(metrics.precision_at, at_most=1, fraction=choose(0.01, 0.3, 1.0)),
    "recall_at": rank_metric(metrics.recall_at, at_most=1, k=choose(1, 3)),
    "lift_at": rank_metric(metrics.lift_at, fraction=choose(0.01, 0.3)),
    "average_precision": rank_metric(metrics.average_precision, at_most=1),
    "dcg": rank_metric(
        metrics.dcg, k=choose(None, 1, 5), normalize=choose(True, False), ties=choose("average", "worst")
    ),
    "average_reciprocal_rank": rank_metric(metrics.average_reciprocal_rank, at_most=1),
    "heights": rank_metric(metrics.heights),
    "reverse_heights": rank_metric(metrics.reverse_heights),
    "push_risk": a_push_risk,
    "mid_ranks": lambda rng: mid_ranks(*sample(rng)[1:]),
    "max_ranks": lambda rng: max_ranks(*sample(rng)[1:]),
    "criterion": a_criterion,
    "more criteria": a_criterion,
    "interval": an_interval,
    "comparison": a_comparison,
    "rank_test": a_test,
    "other inference": other_inference,
    "with groups": with_groups,
    "long list": a_long_list,
    "seldom": seldom,
    "bound": a_bound,
    "ranker": a_ranker,
}
