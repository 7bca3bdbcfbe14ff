"""Which scorer gives the best list on tables: ``make bench-quality`` (protocol in `quality_protocol.py`).

Every table × split × scorer is one line of ``quality.jsonl``, appended as soon as it is known; a run that was
interrupted goes on where it stopped. ``--further`` takes the second set of tables, ``--report`` only rewrites the page.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from quality_protocol import FURTHER_TABLES, METRICS, N_SPLITS, TABLES, halves, scorers, table
from quality_report import ran_before, write_report

from podium._progress import Progress
from podium.metrics.scorers import estimator_scores
from podium.rankers.stack.members import seeded

HERE = Path(__file__).parent
Scorers = Callable[[int], dict[str, Any]]


def measure(scorer: Any, X: np.ndarray, y: np.ndarray, split: int) -> dict[str, Any]:
    """Metrics on the rows to judge, seconds of the fit by processor and by clock, and what is known about members."""
    fit, judge = halves(y, split)
    scorer = seeded(scorer, split) if hasattr(scorer, "get_params") else scorer
    start, clock = time.process_time(), time.perf_counter()
    scorer.fit(X[fit], y[fit])
    line: dict[str, Any] = {
        "seconds": round(time.process_time() - start, 3),
        "clock": round(time.perf_counter() - clock, 3),
    }
    scores = estimator_scores(scorer, X[judge])
    line |= {name: metric(y[judge], scores) for name, metric in METRICS.items()}
    if hasattr(scorer, "oof_scores_"):
        line["weights"] = dict(zip(scorer.members_, scorer.weights_.round(4).tolist(), strict=True))
        line["out of fold"] = {
            member: {name: metric(y[fit], column) for name, metric in METRICS.items()}
            for member, column in zip(scorer.members_, scorer.oof_scores_.T, strict=True)
        }
    elif hasattr(scorer, "model_names_"):
        line["models"] = scorer.model_names_
    return line


def line_of(name: str, split: int, scorer: str, scorers: Scorers) -> dict[str, Any]:
    """What is known of one scorer on one split of one table, or why nothing is."""
    line: dict[str, Any] = {"table": name, "split": split, "scorer": scorer}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about convergence and collinear columns: the metrics tell
            return line | measure(scorers(split)[scorer], *table(name), split)
    except Exception as error:  # a scorer that refuses a table is a result
        return line | {"error": f"{type(error).__name__}: {error}"[:200]}


def run(
    tables: list[str], results: Path, n_jobs: int = 1, scorers: Scorers = scorers, n_splits: int = N_SPLITS
) -> None:
    """Measure what is not in the file yet."""
    results.touch()
    done = {(r["table"], r["split"], r["scorer"]) for r in map(json.loads, results.read_text().splitlines())}
    wanted = [(name, split, scorer) for split in range(n_splits) for name in tables for scorer in scorers(split)]
    missing = [run for run in wanted if run not in done]
    progress = Progress("quality", len(wanted), enabled=True)
    lines = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(delayed(line_of)(*run, scorers) for run in missing)
    for step, line in enumerate(lines, len(wanted) - len(missing) + 1):
        with results.open("a") as file:
            file.write(json.dumps(line) + "\n")
        progress.update(step)
    progress.close()


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--further", action="store_true", help="the second set of tables")
    options.add_argument("--report", action="store_true", help="only rewrite the page")
    options.add_argument("--jobs", type=int, default=1, help="processes, of one thread each")
    chosen = options.parse_args()
    tables, name, command = TABLES, "quality", "make bench-quality"
    if chosen.further:
        tables, name, command = FURTHER_TABLES, "quality_further", "make bench-quality-further"
    results, part = HERE / f"{name}.jsonl", HERE.parent / "docs" / "data" / f"{name}.inc"
    if not chosen.report:
        run(tables, results, chosen.jobs)
    write_report(results, part, command, ran_before(part) if chosen.report else None)
