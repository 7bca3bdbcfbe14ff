"""``podium score``: rank the rows of a table, which may be larger than memory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from podium import _input, persist, tables
from podium.cli import options
from podium.cli.progress import Steps
from podium.cli.render import say, show_json, talk
from podium.tables.columns import by_name
from podium.tables.listing import Listing, to_csv
from podium.workflow import outputs

HELP = """Rank the rows of a table by a model: id, score, rank and percentile as CSV, best first.

Example: podium score loans/model.podium new_loans.csv --top 100 --out first_100.csv
"""


def run(
    model: options.Model,
    data: options.Data,
    top: Annotated[int | None, typer.Option(help="Only the first K rows of the list.", metavar="K")] = None,
    out: Annotated[Path | None, typer.Option(help="The file to write; default: standard output.")] = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Parse, stream, print."""
    outputs.refuse_existing([out] if out else [], force)
    listing = Listing(None if top is None else _input.check_integer("--top", top, 1))
    scorer = persist.load(model)
    remarks: dict[str, None] = {}  # in order, each once
    with Steps("scoring"):
        for chunk in tables.chunks(data, scorer.kinds):
            remarks |= dict.fromkeys(scorer.check(chunk))
            ids = by_name.row_names(chunk, scorer.id_column, first=listing.n_rows + 1)
            listing.add(ids, scorer.scores(chunk))
        ranked = listing.frame()
    talk(*remarks)
    if out:
        outputs.write_file(out, to_csv(ranked))
        say(str(out))
    elif as_json:
        show_json(ranked.to_dict("records"))
    else:
        say(to_csv(ranked).rstrip("\n"))
