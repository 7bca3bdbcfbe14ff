"""Real tables, read from a local folder or fetched from OpenML."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from podium import _input, _optional
from podium._types import BoolArray
from podium.exceptions import InputError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class _Source:
    """A table: its numbers of rows and positives, its name and positive label on OpenML, columns to drop."""

    n_rows: int
    n_pos: int
    openml: str
    positive: str
    drop: tuple[str, ...] = ()


TABLES = {
    "magic": _Source(19_020, 12_332, "MagicTelescope", "g"),
    "ionosphere": _Source(351, 225, "ionosphere", "g"),
    "housing_chas": _Source(506, 35, "boston", "1"),
    "mammography": _Source(11_183, 260, "mammography", "1"),
    "spambase": _Source(4_597, 1_812, "spambase", "1"),
    "german_credit": _Source(1_000, 300, "credit-g", "bad"),
    "credit_default": _Source(30_000, 6_636, "default-of-credit-card-clients", "1"),
    "adult": _Source(48_842, 11_687, "adult", ">50K"),
    "skin": _Source(245_057, 50_859, "skin-segmentation", "1"),
    "kdd99_10pct": _Source(494_021, 1_178, "KDDCup99", "1", ("attack",)),
}


def load_table(name: str, path: str | Path | None = None) -> tuple[pd.DataFrame, BoolArray]:
    """Columns and labels of a well-known table.

    Parameters
    ----------
    name : str
        One of ``podium.datasets.TABLES``.
    path : path, optional
        The file, or a folder that holds ``name.csv`` or ``name.csv.gz`` with the label ``y`` (1 = positive) as its last
        column. By default the folder that the environment variable ``PODIUM_DATA`` names; without one, OpenML.

    Returns
    -------
    tuple of pandas.DataFrame and ndarray of bool
        The columns, and whether each row is positive.
    """
    source = TABLES[_input.check_choice("name", name, tuple(TABLES))]
    file = _find(name, path)
    frame, is_positive = _from_openml(name, source) if file is None else _from_file(file)
    if (len(frame), int(is_positive.sum())) != (source.n_rows, source.n_pos):
        raise InputError(
            f"The table {name!r} must have {source.n_rows:,} rows, {source.n_pos:,} of them positive; "
            f"got {len(frame):,} and {int(is_positive.sum()):,} from {file or 'OpenML'}.",
            "pass the path of another copy.",
        )
    return frame.drop(columns=[c for c in source.drop if c in frame]), is_positive


def _find(name: str, path: str | Path | None) -> Path | None:
    place = path if path is not None else os.environ.get("PODIUM_DATA")
    if place is None:
        return None
    place = Path(place)
    if place.is_file():
        return place
    for ending in (".csv", ".csv.gz"):
        if (place / f"{name}{ending}").is_file():
            return place / f"{name}{ending}"
    raise InputError(
        f"The table {name!r} must be {name}.csv or {name}.csv.gz in the folder given; {place} has neither.",
        "set PODIUM_DATA or path to its folder, or leave both out to fetch it from OpenML.",
    )


def _from_file(file: Path) -> tuple[pd.DataFrame, BoolArray]:
    frame = _optional.load("pandas", "podium.datasets.load_table").read_csv(file)
    if frame.columns[-1] != "y":
        raise InputError(f"The last column of {file} must be the label y; got {frame.columns[-1]!r}.")
    return frame.iloc[:, :-1], frame["y"].to_numpy() == 1


def _from_openml(name: str, source: _Source) -> tuple[pd.DataFrame, BoolArray]:
    from sklearn.datasets import fetch_openml

    _optional.require("podium.datasets.load_table", "pandas")
    if name == "kdd99_10pct":
        raise InputError("OpenML's copy of 'kdd99_10pct' names attacks, not rare ones; got no path.", "pass a path.")
    bunch = fetch_openml(source.openml, version="active", as_frame=True, parser="auto")
    frame, target = (
        (bunch.frame.drop(columns="CHAS"), bunch.frame["CHAS"])
        if name == "housing_chas"
        else (bunch.data, bunch.target)
    )
    return frame, np.asarray(target.astype(str) == source.positive)
