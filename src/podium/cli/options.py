"""Options that several commands share."""

from __future__ import annotations

import inspect
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from podium.exceptions import InputError

Data = Annotated[
    Path, typer.Argument(metavar="DATA", help="A CSV (also .gz), Parquet or Excel file.", show_default=False)
]
Rows = Annotated[
    Path,
    typer.Argument(metavar="DATA", help="A CSV (also .gz), Parquet or Excel file, or a folder.", show_default=False),
]
Scores = Annotated[Path, typer.Argument(metavar="SCORES", help="A table of labels and scores.", show_default=False)]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file written by podium fit.", show_default=False)]
Label = Annotated[
    str, typer.Option(help="The column that says which rows belong on top.", show_default=False, metavar="COL")
]
Positive = Annotated[
    list[str] | None,
    typer.Option(help="Value of the label that belongs on top; default: 1 or true; repeatable.", metavar="VALUE"),
]
Unlabeled = Annotated[
    str | None,
    typer.Option(
        help="How a row that nobody looked at is labeled: VALUE, or COLUMN=VALUE; default: empty.", metavar="VALUE"
    ),
]
Time = Annotated[
    str | None,
    typer.Option(help="Column of each row's date or time; fit then evaluates on the latest rows.", metavar="COL"),
]
Every = Annotated[
    str | None,
    typer.Option(
        help="How often a list is made: hour, day, week, month, quarter, year. The budget is one per list.",
        metavar="PERIOD",
    ),
]
Per = Annotated[str | None, typer.Option(help="With --every: a list for each value of this column.", metavar="COL")]
Budget = Annotated[int | None, typer.Option(help="How many rows you can inspect.", metavar="K")]
Spec = Annotated[
    str, typer.Option("--phi", help="Which part of the list matters: auc, smooth-top:0.95, power:3, …", metavar="SPEC")
]
Seed = Annotated[int, typer.Option(help="Seed of all random choices.", metavar="N", min=0, max=2**32 - 1)]
Explore = Annotated[
    int, typer.Option(help="Draw N of the rows to inspect from below the top, with known probabilities.", metavar="N")
]
ExploreFor = Annotated[
    str, typer.Option(help="What explored rows make known of the whole list: recall, auc or hits.", metavar="AIM")
]
OutFile = Annotated[
    Path | None, typer.Option("--out", help="The file to write; default: standard output.", metavar="FILE")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Memory = Annotated[
    str | None,
    typer.Option(
        help="Memory for the table, such as 2GB: larger files are read in chunks. Default: a quarter of what is free. "
        "Libraries, the page and buffers for reading take about 0.5 GB on top, whatever is allowed.",
        metavar="SIZE",
    ),
]
SheetName = Annotated[
    str | None, typer.Option("--sheet", help="Sheet of an Excel file; default: the first.", metavar="NAME")
]
Confidence = Annotated[
    float, typer.Option("--confidence", help="Confidence level of intervals and guarantees.", metavar="LEVEL")
]

_TABLES = ("data", "scores")  # what the commands call the table they read
_UNITS = {"": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}


def bytes_of(text: str | None) -> float | None:
    """Parse a size such as 2GB, 500 MB, or a number of bytes."""
    if text is None:
        return None
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?B?)\s*", text.upper())
    unit = match and (match.group(2) + "B" if match.group(2) in tuple("KMGT") else match.group(2).removeprefix("B"))
    if match is None or unit not in _UNITS:
        raise InputError(f"A size is a number of bytes; got {text!r}.", "for instance 2GB or 500MB.")
    return float(match.group(1)) * _UNITS[unit]


def with_sheet(run: Callable[..., None]) -> Callable[..., None]:
    """The command with an option that names a sheet, if it reads a table."""
    signature, hints = inspect.signature(run), get_type_hints(run, include_extras=True)
    name = next((one for one in _TABLES if one in signature.parameters), None)
    if name is None:
        return run

    @wraps(run)
    def of_sheet(*, sheet: str | None = None, **given: Any) -> None:
        from podium.tables.files.source import Sheet
        from podium.tables.files.versions import each_file_once

        if sheet is not None:
            given[name] = Sheet(given[name], sheet)
        with each_file_once():
            run(**given)

    given_by_name = [
        inspect.Parameter(one, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
        for one, (default, hint) in {
            **{key: (each.default, hints[key]) for key, each in signature.parameters.items()},
            "sheet": (None, SheetName),
        }.items()
    ]
    of_sheet.__signature__ = inspect.Signature(given_by_name)  # type: ignore[attr-defined]
    of_sheet.__annotations__ = {**hints, "sheet": SheetName}
    return of_sheet


def command() -> str:
    """The command line as it was typed."""
    return shlex.join(["podium", *sys.argv[1:]])


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse an unknown word; the hint is the closest match."""
    if value not in allowed:
        from podium._input import nearest  # brings SciPy, which --help can do without

        near = nearest(value, allowed)
        some = ", ".join(allowed[:12]) + (", …" if len(allowed) > 12 else "")
        hint = f"did you mean {near}?" if near else f"choose from {some}."
        raise InputError(f"{name} {value!r} is unknown.", hint)


def refuse_existing(paths: Sequence[Path], force: bool) -> None:
    """Before any work starts: existing files are overwritten only if forced."""
    existing = [str(path) for path in paths if path.exists()]
    if existing and not force:
        raise InputError(f"Existing files are not overwritten: {', '.join(existing)}.", "--force overwrites them.")
