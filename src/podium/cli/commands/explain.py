"""``podium explain``: why a row stands where it does."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer

from podium import persist, tables
from podium.cli import options
from podium.cli.progress import Steps
from podium.cli.render import say, show_json, show_table, talk
from podium.exceptions import InputError
from podium.tables.columns import by_name
from podium.tables.listing import Listing

HELP = """Say which values of a row move it up or down the list of its table, against the values other rows have.

Example: podium explain loans/model.podium loans.csv --row 4711
"""


def run(
    model: options.Model,
    data: options.Data,
    row: Annotated[str, typer.Option(help="The row's identifier, or its number from 1 on.", show_default=False)],
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Parse, explain, print."""
    scorer = persist.load(model)
    with Steps("reading") as steps:
        frame = tables.read(data, scorer.kinds)
        notes = scorer.check(frame)
        ids = by_name.row_names(frame, scorer.id_column).astype(str)
        found = np.flatnonzero(ids == row)
        if not len(found):
            raise InputError(f"The row must be one of the table; there is no {row!r}.", f"rows are {ids.iloc[0]!r}, …")
        listing = Listing()
        listing.add(ids, scorer.scores(frame))
        ranked = listing.frame()
        place = ranked[ranked["id"] == row].iloc[0].to_dict()
        steps.begin("changing one value after the other")
        effects = tables.row_effects(
            scorer.scores, frame[list(scorer.kinds)], int(found[0]), np.random.default_rng(seed)
        )
    talk(*notes)
    if as_json:
        show_json({**place, "rows": listing.n_rows, "effects": [effect._asdict() for effect in effects]})
        return
    say(f"Row {row} is number {place['rank']:,} of {listing.n_rows:,} (score {place['score']:.4g}).")
    rows = [(e.name, f"{e.effect:+.1f}", f"{e.low:+.1f} to {e.high:+.1f}") for e in effects[:10]]
    show_table("What its values add, in percent of the list", ("value", "effect", "95 %"), rows)
