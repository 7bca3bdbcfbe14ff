"""Compare columns of scores of the same rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from podium import _input, inference
from podium import phi as phi_
from podium._results.result import Result
from podium.exceptions import InputError
from podium.inference import Comparison, Comparisons
from podium.workflow.stages.read import read_labeled
from podium.workflow.streaming.labeled import LabeledStream, is_streamed, memory_to_use


@dataclass(frozen=True, kw_only=True, repr=False)
class CompareResult(Result):
    """Every pair of scores compared.

    Attributes
    ----------
    comparisons : Comparison or Comparisons
        As `podium.inference.compare` returns them; with a budget, of the share of hits in its rows.
    budget : int or None
        How many rows of each list are looked at, where hits are compared.
    notes : tuple of str
        What was left out.
    """

    comparisons: Comparison | Comparisons
    notes: tuple[str, ...]
    budget: int | None = None

    @property
    def pairs(self) -> tuple[Comparison, ...]:
        """One comparison per pair, however many there are."""
        return self.comparisons.pairs if isinstance(self.comparisons, Comparisons) else (self.comparisons,)

    def __repr__(self) -> str:
        return repr(self.comparisons)


def compare(
    table: Any,
    *,
    label: str,
    scores: Sequence[str],
    positive: str | Sequence[str] | None = None,
    phi: str = "auc",
    budget: int | None = None,
    confidence_level: float = 0.95,
    memory: float | None = None,
    on_step: Callable[[str], Any] = lambda step: None,
) -> CompareResult:
    """Compare two or more columns of scores; p-values of many comparisons are corrected by Holm's method.

    Parameters
    ----------
    table : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
        Rows that had no part in making the scores; a file, or a folder of CSV or Parquet files, may exceed memory.
    label : str
        The column of labels.
    scores : sequence of str
        The columns of scores, at least two; a larger score is more positive.
    positive : str or sequence of str, optional
        The label's value that belongs on top, where the labels are not 0/1, −1/1 or false/true.
    phi : str
        Which part of the list matters; see `podium.phi`.
    budget : int, optional
        Compare hits among so many rows from the top of each list, instead of a statistic of the whole list.
    confidence_level : float
        Of the intervals.
    memory : float, optional
        Bytes that may be used; a quarter of what is left unless given. A file that would take more is read piece by
        piece, and where its labels and scores alone take more, in several passes.
    on_step : callable, optional
        Called with a few words as each stage begins.

    Returns
    -------
    CompareResult
        The comparisons, and what was left out.
    """
    if len(set(scores)) < 2:
        raise InputError(
            f"A comparison needs two columns of scores; got {', '.join(map(repr, scores)) or 'none'}.",
            "name each of them by the option score.",
        )
    allowed = memory_to_use(memory)
    if is_streamed(table, allowed):
        stream = LabeledStream.of(table, label, scores, positive, on_step)
        rows, notes = stream.in_memory(allowed), stream.notes
        if rows is None and budget is not None:
            raise InputError(
                "Hits of a budget are compared in memory; the rows need more.", "compare by phi, or allow more memory."
            )
        if rows is None:
            level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
            found = stream.lists().compare(phi_.resolve(phi), "two-sided", level, memory=allowed)
            return CompareResult(comparisons=found, notes=notes)
        y, columns = rows
    else:
        data = read_labeled(table, label, positive, scores)
        columns = {name: _input.check_scores(data.frame[name], f"the column {name!r}") for name in scores}
        y, notes = data.is_positive, (*data.warnings, *data.notes)
    on_step("comparing")
    if budget is None:
        found = inference.compare(y, columns, phi=phi, confidence_level=confidence_level)
    else:
        k = _input.check_integer("budget", budget, 1, len(y), f"there are {len(y):,} rows.")
        found = inference.compare(y, columns, metric=f"precision-at:{k}", confidence_level=confidence_level)
    return CompareResult(comparisons=found, notes=notes, budget=budget)
