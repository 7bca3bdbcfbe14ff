"""Files larger than the memory allowed, and folders of files: the numbers are those of one table."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

from podium import inference, rounds, workflow
from podium.exceptions import InputError
from podium.workflow.streaming import labeled as stream

RNG = np.random.default_rng(0)
N = 3000
Y = RNG.random(N) < 0.3
FRAME = pd.DataFrame(
    {
        "word": np.where(Y, "hit", "miss"),
        "y": Y.astype(float),
        "a": np.round(RNG.normal(size=N) + Y, 2),
        "b": RNG.normal(size=N) + Y / 2,
        "year": np.where(np.arange(N) < 2000, "2025", "2026"),
    }
)


def as_csv(folder):
    FRAME[:1000].to_csv(folder / "a.csv", index=False)
    with gzip.open(folder / "b.csv.gz", "wt") as file:
        FRAME[1000:].to_csv(file, index=False)


def as_parquet(folder):
    FRAME[:1000].to_parquet(folder / "1.parquet", row_group_size=300)
    FRAME[1000:].to_parquet(folder / "2.parquet")
    (folder / "_SUCCESS").write_text("")


def as_hive(folder):
    for year, rows in FRAME.groupby("year"):
        (folder / f"year={year}").mkdir()
        rows.drop(columns="year").to_parquet(folder / f"year={year}" / "part-0.parquet")


@pytest.fixture(params=[as_csv, as_parquet, as_hive], ids=["csv", "parquet", "hive"])
def folder(request, tmp_path):
    (tmp_path / "big").mkdir()
    request.param(tmp_path / "big")
    return tmp_path / "big"


@pytest.fixture(params=[True, False], ids=["labels and scores fit", "they do not"])
def fits(request, monkeypatch):
    """Whether labels and scores alone fit into memory."""
    if not request.param:
        monkeypatch.setattr(stream, "_BYTES_PER_ROW", 1e12)
    return request.param


def test_a_folder_is_evaluated_as_one_table(folder, fits):
    result = workflow.evaluate(folder, label="word", positive="hit", score="a")
    whole = workflow.evaluate(FRAME, label="word", positive="hit", score="a")
    assert (result.n_rows, result.n_pos, result.notes) == (whole.n_rows, whole.n_pos, ())
    for one, other in zip(result.intervals, whole.intervals, strict=True):
        assert (one.estimate, one.low, one.high) == pytest.approx((other.estimate, other.low, other.high), abs=1e-12)
    assert result.certificate == whole.certificate
    compared = workflow.compare(folder, label="y", scores=["a", "b"], phi="power:3").comparisons
    expected = inference.compare(Y, {"a": FRAME["a"], "b": FRAME["b"]}, phi="power:3")
    assert repr(compared) == repr(expected)
    assert compared.pvalue == pytest.approx(expected.pvalue, rel=1e-8)


def test_a_file_beyond_the_memory_allowed_is_read_in_passes(tmp_path, podium, monkeypatch):
    long = pd.concat([FRAME] * 15, ignore_index=True)
    long.loc[np.random.default_rng(0).permutation(len(long))[:450], "y"] = np.nan
    long.to_csv(tmp_path / "long.csv", index=False)
    options = ("evaluate", tmp_path / "long.csv", "--label", "y", "--score", "a", "--json")
    steps = []
    monkeypatch.setattr("podium.cli.render.Steps.begin", lambda self, text: steps.append(text))
    in_passes, whole = (podium(*options, "--memory", size) for size in ("1MB", "1GB"))
    assert "450 of 45,000 rows have no label" in in_passes.err
    assert steps == ["reading the labels", "pass 1 over 'a'", "evaluating"]
    one, other = (json.loads(run.out)["intervals"][1] for run in (in_passes, whole))
    assert one["low"] == pytest.approx(other["low"], abs=1e-9)
    budget = ("--budget", 900, "--population", 9000)
    in_passes, whole = (podium(*options, "--memory", size, *budget) for size in ("1MB", "1GB"))
    assert "Guaranteed hits need labels and scores in memory" in in_passes.err
    one, other = (json.loads(run.out) for run in (in_passes, whole))
    assert one["hits"] == pytest.approx(other["hits"])
    assert (one["hits_guaranteed"], other["hits_guaranteed"] > 0) == (None, True)
    assert one["certificate"]["statement"] == other["certificate"]["statement"]


@pytest.mark.parametrize("memory", [1e9, 5e4], ids=["all scores held", "counted in cells"])
@pytest.mark.parametrize("digits", [12, 1])
def test_counts_guarantee_and_expect_what_the_rows_do(memory, digits):
    scores = np.round(FRAME["b"].to_numpy(), digits)
    parts = [(Y[:1000], scores[:1000]), (Y[1000:], scores[1000:])]
    counted = rounds.count_list(lambda: parts, memory=memory)
    if counted.max_error:
        with pytest.raises(InputError, match="Memory does not suffice for exact ranks"):
            inference.certificate(counted)
        with pytest.raises(InputError, match="Memory does not suffice for exact ranks"):
            inference.precision_at_interval(counted, k=100)
        return
    for phi in ("auc", "power:3", "top:0.9"):
        found = inference.certificate(counted, phi=phi, confidence_level=0.9)
        expected = inference.certificate(Y, scores, phi, confidence_level=0.9)
        assert found.estimate == pytest.approx(expected.estimate, rel=1e-12)
        assert found.high - found.low >= expected.high - expected.low - 1e-9
    for more in ({}, {"n_next": 500}, {"prevalence": 0.1}):
        hits = inference.precision_at_interval(counted, k=100, **more)
        assert hits.to_dict() == pytest.approx(inference.precision_at_interval(Y, scores, k=100, **more).to_dict())


def test_what_cannot_be_streamed_gets_a_sentence(tmp_path, podium):
    def refused(*options):
        run = podium("evaluate", tmp_path, *options)
        assert (run.code, run.out) == (2, "")
        return run.err

    assert "there are none in" in refused("--label", "y", "--score", "a")
    as_parquet(tmp_path)
    assert "there is no 'c'" in refused("--label", "y", "--score", "c")
    assert "'word'" in refused("--label", "y", "--score", "word")
    assert "Which value of the label 'word' belongs on top?" in refused("--label", "word", "--score", "a")
    assert "A size is a number of bytes; got 'much'" in refused("--label", "y", "--score", "a", "--memory", "much")
    FRAME.drop(columns="a").to_parquet(tmp_path / "3.parquet")
    assert "3.parquet has no 'a'" in refused("--label", "y", "--score", "a")


def test_a_list_of_all_rows_keeps_to_the_memory_allowed(tmp_path, podium, monkeypatch):
    table = FRAME[["y", "a", "b"]]
    fitted = workflow.fit(table, label="y", model="linear")
    (tmp_path / "big").mkdir()
    table[:1000].to_parquet(tmp_path / "big" / "1.parquet")
    table[1000:].to_parquet(tmp_path / "big" / "2.parquet")
    of_folder, of_table = workflow.score(fitted.model, tmp_path / "big"), workflow.score(fitted.model, table)
    np.testing.assert_array_equal(of_folder.scores["score"], of_table.scores["score"])
    with pytest.raises(ValueError, match=r"list of all rows needs more than 1\.0 MB"):
        workflow.score(fitted.model, pd.concat([table] * 20), memory=1e6)
    assert len(workflow.score(fitted.model, pd.concat([table] * 20), memory=1e6, top=5).scores) == 5


def selected():
    """Rows of high scores have a label; a status says so; and a time."""
    is_known = FRAME["a"] > np.quantile(FRAME["a"], 0.9)
    time = pd.Timestamp("2026-01-01") + pd.to_timedelta(np.arange(N) * 300, "s")
    status = np.where(is_known, "closed", "open")
    return FRAME.assign(y=FRAME["y"].where(is_known), status=status, time=time)


def in_parts(frame, folder, kind="csv"):
    folder.mkdir()
    for i, part in enumerate((frame[:1000], frame[1000:])):
        getattr(part, f"to_{kind}")(folder / f"{i}.{kind}", index=False)
    return folder


def said(result):
    """Everything but the note on what was left out, which a whole list need not have."""
    return result.to_dict() | {"notes": None}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_labels_that_were_selected_are_noticed_and_bounded(kind, tmp_path):
    frame = selected()
    for one, options in (("y", {}), ("full", {"unlabeled": "status=open"}), ("asked", {"unlabeled": "7"})):
        table = frame.assign(full=FRAME["y"], asked=frame["y"].fillna(7))[["a", "b", "status", one]]
        folder = in_parts(table.drop(columns="status") if one != "full" else table, tmp_path / one, kind)
        result = workflow.evaluate(folder, label=one, score="a", budget=50, **options)
        whole = workflow.evaluate(frame[["a", "b", "y"]].rename(columns={"y": one}), label=one, score="a", budget=50)
        assert f"{frame['y'].notna().sum()} rows with a label are no random part of the 3,000" in result.warnings[0]
        assert said(result) == said(whole)
        compared = workflow.compare(folder, label=one, scores=["a", "b"], **options)
        expected = workflow.compare(frame, label="y", scores=["a", "b"])
        assert compared.bounds == expected.bounds


def test_labels_missing_at_random_are_left_out_without_a_warning(tmp_path, fits):
    is_known = np.random.default_rng(17).random(N) < 0.5
    folder = in_parts(FRAME.assign(y=FRAME["y"].where(is_known))[["a", "b", "y"]], tmp_path / "t")
    result = workflow.evaluate(folder, label="y", score="a")
    assert (result.warnings, result.n_rows) == ((), is_known.sum())
    assert result.notes == (f"{N - is_known.sum():,} of 3,000 rows have no label and were left out.",)
    assert result.intervals[0].estimate == pytest.approx(inference.interval(Y[is_known], FRAME["a"][is_known]).estimate)
    hidden = FRAME.assign(y=FRAME["y"].where(is_known, 7))[["a", "b", "y"]]
    again = workflow.evaluate(in_parts(hidden, tmp_path / "u"), label="y", score="a", unlabeled="7")
    assert said(again) == said(result)


def test_lists_with_a_known_design_are_judged_from_files_as_from_memory(tmp_path):
    rng = np.random.default_rng(1)
    inclusion = np.where(FRAME["a"] > 1.5, 1.0, 0.2)
    table = selected()[["a", "b", "time"]].assign(y=FRAME["y"].where(rng.random(N) < inclusion), inclusion=inclusion)
    folder = in_parts(table, tmp_path / "t")
    for options in ({}, {"time": "time", "every": "day"}):
        asked = {"label": "y", "score": "a", "budget": 20, **options}
        assert said(workflow.evaluate(folder, **asked)) == said(workflow.evaluate(table, **asked))
    every = {"time": "time", "every": "day", "budget": 20}
    full = in_parts(selected()[["a", "time", "status"]].assign(y=FRAME["y"]), tmp_path / "full")
    daily = workflow.evaluate(full, label="y", score="a", **every)
    assert daily.hits == inference.hits_per_period(Y, FRAME["a"], selected()["time"].dt.floor("D"), k=20)


def test_what_needs_all_rows_in_memory_is_refused_where_they_do_not_fit(tmp_path, podium, monkeypatch):
    monkeypatch.setattr(stream, "_BYTES_PER_ROW", 1e12)
    folder = in_parts(selected()[["a", "b", "y", "time"]], tmp_path / "t")
    for options in ((), ("--time", "time", "--every", "day")):
        run = podium("evaluate", folder, "--label", "y", "--score", "a", *options)
        assert (run.code, "are judged by all rows in memory" in run.err) == (2, True)
    run = podium("evaluate", folder, "--label", "y", "--score", "a", "--unlabeled", "b=7.5")
    assert (run.code, "unlabeled must be a value of 'b'; got '7.5', which no row has" in run.err) == (2, True)


def test_labels_that_say_no_where_nobody_looked_are_asked_about(tmp_path):
    frame = FRAME[["a", "y"]].assign(seen_on=np.where((FRAME["y"] == 1) | (FRAME["b"] > 0), "2026-01-03", None))
    folder = in_parts(frame, tmp_path / "t")
    assert any("never looked at" in each for each in workflow.evaluate(folder, label="y", score="a").warnings)
    frame.drop(columns="seen_on").to_csv(folder / "2.csv", index=False)  # columns that some files lack say nothing
    assert workflow.evaluate(folder, label="y", score="a").warnings == ()
