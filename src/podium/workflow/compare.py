"""Compare columns of scores of the same rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from podium import _input, inference
from podium._results.result import Result
from podium.inference import Comparison, Comparisons
from podium.workflow.stages.read import read_labeled


@dataclass(frozen=True, kw_only=True, repr=False)
class CompareResult(Result):
    """Every pair of scores compared.

    Attributes
    ----------
    comparisons : Comparison or Comparisons
        As `podium.inference.compare` returns them.
    notes : tuple of str
        What was left out.
    """

    comparisons: Comparison | Comparisons
    notes: tuple[str, ...]

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
    confidence_level: float = 0.95,
    on_step: Callable[[str], Any] = lambda step: None,
) -> CompareResult:
    """Compare two or more columns of scores; p-values of many comparisons are corrected by Holm's method.

    Parameters
    ----------
    table : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
        Rows that had no part in making the scores.
    label : str
        The column of labels.
    scores : sequence of str
        The columns of scores, at least two; a larger score is more positive.
    positive : str or sequence of str, optional
        The label's value that belongs on top, where the labels are not 0/1, −1/1 or false/true.
    phi : str
        Which part of the list matters; see `podium.phi`.
    confidence_level : float
        Of the intervals.
    on_step : callable, optional
        Called with a few words as each stage begins.
    """
    data = read_labeled(table, label, positive, scores)
    columns = {name: _input.check_scores(data.frame[name], f"the column {name!r}") for name in scores}
    on_step("comparing")
    found = inference.compare(data.is_positive, columns, phi=phi, confidence_level=confidence_level)
    return CompareResult(comparisons=found, notes=(*data.warnings, *data.notes))
