"""Coverage of the intervals of ``TreeRanker.segments``: ``make coverage`` writes docs/coverage_segments.rst."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from podium import TreeRanker

PAGE = Path(__file__).parents[1] / "docs" / "coverage_segments.rst"
CELLS = [(200, 1.0), (200, 2.5), (1000, 1.0), (1000, 2.5)]  # rows to count, and the bound that makes positives rarer
SHARES = ("rate", "tpr", "fpr")


def rows(n_rows, bound, rng):
    X = rng.standard_normal((n_rows, 4))
    return X, X[:, 0] + X[:, 1] ** 2 + rng.standard_normal(n_rows) > bound


def coverage(n_rows, bound, n_draws):
    """Per share: how often limits hold over all segments, in the one where they hold least, and their mean width."""
    rng = np.random.default_rng([n_rows, round(10 * bound)])
    ranker = TreeRanker(max_depth=3).fit(*rows(1500, bound, rng))
    truth = ranker.segments(*rows(400_000, bound, rng))
    held, width, counted = (np.zeros((3, len(truth.rules))) for _ in range(3))
    for _ in range(n_draws):
        table = ranker.segments(*rows(n_rows, bound, rng))
        for k, name in enumerate(SHARES):
            low, high = (getattr(table, f"{name}_{end}") for end in ("low", "high"))
            known = ~np.isnan(getattr(table, name))
            held[k] += known & (low <= getattr(truth, name)) & (getattr(truth, name) <= high)
            width[k] += np.where(known, high - low, 0.0)
            counted[k] += known
    last = slice(None, -1)  # the last cumulative share is 1
    parts = [(held[0], width[0], counted[0]), *((held[k, last], width[k, last], counted[k, last]) for k in (1, 2))]
    share = float(np.mean(rows(400_000, bound, rng)[1]))
    return len(truth.rules), share, [(h.sum() / c.sum(), (h / c).min(), w.sum() / c.sum()) for h, w, c in parts]


PREFACE = """Coverage of the intervals of segments
=====================================

Written by ``make coverage``: {n} tables a cell, nominal level 95 %; at .95 a figure over all segments has a standard
error of at most {error:.1f} points. A ranking tree is grown once on 1,500 rows; other rows are then counted in its
segments by ``TreeRanker.segments``. Limits are Clopper and Pearson's: guaranteed for each share, and wider than needed
where few rows are counted. *Least* is the segment where they hold least often. What a share estimates is counted in
400,000 rows.

.. list-table::
   :header-rows: 1

"""
COLUMNS = ["rows", "positive", "segments"] + [f"{name}{what}" for name in SHARES for what in ("", ", least", ", width")]


def main(n_draws: int) -> None:
    entries = [COLUMNS]
    for n_rows, bound in CELLS:
        n_segments, share, found = coverage(n_rows, bound, n_draws)
        figures = [f"{value:.3f}" for part in found for value in part]
        entries.append([f"{n_rows:,}", f"{100 * share:.0f} %", str(n_segments), *figures])
        print(*entries[-1], flush=True)
    lines = [f"   {'*' if i == 0 else ' '} - {entry}" for row in entries for i, entry in enumerate(row)]
    text = PREFACE.format(n=n_draws, error=100 * np.sqrt(0.95 * 0.05 / n_draws)) + "\n".join(lines) + "\n"
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
