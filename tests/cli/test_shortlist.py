"""``podium shortlist``: chosen rows and what is guaranteed of them."""

import json
import shutil
from html import unescape

import numpy as np
import pandas as pd
import pytest

from podium import persist, shortlist, workflow
from podium._results.wording import percent
from podium.exceptions import InputError


def table(seed, n):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"key": [f"k{i}" for i in range(n)], "x": rng.normal(size=n), "z": rng.normal(size=n)})
    frame["y"] = (2 * frame["x"] + rng.normal(size=n) > 0).astype(int)
    return frame


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    for name, frame in {"table": table(0, 900), "new": table(1, 200), "other": table(2, 300)}.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    workflow.fit(folder / "table.csv", label="y", id_column="key", model="linear").save(folder / "m")
    return folder


@pytest.fixture
def fitted(trained, tmp_path):
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)
    return tmp_path / "m" / "model.podium"


def test_the_model_keeps_scores_and_labels_of_rows_not_seen_in_their_order(fitted, tmp_path):
    model, scores = persist.load(fitted), pd.read_csv(tmp_path / "m" / "scores.csv")
    assert len(model.calibration[0]) == 270
    y, s = model.expected
    assert (np.diff(s) >= 0).all()
    np.testing.assert_allclose(np.sort(scores["score"]), s)
    np.testing.assert_allclose(np.sort(scores["score"][scores["label"] == 1]), s[y])


@pytest.mark.parametrize(
    ("question", "find"),
    [
        ((), lambda *a: shortlist.by_fdr(*a)),
        (("--recall", 0.9), lambda *a: shortlist.by_recall(*a, recall=0.9)),
        (("--fpr", 0.2), lambda *a: shortlist.by_fpr(*a, fpr=0.2)),
        (("--precision", 0.7), lambda *a: shortlist.by_precision(*a, precision=0.7)),
        (("--rows", 90), lambda *a: shortlist.path(*a).choose(n_rows=90)),
        (("--gain", 5, "--cost", 2), lambda *a: shortlist.by_cost(*a, gain=5, cost=2)),
    ],
)
def test_the_rows_chosen_are_those_of_the_library(fitted, podium, tmp_path, question, find):
    run = podium("shortlist", fitted, tmp_path / "new.csv", *question)
    model, new = persist.load(fitted).as_judged(), table(1, 200)
    expected = find(*model.calibration, model.scores(new))
    ids = [line.split(",")[0] for line in run.out.strip().splitlines()[1:]]
    assert run.code == 0
    assert sorted(ids) == sorted(new["key"][expected.chosen])
    assert expected.guarantee in run.err
    assert 0 < len(ids) < 200


def test_where_no_row_can_be_selected_it_says_what_to_do(fitted, podium, tmp_path):
    run = podium("shortlist", fitted, tmp_path / "new.csv", "--rows", 1, "--out", tmp_path / "none.csv")
    assert run.code == 0
    assert "No cut of the path is this short, or states as little: " in run.out
    assert "what can be stated of other cuts (--rows)" in run.err
    assert "No cut reaches this with certainty" in (tmp_path / "none.html").read_text()


def test_json_has_rows_and_guarantee(fitted, podium, tmp_path):
    run = podium("shortlist", fitted, tmp_path / "new.csv", "--recall", 0.9, "--json")
    found = json.loads(run.out)
    assert found["guarantee"].startswith("With probability at least 95 %")
    assert found["n_rows"] == 200
    assert set(found["scores"][0]) == {"id", "score", "rank", "percentile"}  # one column ranks too well to be true


def test_a_file_is_written_and_not_overwritten(fitted, podium, tmp_path):
    arguments = ("shortlist", fitted, tmp_path / "new.csv", "--out", tmp_path / "short.csv")
    run = podium(*arguments)
    assert "expected share of negatives" in run.out
    assert len(pd.read_csv(tmp_path / "short.csv")) > 0
    assert run.out.splitlines()[:2] == [str(tmp_path / "short.csv"), str(tmp_path / "short.html")]
    assert podium(*arguments).code == 2
    (tmp_path / "short.csv").unlink()
    assert podium(*arguments).code == 2  # the page is not overwritten either


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ({}, "among which at most 10 % negatives are expected"),
        ({"by": "recall", "rate": 0.9}, "hold at least 90 % of all positives"),
        ({"by": "fpr", "rate": 0.125}, "hold at most 12.5 % of all negatives"),
        ({"by": "precision"}, "of which at least 80 % are positive"),
        ({"by": "cost", "gain": 5, "cost": 2}, "a selected positive gains 5, every selected row costs 2"),
    ],
)
def test_the_page_says_what_was_asked_what_holds_and_what_lies_above_the_cut(fitted, tmp_path, question, asked):
    result = workflow.shortlist(fitted, table(1, 200), **question)
    page = unescape(result.report.html).replace("\u00a0", " ")
    n = int(result.shortlist.chosen.sum())
    assert result.report.headline == f"{n} of 200 rows selected ({percent(n / 200)})"
    assert asked in page
    assert result.shortlist.guarantee in page
    y, s = persist.load(fitted).calibration
    cut = result.shortlist.threshold
    cut = result.scores["score"].min() if cut is None else cut
    above = [percent(np.mean([b >= cut for a, b in zip(y, s, strict=True) if a == is_pos])) for is_pos in (1, 0)]
    assert ("{} of the positives and {} of the negatives are at or above it".format(*above) in page) == (n > 0)
    assert "as it was judged, before it was retrained" in page


def test_ties_are_broken_by_a_column_or_at_random(fitted, podium, tmp_path):
    other = ("shortlist", fitted, tmp_path / "new.csv", "--calibration", tmp_path / "other.csv", "--json")
    model, cal, new = persist.load(fitted), table(2, 300), table(1, 200)
    y, s, s_new = cal["y"] == 1, model.scores(cal), model.scores(new)
    for options, expected in (
        (("--tie-break", "z"), shortlist.by_fdr(y, s, s_new, tie_break=(cal["z"], new["z"]))),
        (("--randomize", "--seed", 3), shortlist.by_fdr(y, s, np.sort(s_new)[::-1], randomize=True, rng=3)),
    ):
        found = json.loads(podium(*other, *options).out)
        assert len(found["scores"]) == expected.n_chosen > 0
        assert found["threshold"] is None
    assert {row["id"] for row in json.loads(podium(*other, "--tie-break", "z").out)["scores"]} <= set(new["key"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--tie-break", "z"), "needs calibration rows"),
        (("--tie-break", "z", "--recall", 0.9), "is for the false discovery rate"),
        (("--tie-break", "key", "--calibration", "other.csv"), "must be a column of numbers of the calibration rows"),
        (("--randomize", "--gain", 5, "--cost", 2), "has nothing to randomize"),
    ],
)
def test_what_cannot_break_ties_is_refused_in_a_sentence(fitted, podium, tmp_path, options, words):
    options = [tmp_path / each if each == "other.csv" else each for each in options]
    run = podium("shortlist", fitted, tmp_path / "new.csv", *options)
    assert run.code == 2
    assert words in run.err


def test_other_rows_may_calibrate_but_not_those_that_trained_the_model(fitted, podium, tmp_path):
    other = podium("shortlist", fitted, tmp_path / "new.csv", "--calibration", tmp_path / "other.csv", "--json")
    assert json.loads(other.out)["n_pos"] == int(table(2, 300)["y"].sum())
    run = podium("shortlist", fitted, tmp_path / "new.csv", "--calibration", tmp_path / "table.csv")
    assert (run.code, "must not have been used in training; the model recognizes some" in run.err) == (2, True)


def test_rows_of_the_training_are_recognized_also_where_text_became_shares_of_positives(tmp_path):
    rng = np.random.default_rng(0)
    frame = table(0, 1200).assign(town=rng.integers(60, size=1200).astype(str) + " x")
    model = workflow.fit(frame, label="y", id_column="key", model="linear", refit=False).model
    assert any(getattr(column, "uses_labels", False) for column in model.encoder.columns)
    with pytest.raises(InputError, match="must not have been used in training"):
        workflow.shortlist(model, frame, calibration=frame)
    other = table(1, 300).assign(town=rng.integers(60, size=300).astype(str) + " x")
    assert workflow.shortlist(model, frame, calibration=other).shortlist.n_pos == other["y"].sum()


def test_rows_that_depend_on_each_other_are_said_to(tmp_path):
    frame = table(0, 900).assign(day=np.arange(900), unit=np.arange(900) // 3)
    model = workflow.fit(frame, label="y", id_column="key", model="linear", time="day", group="unit").model
    sentence = "supposes independent rows, but these follow each other in 'day' and belong together by 'unit'"
    assert sentence in workflow.shortlist(model, frame[:200]).warnings[0]
    assert sentence in workflow.monitor(model, frame[:200], state=tmp_path / "state.json").notes[0]
    wrong = np.random.default_rng(0).random(900) < 0.2  # labels: else one column ranks too well to be true
    doubtless = table(0, 900).assign(y=lambda t: np.where(wrong, 1 - t["y"], t["y"]))
    plain = workflow.fit(doubtless, label="y", id_column="key", model="linear").model
    assert not workflow.shortlist(plain, table(1, 100)).warnings


def test_new_rows_that_equal_old_ones_by_chance_may_calibrate():
    def grades(seed, n):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({"a": rng.integers(5, size=n), "b": rng.integers(6, size=n)})
        return frame.assign(y=(frame["a"] + rng.normal(size=n) * 2 > 3).astype(int))

    model = workflow.fit(grades(0, 900), label="y", model="linear").model
    other = grades(1, 400)
    assert workflow.shortlist(model, grades(2, 100), calibration=other).shortlist.n_pos == other["y"].sum()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--fdr", 0.1, "--recall", 0.9), "takes one criterion; got --fdr, --recall"),
        (("--gain", 5), "needs both a gain and a cost"),
        (("--gain", 1, "--cost", 5), "gain must exceed cost"),
        (("--recall", 1.5), "recall must be in (0, 1)"),
        (("--recall", 0.9999), "positives in the calibration sample"),
    ],
)
def test_what_cannot_be_used_is_one_sentence_and_exit_code_2(fitted, podium, tmp_path, arguments, words):
    run = podium("shortlist", fitted, tmp_path / "new.csv", *arguments)
    assert (run.code, words in run.err) == (2, True)
    assert run.out == ""


def test_a_confidence_level_beside_an_expectation_is_refused(fitted, podium, tmp_path):
    for question in ((), ("--fdr", 0.2)):
        run = podium(
            "shortlist", fitted, tmp_path / "new.csv", *question, "--confidence", 0.99, "--out", tmp_path / "o.csv"
        )
        assert (run.code, (tmp_path / "o.csv").exists()) == (2, False)
        assert "without a confidence level; got 0.99" in run.err
    surer = podium("shortlist", fitted, tmp_path / "new.csv", "--recall", 0.9, "--confidence", 0.99)
    assert "With probability at least 99 %" in surer.err


@pytest.mark.parametrize("options", [{"by": "recall", "gain": 3}, {"by": "cost", "gain": 3, "cost": 1, "rate": 0.5}])
def test_what_has_no_meaning_to_a_question_is_refused(fitted, tmp_path, options):
    with pytest.raises(InputError, match=r"A shortlist by (recall takes no gain|cost takes no rate); got"):
        workflow.shortlist(fitted, tmp_path / "new.csv", **options)


def test_warnings_that_stood_when_the_model_was_judged_stand_above_a_promise(podium, tmp_path):
    frame = table(0, 900)
    frame["told"] = np.where(frame["y"] == 1, "late", None)
    frame.to_csv(tmp_path / "table.csv", index=False)
    options = ("--label", "y", "--id", "key", "--model", "linear")
    run = podium("fit", tmp_path / "table.csv", *options, "--out", tmp_path / "m")
    assert "Warning: Column 'told' " in run.err
    run = podium("shortlist", tmp_path / "m" / "model.podium", tmp_path / "table.csv", "--recall", 0.9)
    assert "Warning: Column 'told' " in run.err
