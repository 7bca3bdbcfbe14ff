import functools
import os

import numpy as np
import pytest
import skops.io
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from podium import (
    BoostedRanker,
    GradientBoostedRanker,
    InputError,
    LinearRanker,
    QuadraticRanker,
    StackedRanker,
    persist,
)
from podium.rankers.stack.members import default_members

RANKERS = [
    LinearRanker(),
    QuadraticRanker(),
    BoostedRanker(weak="stumps", n_rounds=5),
    GradientBoostedRanker(n_estimators=3),
    StackedRanker([RandomForestClassifier(2), HistGradientBoostingClassifier(max_iter=2)], cv=2),
    StackedRanker(default_members()[:5], cv=2),
]


@pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: type(ranker).__name__)
def test_a_model_read_back_scores_as_before(ranker, tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    ranker.fit(X[:, :5], y)
    (tmp_path / "model").write_bytes(persist.dumps(ranker))
    again = persist.load(tmp_path / "model")
    np.testing.assert_array_equal(again.decision_function(X[:, :5]), ranker.decision_function(X[:, :5]))


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


@pytest.mark.parametrize("content", [Stranger(), functools.partial(os.system, "true"), os.system, persist.load])
def test_a_type_that_no_model_has_is_refused_by_name(content, tmp_path):
    (tmp_path / "model").write_bytes(persist.dumps(content))
    with pytest.raises(InputError, match="does not bring to life"):
        persist.load(tmp_path / "model")


def test_versions_are_in_the_file():
    body = persist.dumps(0)[persist._HEAD :]
    assert skops.io.loads(body)["versions"] == persist.versions()
