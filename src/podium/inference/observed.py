"""Where only some rows of the list have labels: estimates for the whole list by design, or bounds on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from podium import phi as phi_
from podium._results import wording
from podium._results.result import Result
from podium._types import Array
from podium.exceptions import InputError
from podium.inference.intervals.limits import Limits, on_logit_scale, wald
from podium.inference.lists.estimates import MetricEstimate
from podium.inference.lists.influence import Covariance
from podium.inference.lists.ranking import Ranking
from podium.labels import Observed
from podium.labels.chances import firth, with_intercept
from podium.labels.design import Design, design_of
from podium.labels.lists import PartlyLabeled
from podium.labels.measures import Measure, among_first, first_rows, prevalence, rank_statistic
from podium.labels.observed import missing_entries
from podium.metrics import auc
from podium.metrics.named import named
from podium.phi import Phi

_AT_CUT = 50  # rows on either side of a cut whose predicted labels give the chance of a positive there
_FAR = 3.0  # standard errors: fewer labels than that below those to expect are no accident of the draw
_FEW_DRAWN = 5  # positives: with fewer, intervals are wide and their coverage can be a few percent short


@dataclass(frozen=True, kw_only=True, repr=False)
class Bounds(Result):
    """What a measure of the whole list can be, given the labels that were observed.

    There is no estimate, since nothing says how the rows without a label differ from those with one.

    Attributes
    ----------
    low, high : float
        The lowest and the highest value that labels of the other rows could give.
    phi : str
        The specification of φ, or the name of a metric.
    n_labeled, n_rows : int
        How many rows have a label, and how many the list has.
    odds_ratio : float or None
        How far the odds of rows without a label may be from those expected, if that was stated.
    probability : float
        With which the bounds then hold, at least; 1 without such a statement: they hold for certain.
    """

    low: float
    high: float
    phi: str
    n_labeled: int
    n_rows: int
    odds_ratio: float | None = None
    probability: float = 1.0

    def __repr__(self) -> str:
        digits, others = wording.decimals(self.high - self.low), f"the {self.n_rows - self.n_labeled:,} rows without"
        given = (
            f"whatever the labels of {others} one"
            if self.odds_ratio is None
            else f"if the odds of {others} a label are at most {self.odds_ratio:g} times higher or lower than expected "
            f"({wording.percent(self.probability)})"
        )
        return wording.minus(
            f"{wording.statistic(self.phi)} of all {self.n_rows:,} rows: between {self.low:.{digits}f} and "
            f"{self.high:.{digits}f}, {given}"
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class DesignEstimate(MetricEstimate):
    """A measure of the whole list, estimated by design; ``influence`` holds its slope in the label of every row."""

    design: Design
    measure: Measure

    @classmethod
    def of(cls, design: Design, rows: PartlyLabeled, measure: Measure) -> DesignEstimate:
        worst, best = measure.bounds(rows)
        value = float(np.clip(measure.at(design.pseudo_labels), worst, best))
        return cls(
            name=measure.name,
            ranking=Ranking.of_groups(design.tie_groups(rows), measure.phi),
            value=value,
            influence=measure.slopes(design.pseudo_labels),
            events=lambda: (0.0, 0.0),
            worst=worst,
            best=best,
            design=design,
            measure=measure,
        )

    def limits(self, confidence_level: float, clusters: Array | None = None) -> Limits:
        """Those of the scale that the known labels leave open.

        The variance is that of a list whose labels are predicted, where it is larger than what was drawn shows, and
        predictions stay off 0 and 1: so limits hold where few positives were drawn, or none.
        """
        variance = float(self.design.covariance(self.influence[None])[0, 0])
        return limits_between(self.worst, self.best, self.value, variance, confidence_level)


def limits_between(worst: float, best: float, value: float, variance: float, confidence_level: float) -> Limits:
    """Limits of a value that is known to lie between two others, on the logit scale from one to the other."""
    width, error = best - worst, float(np.sqrt(variance))
    if width < 1e-12 or not error:
        return Limits(value, value, error)
    share = (value - worst) / width
    low, high, _ = (on_logit_scale if 0 < share < 1 else wald)(share, variance / width**2, confidence_level)
    return Limits(min(worst + width * low, value), max(worst + width * high, value), error)


def estimate_or_bounds(
    observed: Observed, y_score: Any, spec: Phi | str, sample_weight: Any, pos_label: Any, confidence_level: float
) -> DesignEstimate | Bounds:
    """What the observed labels say of a measure of the whole list."""
    rows = PartlyLabeled.of(observed, y_score, pos_label, sample_weight, by_row=False)
    measure = measure_of(rows, spec)
    if rows.inclusion is not None:
        return DesignEstimate.of(Design([rows]), rows, measure)
    ratio = observed.odds_ratio
    low, high = measure.bounds(rows) if ratio is None else _within(rows, measure, ratio, confidence_level)
    return Bounds(
        low=low,
        high=high,
        phi=measure.name,
        n_labeled=rows.n_labeled,
        n_rows=rows.n_rows,
        odds_ratio=ratio,
        probability=1.0 if ratio is None else confidence_level,
    )


def _within(rows: PartlyLabeled, measure: Measure, odds_ratio: float, level: float) -> tuple[float, float]:
    r"""Bounds where the odds of every row without a label are at most Γ times higher or lower than expected.

    Its chance of a positive is then from :math:`m/(m + \Gamma(1 - m))` to :math:`\Gamma m/(\Gamma m + 1 - m)`, where m
    is predicted, or comes from a logistic regression of the known labels on the score. To the extremes over all such
    chances come limits: labels are drawn with these chances, and the regression is estimated.
    """
    predictors, scatter = np.ones((rows.n_rows, 1)), np.zeros((1, 1))
    expected = rows.observed.predicted
    if expected is None:
        rows.require_both_classes()
        predictors = with_intercept(rows.normal_scores[:, None], rows.is_labeled)
        line, scatter = firth(predictors, rows.is_positive, rows.is_labeled)
        expected = expit(predictors @ line)
    low, high = (expected * ratio / (expected * ratio + 1 - expected) for ratio in (1 / odds_ratio, odds_ratio))
    worst, best = measure.bounds(rows)
    limits = []
    for labels in measure.extremes(rows, low, high):
        slopes = measure.slopes(labels)
        spread = np.where(rows.is_labeled, 0.0, labels * (1 - labels))
        toward = (slopes * spread) @ predictors
        variance = float(slopes**2 @ spread + toward @ scatter @ toward)
        limits.append(limits_between(worst, best, measure.at(labels), variance, level))
    return limits[0].low, limits[1].high


def tpr_estimate(observed: Observed, y_score: Any, fpr: float, pos_label: Any) -> DesignEstimate:
    r"""The true positive rate of the whole list where its false positive rate is ``fpr``.

    The cut is where the estimated negatives above it are that share of all. A label more moves the cut, too: with the
    chance c of a positive at the cut, the slope of the curve there is :math:`R' = \frac{c}{1 - c} \frac{m}{n}`, and the
    slope of the rate in the label of row i is
    :math:`(1\{i \text{ above}\} - \hat R)/n + R' (1\{i \text{ above}\} - t)/m`.
    """
    design, rows = design_of(observed, y_score, None, pos_label)
    labels = design.pseudo_labels
    from_top = np.argsort(-rows.group, kind="stable")
    n_pos = float(labels.sum())
    n_neg = rows.n_rows - n_pos
    # Totals of estimated labels need not rise from row to row: the first place that reaches the rate.
    false = np.maximum.accumulate(np.cumsum(1 - labels[from_top]))
    k = float(np.clip(np.interp(fpr * n_neg, false, np.arange(1.0, rows.n_rows + 1)), 1, rows.n_rows - 1))
    above = among_first(rows, k)
    recall = first_rows(rows, "recall-at", round(k))
    value = float(np.clip(above @ labels / n_pos, 0.0, 1.0))
    around = from_top[max(int(k) - _AT_CUT, 0) : int(k) + _AT_CUT]
    chance = min(float(design.predicted[around].mean()), 0.99)
    steepness = chance / (1 - chance) * n_neg / n_pos
    slopes = (above - value) / n_pos + steepness * (above - fpr) / n_neg
    return DesignEstimate(
        name=f"tpr-at-fpr:{fpr:g}",
        ranking=Ranking.of_groups(design.tie_groups(rows), phi_.Mww()),
        value=value,
        influence=slopes,
        events=lambda: (0.0, 0.0),
        design=design,
        measure=recall,
    )


def labels_note(design: Design) -> str:
    """From how many labels an estimate for all rows comes, and a warning where few of the rows drawn are positive."""
    rows, observed = design.rows, design.rows.observed
    drawn = rows.is_labeled & (design.inclusion < 1)
    n_drawn = int((drawn & rows.is_positive).sum())
    few = f"; only {n_drawn} of the rows drawn at random are positive" if n_drawn < _FEW_DRAWN else ""
    learned = ", as if nothing but these columns bore on who has one" if observed.learns_inclusion else ""
    source = "" if observed.predicted is None else "a second source has"
    if observed.columns is not None and not observed.learns_inclusion:
        source = "columns and a second source have" if source else "columns have"
    further = f"; {source} a share of {design.share:.2f} in predicted labels" if source else ""
    late = _late_labels(observed, rows)
    return f"estimated for all {rows.n_rows:,} rows from {rows.n_labeled:,} labels{learned}{few}{further}{late}"


def _late_labels(observed: Observed, rows: PartlyLabeled) -> str:
    """That labels are still out: of rows that were looked at, or as far fewer rows have one than were to be drawn."""
    inclusion, n_out = observed.inclusion, observed.n_out
    assert inclusion is not None
    due = float(inclusion.sum())
    n_short, variance = due - rows.n_labeled, max(due - float(inclusion @ inclusion), 0.0)
    if not n_out and n_short <= max(_FAR * variance**0.5, 0.5):
        return ""
    order = "" if observed.when is None else _order_of_arrival(observed.when, rows)
    return (
        f"; labels of {n_out or round(n_short):,} rows are out and count as not drawn, which is right if late labels "
        f"are like early ones{order}"
    )


def _order_of_arrival(when: Array, rows: PartlyLabeled) -> str:
    """Which labels came first, if that is no chance: the rank test of Mann and Whitney on the times."""
    came = np.flatnonzero(rows.is_labeled & ~missing_entries(when))
    is_positive = rows.is_positive[came]
    n_pos, n_all = int(is_positive.sum()), len(came)
    if n_pos in (0, n_all):
        return ""
    order = np.unique(when[came], return_inverse=True)[1]
    later = (float(auc(is_positive, order)) - 0.5) / np.sqrt((n_all + 1) / (12 * n_pos * (n_all - n_pos)))
    if abs(later) < _FAR:
        return ""
    first, toward = ("negatives", "few") if later > 0 else ("positives", "many")
    return f"; they are not: {first} came first, so that estimates count too {toward} positives"


def refuse_options(observed: Observed, **given: bool) -> None:
    """Options that are for lists all of whose rows are labeled."""
    for name, is_given in given.items():
        if is_given:
            raise InputError(
                f"With labels of some rows alone there is no {name}; got {observed!r}.",
                f"leave {name} out: limits follow from why other rows have no label.",
            )


def measure_of(rows: PartlyLabeled, spec: Phi | str) -> Measure:
    """The measure of a φ, or of a metric by its name."""
    if spec == "prevalence":
        return prevalence(rows)
    found = named(spec)
    if found.phi is not None and not found.is_negated:
        return rank_statistic(rows, found.phi)
    if found.name in ("precision-at", "recall-at", "lift-at") and isinstance(found.numbers[0], int):
        return first_rows(rows, found.name, found.numbers[0])
    raise InputError(
        f"With observed labels there are φ, prevalence, precision@k, recall@k and lift@k; got {spec!r}.",
        "of a list whose rows are all labeled there are more.",
    )


def compared(
    observed: Observed, scores: Mapping[str, npt.ArrayLike], spec: Phi | str, pos_label: Any
) -> tuple[list[DesignEstimate], Covariance]:
    """Estimates of several scorers by one design, and how they vary together."""
    lists = [PartlyLabeled.of(observed, each, pos_label) for each in scores.values()]
    measures = [measure_of(rows, spec) for rows in lists]
    if lists[0].inclusion is None:
        raise InputError(
            "A comparison on labels with gaps needs inclusion probabilities; got none.",
            "compare bounds by podium.inference.interval, scorer by scorer.",
        )
    design = Design(lists)
    estimates = [DesignEstimate.of(design, rows, each) for rows, each in zip(lists, measures, strict=True)]
    covariance = design.covariance(np.array([estimate.influence for estimate in estimates]))
    return estimates, Covariance(((covariance, design.degrees_of_freedom),))
