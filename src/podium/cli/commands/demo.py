"""``podium demo``: the main job on a simulated table, offline."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from podium._files import claim, write_file
from podium.cli import options
from podium.cli.commands import fit
from podium.cli.render import say

HELP = """Example: podium demo --out demo
"""


def run(
    out: Annotated[Path, typer.Option(help="The folder to write into.", metavar="DIR")] = Path("podium-demo"),
    force: options.Force = False,
) -> None:
    """Write the table, then run podium fit on it."""
    from podium.workflow.demo_table import demo_csv  # here: --help does not need them
    from podium.workflow.fit import FILES

    table = out / "loans.csv"
    options.refuse_existing([table, *(out / name for name in FILES)], force)
    options_given = "--label defaulted --positive yes --budget 100 --id loan --time-limit 20 --out"
    command = f"podium fit {shlex.quote(str(table))} {options_given} {shlex.quote(str(out))}"
    with claim(out):
        write_file(table, demo_csv())
        say(command, "")
        fit.train(command, table, out, label="defaulted", positive="yes", budget=100, id_column="loan", time_limit=20.0)
    say("", f"Open {(out / 'report.html').resolve()} in a browser.")
