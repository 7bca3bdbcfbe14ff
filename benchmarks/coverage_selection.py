"""Are selected labels noticed? Warnings of 200 tables a kind: ``make coverage`` writes docs/coverage_selection.rst.

The last five of each 200 are real tables of the folder that PODIUM_DATA names; without it, simulated ones stand in.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from podium import workflow
from podium.datasets import load_table
from podium.workflow.stages.selected import selection

PAGE = Path(__file__).parents[1] / "docs" / "coverage_selection.rst"
REAL = ("magic", "mammography", "spambase", "credit_default", "adult")
TABLES, SHARE = 200, 0.08
DESIGNS = ("at random", "first rows by score", "by a column")
PREFACE = """Selected labels: are they noticed?
==================================

Written by ``make coverage``. {tables} tables for each way of labeling, {real} of them real; {share:.0%} of the rows
have a label. Simulated tables have 500 to 10,000 rows and 2 to 30 columns, numeric and categorical, with gaps, related
or not; the score is a line of some of the columns with noise. A figure is the share of tables with a warning: of
``podium evaluate``, which sees score and columns, and from the columns alone, as ``podium fit`` sees them (the rule
may then be hidden). The level of the test is 2 %.

"""


def simulated(rng):
    """Columns, score and labels."""
    n, d = int(np.exp(rng.uniform(np.log(500), np.log(10_000)))), int(rng.integers(2, 31))
    common = rng.standard_normal((n, 1)) * rng.choice([0.0, 0.7])
    X = common + rng.standard_normal((n, d)) @ np.diag(rng.uniform(0.5, 3, d))
    frame = pd.DataFrame(np.exp(X / 2) if rng.random() < 0.3 else X, columns=[f"x{j}" for j in range(d)])
    for j in range(1, d, 4):
        frame[f"x{j}"] = pd.qcut(frame[f"x{j}"].rank(method="first"), 5, labels=list("abcde")).astype(str)
    for j in range(2, d, 5):
        frame[f"x{j}"] = frame[f"x{j}"].where(rng.random(n) > 0.1)
    worth = np.where(np.arange(d) == 0, 1.0, rng.random(d) < 0.5) * rng.uniform(0.3, 1, d)
    line = StandardScaler().fit_transform(X) @ worth / np.linalg.norm(worth)
    score = line + rng.choice([0.0, 0.5]) * rng.standard_normal(n)
    y = rng.random(n) < 1 / (1 + np.exp(2 - 1.5 * line))
    return frame, score, y


def real(name, rng):
    """The same of a real table: the score is a logistic regression learned from a third of it, in noise."""
    frame, y = load_table(name)
    rows = rng.permutation(len(y))[:10_000]
    frame, y = frame.iloc[rows].reset_index(drop=True), np.asarray(y)[rows]
    X = np.column_stack([c if c.dtype.kind in "biuf" else c.factorize()[0] for _, c in frame.items()]).astype(float)
    X = StandardScaler().fit_transform(X)
    third = len(y) // 3
    model = LogisticRegression(max_iter=1000).fit(X[:third], y[:third])
    return frame, model.decision_function(X), y


def labeled_rows(design, frame, score, rng):
    """Which rows have a label."""
    n = len(score)
    if design == "at random":
        return rng.random(n) < SHARE
    if design == "first rows by score":
        return np.argsort(np.argsort(-score)) < round(SHARE * n)
    column = frame.iloc[:, rng.integers(frame.shape[1])]
    codes = column.rank(pct=True).fillna(0.5) if column.dtype.kind in "biuf" else column.factorize()[0] % 2
    return rng.random(n) < SHARE * 2 * np.where(np.asarray(codes) > 0.5, 0.9, 0.1)


def counts(n_tables=TABLES, has_real=True):
    """Of every design: warnings with score and columns, warnings from the columns alone."""
    found = {}
    for design in DESIGNS:
        seen = np.zeros((n_tables, 2), bool)
        for t in range(n_tables):
            rng = np.random.default_rng([DESIGNS.index(design), t])
            is_real = has_real and t >= n_tables - len(REAL)
            frame, score, y = real(REAL[t - n_tables], rng) if is_real else simulated(rng)
            labeled = labeled_rows(design, frame, score, rng)
            while not 1 < y[labeled].sum() < labeled.sum() - 1:  # as evaluation needs
                frame, score, y = simulated(rng)
                labeled = labeled_rows(design, frame, score, rng)
            whole = frame.assign(the_score=score, found=np.where(labeled, y, np.nan))
            seen[t, 0] = bool(workflow.evaluate(whole, label="found", score="the_score").warnings)
            seen[t, 1] = selection(frame, labeled, list(frame), 0).is_found
        found[design] = seen
        print(design, *seen.sum(axis=0), "of", n_tables, "real:", *seen[-len(REAL) :].sum(axis=0), flush=True)
    return found


def main():
    has_real = "PODIUM_DATA" in os.environ
    lines = [".. list-table::", "   :header-rows: 1", ""]
    header = ("Labeled", "Warnings, score and columns", "Warnings, columns alone", "Real tables, of five")
    rows = [header]
    for design, seen in counts(has_real=has_real).items():
        shares = [f"{share:.3f} (s.e. {np.sqrt(share * (1 - share) / len(seen)):.3f})" for share in seen.mean(axis=0)]
        rows.append((design, *shares, " and ".join(map(str, seen[-len(REAL) :].sum(axis=0)))))
    lines += [f"   {'*' if i == 0 else ' '} - {cell}" for row in rows for i, cell in enumerate(row)]
    PAGE.write_text(
        PREFACE.format(tables=TABLES, real=len(REAL) if has_real else "none", share=SHARE) + "\n".join(lines) + "\n"
    )


if __name__ == "__main__":
    main()
