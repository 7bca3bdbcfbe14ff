"""From a table to numbers: read, split, looked at with suspicion, encoded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from podium.workflow.stages.detect import signs
from podium.workflow.stages.encode import EncodedTable, encode
from podium.workflow.stages.leaks import telltale_columns
from podium.workflow.stages.read import read_labeled
from podium.workflow.stages.roles import Roles
from podium.workflow.stages.split import split_rows


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """The encoded table; how many rows there were and which value is positive; what was seen on the way.

    ``suspects`` are columns that may give the label away, each with the reason.
    """

    encoded: EncodedTable
    n_rows: int
    positive: str
    notes: list[str]
    warnings: list[str]
    suspects: dict[str, str]


def prepare(
    table: Any,
    roles: Roles,
    *,
    positive: str | Sequence[str] | None,
    exclude: Sequence[str],
    holdout: float,
    test: Any,
    seed: int,
    on_step: Callable[[str], Any],
) -> Prepared:
    """Read a table and make it ready to learn from; it is used up column by column."""
    rng = np.random.default_rng(seed)
    on_step("reading")
    as_text = [] if roles.id is None else [roles.id]
    data = read_labeled(table, roles.label, positive, [*exclude, *roles.columns], as_text)
    parts = split_rows(data, roles, holdout, test, rng)
    names = [str(name) for name in data.frame.columns if name not in (roles.label, *roles.columns, *exclude)]
    suspects = telltale_columns(data.frame, data.is_positive, names, roles)
    warnings = signs(data.frame, data.is_positive, roles, np.random.default_rng(seed))
    n_rows = len(data.frame)
    encoded = encode(data, parts, roles=roles, exclude=exclude, rng=rng, on_step=on_step)
    return Prepared(
        encoded=encoded,
        n_rows=n_rows,
        positive=data.positive,
        notes=[*data.notes, *parts.notes, *encoded.notes],
        warnings=[*encoded.warnings, *warnings],
        suspects=suspects | encoded.suspects,
    )
