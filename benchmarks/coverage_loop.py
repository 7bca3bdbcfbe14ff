"""The list is used for six months: promised, found and estimated; ``make coverage`` writes docs/coverage_loop.rst.

Labels are revealed for listed rows only. Real tables are those of the folder that PODIUM_DATA names; without it they
are left out.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from podium import workflow
from podium.datasets import load_table
from podium.metrics import recall_at

PAGE = Path(__file__).parents[1] / "docs" / "coverage_loop.rst"
REAL = ("credit_default", "adult")
MONTHS, FIRST, FURTHER = 6, 1_000, 5
SIZE, TOP, EXPLORE = 4_000, 400, 40
COLUMNS = 6
PREFACE = """The list is used: six months of it
==================================

Written by ``make coverage``. A model is trained on {first:,} rows labeled at random. Each month {size:,} new rows are
scored, the best {listed} and {explore} explored ones inspected, and the model is trained anew on all months, in which
only the first rows and the listed ones have labels, with the inclusion probabilities of the list. Figures are shares of
months (six of each draw): the number of hits in the top {listed} of the month was within the range that the report of
the training promised; the interval for the recall of the top {listed} of the month from its list alone contained the
truth. Then: recall of a top as long in {further:,} further rows after month six (of credit_default 5,000), beside that
of a model trained in the same way on all labels of all rows, and on the listed rows without weights. Standard errors
over draws are in parentheses.

"""


class World:
    """Rows without end: a line, a curve with an interaction, or rare positives."""

    def __init__(self, kind, rng):
        self.kind, self.rng = kind, rng

    def rows(self, n):
        X = self.rng.standard_normal((n, COLUMNS))
        line = X @ [1.0, 0.7, 0.5, 0.3, 0.2, 0.0]
        chance = {
            "line": 3 - 1.2 * line,
            "curve": 3.2 - line - 0.6 * (X[:, 0] * X[:, 1] + X[:, 2] ** 2 - 1),
            "rare": 5 - 1.3 * line,
        }[self.kind]
        return pd.DataFrame(X, columns=[f"x{j}" for j in range(COLUMNS)]), self.rng.random(n) < 1 / (1 + np.exp(chance))


class RealRows:
    """Rows of a real table in random order, months of them without replacement."""

    def __init__(self, name, rng):
        frame, y = load_table(name)
        order = rng.permutation(len(y))
        self.frame, self.y, self.at = frame.iloc[order].reset_index(drop=True), np.asarray(y)[order] == 1, 0

    def rows(self, n):
        part = slice(self.at, self.at + n)
        self.at += n
        return self.frame[part].reset_index(drop=True), self.y[part]  # the last rows may be fewer


def one_draw(source, model, size, seed):
    """Months: promise kept, recall covered, width; and recalls of the models at the end."""
    frame, y = source.rows(FIRST)
    known, full = frame.assign(found=y.astype(float), inclusion=1.0), frame.assign(found=y.astype(float))
    fit = {"label": "found", "model": model, "population": size, "random_state": seed, "time_limit": 20}
    months = []
    for month in range(MONTHS + 1):
        result = workflow.fit(known, **fit, budget=TOP - EXPLORE)
        hits = result.metrics.get("hits") or result.metrics["budget"]
        low, high = (hits["low"], hits["high"]) if "low" in hits else (hits["hits_low"], hits["hits_high"])
        if month == MONTHS:
            break
        frame, y = source.rows(size)
        seen = workflow.score(result.model, frame, top=TOP, explore=EXPLORE, random_state=seed + month)
        rows = seen.scores["id"].to_numpy().astype(int)
        listed = seen.scores.assign(found=y[rows].astype(float))
        top = y[rows][(listed["why"] == "top").to_numpy()]
        recall = next(i for i in workflow.evaluate(listed, label="found").intervals if i.phi.startswith("recall"))
        truth = top.sum() / y.sum()
        months.append(
            (low <= top.sum() <= high, recall.low <= truth <= recall.high, high - low, recall.high - recall.low)
        )
        marks = listed.set_index(rows)[["inclusion", "found"]]
        known = pd.concat([known, frame.join(marks)], ignore_index=True)
        full = pd.concat([full, frame.assign(found=y.astype(float))], ignore_index=True)
    plain = known.drop(columns="inclusion").dropna(subset="found")
    frame, y = source.rows(FURTHER * size)
    others = [workflow.fit(table, **fit, budget=TOP) for table in (full, plain)]
    ends = [recall_at(y, one.model.scores(frame), k=round(len(y) * TOP / size)) for one in (result, *others)]
    return np.array(months, dtype=float), np.array(ends)


def cell(values):
    return f"{values.mean():.3f} ({values.std(ddof=1) / np.sqrt(len(values)):.3f})"


def main(n_draws=20):
    cases = [(kind, World, "linear", n_draws) for kind in ("line", "curve", "rare")]
    if "PODIUM_DATA" in os.environ:
        cases = [(name, RealRows, "trees", max(3, n_draws // 3)) for name in REAL] + cases
    header = ("World", "Model", "Draws", "Promise kept", "Recall covered", "Range of hits", "Width of recall",
              "Recall at the end", "With all labels", "Without weights")  # fmt: skip
    rows = [header]
    for name, make, model, n in cases:
        drawn = []
        for seed in range(n):
            rng = np.random.default_rng([len(rows), seed])
            drawn.append(one_draw(make(name, rng), model, SIZE, 100 * seed))
            print(name, seed, drawn[-1][0].mean(axis=0).round(3), drawn[-1][1].round(3), flush=True)
        months = np.array([each.mean(axis=0) for each, _ in drawn])
        ends = np.array([end for _, end in drawn])
        rows.append((name, model, n, *(cell(column) for column in (*months.T, *ends.T))))
        print(*rows[-1], flush=True)
        lines = [".. list-table::", "   :header-rows: 1", ""]
        lines += [f"   {'*' if i == 0 else ' '} - {each}" for row in rows for i, each in enumerate(row)]
        text = PREFACE.format(first=FIRST, size=SIZE, explore=EXPLORE, listed=TOP - EXPLORE, further=FURTHER * SIZE)
        PAGE.write_text(text + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
