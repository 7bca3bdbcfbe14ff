import functools
import os
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PowerTransformer

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
from podium.persist import types
from podium.rankers.stack.members import default_members

RANKERS = [
    LinearRanker(),
    QuadraticRanker(),
    BoostedRanker(weak="stumps", n_rounds=5),
    GradientBoostedRanker(n_estimators=3),
    StackedRanker([RandomForestClassifier(2), HistGradientBoostingClassifier(max_iter=2)], cv=2),
    StackedRanker(default_members()[:5], cv=2),
    StackedRanker([GradientBoostedRanker(backend="xgboost", n_estimators=3)], cv=2, scale="platt"),
    GradientBoostedRanker(
        "logloss", backend="xgboost", n_estimators=2, params={"tree_method": "exact", "max_depth": 4, "gamma": 6}
    ),
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
        content = persist.dumps(workflow.fit(frame, label="y", model=model, budget=30).model)
        named = set(re.findall(rb'"kind":"(podium[^"]*)"', content))
        assert named
        assert all(name.count(b".") == 2 for name in named), named


def test_every_listed_part_is_where_it_is_said_to_be():
    for name, home in types._PARTS.items():
        found = types.type_of(name)
        assert f"{found.__module__}.{found.__qualname__}" == home
        assert types.name_of(found) == name


def test_every_listed_type_of_another_package_is_found_and_named():
    for name in types._OTHERS:
        assert types.name_of(types.type_of(name)) == name


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"a": (1, 2.5, float("inf")), 3: [True, "ü"], "b": {1, 2}},
        np.arange(6.0).reshape(2, 3).T,
        np.array(["no", "yes"], dtype=object),
        np.array([(1, 0.5)], dtype=[("feature", "<i8"), ("threshold", "<f8")]),
        np.zeros((0, 3), dtype=np.float32),
        np.arange(3, dtype=">i4"),
        np.array(["a", "bc"]),
        np.float32(1.5),
        np.dtype(np.int8),
        b"bytes",
    ],
    ids=str,
)
def test_values_come_back_as_they_were(value, tmp_path):
    again = persist.load(persist.save(value, tmp_path / "model"))
    assert type(again) is type(value)
    np.testing.assert_array_equal(again, value)
    if isinstance(value, np.ndarray):
        assert (again.dtype, again.flags.f_contiguous) == (value.dtype.newbyteorder("="), value.flags.f_contiguous)


def test_the_same_model_gives_the_same_bytes():
    X, y = load_breast_cancer(return_X_y=True)
    members = [RandomForestClassifier(3), GradientBoostedRanker(n_estimators=3)]
    first, second = (persist.dumps(StackedRanker(members, cv=2, random_state=0).fit(X, y)) for _ in range(2))
    assert first == second


def test_a_file_of_another_format_is_refused_with_a_way_out(tmp_path):
    (tmp_path / "model").write_bytes(b"podium model 2 " + persist.dumps(1)[len(b"podium model 3 ") :])
    with pytest.raises(InputError, match=r"has format 2; this version(.|\n)*retrain the model"):
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
        Progress("", 1, enabled=False),
        KNeighborsClassifier(),
        np.array([1j]),
    ],
)
def test_what_no_model_has_is_not_written(content):
    with pytest.raises(InputError, match="A model file holds"):
        persist.dumps(content)


def test_versions_are_in_the_file():
    assert persist.versions()["numpy"].encode() in persist.dumps(0)


def test_a_model_that_takes_positive_numbers_only_is_read_back(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    ranker = make_pipeline(PowerTransformer(method="box-cox"), LogisticRegression()).fit(X[:, :3], y)
    again = persist.load(persist.save(ranker, tmp_path / "model"))
    np.testing.assert_array_equal(again.decision_function(X[:, :3]), ranker.decision_function(X[:, :3]))
