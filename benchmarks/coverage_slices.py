"""Whether limits for the chosen shares of groups hold together: ``make coverage`` writes docs/data/coverage_slices.csv.

Scores are normal, groups of equal size differ in their means, and the best share of the whole list is chosen. The truth
is the share of each group above the cut of the population. A cell counts the samples in which the limits of all groups
hold at once, as ``podium fit --slices`` shows them at 95 %. Rows are independent, or in fours that have half of the
variance of their scores in common, or weighted by draws from an exponential distribution.
"""

from __future__ import annotations

import csv
import itertools
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from podium.report.beside import _chosen, share_limits

TARGET = Path(__file__).parents[1] / "docs" / "data" / "coverage_slices.csv"
SIZES, N_GROUPS, SHARES, KINDS = (400, 2000), (2, 5), (0.05, 0.2), ("independent", "fours", "weighted")
NAMES = ("rows", "groups", "chosen", "sampling", "coverage")


def held(rng: np.random.Generator, n_rows: int, n_groups: int, share: float, kind: str) -> bool:
    """Whether the limits of one sample hold for every group."""
    means = np.linspace(-0.5, 0.5, n_groups)
    cut = brentq(lambda c: norm.sf(c - means).mean() - share, -9, 9)
    units = np.arange(n_rows) // (4 if kind == "fours" else 1)
    group = rng.integers(n_groups, size=n_rows)[units]  # rows of a unit are in one group
    noise = rng.normal(size=n_rows)
    if kind == "fours":
        noise = np.sqrt(0.5) * (noise + rng.normal(size=n_rows)[units])
    weight = rng.exponential(size=n_rows) if kind == "weighted" else np.ones(n_rows)
    chosen = _chosen(means[group] + noise, weight, share)
    level = 1 - 0.05 / n_groups
    for g, truth in enumerate(norm.sf(cut - means)):
        own = group == g
        _, low, high = share_limits(chosen[own], weight[own], units[own], level)
        if not low <= truth <= high:
            return False
    return True


def main(n_draws: int = 1000) -> None:
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(NAMES)
        for i, cell in enumerate(itertools.product(SIZES, N_GROUPS, SHARES, KINDS)):
            rng = np.random.default_rng([7, i])
            coverage = np.mean([held(rng, *cell) for _ in range(n_draws)])
            n_rows, n_groups, share, kind = cell
            lines.writerow([f"{n_rows:,}", n_groups, f"{share:.0%}", kind, f"{coverage:.3f}"])
            print(*cell, f"{coverage:.3f}", flush=True)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
