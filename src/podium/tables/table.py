"""A table that was read: its columns, and how they were written."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from podium.tables.formats.recognize import Format


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table that was read: columns to compute with, columns kept as text, and remarks on how they were read.

    Attributes
    ----------
    frame : pandas.DataFrame
        Columns of numbers, times and text.
    texts : pandas.DataFrame
        The columns asked for as text, with the same index.
    formats : dict
        How each column was written, by name.
    notes, warnings : list of str
        Columns that were not plain, and what may have been misunderstood.
    """

    frame: pd.DataFrame
    texts: pd.DataFrame
    formats: dict[str, Format] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
