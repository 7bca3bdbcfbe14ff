"""Simulated coverage of bands for the ROC curve: ``make coverage`` writes docs/coverage_bands.rst.

Scores are binormal: negatives standard normal, positives normal with the mean that gives the AUC and with standard
deviation sd. A band counts as broken if the true curve leaves it anywhere: between corners the staircases are flat and
the curve rises, so the corners, with the limits from both sides, are the whole supremum.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from podium.inference import roc_band

PAGE = Path(__file__).parents[1] / "docs" / "coverage_bands.rst"
SHAPES = [(0.7, 1.0), (0.9, 1.0), (0.97, 1.0), (0.9, 2.0), (0.9, 0.5)]  # AUC, sd of the positives
SIZES = [(50, 50), (150, 150), (30, 270), (1000, 1000)]
METHODS = ["ell", "ks", "calibrated", "bootstrap", "pointwise"]


class Held(NamedTuple):
    """How often the truth was inside, and the mean width of bands."""

    coverage: float
    width: float | None = None

    def __str__(self) -> str:
        return f"{self.coverage:.3f}" + ("" if self.width is None else f" ({self.width:.3f})")


def main(n_draws: int) -> None:
    tables = {title: [] for title in TABLES}
    for n_pos, n_neg in SIZES:
        for auc, sd in SHAPES:
            for title in TABLES:
                tables[title].append(row(title, auc, sd, n_pos, n_neg, n_draws))
            print(n_pos, n_neg, auc, sd, flush=True)
            write(tables, n_draws)  # after every cell: the last ones take the longest


def row(title, auc, sd, n_pos, n_neg, n_draws):
    """One line of a table; every cell of every table has a seed of its own, fixed before anything was drawn."""
    simulate, draws_of_band = TABLES[title]
    rng = np.random.default_rng([round(100 * auc), round(10 * sd), n_pos, list(TABLES).index(title)])
    if draws_of_band:
        n_draws = int(
            n_draws * (0.2 if n_pos == 1000 else 0.4)
        )  # a calibrated band at 1000/1000 takes a quarter second
    held = simulate(rng, auc, sd, n_pos, n_neg, n_draws)
    return [f"{n_pos}/{n_neg}", f"{auc:g}", f"{sd:g}", *(str(entry) for entry in held)]


def write(tables, n_draws):
    pages = [PREFACE.format(n_bands=int(0.4 * n_draws), n_large=int(0.2 * n_draws))]
    pages += [table(title, COLUMNS[title], rows) for title, rows in tables.items()]
    PAGE.write_text("\n".join(pages), encoding="utf-8")


def samples(rng, auc, sd, n_pos, n_neg, n_repeats):
    mean = norm.ppf(auc) * np.sqrt(1 + sd**2)
    y = np.repeat([True, False], [n_pos, n_neg])
    for _ in range(n_repeats):
        yield y, np.concatenate([rng.normal(mean, sd, n_pos), rng.normal(size=n_neg)])


def true_curve(auc, sd):
    mean = norm.ppf(auc) * np.sqrt(1 + sd**2)
    return lambda t: norm.cdf((mean + norm.ppf(t)) / sd)


def bands(rng, auc, sd, n_pos, n_neg, n_repeats):
    curve = true_curve(auc, sd)
    held, width = np.zeros(len(METHODS)), np.zeros(len(METHODS))
    for y, s in samples(rng, auc, sd, n_pos, n_neg, n_repeats):
        for i, method in enumerate(METHODS):
            band = roc_band(y, s, method=method, rng=rng)
            true = curve(band.fpr)
            held[i] += bool(((band.low <= true) & (true <= band.high)).all())
            width[i] += band.mean_width
    return [Held(h / n_repeats, w / n_repeats) for h, w in zip(held, width, strict=True)]


def table(title, columns, rows):
    lines = [title, "-" * len(title), "", ".. list-table::", "   :header-rows: 1", ""]
    for row in [["n/m", "AUC", "sd", *columns], *rows]:
        lines += [f"   {'*' if i == 0 else ' '} - {entry}" for i, entry in enumerate(row)]
    return "\n".join([*lines, ""])


PREFACE = """Coverage of bands for the ROC curve
===================================

Written by ``make coverage``: {n_bands} samples a cell, {n_large} at 1000/1000; nominal level 95 %. Near .95 the
standard error of a figure is 1.1 points with 400 samples and 1.5 with 200. Negatives are standard normal, positives
normal with standard deviation *sd* and the mean that gives the AUC.

A band is broken where the true curve leaves it anywhere (exactly, not on a grid); its mean width is in brackets. *ell*
and *ks* are guaranteed: their rectangles around two order statistics add up two errors that seldom come together, hence
the 1.000. *calibrated* and *bootstrap* are not guaranteed. *pointwise* promises its level only at each single false
positive rate; its guaranteed limits are so wide that in samples of this size they mostly contain the whole curve too,
but less often as samples grow.

Points and parts of the curve: :doc:`coverage_rates`. Hits among the first rows: :doc:`coverage_hits`.
"""

# What simulates a table, and whether it does so with fewer draws because bands are slow.
TABLES = {
    "Bands": (bands, True),
}
COLUMNS = {
    "Bands": METHODS,
}


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
