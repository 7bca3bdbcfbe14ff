"""Compare several columns of scores on the same rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from podium import _input, inference
from podium._results import wording
from podium._results.result import Result
from podium.exceptions import InputError
from podium.inference import Comparison, Comparisons
from podium.inference.intervals.limits import ALTERNATIVES
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

    @property
    def verdicts(self) -> tuple[str, ...]:
        """With a margin, what is shown of each pair at the level of the intervals, in a sentence."""
        return tuple(self._verdict(pair) for pair in self.pairs if pair.margin is not None)

    def _verdict(self, pair: Comparison) -> str:
        assert pair.margin is not None
        first, second = pair.names[::-1] if pair.alternative == "less" else pair.names
        much = f"{pair.margin * (self.budget or 1):g} {'hits' if self.budget else f'in {wording.statistic(pair.phi)}'}"
        alpha = 1 - pair.confidence_level
        at = f"at the {wording.level(alpha)} level, {wording.pvalue(pair.adjusted_pvalue)}"
        if pair.alternative == "two-sided":
            verdict, reason = "equivalent", f"{first} and {second} differ by less than {much}"
        else:
            verdict, reason = "not worse", f"{first} is less than {much} below {second}"
        if pair.adjusted_pvalue > alpha:
            return f"It is not shown that {reason} ({at})."
        return f"{verdict.capitalize()}: {reason} ({at})."

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
    margin: float | None = None,
    alternative: str = "two-sided",
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
    margin : float, optional
        The largest difference that does not matter, in the unit of the comparison (with a budget, hits); chosen before
        these rows were seen. The p-values are then of equivalence or non-inferiority: see `podium.inference.compare`.
    alternative : {"two-sided", "greater", "less"}
        As in `podium.inference.compare`; with a margin, ``"greater"`` asks whether the first score is not worse.
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
    _input.check_choice("alternative", alternative, ALTERNATIVES)
    if margin is not None:
        _input.check_number("margin", margin, 0, open_low=True)
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
            comparisons = stream.lists().compare(resolve(phi), alternative, level, memory=allowed, margin=margin)
            return CompareResult(comparisons=comparisons, notes=notes, warnings=tuple(map(str, doubts)))
        y, columns = rows
    else:
        table = table if whole_table is None else whole_table
        data = read_labeled(table, label, positive, scores, unlabeled=unlabeled)
        notes, doubts = (*data.warnings, *data.notes), ()
        if (whole := whole_list(data, scores, aside=aside, found=found)) is not None:
            asked = _asked(phi, budget, len(whole.labels), margin, alternative, confidence_level)
            return _compare_partly(whole, asked, budget, notes)
        y = data.is_positive
        columns = {name: _input.check_scores(data.frame[name], f"the column {name!r}") for name in scores}
    on_step("comparing")
    asked = _asked(phi, budget, len(y), margin, alternative, confidence_level)
    comparisons = inference.compare(y, columns, **asked)
    return CompareResult(comparisons=comparisons, notes=notes, budget=budget, warnings=tuple(map(str, doubts)))


def _asked(
    phi: str, budget: int | None, n_rows: int, margin: float | None, alternative: str, level: float
) -> dict[str, Any]:
    """What is asked of `inference.compare`: by hits within the budget, if there is one, which are shares there."""
    asked: dict[str, Any] = {"alternative": alternative, "margin": margin, "confidence_level": level}
    if budget is None:
        return {"phi": phi, **asked}
    k = _input.check_integer("budget", budget, 1, n_rows, f"there are {n_rows:,} rows.")
    return {"metric": f"precision-at:{k}", **asked, "margin": None if margin is None else margin / k}


def _compare_partly(
    whole: WholeList, asked: dict[str, Any], budget: int | None, notes: tuple[str, ...]
) -> CompareResult:
    """Comparisons of the whole list by design, or bounds for each score."""
    known: Any = {"notes": notes, "budget": budget, "warnings": tuple(map(str, whole.doubts))}
    if whole.labels.inclusion is None:
        figure = {name: asked[name] for name in ("phi", "metric") if name in asked}
        bounds: Any = {name: inference.interval(whole.labels, s, **figure) for name, s in whole.scores.items()}
        return CompareResult(comparisons=None, bounds=bounds, **known)
    comparisons = inference.compare(whole.labels, whole.scores, **asked)
    return CompareResult(comparisons=comparisons, **known)
