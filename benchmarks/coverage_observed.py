"""Coverage and width where some rows have labels: ``make coverage`` writes docs/coverage_observed.rst."""

from __future__ import annotations

import json
import sys
from itertools import product
from pathlib import Path

import numpy as np
from observed_worlds import (
    COMPETITORS,
    DESIGNS,
    MEASURES,
    WORLDS,
    List,
    Z,
    fitted,
    inclusion_of,
    podium_limits,
    wald_limits,
)

OURS = "Podium"


def of_one_list(world, design, draw):
    """What each method says of one list, and the truth."""
    rng = np.random.default_rng([draw, list(WORLDS).index(world), DESIGNS.index(design)])
    rows = List.draw(world, rng)
    inclusion = inclusion_of(design, rows)
    labeled = rng.random(len(rows.y)) < inclusion
    known = {"inclusion": inclusion}
    if design.endswith("learned"):
        known = {"columns": rows.X}
        inclusion = fitted(rows.X, labeled, np.ones(len(labeled), dtype=bool))
    methods = {OURS: podium_limits(rows, labeled, **known)}
    methods |= {each: wald_limits(each, rows, labeled, inclusion) for each in COMPETITORS}
    return methods, rows.truth()


def cell(world, design, n_draws):
    """Coverage and median width of each method, per measure; and the width that would have covered .95."""
    found = {}
    for draw in range(n_draws):
        methods, truth = of_one_list(world, design, draw)
        for method, name in product(methods, MEASURES):
            low, high, value, error = methods[method][name]
            held = low - 1e-9 <= truth[name] <= high + 1e-9
            off = abs(value - truth[name]) / max(error, 1e-9)
            found.setdefault((method, name), []).append((held, high - low, off, error))
    for (method, name), draws in found.items():
        held, width, off, error = np.array(draws).T
        yield {
            "world": world,
            "design": design,
            "method": method,
            "measure": name,
            "draws": n_draws,
            "coverage": held.mean(),
            "width": np.median(width),
            "stretched": np.median(width) * max(np.quantile(off, 0.95) / Z, 1.0),
        }


def main(n_draws, file):
    with Path(file).open("a", encoding="utf-8") as out:
        for design, world in product(DESIGNS, WORLDS):
            for line in cell(world, design, n_draws):
                out.write(json.dumps(line) + "\n")
            out.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
