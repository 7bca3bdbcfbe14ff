"""Prints the oldest versions that pyproject.toml allows, as constraints of pip: for `make test-min`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

TOOLS = (
    "pytest",
    "pytest-cov",
    "pytest-xdist",
    "coverage",
    "hypothesis",
    "playwright",
)  # podium works with none of them


def constraints(project: dict) -> list[str]:
    """``name==version`` for all that the package, its extras and its tests need and that names an oldest version."""
    wanted = [
        *project["project"]["dependencies"],
        *(line for extra in project["project"]["optional-dependencies"].values() for line in extra),
        *project["dependency-groups"]["test"],
    ]
    found = (re.match(r"([\w-]+)(?:\[.*\])?>=([\d.]+)", line) for line in wanted)
    return sorted({f"{each[1]}=={each[2]}" for each in found if each and each[1] not in TOOLS})


if __name__ == "__main__":
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    print("\n".join(constraints(tomllib.loads(text))))
