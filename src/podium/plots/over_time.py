"""Displays over time: guaranteed recall while a list is read, and monitors batch after batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from podium._results import wording
from podium._types import FloatArray
from podium.exceptions import InputTypeError
from podium.monitor import DriftState, PerformanceState
from podium.plots.canvas import (
    COLORS,
    FAINT,
    Display,
    level_line,
    shade,
)
from podium.shortlist import RecallClaim

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class RecallDisplay(Display):
    """The guaranteed recall, as more and more unread rows are sampled.

    Attributes
    ----------
    claims : sequence of RecallClaim
        The results of `podium.shortlist.recall_reached`, in order.
    ax_ : matplotlib.axes.Axes
        The axes last drawn on.

    Examples
    --------
    >>> from podium.plots import RecallDisplay
    >>> from podium.shortlist import recall_reached
    >>> claims = [recall_reached([1, 1, 0], [0] * n, 100) for n in (20, 60)]
    >>> RecallDisplay(claims).frame()["n_sampled"].tolist()
    [20.0, 60.0]
    """

    claims: Sequence[RecallClaim]

    _legend: ClassVar[dict[str, Any] | None] = {"loc": "lower right"}

    def __post_init__(self) -> None:
        self.claims = _all(RecallClaim, self.claims, "recall_reached")

    def frame(self) -> dict[str, FloatArray]:
        """Rows drawn, the recall claimed, and the most positives that may be missed."""
        return _columns(self.claims, ("n_sampled", "recall_low", "missed_high"))

    def _draw(self, ax: Axes) -> None:
        frame, last = self.frame(), self.claims[-1]
        name = f"Claimed, {wording.level(last.confidence_level)} confidence"
        ax.plot(frame["n_sampled"], frame["recall_low"], color=COLORS[0], marker="o", markersize=4, label=name)
        level_line(ax, last.recall, f"Asked for: {last.recall:g}")
        ax.set(xlabel="Rows drawn at random from those not read", ylabel="Recall", ylim=(0, 1.02))

    def _title(self) -> str:
        last = self.claims[-1]
        return "Reached" if last.reached else f"{last.still_to_read:,} rows still to read"


@dataclass
class MonitorDisplay(Display):
    """States of a monitor over time: evidence of drift, or performance with its confidence sequence.

    Attributes
    ----------
    states : sequence of DriftState or of PerformanceState
        What ``update`` returned, batch after batch.
    ax_ : matplotlib.axes.Axes
        The axes last drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.monitor import DriftMonitor
    >>> from podium.plots import MonitorDisplay
    >>> monitor = DriftMonitor(np.arange(100.0))
    >>> MonitorDisplay([monitor.update(np.arange(50.0)) for _ in range(3)]).frame()["n"].tolist()
    [50.0, 100.0, 150.0]
    """

    states: Sequence[DriftState] | Sequence[PerformanceState]

    def __post_init__(self) -> None:
        kind = PerformanceState if any(isinstance(state, PerformanceState) for state in self.states) else DriftState
        self.states = _all(kind, self.states, "update of a monitor")

    def frame(self) -> dict[str, FloatArray]:
        """Observations so far, evidence now and at most, and for performance the estimate with its limits."""
        names = ["n", "e_value", "largest_e_value"]
        if isinstance(self.states[0], PerformanceState):
            names += ["estimate", "low", "high"]
        return _columns(self.states, names)

    def _draw(self, ax: Axes) -> None:
        last = self.states[-1]
        if isinstance(last, PerformanceState):
            self._draw_performance(ax, last)
        else:
            self._draw_evidence(ax, last)

    def _title(self) -> str:
        last = self.states[-1]
        return f"Alarm after {last.alarm_after:,}" if last.alarm else "No alarm"

    def _draw_evidence(self, ax: Axes, last: DriftState) -> None:
        frame = self.frame()
        shown = {name: np.clip(frame[name], 1e-3, 1e3 * last.boundary) for name in ("e_value", "largest_e_value")}
        ax.plot(frame["n"], shown["e_value"], color=COLORS[0], linewidth=1.6, label="Now")
        ax.plot(frame["n"], shown["largest_e_value"], color=FAINT, linewidth=1.0, label="Largest so far")
        name = f"Alarm at {last.boundary:,.4g}"
        ax.axhline(last.boundary, color="black", linewidth=1.0, linestyle=(0, (2, 2)), label=name)
        ax.set(xlabel="Scores so far", ylabel="Evidence of drift", yscale="log")

    def _draw_performance(self, ax: Axes, last: PerformanceState) -> None:
        frame, color = self.frame(), COLORS[0]
        limits = f"{wording.level(1 - last.alpha)} limits, time-uniform"
        shade(ax, frame["n"], frame["low"], frame["high"], limits)
        ax.plot(frame["n"], frame["estimate"], color=color, linewidth=1.6, label="Since the monitor began")
        level_line(ax, last.reference, "Reference")
        ax.set(xlabel="Observations so far", ylabel=last.measure[0].upper() + last.measure[1:])


def _all(kind: type, results: Any, source: str) -> list[Any]:
    """The results as a list, all of one kind."""
    several = [results] if isinstance(results, kind) else list(results)
    if not several or not all(isinstance(result, kind) for result in several):
        got = sorted({type(result).__name__ for result in several}) or ["none"]
        raise InputTypeError(f"A display needs results of {source}, all of one kind; got {', '.join(got)}.")
    return several


def _columns(results: Sequence[Any], names: Sequence[str]) -> dict[str, FloatArray]:
    """Fields of all results by name; what is not known is NaN."""
    return {name: np.array([getattr(result, name) for result in results], dtype=np.float64) for name in names}
