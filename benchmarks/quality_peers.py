"""Libraries beside ours, by the protocol of ``make bench-quality``: ``make bench-quality-peers``.

Each line of ``quality_peers.jsonl`` is one table × split × scorer, appended as soon as it is known; a run that was
interrupted goes on where it stopped. A library that is not installed is left out, and the page says which were there.
AutoGluon gets 60 seconds at ``medium_quality`` and 120 at ``best_quality``; FLAML gets 60.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from quality_protocol import METRICS, N_SPLITS, TABLES, halves, table

from podium import StackedRanker

HERE = Path(__file__).parent
RESULTS = HERE / "quality_peers.jsonl"


def chance(model: Any, X: Any) -> np.ndarray:
    return np.asarray(model.predict_proba(X))[:, 1]


def catboost(X: np.ndarray, y: np.ndarray, new: np.ndarray, seed: int) -> np.ndarray:
    from catboost import CatBoostClassifier

    model = CatBoostClassifier(random_seed=seed, thread_count=1, verbose=False, allow_writing_files=False)
    return chance(model.fit(X, y), new)


def flaml(X: np.ndarray, y: np.ndarray, new: np.ndarray, seed: int) -> np.ndarray:
    from flaml import AutoML

    model = AutoML()
    model.fit(X, y, task="classification", metric="roc_auc", time_budget=60, seed=seed, n_jobs=1, verbose=0)
    return chance(model, new)


def ebm(X: np.ndarray, y: np.ndarray, new: np.ndarray, seed: int) -> np.ndarray:
    from interpret.glassbox import ExplainableBoostingClassifier

    return chance(ExplainableBoostingClassifier(random_state=seed, n_jobs=1).fit(X, y), new)


def autogluon(X: np.ndarray, y: np.ndarray, new: np.ndarray, preset: str, seconds: int) -> np.ndarray:
    from autogluon.tabular import TabularPredictor

    names = [f"x{i}" for i in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names).assign(label=y.astype(int))
    with TemporaryDirectory() as folder:
        model = TabularPredictor("label", eval_metric="roc_auc", path=folder, verbosity=0)
        model.fit(frame, presets=preset, time_limit=seconds, num_cpus=1)
        return model.predict_proba(pd.DataFrame(new, columns=names))[1].to_numpy()


def stack(X: np.ndarray, y: np.ndarray, new: np.ndarray, seed: int) -> np.ndarray:
    return StackedRanker(random_state=seed).fit(X, y).decision_function(new)


# By name: the package that it needs, and the function that fits and scores.
SCORERS = {
    "StackedRanker": ("podium", stack),
    "CatBoost": ("catboost", catboost),
    "EBM": ("interpret", ebm),
    "FLAML, 60 s": ("flaml", flaml),
    "AutoGluon medium, 60 s": ("autogluon", lambda X, y, new, seed: autogluon(X, y, new, "medium_quality", 60)),
    "AutoGluon best, 120 s": ("autogluon", lambda X, y, new, seed: autogluon(X, y, new, "best_quality", 120)),
}


def measure(name: str, split: int, scorer: str) -> dict[str, Any]:
    """One line: the metrics on the rows to judge, and processor seconds of fit and scores."""
    X, y = table(name)
    fit, judge = halves(y, split)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about convergence: the metrics tell
        scores = SCORERS[scorer][1](X[fit], y[fit], X[judge], split)
    line = {"table": name, "split": split, "scorer": scorer, "seconds": round(time.process_time() - start, 3)}
    return line | {metric: function(y[judge], scores) for metric, function in METRICS.items()}


def main(tables: list[str], n_splits: int) -> None:
    RESULTS.touch()
    done = {(r["table"], r["split"], r["scorer"]) for r in map(json.loads, RESULTS.read_text().splitlines())}
    there = [scorer for scorer, (package, _) in SCORERS.items() if find_spec(package)]
    for run in [(name, split, scorer) for name in tables for split in range(n_splits) for scorer in there]:
        if run not in done:
            line = measure(*run)
            print(line, flush=True)
            with RESULTS.open("a") as file:
                file.write(json.dumps(line) + "\n")
    lines = pd.DataFrame(map(json.loads, RESULTS.read_text().splitlines()))
    for metric in METRICS:
        print(f"\n{metric}\n{lines.pivot_table(index='scorer', columns='table', values=metric).round(4).to_string()}")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tables", nargs="+", default=TABLES, help="names of tables")
    options.add_argument("--splits", type=int, default=N_SPLITS, help="the first so many splits")
    chosen = options.parse_args()
    main(chosen.tables, chosen.splits)
