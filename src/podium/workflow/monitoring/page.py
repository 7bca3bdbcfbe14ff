"""The page of a monitor: a verdict, the curves over time, and every batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from podium._results import wording
from podium.monitor import PerformanceState
from podium.phi import resolve
from podium.phi.spec import phi_in_words
from podium.report.axes import Axes, Axis
from podium.report.figures import Figure
from podium.report.page import PAGES, Report
from podium.workflow.monitoring.hits import BatchHits, next_steps
from podium.workflow.monitoring.state import State

PAGES.filters["evidence"] = lambda value: evidence(value)

_LEAST = 0.01  # of evidence: what is below is drawn at the edge
_MOST_SHOWN = 24  # batches in the picture of hits
_MOST_NAMED = 8  # changed columns of a batch that are named at once
_ALARMS = {
    "drift": "scores moved",
    "performance": "performance fell",
    "inspected": "precision at the top fell",
    "columns": "columns moved",
}


def page(
    state: State,
    states: dict[str, Any],
    auc: float | None,
    hits: Sequence[BatchHits],
    notes: Sequence[str] = (),
    about: Sequence[str] = (),
) -> Report:
    """The page, rebuilt from the whole history."""
    headline, settings = _headline(state.history), state.settings
    alarmed = {name for entry in state.history for name in _ALARMS if (entry[name] or {}).get("alarm")}
    html = PAGES.get_template("monitor.html").render(
        headline=headline,
        about=about,
        hits=hits,
        verdicts=_verdicts(hits),
        steps=next_steps(alarmed, hits, (1 - settings.confidence_level) / 2),
        promise_figure=_promised(hits[-_MOST_SHOWN:]),
        settings=settings,
        emphasis=phi_in_words(resolve(settings.phi)),
        history=state.history,
        most_named=_MOST_NAMED,
        performance=states["performance"],
        drift=states["drift"],
        inspected=states["inspected"],
        expected=state.history[-1]["expected"] if state.history else None,
        auc=auc,
        notes=notes,
        figures=_figures(state.history, states),
    )
    summary = {"headline": headline, "history": state.history, "hits": [one.to_dict() for one in hits]}
    return Report(html, headline, summary)


def _headline(history: Sequence[dict[str, Any]]) -> str:
    n_rows = sum(entry["rows"] for entry in history)
    seen = f"{len(history):,} batch{'' if len(history) == 1 else 'es'}, {n_rows:,} rows"
    first = {
        name: next((entry["batch"] for entry in history if (entry[name] or {}).get("alarm")), None) for name in _ALARMS
    }
    alarms = [f"{word} (batch {first[name]})" for name, word in _ALARMS.items() if first[name] is not None]
    return f"ALARM: {', '.join(alarms)}; {seen}" if alarms else f"No alarm: {seen}"


def _figures(history: Sequence[dict[str, Any]], states: dict[str, Any]) -> list[Figure]:
    figures = [_evidence("drift", "Evidence that scores moved", history, states["drift"].boundary)]
    for name, title in (("performance", "performance fell"), ("inspected", "precision at the top fell")):
        known = [entry for entry in history if entry[name] and entry[name]["n_rows"]]
        if known:
            figures += [
                _course(name, known, states[name]),
                _evidence(name, f"Evidence that {title}", known, states[name].boundary),
            ]
    return figures


def _evidence(name: str, title: str, history: Sequence[dict[str, Any]], boundary: float) -> Figure:
    """The largest e-value so far, which decides, and the current one, by number of rows."""
    rows = _rows(history, name)
    now, largest = (np.array([1.0] + [entry[name][key] for entry in history]) for key in ("e_value", "largest_e_value"))
    axes = Axes(
        Axis(0, rows[-1], "Rows so far", _count),
        Axis(_LEAST, max(50 * boundary, 2 * largest[-1]), "Evidence (logarithmic)", evidence, logarithmic=True),
    )
    drawing = Markup("").join(
        [
            axes.frame(),
            axes.line(np.array([0.0, rows[-1]]), np.full(2, boundary), "threshold"),
            axes.line(rows, largest, "chance"),
            axes.line(rows, now, "curve"),
        ]
    )
    legend = [("curve", "Now"), ("chance", "Largest so far"), ("threshold", f"Alarm at {boundary:,.4g}")]
    description = f"{title}: {evidence(now[-1])} now, {evidence(largest[-1])} at most; alarm at {boundary:g}."
    return Figure(name, title, description, drawing, legend)


def _course(name: str, history: Sequence[dict[str, Any]], performance: PerformanceState) -> Figure:
    """The estimate since the start with its confidence sequence, and the reference."""
    rows = _rows(history, name)[1:]
    values = [entry[name] for entry in history]
    known = np.array([value["estimate"] is not None for value in values])
    estimate, low, high = (
        np.array([value[key] for value, is_known in zip(values, known, strict=True) if is_known], dtype=float)
        for key in ("estimate", "low", "high")
    )
    rows = rows[known]
    measure = performance.measure[0].upper() + performance.measure[1:]
    axes = Axes(
        Axis(0, max(rows, default=1.0), "Labeled rows so far", _count),
        Axis(min(0.95 * min(low, default=0.0), performance.reference_low), 1.0, measure, _short),
    )
    end = float(max(rows, default=1.0))
    parts = [axes.frame(), axes.line(np.array([0.0, end]), np.full(2, performance.reference), "chance")]
    if len(rows):
        across = np.append(rows[0] * 0.98, rows)  # a first batch alone has some width, too
        parts += [
            axes.area(across, np.append(low[0], low), np.append(high[0], high), "band"),
            axes.line(across, np.append(estimate[0], estimate), "curve"),
        ]
    legend = [
        ("curve", "Since the monitor began"),
        ("band", f"{wording.level(1 - performance.alpha)} limits, which hold at all times"),
        ("chance", f"Reference: {performance.reference:.3f}"),
    ]
    return Figure(f"course-{name}", f"{measure} over time", f"{performance}.", Markup("").join(parts), legend)


def _verdicts(hits: Sequence[BatchHits]) -> str:
    """How many batches kept the promise, in a sentence."""
    if not hits:
        return ""
    known = [one for one in hits if one.verdict.endswith("promised")]
    if not known:
        return f"Last batch: {hits[-1]!r}."
    kept, fewer, more = (
        sum(one.verdict == f"{word} promised" for one in known) for word in ("as", "fewer than", "more than")
    )
    several = (
        f"Of {len(known):,} lists with labels {kept:,} had as many hits as promised, {fewer:,} fewer, {more:,} more."
    )
    return (f"{several} " if len(known) > 1 else "") + f"Last: {known[-1]!r}."


def _promised(hits: Sequence[BatchHits]) -> Figure | None:
    """Hits of every batch, and the range in which they were promised to be."""
    if not any(one.expected is not None for one in hits):
        return None
    tops = [value for one in hits for value in (one.high, one.expected, one.hits, one.found) if value is not None]
    axes = Axes(Axis(0.5, len(hits) + 0.5, "Batch", _whole), Axis(0, 1.1 * max(*tops, 1), "Hits", _whole))
    parts, n_found = [axes.frame()], 0
    for x, one in enumerate(hits, start=1):
        across = np.full(2, float(x))
        if one.low is not None and one.high is not None:
            parts.append(axes.line(across, np.array([one.low, one.high], dtype=float), "promised"))
        if one.expected is not None:
            parts.append(axes.line(np.array([x - 0.3, x + 0.3]), np.full(2, one.expected), "chance"))
        if one.labeled:
            n_found += 1
            is_all = one.hits is not None
            px, py = axes.point(float(x), float(one.found if one.hits is None else one.hits))
            shape = Markup('<circle class="{}" r="4.5" cx="{}" cy="{}"/>')
            parts.append(shape.format("point" if is_all else "incomplete", px, py))
    has_range = any(one.low is not None for one in hits)
    legend = [("curve", "Hits found"), *([("band", "Range promised")] if has_range else []), ("chance", "Expected")]
    description = f"Hits of {n_found:,} batches beside those promised. {_verdicts(hits)}"
    return Figure("promised", "In each batch", description, Markup("").join(parts), legend)


def _rows(history: Sequence[dict[str, Any]], name: str) -> Any:
    """Rows so far at the beginning and after every batch."""
    count = "n" if name == "drift" else "n_rows"
    return np.array([0.0] + [entry[name][count] for entry in history])


def _whole(value: float) -> str:
    """At ticks between whole numbers nothing."""
    return f"{value:,.0f}" if value == round(value) else ""


def evidence(value: float) -> str:
    """A number of any size, whole: large ones as a power of ten.

    >>> evidence(0.123456), evidence(42), evidence(3.14e21)
    ('0.123', '42', '3.1 × 10²¹')
    """
    if value < 1e6:
        return f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"
    digits, power = f"{value:.1e}".split("e")
    return f"{digits.removesuffix('.0')} × 10{str(int(power)).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _short(value: float) -> str:
    return f"{value:,.4g}"
