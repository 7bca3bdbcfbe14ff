"""Simulated coverage of ROC bands for graded scores: ``make coverage`` writes docs/coverage_graded_bands.rst.

With few grades the true curve is a broken line, and so is the band between its corners: where either has a corner, with
the limits of the band from both sides, is the whole supremum.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from podium.inference import roc_band
from podium.roc import RocCurve

PAGE = Path(__file__).parents[1] / "docs" / "coverage_graded_bands.rst"
METHODS = ["ell", "ks", "calibrated"]
SIZES = [(1000, 1000), (100, 100), (30, 270)]
FALLING = np.exp(-0.15 * np.arange(20))
# Shares of the positives and of the negatives in each grade, from the best on.
GRADES = {
    "3 grades": ([0.5, 0.3, 0.2], [0.1, 0.3, 0.6]),
    "5 grades": ([0.3, 0.3, 0.2, 0.1, 0.1], [0.05, 0.1, 0.2, 0.3, 0.35]),
    "5 grades, a rare one": ([0.3, 0.3, 0.299, 0.001, 0.1], [0.1, 0.2, 0.299, 0.001, 0.4]),
    "20 grades": (FALLING / FALLING.sum(), FALLING[::-1] / FALLING.sum()),
}


def simulate(grades: str, n_pos: int, n_neg: int, method: str, n_draws: int) -> tuple[float, float]:
    """How often the whole curve was inside, and the mean width."""
    of_pos, of_neg = GRADES[grades]
    curve = RocCurve.from_points(np.cumsum(of_neg)[:-1], np.cumsum(of_pos)[:-1])
    rng = np.random.default_rng([list(GRADES).index(grades), n_pos, METHODS.index(method)])
    y, inside, width = np.arange(n_pos + n_neg) < n_pos, 0, 0.0
    for _ in range(n_draws):
        s = np.concatenate([rng.choice(len(of_pos), n_pos, p=of_pos), rng.choice(len(of_neg), n_neg, p=of_neg)])
        band = roc_band(y, -s, method=method, rng=rng)
        true, (low, high) = curve.at(band.fpr), band.at(curve.fpr)
        inside += bool(
            ((band.low <= true + 1e-12) & (true <= band.high + 1e-12)).all()
            and ((low <= curve.tpr + 1e-12) & (curve.tpr <= high + 1e-12)).all()
        )
        width += band.mean_width
    return inside / n_draws, width / n_draws


PREFACE = """Coverage of bands for graded scores
===================================

Written by ``make coverage``: {n} samples a cell ({few} for *calibrated*); nominal level 95 %. A band is broken where
the true curve, straight between the grades, leaves it anywhere (exactly, not on a grid); its mean width is in brackets.
*ell* and *ks* are guaranteed, *calibrated* is not. Before bands for graded scores, when
tied rows were taken in their worst order, the width of *ell* with three grades and 1000/1000 rows was .373.

.. list-table::
   :header-rows: 1

"""


def main(n_draws: int) -> None:
    few = n_draws // 10
    rows = [["Grades", "n/m", *METHODS]]
    for grades in GRADES:
        for n_pos, n_neg in SIZES:
            cells = [
                simulate(grades, n_pos, n_neg, method, few if method == "calibrated" else n_draws) for method in METHODS
            ]
            rows.append([grades, f"{n_pos}/{n_neg}", *(f"{held:.3f} ({width:.3f})" for held, width in cells)])
            print(*rows[-1], sep="; ", flush=True)
    lines = [f"   {'*' if i == 0 else ' '} - {cell}" for row in rows for i, cell in enumerate(row)]
    PAGE.write_text(PREFACE.format(n=n_draws, few=few) + "\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
