"""A look at a table says what a fit will say of it, and ends with a command that runs."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest

from podium import workflow
from podium.cli.spelling import on_command_line
from podium.exceptions import DegenerateSampleError, InputError

N = 600


def odd():
    """Rows in order of time, units with several rows, a column known too late, and names that a shell would split."""
    rng = np.random.default_rng(0)
    who = rng.integers(0, 100, N)
    frame = pd.DataFrame(rng.standard_normal((100, 3))[who] + 0.05 * rng.standard_normal((N, 3)), columns=list("abc"))
    frame.insert(0, "case nr", [f"C{i:05d}" for i in rng.permutation(N)])
    frame["sold on"] = pd.date_range("2021-01-01", periods=N, freq="7h").strftime("%d.%m.%Y %H:%M")
    frame["customer"] = [f"K{one}" for one in who]
    is_late = frame["c"] + 0.5 * rng.logistic(size=N) > 0.8
    frame["phone"] = rng.choice(["yes", "no"], N)
    frame["result"] = np.where(rng.random(N) < 0.02, None, np.where(is_late, "it's late", "paid"))
    frame["closed"] = np.where(is_late, "x", None)
    return frame.assign(const=1)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("odd") / "odd table.csv"
    odd().to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def looked(file):
    return workflow.look(file)


def test_its_doubts_and_notes_are_those_of_the_fit(file, looked):
    result = workflow.fit(file, label="result", positive="it's late", model="linear")
    assert looked.doubts == result.warnings
    assert [any(column in doubt for doubt in looked.doubts) for column in ("closed", "sold on", "customer")] == [
        True
    ] * 3
    assert set(looked.notes) <= set(result.notes)


def test_it_counts_labels_and_names_the_columns_that_may_be_the_label(looked):
    label = odd()["result"]
    n_pos, n_missing = sum(one == "it's late" for one in label), sum(map(pd.isna, label))
    assert looked.labels == f"{n_pos} positive; {N - n_pos - n_missing} others; {n_missing} without a label, left out"
    assert (looked.label, looked.positive) == ("result", "it's late")  # named like a label; the rarer value
    assert {one.column: one.rows for one in looked.candidates} == {
        "phone": odd()["phone"].value_counts().to_dict(),
        "result": label.value_counts().to_dict(),
    }


def test_it_says_what_every_column_becomes_how_it_is_written_and_what_is_missing(looked):
    seen = {one.name: one for one in looked.columns}
    assert list(seen) == list(odd())
    becomes = {name: seen[name].becomes for name in ("case nr", "a", "sold on", "phone", "result", "const")}
    assert becomes == {
        "case nr": "names the row",
        "a": "a number",
        "sold on": "a date: time elapsed, and the time of year, week and day",
        "phone": "2 values, a column each",
        "result": "the label",
        "const": "left out: has the same value in every training row",
    }
    assert seen["sold on"].written == "31.12.2019 17:30"
    assert seen["closed"].missing == odd()["closed"].isna().mean()


def test_the_command_runs_as_it_stands_and_settles_the_doubts(file, looked, podium, tmp_path):
    words = shlex.split(looked.command)
    assert words[:3] == ["podium", "fit", str(file)]
    options = dict(zip(words[3::2], words[4::2], strict=True))
    assert options == {
        "--label": "result",
        "--positive": "it's late",
        "--id": "case nr",
        "--time": "sold on",
        "--group": "customer",
        "--exclude": "closed",
    }
    run = podium(*words[1:], "--model", "linear", "--out", tmp_path / "out")
    assert run.code == 0
    assert not any(doubt in run.err for doubt in looked.doubts)


def test_a_table_in_memory_gets_a_call_and_a_plain_one_no_doubts():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.standard_normal(200), "it's": rng.choice([0, 1], 200), "y": rng.choice([0, 1], 200)})
    result = workflow.look(frame)
    assert (result.command, result.doubts) == ("workflow.fit(table, label='y')", ())
    assert repr(result) == f"LookResult(200 rows, 3 columns; {frame['y'].sum()} with y = 1; no doubts)"
    assert json.loads(json.dumps(result.to_dict()))["columns"][0]["name"] == "x"
    assert workflow.look(frame, "it's").command == 'workflow.fit(table, label="it\'s")'


def test_the_command_line_shows_it_and_writes_the_page(file, looked, podium, tmp_path):
    run = podium("look", file, "--out", tmp_path / "look.html")
    assert run.code == 0
    assert looked.command in run.out.splitlines()
    assert all(on_command_line(f"Doubt: {doubt}") in run.out for doubt in looked.doubts)
    assert "(--exclude " in run.out
    assert "it&#39;s late" in (tmp_path / "look.html").read_text()
    assert podium("look", file, "--out", tmp_path / "look.html").code == 2
    found = json.loads(podium("look", file, "--label", "phone", "--json").out)
    assert found["label"] == "phone"


def test_what_cannot_be_looked_at_gets_a_sentence(tmp_path):
    frame = pd.DataFrame({"x": range(50), "same": 1})
    with pytest.raises(InputError, match="A label has two values"):
        workflow.look(frame)
    with pytest.raises(DegenerateSampleError, match="needs two values; got only 1"):
        workflow.look(frame, "same")
    with pytest.raises(InputError, match="there is no 'sam'"):
        workflow.look(frame, "sam")
    frame.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(InputError, match="is a folder or larger than memory"):
        workflow.look(tmp_path)
