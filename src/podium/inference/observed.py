"""Where only some rows of the list have labels: estimates for the whole list by design, or bounds on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import phi as phi_
from podium._results import wording
from podium._results.result import Result
from podium._types import Array, FloatArray
from podium.exceptions import InputError
from podium.inference.intervals.limits import Limits, on_logit_scale, wald
from podium.inference.intervals.pseudo_event import both_limits
from podium.inference.lists.estimates import MetricEstimate
from podium.inference.lists.influence import Covariance
from podium.inference.lists.ranking import Ranking
from podium.labels import Observed
from podium.labels.lists import Design, PartlyLabeled, design_of
from podium.labels.measures import Measure, among_first, first_rows, prevalence, rank_statistic
from podium.metrics.scorers import named
from podium.phi import Phi

_AT_CUT = 50  # rows on either side of a cut whose predicted labels give the chance of a positive there
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
    """

    low: float
    high: float
    phi: str
    n_labeled: int
    n_rows: int

    def __repr__(self) -> str:
        digits = wording.decimals(self.high - self.low)
        return wording.minus(
            f"{wording.statistic(self.phi)} of all {self.n_rows:,} rows: between {self.low:.{digits}f} and "
            f"{self.high:.{digits}f}, whatever the labels of the {self.n_rows - self.n_labeled:,} rows without one"
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
        """See `limits_within`."""
        variance = float(self.design.covariance(self.influence[None])[0, 0])
        unsure = np.flatnonzero(self.design.inclusion < 1)
        events = drawn_events(self.influence[unsure], self.design.inclusion[unsure], self.design.predicted[unsure])
        return limits_within(self.value, (self.worst, self.best), variance, events, confidence_level)


def limits_within(
    value: float, ends: tuple[float, float], variance: float, events: tuple[float, float], level: float
) -> Limits:
    r"""Limits on the part of the scale that the known labels leave open.

    On either side the nearer of two: the farther one of the limits ± z·SE on the scale of the share and of its logit,
    which lean to opposite sides; and the pseudo-event limit, which stays finite where few positives were drawn: one
    more positive drawn, of weight 1/π.
    """
    worst, width = ends[0], ends[1] - ends[0]
    error = float(np.sqrt(variance))
    if width < 1e-12:
        return Limits(value, value, error)
    share, variance = (value - worst) / width, variance / width**2
    loss, gain = (min(event / width, 1.0) for event in events)
    far = both_limits(share, variance, loss, gain, level)
    plain = wald(share, variance, level)
    if 0 < share < 1:
        leaning = on_logit_scale(share, variance, level)
        plain = Limits(min(plain.low, leaning.low), max(plain.high, leaning.high), None)
        far = Limits(max(far.low, plain.low), min(far.high, plain.high), None)
    low, high = (worst + width * end for end in (far.low, far.high))
    return Limits(min(low, value), max(high, value), error)


def drawn_events(slopes: FloatArray, inclusion: FloatArray, chance: FloatArray) -> tuple[float, float]:
    """Sizes of one more loss and of one more gain: a positive more among the rows drawn, where one is likely."""
    change = slopes / inclusion
    sizes = []
    for direction in (-1.0, 1.0):
        size = np.maximum(direction * change, 0.0)
        total = float(chance @ size)
        sizes.append(float(chance @ size**2) / total if total > 0 else 0.0)
    return sizes[0], sizes[1]


def estimate_or_bounds(
    observed: Observed, y_score: Any, spec: Phi | str, sample_weight: Any, pos_label: Any
) -> DesignEstimate | Bounds:
    """What the observed labels say of a measure of the whole list."""
    rows = PartlyLabeled.of(observed, y_score, pos_label, sample_weight)
    measure = measure_of(rows, spec)
    if rows.inclusion is None:
        low, high = measure.bounds(rows)
        n_labeled = int(rows.is_labeled.sum())
        return Bounds(low=low, high=high, phi=measure.name, n_labeled=n_labeled, n_rows=rows.n_rows)
    return DesignEstimate.of(Design(rows, [rows.normal_scores]), rows, measure)


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


def labels_note(rows: PartlyLabeled) -> str:
    """From how many labels an estimate for all rows comes, and a warning where few of the rows drawn are positive."""
    drawn = rows.is_labeled & (rows.inclusion < 1)  # type: ignore[operator]  # only asked of designs
    n_drawn = int((drawn & rows.is_positive).sum())
    few = f"; only {n_drawn} of the rows drawn at random are positive" if n_drawn < _FEW_DRAWN else ""
    return f"estimated for all {rows.n_rows:,} rows from {int(rows.is_labeled.sum()):,} labels{few}"


def refuse_options(observed: Observed, **given: bool) -> None:
    """Options that are for lists all of whose rows are labeled."""
    for name, is_given in given.items():
        if is_given:
            raise InputError(
                f"With labels of some rows alone there is no {name}; got {observed!r}.",
                f"leave {name} out: limits follow from how the rows were chosen.",
            )


def measure_of(rows: PartlyLabeled, spec: Phi | str) -> Measure:
    """The measure of a φ, or of a metric by its name."""
    if spec == "prevalence":
        return prevalence(rows)
    name, arguments = named(spec)
    if name == "rank-statistic":
        return rank_statistic(rows, phi_.resolve(spec))
    if name in ("precision-at", "recall-at", "lift-at"):
        return first_rows(rows, name, int(arguments["k"]))
    raise InputError(
        f"With observed labels there are φ, prevalence, precision-at, recall-at and lift-at; got {spec!r}.",
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
    design = Design(lists[0], [rows.normal_scores for rows in lists])
    estimates = [DesignEstimate.of(design, rows, each) for rows, each in zip(lists, measures, strict=True)]
    covariance = design.covariance(np.array([estimate.influence for estimate in estimates]))
    return estimates, Covariance(((covariance, design.degrees_of_freedom),))
