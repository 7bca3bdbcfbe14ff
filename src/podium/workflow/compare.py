"""Compare several columns of scores on the same rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from podium import _input, inference
from podium._results.result import Result
from podium.exceptions import InputError
from podium.inference import Comparison, Comparisons
from podium.inference.observed import Bounds
from podium.phi import resolve
from podium.tables.files.source import is_streamed, memory_to_use
from podium.tables.labels import read_labeled
from podium.workflow.stages.observed import WholeList, column_of, whole_list
from podium.workflow.streaming.labeled import LabeledStream


@dataclass(frozen=True, kw_only=True, repr=False)
class CompareResult(Result):
    """Every pair of scores compared.

    Attributes
    ----------
    comparisons : Comparison or Comparisons or None
        As `podium.inference.compare` returns them; with a budget, comparisons of the share of hits within it. None if
        the labeled rows were selected.
    budget : int or None
        How many rows of each list are inspected, if hits are compared.
    notes : tuple of str
        What was left out.
    warnings : tuple of str
        Why figures of the labeled rows may not hold for the list.
    bounds : dict of str to Bounds
        If the labeled rows were selected: between what each score's figure for the whole list lies.
    """

    comparisons: Comparison | Comparisons | None
    notes: tuple[str, ...]
    budget: int | None = None
    warnings: tuple[str, ...] = ()
    bounds: dict[str, Bounds] = field(default_factory=dict)

    @property
    def pairs(self) -> tuple[Comparison, ...]:
        """One comparison per pair of scores."""
        if self.comparisons is None:
            return ()
        return self.comparisons.pairs if isinstance(self.comparisons, Comparisons) else (self.comparisons,)

    def __repr__(self) -> str:
        return repr(self.bounds if self.comparisons is None else self.comparisons)


def compare(
    table: Any,
    *,
    label: str,
    scores: Sequence[str],
    positive: str | Sequence[str] | None = None,
    phi: str = "auc",
    budget: int | None = None,
    unlabeled: str | None = None,
    confidence_level: float = 0.95,
    memory: float | None = None,
    on_step: Callable[[str], Any] = lambda step: None,
) -> CompareResult:
    """Compare two or more columns of scores; p-values of several comparisons are adjusted by Holm's method.

    Parameters
    ----------
    table : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
        Rows that were not used to train the scorers; a file, or a folder of CSV or Parquet files, may exceed memory.
    label : str
        The column of labels.
    scores : sequence of str
        The columns of scores, at least two; a larger score is more positive.
    positive : str or sequence of str, optional
        The label's value that belongs on top, unless the labels are 0/1, −1/1 or false/true.
    phi : str
        Which part of the list matters; see `podium.phi`.
    budget : int, optional
        Compare hits among the first ``budget`` rows of each list, instead of a statistic of the whole list.
    unlabeled : str, optional
        The label's value, or ``COLUMN=VALUE``, of rows that nobody looked at, if their label is not empty.
    confidence_level : float
        Confidence level of the intervals.
    memory : float, optional
        Memory for the table, in bytes; by default a quarter of what is free. A larger file is read in chunks; if its
        labels and scores alone exceed memory, in several passes.
    on_step : callable, optional
        Called with a short description as each stage begins.

    Returns
    -------
    CompareResult
        The comparisons, and what was left out. Where only some rows have a label, see `evaluate`.
    """
    if len(set(scores)) < 2:
        raise InputError(
            f"A comparison needs two columns of scores; got {', '.join(map(repr, scores)) or 'none'}.",
            "name each of them with the argument scores.",
        )
    allowed, found = memory_to_use(memory), None
    aside = column_of(unlabeled)
    stream = whole_table = None
    if is_streamed(table, allowed):
        stream = LabeledStream.of(table, label, scores, positive, on_step, unlabeled, aside)
        found, whole_table = stream.found, stream.whole(allowed)
    if stream is not None and whole_table is None:
        rows, notes, doubts = stream.in_memory(allowed), stream.notes, stream.doubts
        if rows is None and budget is not None:
            raise InputError(
                "Hits within a budget are compared in memory; the rows do not fit.",
                "compare by phi, or allow more memory.",
            )
        if rows is None:
            level = _input.check_fraction("confidence_level", confidence_level)
            comparisons = stream.lists().compare(resolve(phi), "two-sided", level, memory=allowed)
            return CompareResult(comparisons=comparisons, notes=notes, warnings=tuple(map(str, doubts)))
        y, columns = rows
    else:
        table = table if whole_table is None else whole_table
        data = read_labeled(table, label, positive, scores, unlabeled=unlabeled)
        notes, doubts = (*data.warnings, *data.notes), ()
        if (whole := whole_list(data, scores, aside=aside, found=found)) is not None:
            return _compare_partly(whole, phi, budget, confidence_level, notes)
        y = data.is_positive
        columns = {name: _input.check_scores(data.frame[name], f"the column {name!r}") for name in scores}
    on_step("comparing")
    comparisons = inference.compare(y, columns, **_asked(phi, budget, len(y)), confidence_level=confidence_level)
    return CompareResult(comparisons=comparisons, notes=notes, budget=budget, warnings=tuple(map(str, doubts)))


def _asked(phi: str, budget: int | None, n_rows: int) -> dict[str, Any]:
    """By which figure scores are compared: hits within the budget, if there is one."""
    if budget is None:
        return {"phi": phi}
    k = _input.check_integer("budget", budget, 1, n_rows, f"there are {n_rows:,} rows.")
    return {"metric": f"precision-at:{k}"}


def _compare_partly(
    whole: WholeList, phi: str, budget: int | None, level: float, notes: tuple[str, ...]
) -> CompareResult:
    """Comparisons of the whole list by design, or bounds for each score."""
    asked = _asked(phi, budget, len(whole.labels))
    known: Any = {"notes": notes, "budget": budget, "warnings": tuple(map(str, whole.doubts))}
    if whole.labels.inclusion is None:
        bounds: Any = {name: inference.interval(whole.labels, s, **asked) for name, s in whole.scores.items()}
        return CompareResult(comparisons=None, bounds=bounds, **known)
    comparisons = inference.compare(whole.labels, whole.scores, **asked, confidence_level=level)
    return CompareResult(comparisons=comparisons, **known)
