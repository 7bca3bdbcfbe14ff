"""A state that no monitor can have written is refused in a sentence; what was written is gone on with."""

import copy
import json

import numpy as np
import pytest

from podium import InputError
from podium.monitor import DriftMonitor, PerformanceMonitor
from podium.workflow.monitoring.state import State

RNG = np.random.default_rng(0)
SCORES, LABELS = RNG.normal(size=400), RNG.random(400) < 0.4


def drift():
    return DriftMonitor(SCORES)


def performance():
    return PerformanceMonitor(LABELS, SCORES + LABELS)


@pytest.fixture(scope="module")
def written():
    """Of both monitors, after some rows; the drift raised its alarm."""
    watch, quality = drift(), performance()
    watch.update(SCORES[:300] + 2)
    quality.update(LABELS[:300], SCORES[:300] + LABELS[:300])
    return {"drift": watch.to_dict(), "performance": quality.to_dict()}


def content_of(written):
    """The file of a monitor with one batch."""
    watch, quality = drift().resume(written["drift"]), performance().resume(written["performance"])
    entry = {"batch": 1, "time": "now", "name": "t.csv", "rows": 300, "labeled": 300, "identity": "a", "columns": None}
    entry |= {"drift": watch.state.to_dict(), "performance": quality.state.to_dict()}
    settings = {"phi": "auc", "tolerance": 0.0, "threshold": None, "confidence_level": 0.95}
    return {
        "podium_monitor": 1,
        "settings": settings | {"average_run_length": None},
        "history": [entry],
        "running": written,
    }


def test_both_go_on_from_what_they_wrote(written):
    assert drift().resume(written["drift"]).state.alarm
    assert performance().resume(written["performance"]).state.n == LABELS[:300].sum()


def changed(value, path, new):
    """A copy with one thing changed."""
    value = copy.deepcopy(value)
    owner = value
    for key in path[:-1]:
        owner = owner[key]
    owner[path[-1]] = new(owner[path[-1]]) if callable(new) else new
    return value


DAMAGES = [
    ("drift", ["wealth"], None),
    ("drift", ["wealth", "each", 0], -1.0),
    ("drift", ["wealth", "each", 0], True),
    ("drift", ["wealth", "each", 0], "1.0"),
    ("drift", ["wealth", "each", 0], 1e305),
    ("drift", ["wealth", "each"], lambda each: each[:-1]),
    ("drift", ["wealth", "each"], lambda each: {str(i): x for i, x in enumerate(each)}),
    ("drift", ["wealth", "largest"], 0.0),
    ("drift", ["wealth", "largest"], float("nan")),
    ("drift", ["wealth", "largest"], [5.0]),
    ("drift", ["wealth", "alarm_after"], None),
    ("drift", ["wealth", "alarm_after"], 301),
    ("drift", ["wealth", "alarm_after"], 0),
    ("drift", ["wealth", "n"], 299),
    ("drift", ["wealth", "n"], 300.5),
    ("drift", ["wealth", "n"], -300),
    ("drift", ["counts", 0], 0),
    ("drift", ["counts", 0], 1e18),
    ("drift", ["counts", 0], 10**400),
    ("drift", ["counts"], "counts"),
    ("drift", ["rank_sum"], 301.0),
    ("drift", ["fingerprint"], "another"),
    ("performance", ["sums", 0], lambda n: n + 1),
    ("performance", ["sums", 1], 1e6),
    ("performance", ["sums", 2], -1.0),
    ("performance", ["n_rows"], 3),
    ("performance", ["wealth", "alarm_after"], 1),
]


@pytest.mark.parametrize(("kind", "path", "new"), DAMAGES, ids=lambda value: getattr(value, "__name__", str(value)))
def test_running_numbers_that_cannot_be_are_refused(written, kind, path, new):
    monitor = drift() if kind == "drift" else performance()
    with pytest.raises(InputError, match=r"must resume from its own state|state of the monitor is damaged"):
        monitor.resume(changed(written[kind], path, new))


def test_the_file_of_a_monitor_is_read(written, tmp_path):
    (tmp_path / "s.json").write_text(json.dumps(content_of(written)))
    assert State.read(tmp_path / "s.json", "auc", {}).running["drift"] == written["drift"]


@pytest.mark.parametrize(
    ("path", "new"),
    [
        (["podium_monitor"], 2),
        (["settings"], []),
        (["settings", "tolerance"], "0"),
        (["settings", "phi"], ["auc"]),
        (["history"], {}),
        (["history"], []),
        (["history", 0], 1),
        (["history", 0, "rows"], -1),
        (["history", 0, "rows"], 1.5),
        (["history", 0, "batch"], 2),
        (["history", 0, "name"], "half \ud800"),
        (["history", 0, "drift"], None),
        (["history", 0, "drift", "e_value"], -1.0),
        (["history", 0, "drift", "e_value"], float("inf")),
        (["history", 0, "drift", "n"], 299),
        (["history", 0, "performance", "low"], None),
        (["history", 0, "performance"], None),
        (["history", 0, "columns"], {"moved": 1}),
        (["running", "drift"], None),
        (["running", "performance"], []),
    ],
    ids=str,
)
def test_a_file_with_a_part_that_cannot_be_is_refused(written, tmp_path, path, new):
    (tmp_path / "s.json").write_text(json.dumps(changed(content_of(written), path, new)))
    with pytest.raises(InputError, match="must be a file that podium monitor wrote"):
        State.read(tmp_path / "s.json", "auc", {})
