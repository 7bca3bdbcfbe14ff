"""Which scorer gives the best list on tables: ``make bench-quality`` (protocol in `quality_protocol.py`).

Every table × split × scorer is one line of ``quality.jsonl``, appended as soon as it is known; a run that was
interrupted goes on where it stopped. ``python benchmarks/quality.py --report`` only rewrites the documentation.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from quality_protocol import METRICS, N_SPLITS, TABLES, halves, scorers, table
from quality_report import write_report

from podium._progress import Progress
from podium.rankers.stack_members import member_scores, seeded

RESULTS = Path(__file__).with_name("quality.jsonl")


def measure(scorer: Any, X: np.ndarray, y: np.ndarray, split: int) -> dict[str, Any]:
    """Metrics on the rows to judge and processor seconds of the fit; what the stack knows about its members."""
    fit, judge = halves(y, split)
    scorer = seeded(scorer, split) if hasattr(scorer, "get_params") else scorer
    start = time.process_time()
    scorer.fit(X[fit], y[fit])
    line: dict[str, Any] = {"seconds": round(time.process_time() - start, 3)}
    scores = member_scores(scorer, X[judge])
    line |= {name: metric(y[judge], scores) for name, metric in METRICS.items()}
    if hasattr(scorer, "oof_scores_"):
        line["weights"] = dict(zip(scorer.members_, scorer.weights_.round(4).tolist(), strict=True))
        line["out of fold"] = {
            member: {name: metric(y[fit], column) for name, metric in METRICS.items()}
            for member, column in zip(scorer.members_, scorer.oof_scores_.T, strict=True)
        }
    return line


def main() -> None:
    RESULTS.touch()
    done = {(r["table"], r["split"], r["scorer"]) for r in map(json.loads, RESULTS.read_text().splitlines())}
    wanted = [(name, split, scorer) for split in range(N_SPLITS) for name in TABLES for scorer in scorers(split)]
    progress = Progress("quality", len(wanted), enabled=True)
    data: dict[str, Any] = {}
    for step, (name, split, scorer) in enumerate(wanted):
        progress.update(step)
        if (name, split, scorer) in done:
            continue
        data.setdefault(name, table(name))
        line: dict[str, Any] = {"table": name, "split": split, "scorer": scorer}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about convergence and collinear columns: the metrics tell
                line |= measure(scorers(split)[scorer], *data[name], split)
        except Exception as error:  # a scorer that refuses a table is a result
            line["error"] = f"{type(error).__name__}: {error}"[:200]
        with RESULTS.open("a") as file:
            file.write(json.dumps(line) + "\n")
    progress.close()


if __name__ == "__main__":
    if "--report" not in sys.argv:
        main()
    write_report(RESULTS)
