"""Do the limits of column importance hold? ``make coverage``.

The scorer is a fixed line; its AUC falls when the values of a column are shuffled, by an amount known from 400,000
rows. Every draw computes the fall and its limits as the report does, from rows held out. Writes
docs/coverage_importance.rst. ``python benchmarks/coverage_importance.py 500`` sets the number of draws.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np

from podium.workflow.stages.judge import falls_of_auc

PAGE = Path(__file__).parents[1] / "docs" / "coverage_importance.rst"
WEIGHTS = np.array([2.0, 1.0, 0.5, 0.1])
NAMES = ("strong", "correlated with it", "weak", "next to nothing")
SIZES, LOG_ODDS = (100, 500, 2_000), {"50 %": 0.0, "10 %": 3.5}


def draw(rng, n_rows, log_odds):
    X = rng.standard_normal((n_rows, len(WEIGHTS)))
    X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
    return X, rng.random(n_rows) < 1 / (1 + np.exp(log_odds - X @ WEIGHTS))


def falls(X, y, rng, n_repeats=3):
    places = {name: [X[:, j : j + 1]] for j, name in enumerate(NAMES)}
    return np.array(
        [[fall, reach] for _, fall, reach in falls_of_auc(lambda Z: Z @ WEIGHTS, X, y, places, rng, n_repeats)]
    )


def main(n_draws: int) -> None:
    rows = [("rows", "positives", "shuffles", *NAMES, "mean width, strong")]
    for share, log_odds in LOG_ODDS.items():
        rng = np.random.default_rng([len(share), int(10 * log_odds)])
        truth = falls(*draw(rng, 400_000, log_odds), rng)[:, 0]
        for n_rows, n_repeats in product(SIZES, (3, 1)):
            found = np.array([falls(*draw(rng, n_rows, log_odds), rng, n_repeats) for _ in range(n_draws)])
            reach = found[..., 1]
            held = (np.abs(found[..., 0] - truth) <= reach).mean(axis=0)
            rows.append(
                (f"{n_rows:,}", share, str(n_repeats), *(f"{h:.3f}" for h in held), f"{2 * reach[:, 0].mean():.3f}")
            )
            print(*rows[-1], sep=" | ", flush=True)
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        lines += [f"   {'* -' if i == 0 else '  -'} {cell}" for i, cell in enumerate(row)]
    PAGE.write_text(PREFACE.format(n=n_draws) + "\n".join(lines) + "\n", encoding="utf-8")


PREFACE = """Importance of columns: do its limits hold?
==========================================

Written by ``make coverage``: the scorer is a line of four columns, and {n} samples of rows are held out. The table says
how often the 95 % limits for the fall of the AUC, which the report shows for each column, contained the fall that the
scorer has on 400,000 rows. The limits are DeLong's standard error times Student's quantile, with Welch's degrees of
freedom. The report shuffles columns three times, or once for a stack, which is slow to score.

"""

if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
