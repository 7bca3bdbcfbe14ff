"""The list of every row of a table to be scored, where a list is made every period."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from podium._results.wording import quoted
from podium._types import Array
from podium.tables import TableModel
from podium.tables.formats.recognize import Format
from podium.tables.periods import begins, each
from podium.workflow.stages.roles import check_times


@dataclass(frozen=True)
class ListNames:
    """One list, or one for every period and for each value of a column in it, as in the evaluation of the model.

    ``known`` are the formats of the columns that tell them apart.
    """

    model: TableModel
    known: Mapping[str, Format]

    @classmethod
    def of(cls, model: TableModel, names: Sequence[str], notes: dict[str, None]) -> ListNames:
        """All rows are one list where a column that tells them apart is missing."""
        if "every" not in model.facts:
            return cls(model, {})
        columns = [model.facts[name] for name in ("time", "per") if name in model.facts]
        missing = [name for name in columns if name not in names]
        if missing:
            notes[f"Without {quoted(missing)} all rows are ranked as one list, of one period."] = None
            return cls(model, {})
        return cls(model, {name: model.formats[name] for name in columns})

    def of_rows(self, frame: pd.DataFrame) -> Array | None:
        """The name of the list of every row: when its period begins, and the value of the column."""
        if not self.known:
            return None
        facts = self.model.facts
        starts = begins(check_times(frame[facts["time"]]), facts["every"])
        period: pd.Series[Any] = pd.Series(starts)
        if starts.dtype.kind == "M":
            period = pd.Series(pd.DatetimeIndex(starts).strftime("%Y-%m-%d %H:%M")).str.removesuffix(" 00:00")
        if "per" not in facts:
            return period.to_numpy()
        whose = frame[facts["per"]].astype(object).fillna("missing").astype(str)
        return (period.astype(str) + ", " + whose.to_numpy()).to_numpy()

    @property
    def judged(self) -> tuple[str, Array] | None:
        """How often a list is made, and the list of each row of the evaluation."""
        if self.model.calibration_list is None:
            return None
        return each(self.model.facts["every"], self.model.facts.get("per")), self.model.calibration_list

    def about_lengths(self, n_rows: float) -> list[str]:
        """A note if lists are much longer or shorter than those by which hits are predicted."""
        if self.judged is None:
            if "every" not in self.model.facts or self.model.calibration is None:
                return []
            return ["Hits are not predicted: of the lists held out when the model was trained, some rows had no label."]
        usual = len(self.judged[1]) / (self.judged[1].max() + 1)
        if usual / 2 <= n_rows <= 2 * usual:
            return []
        return [f"A list has {n_rows:,.0f} rows here; hits are predicted by lists of {usual:,.0f} rows."]
