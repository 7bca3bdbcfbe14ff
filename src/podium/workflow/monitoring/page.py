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
from podium.workflow.monitoring.state import State

_LEAST = 0.01  # of evidence: what is below is drawn at the edge, as is what is far above the boundary


def page(state: State, states: dict[str, Any], auc: float | None, notes: Sequence[str] = ()) -> Report:
    """The page, rebuilt from the whole history."""
    drift, performance = states["drift"], states["performance"]
    headline = _headline(state.history)
    html = PAGES.get_template("monitor.html").render(
        headline=headline,
        settings=state.settings,
        emphasis=phi_in_words(resolve(state.settings.phi)),
        history=state.history,
        drift=drift,
        performance=performance,
        inspected=states["inspected"],
        expected=state.history[-1]["expected"] if state.history else None,
        auc=auc,
        notes=notes,
        figures=_figures(state.history, states),
    )
    return Report(html, headline, {"headline": headline, "history": state.history})


def _headline(history: Sequence[dict[str, Any]]) -> str:
    n_rows = sum(entry["rows"] for entry in history)
    seen = f"{len(history):,} batch{'' if len(history) == 1 else 'es'}, {n_rows:,} rows"
    words = {
        "drift": "scores moved",
        "performance": "performance fell",
        "inspected": "precision at the top fell",
        "columns": "columns moved",
    }
    first = {
        name: next((entry["batch"] for entry in history if (entry[name] or {}).get("alarm")), None) for name in words
    }
    alarms = [f"{word} (batch {first[name]})" for name, word in words.items() if first[name] is not None]
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
        Axis(_LEAST, 50 * boundary, "Evidence (logarithmic)", _short, logarithmic=True),
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
    description = (
        f"{title}: {now[-1]:.3g} after {rows[-1]:,.0f} rows, {largest[-1]:.3g} at most; alarm at {boundary:g}."
    )
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


def _rows(history: Sequence[dict[str, Any]], name: str) -> Any:
    """Rows so far at the beginning and after every batch."""
    count = "n" if name == "drift" else "n_rows"
    return np.array([0.0] + [entry[name][count] for entry in history])


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _short(value: float) -> str:
    return f"{value:,.4g}"
