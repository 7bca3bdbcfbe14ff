"""What the page and the model file say of a fit beside its figures."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from podium.tables import TableModel, is_path
from podium.workflow.stages.prepare import Prepared
from podium.workflow.stages.roles import Roles


def title_of(table: Any, model: TableModel) -> str:
    """Heading of the page."""
    what = f"{model.label} = {model.positive}"
    return f"{Path(table).name}: {what}" if is_path(table) else what


def facts_of(prepared: Prepared, seed: int, chosen: str, roles: Roles) -> dict[str, Any]:
    """What a model file says of its making; columns that tie rows together are named."""
    ties = {name: column for name in ("time", "group", "weight") if (column := getattr(roles, name)) is not None}
    rows = {"trained_on": prepared.n_training, "rows": prepared.n_rows}
    return {**rows, "seed": seed, "chosen": chosen, **ties}


def about(model: TableModel, n_rows: int, n_judged: int, roles: Roles, other_table: bool) -> list[str]:
    """Short remarks on the evaluation, for the top of the page."""
    which = "of another table" if other_table else "held out at random"
    if roles.time is not None and not other_table:
        which = "that are the latest"
    elif roles.group is not None and not other_table:
        which = f"of new units ({roles.group})"
    made = [f"{date.today():%Y-%m-%d}", f"{n_rows:,} rows", f"model: {model.facts['chosen']}"]
    return [*made, f"evaluated on {n_judged:,} rows {which}", f"a hit is a row with {model.label} = {model.positive}"]
