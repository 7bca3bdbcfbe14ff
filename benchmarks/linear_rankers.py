"""LinearRanker against LDA, logistic regression and ridge logistic regression on real tables, wins and losses.

``python benchmarks/linear_rankers.py`` with PODIUM_DATA set; writes docs/linear_rankers.rst. Protocol, fixed before any
result was seen: every table of ``podium.datasets`` with its text columns one-hot encoded; training sets of 300 and
3,000 rows and of half of the table (at most 20,000), stratified; test set: the other rows (at most 50,000); five seeds;
no tuning. Scorers: LDA, logistic regression (C = 1e6), ridge logistic regression (LogisticRegressionCV, five folds,
log-loss), LinearRanker with "auc", "power:3" and "smooth-top:0.95"; all but ours on standardized columns.
"""

from __future__ import annotations

import sys
import warnings
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from podium import LinearRanker, metrics
from podium.datasets import TABLES, load_table

PAGE = Path(__file__).parent.parent / "docs" / "linear_rankers.rst"
SEEDS = range(5)
SCORERS = {
    "LDA": lambda: make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()),
    "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression(C=1e6, max_iter=1000)),
    "ridge": lambda: make_pipeline(
        StandardScaler(),
        LogisticRegressionCV(
            Cs=8, cv=5, scoring="neg_log_loss", max_iter=1000, use_legacy_attributes=False, l1_ratios=(0,)
        ),
    ),
    "auc": lambda: LinearRanker("auc", random_state=0),
    "power:3": lambda: LinearRanker("power:3", random_state=0),
    "smooth-top:0.95": lambda: LinearRanker("smooth-top:0.95", random_state=0),
}
PEERS = ("LDA", "logistic", "ridge")
METRICS = {
    "AUC": metrics.auc,
    "Partial AUC, FPR ≤ 5 %": lambda y, s: metrics.partial_auc(y, s, max_fpr=0.05),
}


def encoded(name: str) -> tuple[np.ndarray, np.ndarray]:
    frame, y = load_table(name)
    return pd.get_dummies(frame, dtype=float).to_numpy(dtype=float), y


def split(X: np.ndarray, y: np.ndarray, size: int, seed: int) -> tuple[np.ndarray, ...]:
    X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=size, stratify=y, random_state=seed)
    return X_train, X_test[:50_000], y_train, y_test[:50_000]


def measure() -> pd.DataFrame:
    records = []
    for name in TABLES:
        X, y = encoded(name)
        half = min(len(y) // 2, 20_000)
        for size in sorted({s for s in (300, 3000) if s < half} | {half}):
            for seed in SEEDS:
                X_train, X_test, y_train, y_test = split(X, y, size, seed)
                if y_train.sum() < 3:
                    continue
                for scorer, make in SCORERS.items():
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        s = make().fit(X_train, y_train).decision_function(X_test)
                    for metric, function in METRICS.items():
                        records.append((name, size, seed, scorer, metric, function(y_test, s)))
            print(name, size, "done", file=sys.stderr, flush=True)
    return pd.DataFrame(records, columns=["table", "rows", "seed", "scorer", "metric", "value"])


def page(results: pd.DataFrame) -> str:
    lines = [
        "Linear rankers against classical linear scorers",
        "===============================================",
        "",
        "Means over five splits, with nothing tuned; the best of each row is in bold. The last column is how far",
        '``LinearRanker("auc")`` is from the best of LDA, logistic and ridge logistic regression, chosen *with',
        "hindsight*. The protocol is in ``benchmarks/linear_rankers.py``. Measured on",
        f"{date.today():%Y-%m-%d} with NumPy {np.__version__} and scikit-learn {sklearn.__version__}.",
        "",
    ]
    for metric in METRICS:
        part = results[results.metric == metric]
        wide = part.groupby(["table", "rows", "scorer"], sort=False)["value"].mean().unstack()[list(SCORERS)]
        header = f"   :header: table | rows | {' | '.join(SCORERS)} | auc − best peer"
        lines += [metric, "-" * len(metric), "", ".. csv-table::", header, "   :delim: |", ""]
        for (table, size), row in wide.iterrows():
            cells = [f"**{v:.4f}**" if v == row.max() else f"{v:.4f}" for v in row]
            gap = row["auc"] - row[list(PEERS)].max()
            lines.append(f"   {table} | {size:,} | {' | '.join(cells)} | {gap:+.4f}")
        gaps = {c: wide[c] - wide[list(PEERS)].max(axis=1) for c in SCORERS if c not in PEERS}
        lines.append("")
        for criterion, gap in gaps.items():
            lines.append(
                f"- ``{criterion}`` against the best peer with hindsight: median {gap.median():+.4f}, "
                f"best {gap.max():+.4f}, worst {gap.min():+.4f}; wins {int((gap > 0).sum())} of {len(gap)}."
            )
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(measure()))
    print(f"wrote {PAGE.name}")
