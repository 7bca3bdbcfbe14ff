"""Monitors that overlap on one state: ``make pairs`` or ``python fuzz/pairs.py --pairs 100``.

Of two batches given at the same time none may be lost: both commands end with 0 and both batches are in the state, or
one is refused with a sentence (2) and is not.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import kills
import numpy as np

from podium.cli import main as podium
from podium.workflow.demo_table import demo_csv


def run(n_pairs: int, seed: int) -> int:
    """How many batches were lost."""
    rng = np.random.default_rng(seed)
    n_lost = n_refused = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        table, state = folder / "loans.csv", folder / "state" / "monitor.json"
        table.write_text(demo_csv(2000))
        fitted = f"fit {table} --label defaulted --positive yes --id loan --model linear --out {folder / 'm'}".split()
        assert kills.here(lambda: podium(fitted)) == 0
        warm = ["monitor", str(folder / "m" / "model.podium"), str(table), "--state", str(folder / "warm.json")]
        assert kills.here(lambda: podium(warm)) == 0
        lines = table.read_text().splitlines()
        for pair in range(n_pairs):
            children, names = [], []
            for which in (0, 1):
                batch = folder / f"batch{pair}-{which}.csv"
                rows = rng.choice(lines[1:], 100, replace=False)
                rows = [f"{pair}-{which}-{i}{row[row.index(',') :]}" for i, row in enumerate(rows)]  # seen only once
                batch.write_text("\n".join([lines[0], *rows, ""]))
                names.append(batch.name)
                model = folder / "m" / "model.podium"
                children.append(start(["monitor", str(model), str(batch), "--state", str(state)]))
                time.sleep(float(rng.random() * 0.02))
            codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
            kept = [entry["name"] for entry in json.loads(state.read_text())["history"]]
            for name, code in zip(names, codes, strict=True):
                n_refused += code == 2
                if (name in kept) != (code == 0) or code not in (0, 2):
                    n_lost += 1
                    print(f"{name}: exit code {code}, {'kept' if name in kept else 'lost'}", flush=True)
        left = [path.name for path in state.parent.iterdir() if path.suffix not in (".json", ".html")]
    print(f"{n_pairs} pairs, seed {seed}: {n_lost} batches lost, {n_refused} refused; left beside the state: {left}")
    return n_lost


def start(command: list[str]) -> int:
    """Run a command in a process of its own; its number."""
    child = os.fork()
    if child == 0:
        os._exit(kills.in_child(lambda: podium(command)))
    return child


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    sys.exit(1 if run(options.pairs, options.seed) else 0)


if __name__ == "__main__":
    main()
