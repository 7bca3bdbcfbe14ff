"""Where only the top of the list has labels: the precision of its best rows, which such labels do show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from podium._results import wording
from podium._types import BoolArray, FloatArray
from podium.exceptions import InputError
from podium.monitor import PerformanceMonitor, PerformanceState
from podium.monitor.bets import damaged
from podium.monitor.places import shares_below
from podium.workflow.monitoring.rows import KeptRows

_SHARES = (0.2, 0.1, 0.05, 0.02, 0.01)  # of the list; which of them are inspected need not be known beforehand
_NEARLY_ALL = 0.9  # of the rows of a share have a label: then it is inspected


class Inspected:
    """A monitor of the precision of each share of the list, all of them together with the level of one.

    Rows of a share that have no label pass for hits. So a share that nobody inspects raises no alarm, and neither does
    the order in which labels come.
    """

    def __init__(self, reference: tuple[BoolArray, FloatArray], tolerance: float, alpha: float) -> None:
        is_positive, scores = reference
        self.monitors: dict[float, PerformanceMonitor] = {}
        self._labeled = dict.fromkeys(_SHARES, 0.0)
        for share in _SHARES:
            options: dict[str, Any] = {"tolerance": tolerance, "alpha": alpha / len(_SHARES), "threshold": 1 - share}
            try:
                self.monitors[share] = PerformanceMonitor(is_positive, shares_below(scores), **options)
            except InputError:  # the reference has too few rows, or too few positives, in so small a share
                continue

    def review(self, batches: list[KeptRows]) -> None:
        """Judge them by the labels known now; where inclusion is known, it says which rows are still to be labeled."""
        given = []
        for rows in batches:
            inclusion = [rows.design()] if rows.has_design else [np.ones(len(rows.y))] if rows.is_selected else []
            given.append((rows.y, shares_below(rows.scores), *inclusion))
        for share, monitor in self.monitors.items():
            monitor.review(given)
            flagged = [
                rows.is_labeled[places >= 1 - share] for rows, (_, places, *_) in zip(batches, given, strict=True)
            ]
            flagged = [labeled for labeled in flagged if labeled.any()]
            self._labeled[share] = float(np.concatenate(flagged).mean()) if flagged else 0.0

    @property
    def state(self) -> PerformanceState | None:
        """Of the share whose alarm came first, or else of the largest that is inspected; None if there is none."""
        states = {share: monitor.state for share, monitor in self.monitors.items()}
        alarmed = [share for share, state in states.items() if state.alarm]
        inspected = [share for share in states if self._labeled[share] >= _NEARLY_ALL]
        if not alarmed and not inspected:
            return None
        share = min(alarmed, key=lambda each: states[each].alarm_after or 0) if alarmed else inspected[0]
        return replace(states[share], measure=f"precision of the best {wording.percent(share)} of the list")

    def to_dict(self) -> dict[str, Any]:
        """The state needed to resume."""
        return {f"{share:g}": monitor.to_dict() for share, monitor in self.monitors.items()}

    def resume(self, saved: dict[str, Any]) -> Inspected:
        """Resume from a saved state."""
        if saved.keys() != self.to_dict().keys():
            raise damaged("inspected")
        for share, monitor in self.monitors.items():
            monitor.resume(saved[f"{share:g}"])
        return self
