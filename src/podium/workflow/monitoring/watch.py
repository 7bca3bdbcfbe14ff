"""Take one batch into account: the workflow behind ``podium monitor``."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from podium import _input
from podium._files import lock
from podium._results.result import Result
from podium.exceptions import DegenerateSampleError, InputError
from podium.monitor import DriftMonitor, DriftState, PerformanceMonitor, PerformanceState
from podium.report import Report
from podium.tables import TableModel, is_path
from podium.workflow.monitoring.batch import Batch, read_batch
from podium.workflow.monitoring.columns import ColumnDrift, moved_columns
from podium.workflow.monitoring.page import page
from podium.workflow.monitoring.state import State
from podium.workflow.score import as_model


@dataclass(frozen=True, kw_only=True, repr=False)
class MonitorResult(Result):
    """What is known after a batch.

    Attributes
    ----------
    alarm : bool
        Whether any of the monitors has ever raised an alarm.
    batch : int
        The number of the batch, from 1 on.
    n_rows, n_labeled : int
        How many rows it has, and how many of them with a label.
    drift : DriftState
        Whether scores have moved.
    performance : PerformanceState or None
        Whether the model ranks as well as it did; None while no label is known.
    columns : ColumnDrift or None
        Which columns moved; None where no reference table was given.
    report : Report
        A page with the curves over time: ``report.html``, ``report.save(path)``.
    state : str
        The file that holds settings, running numbers and history.
    notes : tuple of str
        Harmless differences between the table and that of the training.
    """

    alarm: bool
    batch: int
    n_rows: int
    n_labeled: int
    drift: DriftState
    performance: PerformanceState | None
    columns: ColumnDrift | None
    report: Report
    state: str
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        values = super().to_dict()
        del values["report"]
        return values

    def __repr__(self) -> str:
        return self.report.headline

    def __str__(self) -> str:
        lines = [repr(self), f"Scores: {self.drift}"]
        lines += [f"Performance: {self.performance}"] if self.performance else []
        lines += [f"Columns: {self.columns}"] if self.columns else []
        return "\n".join(lines)


def monitor(
    model: TableModel | str | os.PathLike[str],
    table: Any,
    *,
    state: str | os.PathLike[str] | None = None,
    reference: Any = None,
    phi: str | None = None,
    tolerance: float | None = None,
    threshold: float | None = None,
    confidence_level: float | None = None,
    average_run_length: float | None = None,
    on_step: Callable[[str], Any] = lambda step: None,
) -> MonitorResult:
    """Watch a model in use: take a batch of rows into account, and say whether anything has changed.

    Scores are compared with those of the rows held out in training, which the model keeps; labels, where the batch has
    them, say whether the model still ranks as well as it did. It may be looked at after every batch, for ever: see
    `podium.monitor`. Labels may come later: a batch that was seen without them is given again with them.

    Parameters
    ----------
    model : TableModel or path
        The model of a `FitResult`, or a file that `fit` wrote. Scores are those of the model as it was judged, before
        it was trained again on all rows: only these can be compared with those of the rows held out.
    table : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The batch. Within it, the order of rows is of no meaning.
    state : path, optional
        The JSON file to go on from and to write; by default ``model.monitor.json`` beside the model's file. Of two runs
        with the same file at once, one waits for the other.
    reference : path or table, optional
        Rows such as those of the training. The columns of the batch are compared with theirs.
    phi : str, optional
        Which part of the list matters; by default that of the model.
    tolerance : float, optional
        By how much the performance may fall without being worth an alarm; 0 by default.
    threshold : float, optional
        Watch the precision of rows with at least this score, instead of how well positives rank.
    confidence_level : float, optional
        The probability that none of the monitors of scores, of performance and of columns, each by itself, ever raises
        a false alarm; 0.95 by default.
    average_run_length : float, optional
        Raise false alarms of drifting scores no more often than once in so many scores on average, instead.
    on_step : callable, optional
        Called with a few words as each stage begins.

    Returns
    -------
    MonitorResult
        What is known after this batch; the state is written to its file, and the page beside it (``.html``).
    """
    if confidence_level is not None:
        _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
    scorer = as_model(model).as_judged()
    if scorer.calibration is None:
        raise DegenerateSampleError(
            "A monitor needs rows that were held out; got a model that keeps none.", "train it again."
        )
    asked = {
        "phi": phi,
        "tolerance": tolerance,
        "threshold": threshold,
        "confidence_level": confidence_level,
        "average_run_length": average_run_length,
    }
    path = _state_path(model, state)
    _Monitors(scorer, State.read(path, scorer.phi, asked))  # refuses what cannot go on before anything is read
    on_step("scoring")
    batch = read_batch(scorer, table)
    with lock(path):  # of two runs at once the second waits, and takes its batch into account after the first
        return _fold_in(batch, scorer, State.read(path, scorer.phi, asked), reference, on_step)


def _fold_in(
    batch: Batch, scorer: TableModel, saved: State, reference: Any, on_step: Callable[[str], Any]
) -> MonitorResult:
    """Take a batch into account, and save what is known then."""
    monitors = _Monitors(scorer, saved)
    try:
        monitors.take(batch)
    except InputError:
        _write_missing_page(saved, monitors)
        raise
    columns = None
    if reference is not None:
        on_step("comparing columns")
        n_tests = 1 + sum(entry["columns"] is not None for entry in saved.history)
        columns = moved_columns(scorer, batch.frame, reference, saved.settings.alpha, n_tests)
    monitors.record(batch, columns)
    report = page(saved, monitors.drift.state, monitors.quality_state)
    saved.save(report.html)
    return MonitorResult(
        alarm=any(part["alarm"] for entry in saved.history for part in _found(entry)),
        batch=len(saved.history),
        n_rows=len(batch.scores),
        n_labeled=len(batch.labels),
        drift=monitors.drift.state,
        performance=monitors.quality_state,
        columns=columns,
        report=report,
        state=str(saved.path),
        notes=batch.notes,
    )


def _write_missing_page(saved: State, monitors: _Monitors) -> None:
    """Of a run that was ended between its two files: the batch is counted, the page is not there."""
    if saved.history and not saved.page.exists():
        page(saved, monitors.drift.state, monitors.quality_state).save(saved.page)


def _found(entry: dict[str, Any]) -> list[dict[str, Any]]:
    return [entry[name] for name in ("drift", "performance", "columns") if entry[name] is not None]


def _state_path(model: Any, state: str | os.PathLike[str] | None) -> Path:
    if state is not None:
        return Path(state)
    if not is_path(model):
        raise InputError("A monitor needs a file for its state; got none.", "state='monitor.json' names one.")
    return Path(model).with_suffix(".monitor.json")


class _Monitors:
    """Both monitors, begun anew or gone on with; that of performance once a label is known."""

    def __init__(self, model: TableModel, saved: State) -> None:
        assert model.calibration is not None
        self.saved, self.reference, self.settings = saved, model.calibration, saved.settings
        self.drift = DriftMonitor(
            self.reference[1],
            self.settings.phi,
            alpha=self.settings.alpha,
            average_run_length=self.settings.average_run_length,
        )
        self.quality: PerformanceMonitor | None = None
        if saved.drift is not None:
            self.drift.resume(saved.drift)
        if saved.performance is not None:
            self._begin_quality().resume(saved.performance)

    @property
    def quality_state(self) -> PerformanceState | None:
        return None if self.quality is None else self.quality.state

    def take(self, batch: Batch) -> None:
        """Scores that came before are not counted twice; labels that come later are."""
        before = self.saved.batch_of(batch.identity)
        if before is not None and (before["labeled"] or not len(batch.labels)):
            raise InputError(
                f"A batch counts once; one with the same rows was added on {before['time']} ({before['name']}).",
                "labels may be added later to a batch without any.",
            )
        if before is None:
            self.drift.update(batch.scores)
        if len(batch.labels):
            (self.quality or self._begin_quality()).update(batch.labels, batch.labeled_scores)

    def record(self, batch: Batch, columns: ColumnDrift | None) -> None:
        """What is known now, into the state."""
        quality = self.quality_state
        before = self.saved.batch_of(batch.identity)
        if before is not None:
            before["labeled"] = len(batch.labels)  # so that they count once
        self.saved.drift = self.drift.to_dict()
        self.saved.performance = None if self.quality is None else self.quality.to_dict()
        self.saved.history.append(
            {
                "batch": len(self.saved.history) + 1,
                "time": datetime.now(UTC).isoformat(timespec="seconds"),
                "name": batch.name if before is None else f"labels of {before['name']}",
                "rows": len(batch.scores) if before is None else 0,
                "labeled": len(batch.labels),
                "identity": batch.identity,
                "drift": self.drift.state.to_dict(),
                "performance": None if quality is None else quality.to_dict(),
                "columns": None if columns is None else columns.to_dict(),
            }
        )

    def _begin_quality(self) -> PerformanceMonitor:
        settings = self.settings
        self.quality = PerformanceMonitor(
            *self.reference,
            settings.phi,
            tolerance=settings.tolerance,
            alpha=settings.alpha,
            threshold=settings.threshold,
        )
        return self.quality
