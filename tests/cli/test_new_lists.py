"""A new list against the training rows: what is unlike is said, lists are written as asked, with a page about them."""

from html import unescape

import numpy as np
import pandas as pd
import pytest

from podium import workflow
from podium._results.wording import percent
from podium.tables import read
from podium.tables.profile import ListProfile, profile
from podium.workflow.reasons import CHANCES


def people(n_rows, seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "key": [f"{i:05d}" for i in range(n_rows)],
            "income": rng.lognormal(3, 0.5, n_rows),
            "children": rng.poisson(1.0, n_rows),
            "town": rng.choice(["north", "south", "east"], n_rows, p=[0.6, 0.3, 0.1]),
            "gaps": np.where(rng.random(n_rows) < 0.3, np.nan, rng.normal(size=n_rows)),
        }
    )
    risk = np.log(frame["income"]) + 0.5 * frame["children"] + rng.normal(size=n_rows)
    return frame.assign(y=(risk > 4).astype(int))


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    result = workflow.fit(people(1500, 0), label="y", id_column="key", model="linear", exclude=["gaps"], refit=False)
    result.save(folder)
    return folder / "model.podium"


CHANGES = {
    "another unit": (lambda f: f.assign(income=100 * f["income"]), "'income' is about 100 times as large"),
    "an empty column": (
        lambda f: f.assign(income=np.nan),
        "'income' has no value in 100 % of the rows; in training in 0 %",
    ),
    "values never seen": (
        lambda f: f.assign(town="elsewhere"),
        "'town' has values in 100 % of the rows that were rare",
    ),
    "other shares": (lambda f: f.assign(town="east"), "'town' is 'east' in 100 % of the rows; in training in 1"),
    "a shift": (lambda f: f.assign(children=f["children"] + 2), "'children' is at most 1 in 0 % of the rows"),
    "higher scores": (lambda f: f[f["y"] == 1], "Its scores are higher"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_list_unlike_the_training_rows_gets_a_warning_and_strictly_a_refusal(what, trained, podium, tmp_path):
    change, sentence = CHANGES[what]
    change(people(400, 1)).to_csv(tmp_path / "new.csv", index=False)
    run = podium("score", trained, tmp_path / "new.csv", "--out", tmp_path / "list.csv")
    assert (run.code, sentence in run.err) == (0, True), run.err
    page = (tmp_path / "list.html").read_text()
    assert "does not resemble the training rows" in page
    assert "expect" not in page.partition("</h1>")[0]
    run = podium("score", trained, tmp_path / "new.csv", "--out", tmp_path / "strict.csv", "--strict")
    assert (run.code, sentence in run.err, (tmp_path / "strict.csv").exists()) == (2, True, False)


def test_a_list_like_the_training_rows_has_no_warning_and_a_page_with_hits_to_expect(trained, podium, tmp_path):
    people(400, 1).to_csv(tmp_path / "new.csv", index=False)
    run = podium("score", trained, tmp_path / "new.csv", "--top", 50, "--out", tmp_path / "list.csv", "--strict")
    assert run.code == 0
    assert "Warning" not in run.err
    page = (tmp_path / "list.html").read_text()
    assert "Among the first 50 of 400 rows expect" in run.err
    assert "Among the first 50 of 400 rows expect" in page
    assert "At least" in page
    assert read(tmp_path / "list.csv")["id"].astype(str).iloc[0].zfill(5) in page


def test_the_first_rows_of_the_page_have_probabilities_in_percent_and_their_reasons(trained):
    result = workflow.score(trained, people(400, 1), top=50, reasons=2, keep=["town"])
    rows = unescape(result.report.html.partition("The first rows")[2])
    first = result.scores.iloc[0]
    assert f"<td>{percent(first['probability'])} <span" in rows
    assert first["reason_1"] in rows
    assert "probability_low" not in rows
    assert "95 % limits for each row separately" in rows
    assert "rows · model: linear, trained on" in result.report.html


def test_lists_from_the_same_source_are_hardly_ever_called_unlike():
    frame = people(3000, 2)
    kinds = {"income": "number", "children": "number", "town": "text", "gaps": "number"}
    known = profile(frame, np.arange(3000), kinds)
    alarms = 0
    for seed in range(300):
        seen = ListProfile(known)
        seen.add(people((3, 10, 40, 300)[seed % 4], 100 + seed))
        alarms += bool(seen.differences())
    assert alarms <= 1  # 4 columns, two questions each, at 1e-5


def test_a_list_that_comes_in_pieces_is_compared_as_a_whole():
    frame, new = people(1000, 3), people(600, 4).assign(town="east", income=0.0)
    known = profile(frame, np.arange(1000), {"income": "number", "town": "text"})
    whole, pieces = ListProfile(known), ListProfile(known)
    whole.add(new)
    for start in range(0, 600, 50):
        pieces.add(new.iloc[start : start + 50])
    assert whole.differences() == pieces.differences()
    assert len(whole.differences()) == 2


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".xlsx"])
def test_a_list_is_written_as_its_name_says_with_the_columns_to_keep(ending, trained, podium, tmp_path):
    if ending == ".xlsx":
        pytest.importorskip("openpyxl")
    new = people(50, 5).assign(phone=[f"=00{i}" for i in range(50)])
    new["self"] = "s"
    new.to_csv(tmp_path / "new.csv", index=False)
    options = ("--id", "phone", "--keep", "key", "--keep", "income", "--keep", "self")
    run = podium("score", trained, tmp_path / "new.csv", *options, "--out", tmp_path / f"list{ending}")
    assert run.code == 0, run.err
    if ending == ".csv":
        listed = pd.read_csv(tmp_path / "list.csv", dtype=str)
        listed["id"] = listed["id"].str.removeprefix("'")  # no formula for a spreadsheet
    else:
        listed = (
            pd.read_parquet(tmp_path / "list.parquet")
            if ending == ".parquet"
            else pd.read_excel(tmp_path / "list.xlsx", dtype={"key": str, "income": str})
        )
    assert list(listed.columns) == ["id", "score", "rank", "percentile", *CHANCES, "key", "income", "self"]
    got = listed.set_index("id")
    assert got.loc["=007", "key"] == "00007"
    written = pd.read_csv(tmp_path / "new.csv", dtype=str).set_index("phone")
    assert got.loc[written.index, "income"].tolist() == written["income"].tolist()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--keep", "townn"), "did you mean 'town'?"),
        (("--keep", "score"), "must not have the name"),
        (("--id", "nobody"), "there is no 'nobody'"),
        (("--out", "list.xls"), ".xlsx"),
    ],
)
def test_an_option_of_score_that_cannot_be_gets_a_sentence(options, sentence, trained, podium, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people(20, 6).assign(score=1).to_csv("new.csv", index=False)
    run = podium("score", trained, "new.csv", *options)
    assert (run.code, sentence in run.err) == (2, True), run.err


def test_a_list_without_the_identifier_of_the_training_says_so(trained, podium, tmp_path):
    people(20, 6).drop(columns="key").to_csv(tmp_path / "new.csv", index=False)
    run = podium("score", trained, tmp_path / "new.csv")
    assert (run.code, "rows are numbered" in run.err) == (0, True)


def test_infinite_numbers_are_missing_ones():
    known = profile(pd.DataFrame({"x": np.arange(1.0, 101.0)}), np.arange(100), {"x": "number"})
    seen = ListProfile(known)
    seen.add(pd.DataFrame({"x": [np.inf] * 50}))
    assert seen.differences() == ["Column 'x' has no value in 100 % of the rows; in training in 0 %."]


def test_a_column_of_many_rare_values_is_no_difference_by_itself():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=3000), "customer": [f"K{i}" for i in rng.integers(0, 350, 3000)]})
    frame["late"] = (frame["x"] + rng.logistic(size=3000) > 1).astype(int)
    model = workflow.fit(frame[:1500], label="late", model="linear").model
    assert workflow.score(model, frame[1500:]).warnings == ()
    others = frame[1500:].assign(customer=lambda t: "N" + t["customer"])
    assert "rare or absent in training" in workflow.score(model, others).warnings[0]
