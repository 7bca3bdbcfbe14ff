"""What it takes to serve a model: ``make bench-serving`` writes docs/serving_measured.rst.

Stacks are fitted to one half of a table (`quality_protocol.py`) and scored as they are kept, and with the models as
they came from the fit, before `podium.rankers.stack.light`.
"""

from __future__ import annotations

import copy
import time
import warnings
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from machine import processor
from quality_protocol import halves, table

from podium import (
    BoostedRanker,
    ForestRanker,
    GradientBoostedRanker,
    LinearRanker,
    QuadraticRanker,
    StackedRanker,
    TreeRanker,
    metrics,
    persist,
)
from podium.rankers.stack import stacked
from podium.rankers.stack.light import light

PAGE = Path(__file__).parents[1] / "docs" / "serving_measured.rst"
TABLES, N_SPLITS = ("mammography", "breast_cancer", "german_credit", "digits_8"), 5
SINGLE = [
    LinearRanker(),
    QuadraticRanker(),
    TreeRanker(),
    BoostedRanker("push:4", weak="stumps", n_rounds=200),
    GradientBoostedRanker("logloss", random_state=0),
    ForestRanker(random_state=0),
]


def both(X: np.ndarray, y: np.ndarray, seed: int) -> tuple[StackedRanker, StackedRanker]:
    """A stack as it is kept, and the same one with the models as they were fitted."""
    models: list[Any] = []

    def recorded(model: Any, *, dense: bool) -> Any:
        models.append(model)
        return light(model, dense=dense)

    with mock.patch.object(stacked, "light", recorded):
        kept = StackedRanker(random_state=seed).fit(X, y)
    fitted, queue = copy.copy(kept), iter(models)
    fitted._models = [[next(queue) for _ in own] for own in kept._models]
    return kept, fitted


def milliseconds(ranker: Any, rows: np.ndarray, repeats: int = 15) -> float:
    """Processor time of a call on one thread: the median, so that what others do at the same time counts little."""
    ranker.decision_function(rows)
    times = []
    for _ in range(repeats):
        start = time.process_time()
        ranker.decision_function(rows)
        times.append(time.process_time() - start)
    return 1e3 * float(np.median(times))


def megabytes(ranker: Any) -> float:
    return len(persist.dumps(ranker)) / 1e6


def of_a_table(name: str) -> list[str]:
    """The largest of all splits, kept and as fitted; the largest loss of average precision; how the scores differ."""
    found = []
    for split in range(N_SPLITS):
        X, y = table(name)
        fit, judge = halves(y, split)
        kept, fitted = both(X[fit], y[fit], split)
        scores = [ranker.decision_function(X[judge]) for ranker in (kept, fitted)]
        precision = [metrics.average_precision(y[judge], s) for s in scores]
        row = X[judge][:1]
        found.append(
            (
                milliseconds(kept, row),
                milliseconds(fitted, row),
                milliseconds(kept, X[judge][:1000], 3),
                megabytes(kept),
                megabytes(fitted),
                precision[1] - precision[0],
                float(np.abs(scores[0] - scores[1]).max()),
                float((kept.weights_ > 0).sum()),
            )
        )
        print(name, split, *(f"{value:.3g}" for value in found[-1]), flush=True)
    one, before, many, size, size_before, loss, differs, members = np.max(found, axis=0)
    return [
        name,
        f"{members:.0f}",
        f"{one:.1f} ({before:.0f})",
        f"{many:.0f}",
        f"{size:.1f} ({size_before:.0f})",
        f"{loss:.0e}" if loss > 0 else "0",
        f"{differs:.0e}",
    ]


def list_table(rows: list[list[str]]) -> str:
    lines = [f"   {'*' if i == 0 else ' '} - {entry}" for row in rows for i, entry in enumerate(row)]
    return "\n".join([".. list-table::", "   :header-rows: 1", "", *lines, ""])


def main() -> None:
    warnings.simplefilter("ignore")  # about convergence: the metrics tell
    heading = ["table", "members", "one row, ms", "1,000 rows, ms", "file, MB", "loss of AP", "scores differ by"]
    stacks = [heading, *(of_a_table(name) for name in TABLES)]
    X, y = table("mammography")
    fit, judge = halves(y, 0)
    single = [["ranker", "one row, ms", "1,000 rows, ms", "file, kB"]]
    for ranker in SINGLE:
        ranker.fit(X[fit], y[fit])
        times = [f"{milliseconds(ranker, X[judge][:n]):.2g}" for n in (1, 1000)]
        single.append([type(ranker).__name__, *times, f"{1e3 * megabytes(ranker):,.0f}"])
    title = "What it takes to serve a model"
    PAGE.write_text(
        f"""{title}
{"=" * len(title)}

Written by ``make bench-serving`` on {processor()}. Times are processor time of one call of ``decision_function`` on one
thread, its checks included; files are those of ``podium.persist``.

The default stack, fitted to one half of a table: the largest figure of {N_SPLITS} splits, in brackets that of the same
stack before its models are made light (forests as arrays, rankers without checks of their own). *Members* is how many
have weight. *Loss of AP* is the most that average precision on the other half falls by that.

{list_table(stacks)}
Other rankers, fitted to one half of mammography (5,591 × 6):

{list_table(single)}""",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
