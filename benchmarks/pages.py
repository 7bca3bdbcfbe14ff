"""Tables of the pages that simulations write: short ones as they are, long ones as data with a summary on the page."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

DATA = Path(__file__).parents[1] / "docs" / "data"
LONGEST = 20  # rows of coverage that a page shows


def table(title: str, names: Sequence[str], rows: Iterable[Sequence[str]], page: str = "") -> str:
    """A section with a table, printed row by row as it grows; a long one of a ``page`` is summarized by φ."""
    print(f"\n{title}\n{', '.join(names)}")
    kept = []
    for row in rows:
        print(", ".join(row), flush=True)
        kept.append(row)
    heading = f"\n{title}\n{'-' * len(title)}\n\n"
    if not page or len(kept) <= LONGEST or "coverage" not in names:
        return heading + as_text(names, kept)
    file = DATA / f"{page}_{re.sub(r'[^a-z0-9]+', '_', title.lower()).strip('_')}.csv"
    DATA.mkdir(exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([names, *kept])
    low = [row for row in kept if row[-1].startswith("short")]
    text = f"{len(kept)} cells, all in :download:`{file.name} <data/{file.name}>`. By φ:\n\n{_by_phi(names, kept)}"
    return (
        heading + text + (f"\nCells that fall short:\n\n{as_text(names, low)}" if low else "\nNo cell falls short.\n")
    )


def as_text(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in reStructuredText."""
    lines = [", ".join(f'"{entry}"' for entry in row) for row in (names, *rows)]
    return f".. csv-table::\n   :header: {lines[0]}\n\n" + "".join(f"   {line}\n" for line in lines[1:])


def _by_phi(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    phi, covered = names.index("φ"), names.index("coverage")
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(row[phi], []).append(float(row[covered]))
    summary = [
        (name, str(len(found)), f"{min(found):.3f}", f"{median(found):.3f}", f"{max(found):.3f}")
        for name, found in values.items()
    ]
    return as_text(("φ", "cells", "lowest coverage", "median", "highest"), summary)
