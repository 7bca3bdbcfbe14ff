"""Coverage and width where some rows have labels: ``make coverage`` writes docs/coverage_observed.rst."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from observed_worlds import COMPETITORS, DESIGNS, MEASURES, WORLDS, List, fitted, inclusion_of, limits_of

from podium import inference
from podium.labels import Observed

OURS = "Podium"


def ours(rows, labeled, **known):
    observed = Observed(np.where(labeled, rows.y, np.nan), **known)
    found = {}
    for name in MEASURES:
        by_metric = "-at:" in name or name == "prevalence"
        known = inference.interval(observed, rows.scores, **({"metric": name} if by_metric else {"phi": name}))
        found[name] = known.low, known.high
    return found


def cell(world, design, n_draws):
    """Coverage and median width of each method, per measure."""
    held, widths = {}, {}
    for draw in range(n_draws):
        rng = np.random.default_rng([draw, list(WORLDS).index(world), DESIGNS.index(design)])
        rows = List.draw(world, rng)
        inclusion = inclusion_of(design, rows)
        labeled = rng.random(len(rows.y)) < inclusion
        known = {"inclusion": inclusion}
        if design.endswith("learned"):
            known = {"columns": rows.X}
            inclusion = fitted(rows.X, labeled, np.ones(len(labeled), dtype=bool))
        truth = rows.truth()
        methods = {OURS: ours(rows, labeled, **known)}
        methods |= {each: limits_of(each, rows, labeled, inclusion) for each in COMPETITORS}
        for method, found in methods.items():
            for name, (low, high) in found.items():
                held.setdefault((method, name), []).append(low - 1e-9 <= truth[name] <= high + 1e-9)
                widths.setdefault((method, name), []).append(high - low)
    return [
        {
            "world": world,
            "design": design,
            "method": method,
            "measure": name,
            "draws": n_draws,
            "coverage": float(np.mean(held[method, name])),
            "width": float(np.median(widths[method, name])),
        }
        for method, name in held
    ]


def main(n_draws, file):
    with Path(file).open("a") as out:
        for design in DESIGNS:
            for world in WORLDS:
                for line in cell(world, design, n_draws):
                    out.write(json.dumps(line) + "\n")
                out.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
