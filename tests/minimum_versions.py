"""Prints the oldest versions that pyproject.toml allows, as constraints of pip: for `make test-min`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

NOT_THERE = (
    "torch",
    "xgboost",
    "dask",
    "distributed",
)  # large, or old ones need another Python; tests skip without them


def constraints(project: dict) -> list[str]:
    """``name==version`` for every requirement of the package and of its extras that names an oldest version."""
    wanted = [
        *project["dependencies"],
        *(line for extra in project["optional-dependencies"].values() for line in extra),
    ]
    found = (re.fullmatch(r"([\w-]+)(?:\[.*\])?>=([\d.]+)", line) for line in wanted)
    return sorted({f"{each[1]}=={each[2]}" for each in found if each and each[1] not in NOT_THERE})


if __name__ == "__main__":
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    print("\n".join(constraints(tomllib.loads(text)["project"])))
