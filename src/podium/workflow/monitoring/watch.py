"""Take one batch into account: the workflow behind ``podium monitor``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podium import _input
from podium._files import lock
from podium._results.result import Result
from podium.exceptions import DegenerateSampleError, InputError
from podium.monitor import DriftState, PerformanceState
from podium.report import Report
from podium.tables import TableModel, is_path
from podium.workflow.monitoring.batch import Batch, read_batch
from podium.workflow.monitoring.columns import ColumnDrift, moved_columns
from podium.workflow.monitoring.expected import ExpectedPerformance
from podium.workflow.monitoring.hits import BatchHits
from podium.workflow.monitoring.monitors import Monitors
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
    auc : float or None
        The AUC of all new rows with a label, weighted by one over their inclusion probabilities; None where labels are
        of one class, or were selected in an unknown way.
    performance : PerformanceState or None
        Whether the model ranks as well as it did; None while no label is known.
    inspected : PerformanceState or None
        Where only the top of the list has labels and nothing says how other rows were chosen: the precision above the
        lowest inspected score, which is all that such labels show.
    expected : ExpectedPerformance or None
        The AUC that the batch should have by its calibrated chances, before labels come.
    columns : ColumnDrift or None
        Which columns moved; None where no reference table was given.
    hits : tuple of BatchHits
        Of every batch the hits among the rows to inspect, beside those that the model promised.
    report : Report
        A page with the curves over time: ``report.html``, ``report.save(path)``.
    state : str
        The file that holds settings, running numbers, history, and of every row a hash, its score and its label.
    notes : tuple of str
        Harmless differences between the table and that of the training, and what the labels cannot show.
    """

    alarm: bool
    batch: int
    n_rows: int
    n_labeled: int
    drift: DriftState
    auc: float | None
    performance: PerformanceState | None
    inspected: PerformanceState | None
    expected: ExpectedPerformance | None
    columns: ColumnDrift | None
    hits: tuple[BatchHits, ...]
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
        lines += [f"AUC of the new rows with a label: {self.auc:.3f}"] if self.auc is not None else []
        lines += [f"Inspected rows: {self.inspected}"] if self.inspected else []
        lines += [f"Before labels: {self.expected}"] if self.expected else []
        lines += [f"Columns: {self.columns}"] if self.columns else []
        lines += [f"Hits: {self.hits[-1]}"] if self.hits else []
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
    unit: str | None = None,
    on_step: Callable[[str], Any] = lambda step: None,
) -> MonitorResult:
    """Watch a model in use: take a batch of rows into account, and say whether anything has changed.

    Scores are compared with those of the rows held out in training, which the model keeps; labels, where the batch has
    them, say whether the model still ranks as well as it did. It may be looked at after every batch, for ever: see
    `podium.monitor`. Labels may come later, a few at a time: the batch, or a part of it, is given again with them, and
    each counts once. A column ``inclusion`` holds the probability with which each row was to be labeled; rows of
    inclusion 1 whose label has not come cannot raise an alarm. Without it, and where scores of labeled rows differ from
    those of the others, the precision of the top that was inspected is watched, and the notes say so. A column ``when``
    says when labels came.

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
        Raise false alarms of drifting scores no more often than once in so many scores on average, instead; by rows.
    unit : {"batch", "row"}, optional
        What is exchangeable while nothing changes: batches, which may differ from day to day, or rows, whose changes
        are seen sooner. By batches unless ``average_run_length`` is given.
    on_step : callable, optional
        Called with a few words as each stage begins.

    Returns
    -------
    MonitorResult
        What is known after this batch; the state is written to its file, and the page beside it (``.html``).
    """
    if confidence_level is not None:
        _input.check_fraction("confidence_level", confidence_level)
    scorer = as_model(model).as_judged()
    if scorer.calibration is None:
        raise DegenerateSampleError(
            "A monitor needs rows that were held out; got a model that keeps none.",
            "train it on a table whose labels stand for the whole list.",
        )
    asked = {
        "phi": phi,
        "tolerance": tolerance,
        "threshold": threshold,
        "confidence_level": confidence_level,
        "average_run_length": average_run_length,
        "unit": unit,
    }
    path = _state_path(model, state)
    Monitors(scorer, State.read(path, scorer.phi, asked))  # refuses what cannot go on before anything is read
    on_step("scoring")
    batch = read_batch(scorer, table)
    with lock(path):  # of two runs at once the second waits, and takes its batch into account after the first
        return _fold_in(batch, scorer, State.read(path, scorer.phi, asked), reference, _about(model, scorer), on_step)


def _fold_in(
    batch: Batch,
    scorer: TableModel,
    saved: State,
    reference: Any,
    about: Sequence[str],
    on_step: Callable[[str], Any],
) -> MonitorResult:
    """Take a batch into account, and save what is known then; nothing where it holds nothing new."""
    monitors = Monitors(scorer, saved)
    taken = monitors.take(batch)
    columns = None
    if reference is not None and taken.n_new_rows:
        on_step("comparing columns")
        n_tests = 1 + sum(entry["columns"] is not None for entry in saved.history)
        columns = moved_columns(scorer, batch.frame, reference, saved.settings.alpha, n_tests)
    expected = monitors.expected(taken)
    if taken.is_new:
        monitors.record(batch, taken, columns, expected)
    hits, notes = monitors.hits(), monitors.notes()
    report = page(saved, monitors.states, monitors.auc(), hits, notes, about)
    if taken.is_new:
        saved.save(report.html)
    elif not saved.page.exists():  # of a run that was ended between its two files
        report.save(saved.page)
    return MonitorResult(
        alarm=any(part["alarm"] for entry in saved.history for part in _found(entry)),
        batch=len(saved.history),
        n_rows=len(batch.scores),
        n_labeled=int(batch.is_labeled.sum()),
        drift=monitors.drift.state,
        auc=monitors.auc(),
        performance=monitors.states["performance"],
        inspected=monitors.states["inspected"],
        expected=expected,
        columns=columns,
        hits=tuple(hits),
        report=report,
        state=str(saved.path),
        notes=(*batch.notes, *taken.notes, *notes),
    )


def _about(model: Any, scorer: TableModel) -> list[str]:
    """The model in a few words: where its file is, what a hit is, and what it ranks by."""
    file = ["/".join(Path(model).parts[-2:])] if is_path(model) else []
    return [
        *file,
        f"{scorer.label} = {scorer.positive}",
        *([scorer.facts["chosen"]] if "chosen" in scorer.facts else []),
    ]


def _found(entry: dict[str, Any]) -> list[dict[str, Any]]:
    return [entry[name] for name in ("drift", "performance", "inspected", "columns") if entry[name] is not None]


def _state_path(model: Any, state: str | os.PathLike[str] | None) -> Path:
    if state is not None:
        return Path(state)
    if not is_path(model):
        raise InputError("A monitor needs a file for its state; got none.", "state='monitor.json' names one.")
    return Path(model).with_suffix(".monitor.json")
