"""Recipes for engines: the AUC of all rows, as one array gives it, where the engine is installed."""

import ast
import importlib.util
import os
import sys

import numpy as np
import pandas as pd
import pytest

from docs.pages import DOCS
from podium import metrics

RECIPES = sorted((DOCS / "recipes").glob("with_*.py"))
RNG = np.random.default_rng(0)
Y = RNG.random(2000) < 0.3
TABLE = pd.DataFrame({"y": Y, "score": np.round(RNG.normal(size=2000) + Y, 2), "other": "text"})


def recipe(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / "recipes" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.counted


@pytest.fixture
def path(tmp_path):
    TABLE.to_parquet(tmp_path / "rows.parquet", row_group_size=300)
    return tmp_path / "rows.parquet"


def check(counted):
    assert counted.auc() == metrics.auc(TABLE["y"], TABLE["score"])
    assert counted.max_error == 0


def test_duckdb(path):
    pytest.importorskip("duckdb")
    check(recipe("with_duckdb")(f"SELECT y, score FROM '{path}'"))


def test_polars(path):
    polars = pytest.importorskip("polars")
    check(recipe("with_polars")(polars.scan_parquet(path)))


@pytest.mark.engines
@pytest.mark.filterwarnings("default")
def test_spark(path, monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    spark = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        check(recipe("with_spark")(spark.read.parquet(str(path)).repartition(3)))
    finally:
        spark.stop()


@pytest.mark.engines
@pytest.mark.filterwarnings("default")
def test_ray(path):
    ray = pytest.importorskip("ray")
    from ray import data

    ray.init(num_cpus=2, include_dashboard=False)
    try:
        check(recipe("with_ray")(data.read_parquet(str(path)).repartition(3)))
    finally:
        ray.shutdown()


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_a_recipe_has_at_most_fifteen_lines(path):
    body = ast.parse(path.read_text(encoding="utf-8")).body
    lines = path.read_text(encoding="utf-8").splitlines()[body[0].end_lineno :]
    assert sum(bool(line.strip()) for line in lines) <= 15
