"""Benchmarks call what exists: they are run by hand, and would otherwise be found broken when they are needed."""

import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("lightgbm")
pytest.importorskip("pandas")
BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
NEEDS = {"peers": "torch", "loss_memory": "torch", "scale": "dask", "scale_fit": "dask"}
QUALITY = ("quality", "ranking_trees", "serving")  # they import scorers of both


@pytest.mark.parametrize("name", sorted(path.stem for path in BENCHMARKS.glob("*.py")))
def test_every_benchmark_loads(name):
    for package in ("xgboost", "torch") if name.startswith(QUALITY) else (NEEDS.get(name, "numpy"),):
        pytest.importorskip(package)
    import_module(name)


def test_every_criterion_takes_a_round_of_boosting():
    boosting = import_module("bench_boosting")
    X = np.random.default_rng(0).standard_normal((200, 3))
    for criterion in ("logloss", *boosting.CRITERIA):
        boosting._booster(X, X[:, 0] > 0.5, criterion)()


def test_every_kind_of_scorer_of_the_quality_page_becomes_a_line():
    pytest.importorskip("xgboost")
    pytest.importorskip("torch")
    measure, protocol = import_module("quality").measure, import_module("quality_protocol")
    X = np.random.default_rng(0).standard_normal((240, 3))
    y = X[:, 0] + np.random.default_rng(1).standard_normal(240) > 0.5
    for name, scorer in protocol.scorers(0).items():
        if name in ("GradientBoosted auc", "logistic regression", "TreeRanker", "xgboost rank:ndcg"):
            line = json.loads(json.dumps(measure(scorer, X, y, 0)))
            assert line.keys() >= {"seconds", *protocol.METRICS}
