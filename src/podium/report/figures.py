"""The pictures of the report, from results computed elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
from markupsafe import Markup

from podium import _input
from podium._results.wording import level, minus, percent
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.inference import CalibrationBand, RocBand
from podium.inference.hits.per_period import PeriodLists
from podium.plots import ScoreDisplay
from podium.rankers.calibration.curves import Reliability
from podium.report.axes import HEIGHT, WIDTH, Axes, Axis
from podium.report.budgets import RankedList, Row
from podium.report.wording import briefly, count, score, share_on_axis, times, times_on_axis

# More bars than this nobody reads.
MOST_SHOWN = 20
_LONGEST, _STEP = 20, 26.0  # letters of a value beside its bar, and the height of a bar with the gap after it


@dataclass(frozen=True)
class Figure:
    """A picture with a caption, a text alternative, and the positions of the slider's marker."""

    name: str
    title: str
    description: str
    drawing: Markup
    legend: Sequence[tuple[str, str]]  # how it is drawn, what it is
    markers: Sequence[tuple[float, float]] = field(default=())
    marker_is_line: bool = False
    width: float = WIDTH
    height: float = HEIGHT


def figures(
    ranked: RankedList, band: RocBand | None, rows: Sequence[Row], budget: Row, displayed: ScoreDisplay
) -> list[Figure]:
    """All pictures, in the order of the page."""
    # Twice as far as the budget reaches, so that its surroundings are seen, too.
    zoom = min(1.0, max(2 * budget.fpr, 0.01))
    whole = _roc(ranked, band, rows, "roc", "ROC curve", 1.0, 1.0)
    near_top = float(ranked.curve.at(zoom) if band is None else band.at(zoom)[1])
    title = f"The part that matters: up to {percent(zoom)}"
    part = _roc(ranked, band, rows, "zoom", title, zoom, near_top or 1.0)
    scores = scores_figure(displayed, [row.threshold for row in rows], "Cutoff at the chosen budget")
    return [whole, part, _gain(ranked, rows), _lift(ranked, rows), scores]


def _roc(
    ranked: RankedList, band: RocBand | None, rows: Sequence[Row], name: str, title: str, right: float, top: float
) -> Figure:
    axes = Axes(Axis(0, right, "False positive rate", share_on_axis), Axis(0, top, "True positive rate", share_on_axis))
    curve, halfway = ranked.curve, right / 2
    inside = curve.fpr <= right
    x, y = np.append(curve.fpr[inside], right), np.append(curve.tpr[inside], curve.at(right))
    drawing = [
        axes.frame(),
        axes.line(np.array([0, min(right, top)]), np.array([0, min(right, top)]), "chance"),
        axes.line(x, y, "curve"),
    ]
    at_half = percent(float(curve.at(halfway)))
    description = f"{title}. At a false positive rate of {percent(halfway)} the true positive rate is {at_half}"
    legend = [("curve", f"This ranking (AUC {curve.auc():.3f})"), ("chance", "Random order")]
    if band is not None:
        drawing.insert(1, _band(axes, band, right))
        limits = [percent(float(limit)) for limit in band.at(halfway)]
        description += f", band {limits[0]} to {limits[1]}"
        surety = "guaranteed" if band.guaranteed else "approximate"
        legend.insert(1, ("band", f"{level(band.confidence_level)} band for the whole curve, {surety}"))
    markers = [axes.point(row.fpr, row.tpr) for row in rows]
    return Figure(name, title, f"{description}.", stacked(*drawing), legend, markers)


def _band(axes: Axes, band: RocBand, right: float) -> Markup:
    inside, edge = band.fpr <= right, band.at(right)
    low, high = (np.append(limit[inside], end) for limit, end in zip((band.low, band.high), edge, strict=True))
    return axes.area(np.append(band.fpr[inside], right), low, high, "band")


def _gain(ranked: RankedList, rows: Sequence[Row]) -> Figure:
    axes = Axes(
        Axis(0, 1, "Share of the list inspected", share_on_axis),
        Axis(0, 1, "Share of all positives found", share_on_axis),
    )
    shares = ranked.shares
    at, low, high = _limits(rows)
    drawing = stacked(
        axes.frame(),
        axes.area(np.append(0, at), np.append(0, low), np.append(0, high), "band") if len(at) else Markup(""),
        axes.line(np.array([0, 1]), np.array([0, 1]), "chance"),
        axes.line(shares, ranked.curve.tpr, "curve"),
    )
    tenth = percent(float(np.interp(0.1, shares, ranked.curve.tpr)))
    description = f"Gain curve. The first 10 % of the list hold {tenth} of the positives."
    markers = [axes.point(row.share, row.recall[0]) for row in rows]
    return Figure("gain", "Gain: positives found", description, drawing, _legend(ranked, rows), markers)


def _lift(ranked: RankedList, rows: Sequence[Row]) -> Figure:
    at, low, high = _limits(rows)
    first = rows[0].share
    # From the least budget on, also where the first rows all tie.
    shares = np.append(first, ranked.shares[ranked.shares > first])
    tpr = np.interp(shares, ranked.shares, ranked.curve.tpr)
    top = 1.05 * float((high / at if len(at) else tpr / shares).max())
    least = first if first < 1 else 0.5  # a list of one row has no extent of its own
    axes = Axes(
        Axis(least, 1, "Share of the list inspected (logarithmic)", share_on_axis, logarithmic=True),
        Axis(0, top, "Lift over random order", times_on_axis),
    )
    drawing = stacked(
        axes.frame(),
        axes.area(at, low / at, high / at, "band") if len(at) else Markup(""),
        axes.line(np.array([least, 1]), np.array([1, 1]), "chance"),
        axes.line(shares, tpr / shares, "curve"),
    )
    tenth = times(float(np.interp(0.1, ranked.shares, ranked.curve.tpr)) / 0.1)
    description = f"Lift curve. The first 10 % of the list hold {tenth} as many positives as in random order."
    markers = [axes.point(row.share, row.lift[0]) for row in rows]
    return Figure(
        "lift", "Lift: how many times as many as in random order", description, drawing, _legend(ranked, rows), markers
    )


def scores_figure(displayed: ScoreDisplay, cutoffs: Sequence[float], cutoff: str) -> Figure:
    """Scores of both classes, and a line for one of the cutoffs."""
    top = max(float(displayed.positives.max()), float(displayed.negatives.max()))
    edges = displayed.edges
    axes = Axes(
        Axis(float(edges[0]), float(edges[-1]), "Score", score),
        Axis(0, 1.05, "Density relative to the highest bar", share_on_axis),
    )
    x = np.repeat(edges, 2)[1:-1]
    drawing = [axes.frame()]
    for density, look in ((displayed.negatives, "negatives"), (displayed.positives, "positives")):
        height = np.repeat(density / top, 2)
        drawing += [axes.area(x, np.zeros_like(x), height, f"{look} fill"), axes.line(x, height, look)]
    legend = [
        ("negatives", f"Negatives ({displayed.n_neg:,})"),
        ("positives", f"Positives ({displayed.n_pos:,})"),
        ("threshold", cutoff),
    ]
    description = "Histograms of the scores of positives and of negatives, each of area one."
    markers = [axes.point(one, 0) for one in cutoffs]
    title = "Distribution of scores in both classes"
    return Figure("scores", title, description, stacked(*drawing), legend, markers, marker_is_line=True)


def lists_figure(lists: PeriodLists, row: Row) -> Figure:
    """Hits of every list at the budget, in order of time, and the range for the next list."""
    hits = lists.hits(row.budget)
    _, low, high = row.hits
    at = np.arange(1.0, len(hits) + 1)
    top = 1.05 * max(float(hits.max()), high if row.has_range else 1, 1)
    axes = Axes(Axis(1, float(len(hits)), "List", count), Axis(0, top, "Hits", count))
    ends = np.array([1.0, len(hits)])
    drawing = [axes.frame()]
    if row.has_range:
        drawing += [axes.area(ends, np.full(2, float(low)), np.full(2, float(high)), "band")]
    drawing += [axes.line(ends, np.full(2, row.random_hits), "chance"), axes.line(at, hits, "curve")]
    inside = int(((hits >= low) & (hits <= high)).sum())
    within = f", of which {inside:,} are within {low:,} to {high:,}" if row.has_range else ""
    description = f"Hits of {len(hits):,} lists{within}."
    legend = [("curve", "Hits of each list"), ("chance", "Random order")]
    if row.has_range:
        legend.insert(1, ("band", "Range for the next list"))
    return Figure("by-list", f"Hits in the top {row.budget:,} of each list", description, stacked(*drawing), legend)


def reliability_figure(reliability: Reliability, band: CalibrationBand | None = None) -> Figure:
    """Predicted probabilities and observed shares; where they agree, points lie on the diagonal."""
    top = 1.05 * float(max(reliability.said.max(), reliability.high.max()))
    axes = Axes(
        Axis(0, top, "Predicted probability", share_on_axis),
        Axis(0, top, "Observed share of positives", share_on_axis),
    )
    drawing = [axes.frame(), axes.line(np.array([0, top]), np.array([0, top]), "chance")]
    for x, y, low, high in zip(reliability.said, reliability.found, reliability.low, reliability.high, strict=True):
        drawing.append(axes.line(np.array([x, x]), np.array([low, high]), "limits"))
        px, py = axes.point(float(x), float(y))
        drawing.append(Markup('<circle class="point" r="3.5" cx="{}" cy="{}"/>').format(px, py))
    legend = [("limits", "Held-out rows, in bins, with 95 % limits"), ("chance", "Perfect calibration")]
    if band is not None:
        drawing.insert(1, axes.area(band.probability, band.low, band.high, "band"))
        legend.insert(1, ("band", f"{level(band.confidence_level)} band for the whole curve"))
    first, last = (
        f"predicted {percent(reliability.said[i])}, observed {percent(reliability.found[i])}" for i in (0, -1)
    )
    description = f"Reliability. In the lowest bin {first}; in the highest {last}."
    return Figure("reliability", "Predicted and observed probabilities", description, stacked(*drawing), legend)


def _limits(rows: Sequence[Row]) -> FloatArray:
    """Shares of the list, and between what recall lies there; empty where no range is given."""
    is_given = all(row.has_range for row in rows)
    return np.array([(row.share, *row.recall[1:]) for row in rows if is_given]).reshape(-1, 3).T


def shape_figure(name: str, values: Sequence[Any], places: Sequence[float]) -> Figure:
    """Mean place in the list by the value of a column: a line for numbers and dates, a bar for each word."""
    y, spread = np.asarray(places) / 100, f"from {percent(min(places) / 100)} to {percent(max(places) / 100)}"
    description = f"{name}: the mean place in the list by its value, {spread} of the way up."
    if isinstance(values[0], (str, bool, np.bool_)):
        bars = sorted(zip(map(_word, values), y.tolist(), strict=True), key=lambda bar: -bar[1])
        return Figure(f"shape-{name}", name, description, _bars(bars), [], height=_STEP * len(bars))
    is_time = not isinstance(values[0], (int, float, np.number))
    x = np.array([value.timestamp() if is_time else float(value) for value in values])
    axes = Axes(
        Axis(float(x.min()), float(x.max()), name, _month if is_time else briefly),
        Axis(0, 1, "Place in the list, 100 % is the top", share_on_axis),
    )
    points = [
        Markup('<circle class="point" r="3.5" cx="{}" cy="{}"/>').format(*axes.point(float(a), float(b)))
        for a, b in zip(x, y, strict=True)
    ]
    drawing = [axes.frame(), axes.line(x, y, "curve"), *points]
    return Figure(f"shape-{name}", name, description, stacked(*drawing), [])


def _bars(bars: Sequence[tuple[str, float]]) -> Markup:
    """Words with shares, each a bar."""
    left = 8 + 6.5 * max(len(word) for word, _ in bars)  # about what a letter takes
    line = Markup(
        '<text x="0" y="{1:g}">{2}</text><rect class="point" x="{0:g}" y="{3:g}" width="{4:g}" height="{5:g}"/>'
        '<text x="{6:g}" y="{1:g}">{7}</text>'
    )
    parts = []
    for i, (word, share) in enumerate(bars):
        middle, wide = _STEP * (i + 0.5) + 4, (WIDTH - left - 40) * share
        parts.append(line.format(left, middle, word, _STEP * i + 3, wide, _STEP - 6, left + wide + 5, percent(share)))
    return stacked(*parts)


def _word(value: object) -> str:
    return str(value) if len(str(value)) <= _LONGEST else f"{str(value)[: _LONGEST - 1]}…"


def shown_value(value: Any) -> str:
    """A value of a column in words; of a date the month, since the day may be that of one row."""
    return value.strftime("%Y-%m") if hasattr(value, "strftime") else str(value)


def _month(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m")


def _legend(ranked: RankedList, rows: Sequence[Row]) -> list[tuple[str, str]]:
    band = f"{level(ranked.level)} range for the next list of {ranked.population:,}, separately for each budget"
    is_given = all(row.has_range for row in rows)
    return [("curve", "This ranking"), *([("band", band)] if is_given else []), ("chance", "Random order")]


def stacked(*parts: Markup) -> Markup:
    """One picture of several parts, the last on top."""
    return Markup("").join(parts)


@dataclass(frozen=True)
class Bar:
    """A feature and its effect with limits (NaN if unknown), in percent of the widest bar."""

    feature: str
    effect: float
    low: float
    high: float
    scale: float

    @property
    def figures(self) -> dict[str, str | float | None]:
        """Plain values for a file."""
        low, high = (self.low, self.high) if self.has_limits else (None, None)
        return {"name": self.feature, "estimate": self.effect, "low": low, "high": high}

    @property
    def has_limits(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)

    def in_words(self, value: float) -> str:
        """With its sign and as many decimals as leave the largest effect three digits: they stand under each other."""
        decimals = min(max(0, 2 - math.floor(math.log10(self.scale))), 6)
        text = f"{value:+,.{decimals}f}"
        return minus(text if float(text.replace(",", "")) else text[1:])

    def position(self, value: float) -> float:
        """From 0 at the left end over 50 at no effect to 100."""
        return round(50 + 50 * value / self.scale, 2)


def effects_of(effects: Sequence[tuple[str, float, float, float]]) -> list[Bar]:
    """The largest first."""
    rows = []
    for row in effects:
        if len(row) != 4:
            raise InputError(
                f"An effect must be (feature, effect, low, high); got {row!r}.",
                "pass NaN for limits that are not known.",
            )
        feature, effect, low, high = row
        rows.append((str(feature), _input.check_number(f"the effect of {feature}", effect), float(low), float(high)))
    rows.sort(key=lambda row: -abs(row[1]))
    scale = max((abs(v) for row in rows[:MOST_SHOWN] for v in row[1:] if math.isfinite(v)), default=0.0) or 1.0
    return [Bar(*row, scale) for row in rows]
