import functools
import io
import os
import re
import zipfile
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from podium import (
    AutoRanker,
    BoostedRanker,
    ForestRanker,
    GradientBoostedRanker,
    InputError,
    LinearRanker,
    QuadraticRanker,
    StackedRanker,
    TreeRanker,
    persist,
    workflow,
)
from podium._progress import Progress
from podium.criteria import PNormPush
from podium.persist import files, names
from podium.rankers.stack.members import default_members

RANKERS = [
    LinearRanker(),
    QuadraticRanker(),
    BoostedRanker(weak="stumps", n_rounds=5),
    GradientBoostedRanker(n_estimators=3),
    StackedRanker([RandomForestClassifier(2), HistGradientBoostingClassifier(max_iter=2)], cv=2),
    StackedRanker(default_members()[:5], cv=2),
    StackedRanker([GradientBoostedRanker(backend="xgboost", n_estimators=3)], cv=2, scale="platt"),
    AutoRanker("power:3", candidates=["quadratic"]),
    LinearRanker(PNormPush(4), scaling="quantile"),
    TreeRanker("power:3"),
    ForestRanker(n_estimators=3),
]


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
def test_a_model_read_back_scores_as_before(ranker, tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    ranker.fit(X[:, :5], y)
    (tmp_path / "model").write_bytes(persist.dumps(ranker))
    again = persist.load(tmp_path / "model")
    np.testing.assert_array_equal(again.decision_function(X[:, :5]), ranker.decision_function(X[:, :5]))


def test_names_in_a_file_are_public_ones_wherever_a_class_is_defined():
    """A model of every kind that `podium fit` writes names no file of this package, so that moving one breaks none."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.standard_normal(300), "town": rng.choice([f"t{i}" for i in range(20)], 300)})
    frame["y"] = (frame["x"] + rng.standard_normal(300) > 0).astype(int)
    for model in ("linear-quantile", "trees"):
        body = persist.dumps(workflow.fit(frame, label="y", model=model, budget=30).model)[files._HEAD :]
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            modules = set(re.findall(r'"__module__": "(podium[^"]*)"', archive.read("schema.json").decode()))
        assert modules
        assert all(module.count(".") == 1 for module in modules), modules


def test_every_part_listed_is_where_it_is_said_to_be():
    for home in names._PARTS.values():
        module, _, name = home.rpartition(".")
        found = getattr(import_module(module), name)
        assert f"{found.__module__}.{found.__qualname__}" == home


def test_a_file_of_another_format_is_refused_with_a_way_out(tmp_path):
    (tmp_path / "model").write_bytes(b"podium model 1 " + persist.dumps(1)[len(b"podium model 2 ") :])
    with pytest.raises(InputError, match=r"another version of podium(.|\n)*train the model again"):
        persist.load(tmp_path / "model")


def test_a_model_is_saved_to_a_file(tmp_path):
    assert persist.save([1, 2], tmp_path / "model") == tmp_path / "model"
    assert persist.load(tmp_path / "model") == [1, 2]


def test_a_truncated_file_is_refused(tmp_path):
    (tmp_path / "model").write_bytes(persist.dumps([1, 2, 3])[:-1])
    with pytest.raises(InputError, match="checksum"):
        persist.load(tmp_path / "model")


def test_a_foreign_file_is_refused(tmp_path):
    (tmp_path / "model").write_bytes(b"PK\x03\x04 something else")
    with pytest.raises(InputError, match="written by podium"):
        persist.load(tmp_path / "model")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        persist.load(tmp_path / "model")


class Stranger:
    """Of a type that no model has."""


@pytest.mark.parametrize(
    "content",
    [
        Stranger(),
        functools.partial(os.system, "true"),
        os.system,
        persist.load,
        names._renamed,
        Progress("", 1, enabled=False),
    ],
)
def test_a_type_that_no_model_has_is_refused_by_name(content, tmp_path):
    (tmp_path / "model").write_bytes(persist.dumps(content))
    with pytest.raises(InputError, match="does not bring to life"):
        persist.load(tmp_path / "model")


def test_versions_are_in_the_file():
    body = persist.dumps(0)[files._HEAD :]
    assert skops.io.loads(body)["versions"] == persist.versions()
