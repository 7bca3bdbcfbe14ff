"""Libraries beside ours, by the protocol of ``make bench-quality``: ``make bench-quality-peers``.

Each line of ``quality_peers.jsonl`` is one table × split × scorer; a run that was interrupted goes on where it stopped.
A library that is not installed is left out. ``--report`` only rewrites the page.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from quality import run
from quality_peers_report import write_page
from quality_protocol import N_SPLITS, TABLES
from quality_report import STACK

from podium import StackedRanker

HERE = Path(__file__).parent
RESULTS, PAGE = HERE / "quality_peers.jsonl", HERE.parent / "docs" / "quality_peers.rst"


class Flaml:
    """FLAML with so many seconds for the AUC."""

    def __init__(self, seconds: int, seed: int) -> None:
        self.automl = import_module("flaml").AutoML()
        self.options = {"time_budget": seconds, "seed": seed}

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        self.automl.fit(X, y, task="classification", metric="roc_auc", n_jobs=1, verbose=0, **self.options)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.automl.predict_proba(X)


class AutoGluon:
    """AutoGluon with a preset and so many seconds for the AUC; ``model_names_`` are those that it trained in time."""

    def __init__(self, preset: str, seconds: int) -> None:
        self.library = import_module("autogluon.tabular")
        self.options = {"presets": preset, "time_limit": seconds}

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        self.folder = TemporaryDirectory()  # deleted with this object
        self.predictor = self.library.TabularPredictor(
            "label", eval_metric="roc_auc", path=self.folder.name, verbosity=0
        )
        self.predictor.fit(self._frame(X).assign(label=y.astype(int)), num_cpus=1, num_gpus=0, **self.options)
        self.model_names_ = self.predictor.model_names()

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.predictor.predict_proba(self._frame(X)).to_numpy()

    @staticmethod
    def _frame(X: np.ndarray) -> pd.DataFrame:
        return pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])


def catboost(seed: int) -> Any:
    kind = import_module("catboost").CatBoostClassifier
    return kind(random_seed=seed, thread_count=1, verbose=False, allow_writing_files=False)


def ebm(seed: int) -> Any:
    return import_module("interpret.glassbox").ExplainableBoostingClassifier(random_state=seed, n_jobs=1)


def realmlp(seed: int, **options: Any) -> Any:
    kind = import_module("pytabkit").RealMLP_TD_Classifier
    return kind(random_state=seed, device="cpu", n_threads=1, **options)


# By name: the package that it needs, and what makes an estimator from a seed. AutoGluon has a seed of its own.
SCORERS = {
    STACK: ("podium", lambda seed: StackedRanker(random_state=seed)),
    "CatBoost": ("catboost", catboost),
    "EBM": ("interpret", ebm),
    "RealMLP": ("pytabkit", realmlp),
    "RealMLP for AUC": ("pytabkit", lambda seed: realmlp(seed, val_metric_name="1-auc_ovr", use_ls=False)),
    "FLAML, 60 s": ("flaml", lambda seed: Flaml(60, seed)),
    "AutoGluon medium, 60 s": ("autogluon", lambda seed: AutoGluon("medium_quality", 60)),
    "AutoGluon best, 120 s": ("autogluon", lambda seed: AutoGluon("best_quality", 120)),
}


def scorers(seed: int) -> dict[str, Any]:
    """Every scorer whose library is installed."""
    return {name: make(seed) for name, (package, make) in SCORERS.items() if find_spec(package)}


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tables", nargs="+", default=TABLES, help="names of tables")
    options.add_argument("--splits", type=int, default=N_SPLITS, help="the first so many splits")
    options.add_argument("--report", action="store_true", help="only rewrite the page")
    chosen = options.parse_args()
    if not chosen.report:
        run(chosen.tables, RESULTS, scorers=scorers, n_splits=chosen.splits)
    write_page(RESULTS, PAGE, chosen.report)
