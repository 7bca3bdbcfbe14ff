"""Every speed benchmark, one table each: ``make bench`` or ``python benchmarks/run.py [name ...]``."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from machine import describe, sort_is_slow
from timing import show

NAMES = sorted(p.stem.removeprefix("bench_") for p in Path(__file__).parent.glob("bench_*.py"))


def main(names: list[str]) -> None:
    print(describe(), flush=True)
    for name in names or NAMES:
        module = importlib.import_module(f"bench_{name}")
        show(module.__doc__.splitlines()[0], module.rows(), sort_is_slow())


if __name__ == "__main__":
    main(sys.argv[1:])
