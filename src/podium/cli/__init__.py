"""The command ``podium``: parse, call, render."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from podium import _optional
from podium.exceptions import MissingPackageError

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and leave with its exit code; without the packages it needs, with a sentence."""
    try:
        _optional.require("The command podium", "typer", "rich", "pandas", "pyarrow", "jinja2")
    except MissingPackageError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(2)
    from podium.cli import app

    app.main(arguments)
