"""What the page on other systems shows: each gives the scores of the model, to the digit that the page says."""

import asyncio
import importlib.util
import json
import os
import pickle
import sys

import numpy as np
import pandas as pd
import pytest

from docs.pages import ROOT
from podium import persist, workflow
from podium.exceptions import InputError

EXAMPLES = ROOT / "examples" / "serving"


def table(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "id": np.arange(300),
            "amount": rng.lognormal(3, 2, 300),
            "region": rng.choice(["north", "south", "Zürich"], 300).astype(object),
            "opened": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, 300), "D").astype("m8[s]"),
        }
    )
    risk = np.log(frame["amount"]) - 3 + (frame["region"] == "north")
    frame["late"] = (risk + rng.logistic(size=300) > 0.5).astype(int)
    frame.loc[::9, "amount"] = np.nan
    return frame


@pytest.fixture(scope="module", params=["linear", "trees"])
def path(request, tmp_path_factory):
    model = workflow.fit(table(0), label="late", model=request.param, id_column="id").model
    return persist.save(model, tmp_path_factory.mktemp("served") / "model.podium")


@pytest.fixture(scope="module")
def new():
    return table(1).drop(columns="late")


def scores_of(path, new):
    found = workflow.score(path, new).scores
    return found["score"].to_numpy()[np.argsort(found["id"].astype(int))]


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def posted(app, path, content):
    """The status and the JSON with which a service answers, asked as a server asks it."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": json.dumps(content).encode(), "more_body": False}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "root_path": "", "scheme": "http"}
    scope |= {"headers": [(b"content-type", b"application/json")], "asgi": {"version": "3.0"}, "http_version": "1.1"}
    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], json.loads(b"".join(message.get("body", b"") for message in sent[1:]))


@pytest.mark.filterwarnings("default")  # of other versions among packages of the service
def test_rest(path, new, monkeypatch):
    pytest.importorskip("fastapi")
    monkeypatch.setenv("PODIUM_MODEL", str(path))
    app = example("rest").app
    rows = json.loads(new.assign(opened=new["opened"].astype(str)).to_json(orient="records", double_precision=15))
    rows = [row | {"amount": None if pd.isna(x) else x} for row, x in zip(rows, new["amount"], strict=True)]
    status, scores = posted(app, "/scores", rows)
    assert status == 200
    np.testing.assert_allclose(scores, scores_of(path, new), rtol=0, atol=1e-12)
    status, refusal = posted(app, "/scores", [{"amount": 3.0}])
    assert status == 422
    assert "missing: 'region'" in refusal["detail"]


@pytest.mark.filterwarnings("ignore")  # MLflow's own, about itself
def test_mlflow(path, new, tmp_path):
    mlflow = pytest.importorskip("mlflow")
    requirements = {"pip_requirements": ["podium[tables]"]}
    mlflow.pyfunc.save_model(
        tmp_path / "served",
        python_model=str(EXAMPLES / "mlflow_model.py"),
        artifacts={"model": str(path)},
        **requirements,
    )
    again = mlflow.pyfunc.load_model(str(tmp_path / "served"))
    np.testing.assert_array_equal(again.predict(new), scores_of(path, new))


def test_batches_get_the_scores_of_the_list(path, new):
    scorer = pickle.loads(pickle.dumps(workflow.batch_scorer(path)))
    batches = [new[:100], new[100:100], new[100:].assign(tags=[["any", "thing"]] * 200)]
    found = pd.concat(list(scorer.each(batches)))
    assert list(found.columns) == ["id", "score"]
    np.testing.assert_array_equal(found["id"], new["id"])
    np.testing.assert_array_equal(found["score"], scores_of(path, new))
    assert list(workflow.batch_scorer(path, keep=["region", "id"])(new).columns) == ["region", "id", "score"]
    assert repr(scorer).startswith("BatchScorer(a model of ")


def test_a_batch_without_a_column_is_refused(path, new):
    scorer = workflow.batch_scorer(path)
    with pytest.raises(InputError, match="missing: 'amount'"):
        scorer(new.drop(columns="amount"))
    with pytest.raises(InputError, match="no 'id'"):
        scorer(new.drop(columns="id"))
    with pytest.raises(InputError, match="must not be called 'score'"):
        workflow.batch_scorer(path, keep=["score"])


def test_dask(path, new):
    frames = pytest.importorskip("dask.dataframe")
    found = frames.from_pandas(new, npartitions=3).map_partitions(workflow.batch_scorer(path)).compute()
    np.testing.assert_array_equal(found["score"], scores_of(path, new))


@pytest.mark.engines
@pytest.mark.filterwarnings("default")
def test_spark(path, new, monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    spark = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        frame = spark.createDataFrame(new).repartition(3)
        found = example("spark").scored(frame, path).toPandas().sort_values("id")
    finally:
        spark.stop()
    np.testing.assert_array_equal(found["score"], scores_of(path, new))


@pytest.mark.engines
@pytest.mark.filterwarnings("default")
def test_ray(path, new):
    ray = pytest.importorskip("ray")
    from ray import data

    ray.init(num_cpus=2, include_dashboard=False)
    try:
        found = example("ray_data").scored(data.from_pandas(new).repartition(3), path).to_pandas().sort_values("id")
    finally:
        ray.shutdown()
    np.testing.assert_array_equal(found["score"], scores_of(path, new))
