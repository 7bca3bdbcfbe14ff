"""Look at a table before anything is fitted: what `fit` would take, doubt and propose, in the same sentences."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd

from podium._results.result import Result
from podium._results.wording import percent
from podium.columns.date import DateColumn
from podium.columns.encode import Encoder
from podium.columns.number import NumberColumn
from podium.columns.text import TextColumn, WordsColumn
from podium.exceptions import DegenerateSampleError, InputError
from podium.report import Report
from podium.report.page import PAGES, origin
from podium.tables import Table, is_path, positives, to_table
from podium.tables.files.source import is_streamed, memory_to_use
from podium.tables.formats.number import NumberFormat
from podium.tables.formats.text import TextFormat
from podium.tables.table import require_columns
from podium.workflow.stages.leaks import doubts_of, outstanding_columns
from podium.workflow.stages.prepare import Prepared, prepare
from podium.workflow.stages.roles import Roles

_VALUES = 2  # of a column that may be the label
_FEWEST = 5  # rows that hold a value which is named
_LABEL_NAME = re.compile(
    r"y|label|target|class|outcome|response|result|status|died|dead|survived|.*(default|fraud|churn|attrition|spam|positive).*",
    re.IGNORECASE,
)
_DROPPED = " dropped."  # how a note ends on a column that is not learned from
_OPTIONS = ("time", "group", "weight", "exclude")  # that a doubt may propose, as "(option time: sold_on)"


@dataclass(frozen=True)
class PossibleLabel:
    """A column of two values that may be the label: how many rows have each, by value."""

    column: str
    rows: dict[str, int]

    @property
    def values(self) -> str:
        return ", ".join(f"{value}: {n:,}" for value, n in self.rows.items())


@dataclass(frozen=True)
class SeenColumn:
    """A column: what it becomes, how it is written (empty if plainly), and its share of missing values."""

    name: str
    becomes: str
    written: str
    missing: float


@dataclass(frozen=True, kw_only=True, repr=False)
class LookResult(Result):
    """What `fit` will find in a table.

    Attributes
    ----------
    n_rows, n_columns : int
        The size of the table.
    label, positive : str
        The label, and the value taken as positive.
    labels : str
        How many rows have which label.
    candidates : tuple of PossibleLabel
        Columns that may be the label.
    columns : tuple of SeenColumn
        What becomes of every column.
    doubts : tuple of str
        What to settle first; the same sentences as `fit` has above the headline of its report.
    notes : tuple of str
        How values were read and columns are encoded.
    command : str
        The next step: for a file a command, quoted for the shell, else a call in Python. It has the options that
        the doubts propose.
    report : Report
        All of this as a page.
    """

    n_rows: int
    n_columns: int
    label: str
    positive: str
    labels: str
    candidates: tuple[PossibleLabel, ...]
    columns: tuple[SeenColumn, ...]
    doubts: tuple[str, ...]
    notes: tuple[str, ...]
    command: str
    report: Report

    def to_dict(self) -> dict[str, Any]:
        return self.report.summary

    def __repr__(self) -> str:
        return f"LookResult({self.report.headline})"


def look(
    table: Any,
    label: str | None = None,
    *,
    positive: str | Sequence[str] | None = None,
    command: str | None = None,
    on_step: Callable[[str], Any] = lambda step: None,
) -> LookResult:
    """Say what a table holds before anything is fitted: labels, dates, units, leaks, and what each column becomes.

    The table is read, split and encoded as `fit` does it, with the same seed, so that its doubts are those of `fit`.

    Parameters
    ----------
    table : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
        A file or a table in memory.
    label : str, optional
        The column that says which rows belong on top; by default one of two values, by its name or the last one.
    positive : str or sequence of str, optional
        The label's value that belongs on top; by default 1 or true, else the rarer value.
    command : str, optional
        The command line shown on the page.
    on_step : callable, optional
        Called with a short description as each stage begins.

    Returns
    -------
    LookResult
        With ``doubts``, ``columns``, ``command`` and ``report``.

    Examples
    --------
    >>> import pandas as pd
    >>> from podium.workflow import look
    >>> loans = pd.DataFrame({"income": [20, 50, 30, 40, 60] * 20, "late": [0, 1, 0, 0] * 25})
    >>> result = look(loans)
    >>> result.labels, result.command
    ('25 positive; 75 others', "workflow.fit(table, label='late')")
    """
    if is_streamed(table, memory_to_use(None)):
        raise InputError(
            f"A look reads the table as a whole; {table} is a folder or larger than memory.",
            "take one file or its first rows, for instance: head -n 100000 large.csv > first.csv",
        )
    on_step("reading")
    read = to_table(table)
    candidates = _candidates(read)
    chosen = _label(candidates, label)
    require_columns(read.frame, [chosen], "label")
    word = _positive(read.frame[chosen], positive)
    prepared = prepare(
        table,
        Roles(label=chosen),
        positive=word,
        exclude=(),
        holdout=0.3,
        test=None,
        seed=0,
        on_step=on_step,
    )
    doubts = _doubts(prepared)
    options = _proposed(doubts, list(map(str, read.frame)))
    dropped = _dropped(read, prepared)
    identifier = next((name for name, why in dropped.items() if _names_rows(read.frame[name], why)), None)
    columns = tuple(_columns(read, prepared, {chosen: "the label", identifier: "names the row"}))
    settings: dict[str, Any] = {"label": chosen, "positive": word, "id": identifier, **options}
    source = Path(table).name if is_path(table) else "table"
    found: dict[str, Any] = {
        "n_rows": len(read.frame),
        "n_columns": read.frame.shape[1],
        "label": chosen,
        "positive": prepared.positive,
        "labels": str(prepared.labels),
        "candidates": candidates,
        "columns": columns,
        "doubts": tuple(doubts),
        "notes": tuple(prepared.notes),
        "command": _command(str(table), settings) if is_path(table) else _call(settings),
    }
    return LookResult(
        **found, report=_page(found, source, prepared.labels.n_pos, is_given=label is not None, command=command)
    )


def _candidates(read: Table) -> tuple[PossibleLabel, ...]:
    """Columns of two values, each of them held by five rows."""
    found = []
    for name, column in read.frame.items():
        counts = column.value_counts() if column.nunique() == _VALUES else pd.Series(dtype=int)
        if len(counts) == _VALUES and counts.min() >= _FEWEST:
            found.append(PossibleLabel(str(name), {_plain(value): int(n) for value, n in counts.items()}))
    return tuple(found)


def _label(candidates: Sequence[PossibleLabel], label: str | None) -> str:
    if label is not None:
        return label
    if not candidates:
        raise InputError(
            f"A label has two values, each in {_FEWEST} rows or more; no column does.",
            "name the column that says which rows belong on top: label, and its value: positive.",
        )
    named = [one.column for one in candidates if _LABEL_NAME.fullmatch(one.column)]
    return (named or [one.column for one in candidates])[-1]


def _positive(column: pd.Series[Any], positive: str | Sequence[str] | None) -> str | Sequence[str] | None:
    """As given; none where labels leave no doubt; else the rarest value."""
    if positive is not None:
        return positive
    try:
        positives(column.dropna())
    except DegenerateSampleError:
        raise
    except InputError:
        return _plain(column.value_counts().index[-1])
    return None


def _plain(value: Any) -> str:
    """As people write it: 1, not 1.0."""
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _doubts(prepared: Prepared) -> list[str]:
    """The sentences that `fit` has for this table, before it has chosen a model: doubts, then remarks."""
    suspects = outstanding_columns(prepared.encoded) | prepared.suspects
    return [*map(str, doubts_of(suspects) + prepared.doubts), *prepared.remarks]


def _proposed(doubts: Sequence[str], names: Sequence[str]) -> dict[str, list[str]]:
    """Options that doubts propose, with their columns; of those that take one column, the first."""
    found: dict[str, list[str]] = {}
    for sentence in doubts:
        for option in _OPTIONS:
            found.setdefault(option, []).extend(name for name in names if f"(option {option}: {name})" in sentence)
    return {name: columns if name == "exclude" else columns[:1] for name, columns in found.items() if columns}


def _dropped(read: Table, prepared: Prepared) -> dict[str, str]:
    """Why columns were dropped, as the notes say."""
    found = {}
    for name in map(str, read.frame):
        start = f"Column {name!r} "
        why = next((note for note in prepared.notes if note.startswith(start) and note.endswith(_DROPPED)), "")
        if why:
            found[name] = re.sub(" and was dropped.$|: dropped.$", "", why.removeprefix(start))
    return found


def _names_rows(column: pd.Series[Any], why: str) -> bool:
    """Whether a column was dropped as an identifier and has another value in every row."""
    return "identifier" in why and bool(column.notna().all()) and column.is_unique


def _columns(read: Table, prepared: Prepared, roles: Mapping[str | None, str]) -> list[SeenColumn]:
    dropped, becomes = _dropped(read, prepared), _becomes(prepared.encoded.encoder)
    found = []
    for name in map(str, read.frame):
        words = roles.get(name) or becomes.get(name) or f"left out: {dropped.get(name, 'no word repeats')}"
        way = read.formats.get(name)
        written = "" if way is None or way in (NumberFormat(), TextFormat()) else way.example
        found.append(SeenColumn(name, words, written, float(read.frame[name].isna().mean())))
    return found


def _becomes(encoder: Encoder) -> dict[str, str]:
    """What an encoder makes of each column, in a few words."""
    found = {}
    for column in encoder.columns:
        match column:
            case NumberColumn():
                found[column.name] = "a number" + (", and whether it is missing" if column.marks_missing else "")
            case TextColumn():
                how = "by the share of positives of each" if column.uses_labels else "a column each"
                n_values = len(column.categories)
                found[column.name] = f"{n_values:,} value{'' if n_values == 1 else 's'}, {how}"
            case DateColumn():
                found[column.name] = "a date: time elapsed, and the time of year, week and day"
            case WordsColumn():
                found[column.name] = "sentences, by their words"
    return found


def _command(path: str, settings: dict[str, Any]) -> str:
    """For the shell."""
    return shlex.join(["podium", "fit", path, *(part for one in _pairs(settings) for part in (f"--{one[0]}", one[1]))])


def _call(settings: dict[str, Any]) -> str:
    """In Python."""
    given = {name: value for name, value in settings.items() if value is not None}
    words = [f"id_column={value!r}" if name == "id" else _argument(name, value) for name, value in given.items()]
    return f"workflow.fit(table, {', '.join(words)})"


def _argument(name: str, value: Any) -> str:
    return f"{name}={value[0] if isinstance(value, list) and name != 'exclude' else value!r}"


def _pairs(settings: dict[str, Any]) -> list[tuple[str, str]]:
    """Every option with each of its values."""
    several = {name: [value] if isinstance(value, str) else value or () for name, value in settings.items()}
    return [(name, value) for name, values in several.items() for value in values]


def _page(found: dict[str, Any], source: str, n_pos: int, *, is_given: bool, command: str | None) -> Report:
    n_doubts = len(found["doubts"])
    doubts = f"{n_doubts or 'no'} doubt{'' if n_doubts == 1 else 's'}"
    headline = (
        f"{found['n_rows']:,} rows, {found['n_columns']:,} columns; {n_pos:,} with {found['label']} = "
        f"{found['positive']}; {doubts}"
    )
    html = PAGES.get_template("look.html").render(
        found,
        headline=headline,
        title=f"A look at {source}",
        about=[f"{date.today():%Y-%m-%d}"],
        is_given=is_given,
        shares=[percent(one.missing) if one.missing else "–" for one in found["columns"]],
        provenance=origin({} if command is None else {"command": command}),
    )
    plain = {name: [asdict(one) for one in found[name]] for name in ("candidates", "columns")}
    lists = {name: list(found[name]) for name in ("doubts", "notes")}
    return Report(html, headline, {"headline": headline, **found, **plain, **lists})
