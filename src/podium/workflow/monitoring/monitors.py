"""The monitors of a model: begun anew or gone on with, and what a table adds to them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from podium.exceptions import InputError
from podium.metrics import auc
from podium.monitor import DriftMonitor, PerformanceMonitor
from podium.tables import TableModel
from podium.tables.periods import span_of
from podium.workflow.monitoring.batch import Batch, identity
from podium.workflow.monitoring.columns import ColumnDrift
from podium.workflow.monitoring.expected import ExpectedPerformance, expected_performance
from podium.workflow.monitoring.hits import BatchHits, Promises
from podium.workflow.monitoring.inspected import Inspected
from podium.workflow.monitoring.rows import KeptRows, owners, settled
from podium.workflow.monitoring.state import State

States = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Taken:
    """What a table added: new rows, and labels of them or of earlier ones."""

    n_new_rows: int
    n_new_labels: int
    identity: str
    scores: npt.NDArray[np.float64]  # of all rows of the batch, of which the table may hold a part
    completes: str | None  # the name under which the rows came before
    notes: tuple[str, ...]

    @property
    def is_new(self) -> bool:
        return self.n_new_rows + self.n_new_labels > 0


class Monitors:
    """Of scores, of labels once one is known, and of the top of the list where nothing else has labels."""

    def __init__(self, model: TableModel, saved: State) -> None:
        assert model.calibration is not None
        self.model, self.saved, self.reference, self.settings = model, saved, model.calibration, saved.settings
        self.drift = DriftMonitor(
            self.reference[1],
            self.settings.phi,
            alpha=self.settings.alpha,
            average_run_length=self.settings.average_run_length,
            unit=self.settings.unit,
            reference_batches=self._reference_batches(),
        )
        self.quality: PerformanceMonitor | None = None
        self.top: Inspected | None = None
        if saved.running["drift"] is not None:
            self.drift.resume(saved.running["drift"])
        if saved.running["performance"] is not None:
            self.quality = self._quality().resume(saved.running["performance"])
        if saved.running["inspected"] is not None:
            self.top = self._top().resume(saved.running["inspected"])

    def _reference_batches(self) -> npt.NDArray[Any] | None:
        """The periods of the rows held out, where each has a list of its own."""
        lists = self.model.calibration_list
        if lists is None or self.settings.unit == "row" or "per" in self.model.facts or not lists.any():
            return None
        return lists

    @cached_property
    def counted(self) -> list[KeptRows]:
        """The batches as bets see them; by rows, labels count as they come."""
        if self.settings.unit == "row":
            return self.saved.batches
        return settled(self.saved.batches, _span(self.model.facts.get("label_delay")))

    @cached_property
    def states(self) -> States:
        """What each of them says after a table was taken; None of those that have not begun."""
        return {
            "drift": self.drift.state,
            "performance": None if self.quality is None else self.quality.state,
            "inspected": None if self.top is None else self.top.state,
        }

    def take(self, batch: Batch) -> Taken:
        """Rows that came before are not counted twice; labels that come later are, each once."""
        of_old = self._of_first_format(batch)
        if of_old is not None:
            return of_old
        owner = owners(self.saved.batches, batch)
        new = np.flatnonzero(owner < 0)
        completes = None
        if len(new):
            owner[new] = len(self.saved.batches)
            self._add(batch, new)
        n_new_labels = n_differ = 0
        for number in np.unique(owner):
            rows = self.saved.batches[number]
            of_new_labels, differ = rows.take(batch, np.flatnonzero(owner == number))
            n_new_labels, n_differ = n_new_labels + len(of_new_labels), n_differ + differ
            entry = self.saved.entry_of(identity(rows.marks))
            completes = entry["name"] if entry else completes
            if self.settings.unit == "row":
                self._update(batch, of_new_labels)
        if self.settings.unit == "batch":
            self._review()
        return Taken(
            n_new_rows=len(new),
            n_new_labels=n_new_labels,
            identity=identity(rows.marks),
            scores=rows.scores,
            completes=completes,
            notes=(*self._about_size(len(new)), *_sentences(batch, len(new), n_new_labels, n_differ)),
        )

    def _about_size(self, n_rows: int) -> list[str]:
        """A remark where batches and those of the reference are not alike, as their order supposes."""
        batches = self._reference_batches()
        usual = 0.0 if batches is None else len(batches) / len(np.unique(batches))
        if not n_rows or not usual or usual / 2 <= n_rows <= 2 * usual:
            return []
        return [
            f"This batch has {n_rows:,} rows; those of the reference, one for each {self.model.facts['every']}, have "
            f"{usual:,.0f}. They should be alike: means of smaller batches vary more, which may look like drift."
        ]

    def _of_first_format(self, batch: Batch) -> Taken | None:
        """A batch that came when states kept no rows: its labels count if it came without any."""
        entry = self.saved.entry_of(identity(batch.marks))
        if entry is None or any(identity(rows.marks) == entry["identity"] for rows in self.saved.batches):
            return None
        n_labels = int(batch.is_labeled.sum())
        if entry["labeled"] and n_labels > entry["labeled"]:
            raise InputError(
                f"Each label counts once; which of these came on {entry['time']} was not kept by the Podium of then.",
                "begin a new monitor to complete labels.",
            )
        is_new = bool(n_labels and not entry["labeled"])
        if is_new:
            self._update(batch, np.arange(len(batch.scores)))
            entry["labeled"] = n_labels
        return Taken(
            n_new_rows=0,
            n_new_labels=n_labels if is_new else 0,
            identity=entry["identity"],
            scores=batch.scores,
            completes=entry["name"],
            notes=_sentences(batch, 0, n_labels if is_new else 0, 0),
        )

    def _add(self, batch: Batch, new: npt.NDArray[np.intp]) -> None:
        """A batch that was not seen before, in random order: tables may be sorted by what has to do with scores."""
        rows = KeptRows.of(batch, new)
        order = np.random.default_rng(int(identity(rows.marks), 16)).permutation(new)
        self.drift.update(batch.scores[order])
        self.saved.batches.append(rows)

    def _update(self, batch: Batch, chosen: npt.NDArray[np.intp]) -> None:
        """By rows: new labels are bet on as they come."""
        chosen = chosen[batch.is_labeled[chosen]]
        if len(chosen):
            self.quality = self.quality or self._quality()
            self.quality.update(batch.labels[chosen] == 1, batch.scores[chosen])

    def _review(self) -> None:
        """By batches: all labels that are known now, however and in whatever order they came."""
        if not any(rows.is_labeled.any() for rows in self.saved.batches):
            return
        self.quality = self.quality or self._quality()
        self.quality.review([self._for_quality(rows) for rows in self.counted])
        if self.top is None and any(rows.is_selected for rows in self.counted):
            self.top = self._top()
        if self.top is not None:
            self.top.review(self.counted)

    def _for_quality(self, rows: KeptRows) -> tuple[Any, ...]:
        """Labels that say how positives of the whole list rank; above a threshold, rows without one pass for hits."""
        if rows.has_design:
            return rows.y, rows.scores, rows.design()
        if not rows.is_selected:
            return rows.y, rows.scores
        if self.settings.threshold is not None:
            return rows.y, rows.scores, np.ones(len(rows.y))
        return np.full(len(rows.y), np.nan), rows.scores

    def _top(self) -> Inspected:
        return Inspected(self.reference, self.settings.tolerance, self.settings.alpha)

    def _quality(self) -> PerformanceMonitor:
        settings = self.settings
        return PerformanceMonitor(
            *self.reference,
            settings.phi,
            tolerance=settings.tolerance,
            alpha=settings.alpha,
            threshold=settings.threshold,
        )

    def auc(self) -> float | None:
        """Of all new rows with a label, where these stand for all rows."""
        usable = [rows for rows in self.counted if rows.is_labeled.any() and not rows.is_selected]
        if not usable:
            return None
        y, s, inclusion = (
            np.concatenate([getattr(rows, name)[rows.is_labeled] for rows in usable])
            for name in ("labels", "scores", "inclusion")
        )
        if y.min() == y.max():
            return None
        return auc(y, s, sample_weight=1 / np.where(np.isnan(inclusion), 1.0, inclusion))

    def expected(self, taken: Taken) -> ExpectedPerformance | None:
        """What the batch should show by its chances."""
        return expected_performance(self.model, taken.scores, self.settings.confidence_level)

    def hits(self) -> list[BatchHits]:
        """Of every batch, beside those promised."""
        promises = Promises(self.model, self.settings.confidence_level)
        return [promises.about(*self._name_of(rows), rows) for rows in self.saved.batches]

    def _name_of(self, rows: KeptRows) -> tuple[int, str]:
        """The number and the name of a batch."""
        entry = self.saved.entry_of(identity(rows.marks)) or {"batch": 0, "name": "table"}
        return entry["batch"], f"batch {entry['batch']}" if entry["name"] == "table" else entry["name"]

    def notes(self) -> list[str]:
        """What the labels cannot show."""
        return [*self._about_late_labels(), *self._about_selected_labels()]

    def _about_late_labels(self) -> list[str]:
        for rows, seen in zip(self.saved.batches, self.counted, strict=True):
            if rows is not seen and rows.is_labeled.any():
                n_labels = int(rows.is_labeled.sum())
                return [
                    f"Labels of {self._name_of(rows)[1]} are still coming: {n_labels:,} so far. Early ones are a "
                    "selection, so it and the batches after it do not count until few labels come any more: by the "
                    "column 'when', 5 % of them at most in the later half of the time since the first."
                ]
        return []

    def _about_selected_labels(self) -> list[str]:
        selected = [rows for rows in self.counted if rows.is_selected]
        if not selected:
            return []
        n_labeled = sum(int(rows.is_labeled.sum()) for rows in selected)
        n_rows = sum(len(rows.labels) for rows in selected)
        seen = (
            "What is watched: the precision of the top that was inspected, and the scores of all rows."
            if self.states["inspected"] is not None
            else "What is watched: the scores of all rows alone."
        )
        return [
            f"Labels of {n_labeled:,} of {n_rows:,} rows are a selection: their scores differ from those of the other "
            f"rows, and no column 'inclusion' says how they were chosen. {seen} How positives rank in the whole list "
            "is not known; some rows drawn at random and labeled, with a column 'inclusion', would show it."
        ]

    def record(
        self, batch: Batch, taken: Taken, columns: ColumnDrift | None, expected: ExpectedPerformance | None
    ) -> None:
        """What is known now, into the state."""
        states, saved = self.states, self.saved
        saved.running = {
            "drift": self.drift.to_dict(),
            "performance": None if self.quality is None else self.quality.to_dict(),
            "inspected": None if self.top is None else self.top.to_dict(),
        }
        found = states | {"columns": columns, "expected": expected}
        saved.history.append(
            {
                "batch": len(saved.history) + 1,
                "time": datetime.now(UTC).isoformat(timespec="seconds"),
                "name": f"labels of {taken.completes}" if taken.completes and not taken.n_new_rows else batch.name,
                "rows": taken.n_new_rows,
                "labeled": taken.n_new_labels,
                "identity": taken.identity,
            }
            | {name: None if part is None else part.to_dict() for name, part in found.items()}
        )


def _span(delay: str | None) -> float:
    """How long labels take, in seconds, or in the unit of a column of numbers; 0 if that is not known."""
    if delay is None:
        return 0.0
    return span_of(delay, pd.Series(dtype="datetime64[ns]" if str(delay).strip()[-1].isalpha() else "float64"))


def _sentences(batch: Batch, n_new_rows: int, n_new_labels: int, n_differ: int) -> tuple[str, ...]:
    n_labels = int(batch.is_labeled.sum())
    notes = []
    if n_new_rows + n_new_labels == 0:
        notes.append("Nothing is new: all rows and labels of this table came before.")
    elif n_labels > n_new_labels:
        notes.append(f"{n_new_labels:,} labels are new; {n_labels - n_new_labels:,} came before and count once.")
    if n_differ:
        notes.append(f"{n_differ:,} labels differ from those that came before; the first ones count.")
    return tuple(notes)
