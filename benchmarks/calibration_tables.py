"""Are probabilities right? On every table of the folder that PODIUM_DATA names: fit on one half, look at the other.

Expected calibration error over ten bins of equally many rows, |share of positives − mean probability| averaged; what
chance alone would give it with exact probabilities (mean and .95 quantile over 200 draws); and in how many of the ten
bins the mean limits and the 95 % interval of the share overlap. Writes docs/calibration_tables.rst.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from podium import workflow
from podium.datasets import TABLES, load_table

PAGE = Path(__file__).parents[1] / "docs" / "calibration_tables.rst"
MOST_ROWS = 30_000


def ece(y, p):
    order = np.argsort(p, kind="stable")
    return float(np.mean([abs(y[rows].mean() - p[rows].mean()) for rows in np.array_split(order, 10)]))


def overlaps(y, p, low, high):
    order = np.argsort(p, kind="stable")
    count = 0
    for rows in np.array_split(order, 10):
        share = binomtest(int(y[rows].sum()), len(rows)).proportion_ci()
        count += share.low <= high[rows].mean() and low[rows].mean() <= share.high
    return count


def judged(name, model):
    frame, y = load_table(name)
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(y))[:MOST_ROWS]
    first, second = np.array_split(rows, 2)
    table = frame.assign(label_=np.asarray(y, int)).reset_index(drop=True)
    result = workflow.fit(table.iloc[first], label="label_", model=model)
    listed = workflow.score(result.model, table.iloc[second]).scores
    label = table["label_"].to_numpy()[listed["id"].astype(int)]
    p, low, high = (listed[c].to_numpy() for c in ("probability", "probability_low", "probability_high"))
    chance = [ece(rng.random(len(p)) < p, p) for _ in range(200)]
    return len(p), ece(label, p), np.mean(chance), np.quantile(chance, 0.95), overlaps(label, p, low, high)


def main() -> None:
    header = ("table", "model", "rows", "ECE", "by chance alone", "by chance, 95 %", "bins that overlap, of 10")
    rows = [header]
    for name in TABLES:
        for model in sys.argv[1:] or ("linear", "trees"):
            n, error, chance, most, count = judged(name, model)
            rows.append((name, model, f"{n:,}", f"{error:.3f}", f"{chance:.3f}", f"{most:.3f}", str(count)))
            print(*rows[-1], sep=" | ", flush=True)
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        lines += [f"   {'* -' if i == 0 else '  -'} {cell}" for i, cell in enumerate(row)]
    PAGE.write_text(PREFACE + "\n".join(lines) + "\n", encoding="utf-8")


PREFACE = """Probabilities: are they right?
==============================

Written by ``python benchmarks/calibration_tables.py``. A model is fitted to one half of each table as ``podium fit``
does, judged, and trained again on all of that half; the probabilities that ``podium score`` shows are then compared
with the labels of the other half. *ECE*, the expected calibration error, is the mean distance between the share of
positives and the mean probability over ten bins of equally many rows. Beside it is what it would be by chance alone if
the probabilities were exact: the mean, and the value that chance exceeds in 5 % of draws. Bins overlap where the limits
shown, averaged, and the 95 % interval of the share have a value in common.

"""

if __name__ == "__main__":
    main()
