"""What it takes to serve a model: ``make bench-serving`` writes docs/data/serving.inc.

Stacks are fitted to one half of a table (`quality_protocol.py`) and scored as they are kept, and with the models as
they came from the fit, before `podium.rankers.stack.members`.
"""

from __future__ import annotations

import copy
import json
import sys
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
from podium.rankers.stack.members import light

HERE = Path(__file__).parent
RUNS, PAGE = HERE / "serving.jsonl", HERE.parent / "docs" / "data" / "serving.inc"
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


def line_of(name: str, split: int) -> dict[str, Any]:
    """Times, sizes and average precision of a stack, kept and as fitted."""
    X, y = table(name)
    fit, judge = halves(y, split)
    kept, fitted = both(X[fit], y[fit], split)
    scores = [ranker.decision_function(X[judge]) for ranker in (kept, fitted)]
    precision = [metrics.average_precision(y[judge], s) for s in scores]
    row = X[judge][:1]
    return {
        "table": name,
        "split": split,
        "members": int((kept.weights_ > 0).sum()),
        "one row": [milliseconds(kept, row), milliseconds(fitted, row)],
        "1,000 rows": milliseconds(kept, X[judge][:1000], 3),
        "file": [megabytes(kept), megabytes(fitted)],
        "loss": precision[1] - precision[0],
        "difference": float(np.abs(scores[0] - scores[1]).max()),
    }


def of_a_table(lines: list[dict[str, Any]]) -> list[str]:
    """The largest figure of all splits."""
    one, file = (np.max([line[name] for line in lines], axis=0) for name in ("one row", "file"))
    splits = len(lines)
    members, many, loss, difference = (
        max(line[name] for line in lines) for name in ("members", "1,000 rows", "loss", "difference")
    )
    return [
        lines[0]["table"],
        f"{splits}",
        f"{members}",
        f"{one[0]:.1f} ({one[1]:.0f})",
        f"{many:.0f}",
        f"{file[0]:.1f} ({file[1]:.0f})",
        f"{loss:.0e}" if loss > 0 else "0",
        f"{difference:.0e}",
    ]


def measured() -> list[dict[str, Any]]:
    """All lines, those that are missing measured now."""
    RUNS.touch()
    lines = [json.loads(line) for line in RUNS.read_text().splitlines()]
    done = {(line["table"], line["split"]) for line in lines}
    for split in range(N_SPLITS):
        for name in TABLES:
            if (name, split) not in done:
                lines.append(line_of(name, split))
                print(lines[-1], flush=True)
                with RUNS.open("a") as file:
                    file.write(json.dumps(lines[-1]) + "\n")
    return lines


def list_table(rows: list[list[str]]) -> str:
    lines = [f"   {'*' if i == 0 else ' '} - {entry}" for row in rows for i, entry in enumerate(row)]
    return "\n".join([".. list-table::", "   :header-rows: 1", "", *lines, ""])


def main() -> None:
    warnings.simplefilter("ignore")  # about convergence: the metrics tell
    heading = [
        "table",
        "splits",
        "members",
        "one row, ms",
        "1,000 rows, ms",
        "file, MB",
        "loss of AP",
        "scores differ by",
    ]
    lines = [json.loads(line) for line in RUNS.read_text().splitlines()] if "--report" in sys.argv else measured()
    by_table = [[line for line in lines if line["table"] == name] for name in TABLES]
    stacks = [heading, *(of_a_table(own) for own in by_table if own)]
    X, y = table("mammography")
    fit, judge = halves(y, 0)
    single = [["ranker", "one row, ms", "1,000 rows, ms", "file, kB"]]
    for ranker in SINGLE:
        ranker.fit(X[fit], y[fit])
        times = [f"{milliseconds(ranker, X[judge][:n]):.2g}" for n in (1, 1000)]
        single.append([type(ranker).__name__, *times, f"{1e3 * megabytes(ranker):,.0f}"])
    PAGE.write_text(
        f"""\
Written by ``make bench-serving`` on {processor()}. Times are processor time of one call of ``decision_function`` on one
thread, its checks included; files are those of ``podium.persist``.

The default stack, fitted to one half of a table. A figure is the largest of its splits; in brackets is that of the same
stack before its models are made light (forests as arrays, rankers without checks of their own). *Members* is how many
have weight. *Loss of AP* is the most that making them light costs in average precision on the other half.

{list_table(stacks)}
Other rankers, fitted to one half of mammography (5,591 × 6):

{list_table(single)}""",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
