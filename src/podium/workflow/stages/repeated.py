"""Signs of repeated units: rows that are alike where they share a value of a column, and rows that are copies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from podium._results.doubts import Doubt
from podium._results.wording import quoted
from podium._types import Array, BoolArray
from podium.columns.number import numbers

_PAIRS = 2000  # of rows that share a value, compared with as many that do not
_ALIKE = 0.4  # how much closer such rows are in the other columns, on average
_ALIKE_NAMED = 0.2  # the same where the column is named like a unit: laboratory values differ from visit to visit
_UNIT_NAME = re.compile(
    r"(patient|person|subject|proband|customer|client|kunde|user|member|household|haushalt|family|account|konto|"
    r"student|pupil|employee|animal|player|driver|machine|device|sensor)",
    re.IGNORECASE,
)
_NUMBER_NAME = re.compile(r"(^|_|\b)(id|no|nr|number|code|key|plate|license)s?($|_|\b)", re.IGNORECASE)
_ROWS = 50_000  # that suffice to see units
_COMPARED = 50  # other columns, drawn at random, that tell whether rows are alike: all would cost columns²
_FIRST_LOOK = 200, 10  # pairs and columns; who shows no likeness in these, of many columns, is not looked at again
_COPIES = 0.01  # share of the rows
_IDENTIFYING, _NAMES = 0.01, 20  # values of a column that names units, of all cases, and at least
_NAMED = 3  # columns in a sentence beside the first


def units(
    frame: pd.DataFrame, is_positive: BoolArray, names: list[str], id_column: str | None, rng: np.random.Generator
) -> list[Doubt]:
    """The columns whose equal values go with similar rows, names first, then those with the most similar ones."""
    found = _likenesses(frame, is_positive, names, id_column, rng)
    if not found:
        return []
    # A name says more than a measurement by which its rows happen to be known as well.
    unlike = {name: _how_unlike_a_name(frame[name], name) for name in found}
    best, *more = sorted(found, key=lambda name: (*unlike[name], -found[name]))
    return [
        Doubt(
            "units",
            f"Rows with the same {best!r}{also(more, 'with the same')} are very similar. If they belong to one unit (a "
            "patient, a household), the model recognizes units from training, and the figures here are too good for "
            f"new units. Evaluate on new units (option group: {best}).",
        )
    ]


def _likenesses(
    frame: pd.DataFrame, is_positive: BoolArray, names: list[str], id_column: str | None, rng: np.random.Generator
) -> dict[str, float]:
    """How alike rows are that share a value of a column, beyond chance, for columns where it is a lot."""
    found = {}
    for name in names:
        rows = _whole_units(frame[name])
        codes, values = pd.factorize(frame[name].iloc[rows], sort=True)
        n_repeated = len(codes) - len(values)
        if not len(codes) / 100 <= len(values) <= 0.95 * len(codes) or n_repeated < 20:
            continue
        enough = _ALIKE_NAMED if _UNIT_NAME.search(name) else _ALIKE
        others = [other for other in names if other != name]
        pairs, strangers = ((rows[a], rows[b]) for a, b in (_pairs(codes, rng), _strangers(codes, rng)))
        if len(others) > _COMPARED:
            others = [others[j] for j in rng.choice(len(others), _COMPARED, replace=False)]
            n_pairs, n_columns = _FIRST_LOOK
            few, far = ((a[:n_pairs], b[:n_pairs]) for a, b in (pairs, strangers))
            if name != id_column and _likeness([frame[other] for other in others[:n_columns]], few, far) < enough / 2:
                continue
        alike = _likeness([*(frame[other] for other in others), pd.Series(is_positive)], pairs, strangers)
        alike -= 1 / np.sqrt(max(len(pairs[0]), 1))  # two standard deviations of what chance makes of so many pairs
        # A name given to rows that repeats says by itself that they belong together.
        if alike > enough or name == id_column:
            found[name] = alike
    return found


def _whole_units(column: pd.Series[Any]) -> Array:
    """Positions of the rows, of many rows only some: all rows of a value or none."""
    if len(column) <= _ROWS:
        return np.arange(len(column))
    hashes = pd.util.hash_pandas_object(column, index=False).to_numpy()
    return np.flatnonzero(hashes % np.uint64(-(-len(column) // _ROWS)) == 0)


def _pairs(codes: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Positions of two rows each that share a value; missing values (−1) share none."""
    order = rng.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    ordered = codes[order]
    starts = np.flatnonzero((ordered[1:] == ordered[:-1]) & (ordered[1:] >= 0))
    kept = starts[np.concatenate([[True], np.diff(ordered[starts]) != 0])] if len(starts) else starts
    chosen = rng.permutation(kept)[:_PAIRS]
    return order[chosen], order[chosen + 1]


def _strangers(codes: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Pairs of rows with a value and the next one: as alike as equal ones if the column measures something."""
    order = np.argsort(codes, kind="stable")
    ends = np.flatnonzero((np.diff(codes[order]) != 0) & (codes[order][:-1] >= 0))
    chosen = rng.permutation(ends)[:_PAIRS]
    return order[chosen], order[chosen + 1]


def _likeness(columns: list[pd.Series[Any]], pairs: tuple[Array, Array], strangers: tuple[Array, Array]) -> float:
    """One less the distance of the rows of a pair over that of strangers, averaged over the columns."""
    if not len(pairs[0]) or not len(strangers[0]):
        return 0.0
    likeness = []
    for values in columns:
        together = np.concatenate([*pairs, *strangers])
        place = places(values.iloc[together])
        a, b, c, d = np.split(place, np.cumsum([len(part) for part in (*pairs, strangers[0])]))
        measured = place.dtype.kind == "f"
        near, far = (np.mean(np.abs(x - y)) if measured else np.mean(x != y) for x, y in ((a, b), (c, d)))
        if far > 0.02:  # nearly constant columns say nothing
            likeness.append(1 - near / far)
    return float(np.mean(likeness)) if len(likeness) > 1 else 0.0


def copies(
    frame: pd.DataFrame, is_positive: BoolArray, names: list[str], id_column: str | None, rng: np.random.Generator
) -> list[Doubt]:
    """Duplicate rows, unless they arise by chance: after shuffling one column most of them must differ.

    A column that names the cases is proposed as unit first: the same case may have been met again.
    """
    names = [name for name in names if name != id_column]
    if len(names) < 2:
        return []
    hashes = pd.util.hash_pandas_object(frame[names], index=False).to_numpy() ^ is_positive.astype(np.uint64)
    n_cases = len(np.unique(hashes))
    n_copies = len(hashes) - n_cases
    if n_copies < max(20, _COPIES * len(hashes)):
        return []
    columns = pd.DataFrame({name: pd.factorize(frame[name])[0] for name in names}, copy=False)
    finest = str(columns.max().idxmax())
    columns[finest] = rng.permutation(columns[finest].to_numpy())
    shuffled = pd.util.hash_pandas_object(columns, index=False).to_numpy() ^ is_positive.astype(np.uint64)
    if n_copies < 5 * (len(shuffled) - len(np.unique(shuffled))):
        return []
    if id_column is not None and frame[id_column].duplicated().any():
        names.append(id_column)
        columns[id_column] = pd.factorize(frame[id_column])[0]
    n_values = {name: int(columns[name].max()) + 1 for name in names if not _how_unlike_a_name(frame[name], name)[0]}
    naming = [name for name, n in n_values.items() if n >= max(_NAMES, _IDENTIFYING * n_cases)]
    proposal = "remove the duplicates."
    if naming:
        best, *more = sorted(naming, key=lambda name: (-n_values[name], name))
        proposal = (
            f"if rows with the same {best!r}{also(more, 'with the same')} are one unit that was met again, evaluate on "
            f"new units (option group: {best}); if they were entered twice, remove the duplicates."
        )
    return [
        Doubt(
            "copies",
            f"{n_copies:,} of {len(hashes):,} rows are copies of others. Some held-out rows were then also in "
            f"training, and the figures here are too good: {proposal}",
        )
    ]


def _how_unlike_a_name(column: pd.Series[Any], name: str) -> tuple[bool, bool]:
    """Whether a column is neither text nor whole numbers named like an identifier; and whether it has fractions."""
    if types.is_datetime64_any_dtype(column) or types.is_bool_dtype(column):
        return True, True
    if not types.is_numeric_dtype(column):
        return False, False
    has_fractions = bool((numbers(column) % 1 > 0).any())
    return has_fractions or not (_UNIT_NAME.search(name) or _NUMBER_NAME.search(name)), has_fractions


def places(values: pd.Series[Any]) -> Array:
    """Ranks from 0 to 1 of numbers and times, codes of anything else; missing ones are equal to each other."""
    if (types.is_numeric_dtype(values) and not types.is_bool_dtype(values)) or types.is_datetime64_any_dtype(values):
        return pd.Series(numbers(values)).fillna(-np.inf).rank(pct=True).to_numpy()
    return pd.factorize(values)[0]


def also(names: Sequence[str], what: str = "of") -> str:
    """Further columns of which a sentence is true, in brackets."""
    return f" (also {what} {quoted(names[:_NAMED])})" if names else ""
