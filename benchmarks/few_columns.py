"""Few columns that matter among many: L1 penalties beside none. ``python benchmarks/few_columns.py`` writes its page.

2,000 rows of 5,000 columns, of which some matter equally; as many rows to judge by. The penalty of scikit-learn's L1
logistic regression is chosen by its own cross-validation among six (three folds, AUC, liblinear), ours by ``l1="cv"``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from machine import processor
from pages import table
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV

from podium import LinearRanker

RUNS, PAGE = Path(__file__).with_suffix(".jsonl"), Path(__file__).parents[1] / "docs" / "few_columns.rst"
N_ROWS, N_COLUMNS, SEEDS, TRUE = 2_000, 5_000, range(3), (10, 40)
SIZE = 0.6 * np.sqrt(10)  # of the weights together: the best AUC that there is does not depend on their number
L1_LOGISTIC = "LogisticRegression, L1"
HEAD = """\
Few columns that matter among many
==================================

Written by ``python benchmarks/few_columns.py`` on {processor}. There are {rows:,} rows of {columns:,} independent
normal columns, some of which matter equally. The table has the AUC of {rows:,} other rows, mean of {seeds} tables with
its standard error, and its difference from L1 logistic regression of scikit-learn, whose penalty is chosen among six by
its own cross-validation of the AUC. *Columns* is how many have weight and *seconds* the processor time of a fit beside
other work, both medians.
"""


def scorers() -> dict[str, Callable[[], Any]]:
    penalties = {"C": np.logspace(-2, 0, 6)}
    return {
        L1_LOGISTIC: lambda: GridSearchCV(
            LogisticRegression(l1_ratio=1.0, solver="liblinear", max_iter=1000), penalties, scoring="roc_auc", cv=3
        ),
        "LinearRanker('auc', l1='cv')": lambda: LinearRanker("auc", l1="cv"),
        "LinearRanker('logloss', l1='cv')": lambda: LinearRanker("logloss", l1="cv"),
        "LinearRanker('auc')": lambda: LinearRanker("auc"),
        "LogisticRegression, ridge": lambda: LogisticRegression(max_iter=1000),
    }


def rows_of(n_true: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N_ROWS, N_COLUMNS))
    return X, rng.random(N_ROWS) < 1 / (1 + np.exp(-SIZE / np.sqrt(n_true) * X[:, :n_true].sum(axis=1)))


def judged(make: Callable[[], Any], n_true: int, seed: int) -> tuple[float, int, float]:
    """AUC of other rows, number of columns with weight, seconds."""
    begun = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = make().fit(*rows_of(n_true, 2 * seed))
    seconds = time.process_time() - begun
    X, y = rows_of(n_true, 2 * seed + 1)
    weights = getattr(model, "best_estimator_", model).coef_
    return float(roc_auc_score(y, model.decision_function(X))), int(np.count_nonzero(weights)), seconds


def missing(runs: list[dict[str, Any]]) -> list[tuple[int, int, str]]:
    """What is not among the runs yet: number of columns, seed, scorer."""
    done = {(run["true"], run["seed"], run["scorer"]) for run in runs}
    return [cell for cell in itertools.product(TRUE, SEEDS, scorers()) if cell not in done]


def page(runs: list[dict[str, Any]]) -> str:
    where = " and ".join(sorted({run["processor"] for run in runs}))
    parts = [HEAD.format(processor=where, rows=N_ROWS, columns=N_COLUMNS, seeds=len(SEEDS))]
    for n_true in TRUE:
        of = {name: [run for run in runs if (run["true"], run["scorer"]) == (n_true, name)] for name in scorers()}
        aucs = {
            name: np.array([run["auc"] for run in sorted(own, key=lambda r: r["seed"])]) for name, own in of.items()
        }
        rows = []
        for name, auc in aucs.items():
            gap = auc - aucs[L1_LOGISTIC]
            error, of_gap = (float(np.std(each, ddof=1) / np.sqrt(len(each))) for each in (auc, gap))
            columns, seconds = (np.median([run[key] for run in of[name]]) for key in ("columns", "seconds"))
            values = f"{auc.mean():.4f} ± {error:.4f}", f"{gap.mean():+.4f} ± {of_gap:.4f}"
            rows.append((f"``{name}``" if "(" in name else name, *values, f"{columns:.0f}", f"{seconds:.1f}"))
        parts.append(
            table(f"{n_true} columns matter", ("ranker", "AUC", "less L1 logistic", "columns", "seconds"), rows)
        )
    return "".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10**6, help="how many runs to make at most, of those missing")
    wanted = parser.parse_args().runs
    runs = [json.loads(line) for line in RUNS.read_text().splitlines()] if RUNS.exists() else []
    for n_true, seed, name in missing(runs)[:wanted]:
        auc, columns, seconds = judged(scorers()[name], n_true, seed)
        run = {"true": n_true, "seed": seed, "scorer": name, "auc": auc, "columns": columns, "seconds": seconds}
        run["processor"] = processor()
        runs.append(run)
        with RUNS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(run) + "\n")
    if not missing(runs):
        PAGE.write_text(page(runs), encoding="utf-8")


if __name__ == "__main__":
    main()
