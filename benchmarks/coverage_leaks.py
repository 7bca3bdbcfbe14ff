"""How often a column is taken for a leak, by its AUC: ``make coverage`` writes docs/data/coverage_leaks.csv.

A table has a column of the AUC given, and others: five that say little (AUCs of .6), or ten that say a lot (.75).
All are normal in both classes. Whether the first is a leak or an honest column, numbers alone do not tell; so each
figure is a share of false warnings if it is honest, and of leaks found if it is not.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm

from podium.workflow.stages.leaks import outstanding_columns
from podium.workflow.stages.prepare import prepare
from podium.workflow.stages.roles import Roles

PAGE = Path(__file__).parents[1] / "docs" / "data" / "coverage_leaks.csv"
SIZES, AUCS = (150, 600, 5000), (0.8, 0.85, 0.9, 0.93, 0.95)
SHARE = 0.3
OTHERS = {"five weak columns": [0.6] * 5, "ten good columns": [0.75] * 10}


def shift(auc):
    return np.sqrt(2) * norm.ppf(auc)


def table(rng, n, aucs):
    y = rng.random(n) < SHARE
    X = rng.standard_normal((n, len(aucs))) + np.where(y[:, None], shift(np.array(aucs)), 0.0)
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(len(aucs))]).assign(y=y.astype(int))


def is_warned(frame, seed):
    settings = {"positive": None, "exclude": (), "holdout": 0.3, "test": None, "seed": seed}
    prepared = prepare(frame, Roles(label="y"), **settings, on_step=lambda step: None)
    return bool(outstanding_columns(prepared.encoded) | prepared.suspects)


def warned(n, auc, others, n_draws):
    rng = np.random.default_rng([n, int(1000 * auc), len(others)])
    return np.mean([is_warned(table(rng, n, [auc, *others]), seed) for seed in range(n_draws)])


def main(n_draws):
    rows = []
    for auc in AUCS:
        shares = [warned(n, auc, others, n_draws) for others in OTHERS.values() for n in SIZES]
        rows.append([f"{auc:.2f}", *(f"{100 * share:.0f} %" for share in shares)])
        print(*rows[-1], flush=True)
    with PAGE.open("w", encoding="utf-8", newline="") as file:
        header = [f"{n:,} rows, {others}" for others in OTHERS for n in SIZES]
        csv.writer(file, lineterminator="\n").writerows([["AUC of the column", *header], *rows])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
