"""A ranking tree beside scikit-learn's CART with as many leaves: ``python benchmarks/ranking_trees.py``.

Tables, splits and defaults as in `quality_protocol.py`; reads the tables from PODIUM_DATA and writes
docs/data/ranking_trees.csv, which docs/ranking_trees.rst shows.
"""

from __future__ import annotations

import csv

import numpy as np
from pages import DATA
from quality_protocol import N_SPLITS, TABLES, halves, table
from sklearn.tree import DecisionTreeClassifier

from podium import TreeRanker, metrics


def aucs(X: np.ndarray, y: np.ndarray, split: int) -> tuple[float, float, int]:
    """The AUC of either tree on the rows to judge, and the leaves of both."""
    fit, judge = halves(y, split)
    ranker = TreeRanker().fit(X[fit], y[fit])
    n_leaves = len(ranker.segments_.rate)
    if n_leaves == 1:  # CART has two leaves at least
        return metrics.auc(y[judge], ranker.decision_function(X[judge])), 0.5, 1
    cart = DecisionTreeClassifier(max_leaf_nodes=n_leaves, random_state=split).fit(X[fit], y[fit])
    scores = ranker.decision_function(X[judge]), cart.predict_proba(X[judge])[:, 1]
    return metrics.auc(y[judge], scores[0]), metrics.auc(y[judge], scores[1]), n_leaves


def main() -> None:
    rows = []
    for name in TABLES:
        X, y = table(name)
        rows.append((name, *np.mean([aucs(X, y, split) for split in range(N_SPLITS)], axis=0)))
        print(rows[-1], flush=True)
    ours, cart, leaves = np.mean([row[1:] for row in rows], axis=0)
    print(f"TreeRanker above CART on {sum(row[1] > row[2] for row in rows)} of {len(rows)} tables")
    with (DATA / "ranking_trees.csv").open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow(["table", "TreeRanker", "CART", "leaves"])
        for name, *values in [*rows, ("mean", ours, cart, leaves)]:
            writer.writerow([name, f"{values[0]:.3f}", f"{values[1]:.3f}", f"{values[2]:.1f}"])


if __name__ == "__main__":
    main()
