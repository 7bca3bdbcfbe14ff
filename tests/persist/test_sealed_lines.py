"""A line in a file scores rows with NumPy and little memory, and is the model of a table for all else."""

import copy
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from persist.hostile import Parts, put
from podium import persist, workflow
from podium.exceptions import InputError
from podium.tables import TableModel
from podium.tables.sealed import Sealed

LIGHT = ("linear", "linear-quantile", "boosted")
ROW = {"amount": 12.5, "kind": "b", "begun": "2001-02-03", "ended": "2001-03-04T05:06:07", "late": True}

# Scores a row in a process of its own, and says what that took beyond NumPy.
READER = """
import os, sys, numpy
numpy.ones((9, 9)) @ numpy.ones(9)
def megabytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
before = megabytes()
from podium import persist
score = persist.load(sys.argv[1]).score_rows([eval(sys.argv[2])])
used = megabytes() - before
print(repr(float(score[0])), used, *sorted({"sklearn", "scipy", "numba", "pandas", "pyarrow"} & sys.modules.keys()))
"""


def table(seed=0, n_rows=500):
    rng = np.random.default_rng(seed)
    begun = pd.Timestamp("1999-03-01") + pd.to_timedelta(rng.integers(0, 10**8, n_rows), "s")
    frame = pd.DataFrame(
        {
            "amount": rng.lognormal(3, 2, n_rows),
            "kind": rng.choice(["a", "b", "c"], n_rows).astype(object),
            "begun": begun.astype("datetime64[s]"),
            "ended": (begun + pd.to_timedelta(rng.integers(0, 10**7, n_rows), "s")).astype("datetime64[s]"),
            "late": rng.random(n_rows) < 0.4,
        }
    )
    risk = np.log(frame["amount"]) - 3 + frame["late"] + (frame["kind"] == "b")
    return frame.assign(label=(risk + rng.logistic(size=n_rows) > 0.5).astype(int))


@pytest.fixture(scope="module", params=LIGHT)
def whole(request):
    return workflow.fit(table(), label="label", model=request.param).model


@pytest.fixture(scope="module")
def content(whole):
    return persist.dumps(whole)


def is_sealed(model):
    return type(model) is Sealed


def test_a_line_scores_rows_without_coming_to_life(whole, content):
    model = persist.loads(content)
    rows = [ROW, ROW | {"kind": "never seen", "amount": None}, ROW | {"amount": 1e9, "begun": None}]
    np.testing.assert_allclose(model.score_rows(rows), whole.score_rows(rows), rtol=0, atol=1e-12)
    assert is_sealed(model)
    awkward = [ROW | {"amount": "12.5"}]
    np.testing.assert_allclose(model.score_rows(awkward), whole.score_rows([ROW]), rtol=0, atol=1e-12)
    assert type(model) is TableModel


@pytest.mark.parametrize(
    "touch",
    [
        lambda model: model.kinds == {"amount": 0},
        lambda model: model.scores(table().drop(columns="label")),
        lambda model: persist.dumps(model),
        lambda model: pickle.loads(pickle.dumps(model)).label,
        lambda model: copy.copy(model).label,
        lambda model: copy.deepcopy(model).label,
        lambda model: repr(model),
        lambda model: setattr(model, "label", "other"),
        lambda model: replace(model.as_judged(), phi="auc"),
    ],
    ids=["attribute", "method", "dumps", "pickle", "copy", "deepcopy", "repr", "set", "replace"],
)
def test_for_all_else_it_is_the_model_of_a_table(whole, content, touch):
    model = persist.loads(content)
    assert is_sealed(model)
    assert isinstance(model, TableModel)
    touch(model)
    assert type(model) is TableModel
    assert persist.dumps(replace(model, label="label")) == content
    frame = table(1).drop(columns="label")
    np.testing.assert_array_equal(model.scores(frame), whole.scores(frame))


def test_threads_may_ask_for_it_at_the_same_time(whole, content):
    plain, awkward = [ROW], [ROW | {"amount": "12.5"}]
    for _ in range(5):
        model = persist.loads(content)
        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(model.score_rows, [plain, plain, awkward, plain, awkward, plain, plain, awkward]))
        np.testing.assert_allclose(np.concatenate(found), whole.score_rows(plain)[0], rtol=0, atol=1e-12)
        assert type(model) is TableModel


def test_a_sealed_model_is_scored_and_exported_as_any(content, tmp_path):
    (tmp_path / "model.podium").write_bytes(content)
    frame = table(1).drop(columns="label")
    loaded = persist.load(tmp_path / "model.podium")
    assert workflow.score(loaded, frame).n_rows == len(frame)
    assert workflow.export_sql(persist.loads(content)) == workflow.export_sql(tmp_path / "model.podium")


@pytest.mark.parametrize("model", ["trees", "quadratic"])
def test_other_models_come_to_life_at_once(model):
    assert type(persist.loads(persist.dumps(workflow.fit(table(), label="label", model=model).model))) is TableModel


CHANGES = {
    "a weight that is no number": lambda parts: parts.set_array("LinearRanker", "coef_", put(0, np.nan)),
    "too few weights": lambda parts: _short(parts, "LinearRanker", "coef_"),
    "a center that is no number": lambda parts: parts.attribute("NumberColumn", "centre").__setitem__(1, "x"),
    "an unknown type of column": lambda parts: parts.of_kind("NumberColumn").__setitem__("kind", "os.system"),
    "a threshold that is text": lambda parts: parts.attribute("LinearRanker", "threshold_").__setitem__(1, "0"),
}


def _short(parts, kind, name):
    node = parts.attribute(kind, name)[1]
    parts.blocks[id(node)] = parts.blocks[id(node)][8:]
    node["shape"] = [node["shape"][0] - 1]


@pytest.mark.parametrize("change", CHANGES)
def test_what_scores_a_row_is_checked_when_it_is_read(change):
    parts = Parts(persist.dumps(workflow.fit(table(), label="label", model="linear").model))
    CHANGES[change](parts)
    with pytest.raises(InputError):
        persist.loads(parts.content())


def test_the_rest_is_checked_before_it_is_used():
    parts = Parts(persist.dumps(workflow.fit(table(), label="label", model="linear").model))
    parts.of_kind("ColumnProfile")["kind"] = "os.system"
    model = persist.loads(parts.content())
    for use in (lambda: model.label, lambda: persist.dumps(model), lambda: repr(model)):
        with pytest.raises(InputError, match=r"does not load: os\.system"):
            use()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_a_loaded_line_takes_less_than_twenty_megabytes_beyond_numpy(whole, content, tmp_path):
    (tmp_path / "model.podium").write_bytes(content)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", READER, str(tmp_path / "model.podium"), repr(ROW)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    score, used, *heavy = done.stdout.split()
    print(f"{float(used):.1f} MB")
    assert float(score) == pytest.approx(whole.score_rows([ROW])[0], abs=1e-12)
    assert heavy == []
    assert float(used) < 16
