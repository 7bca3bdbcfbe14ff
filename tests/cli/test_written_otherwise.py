"""Dates, truth values, identifiers and other people's numbers, from the table to the ranked list."""

import json
import sys
from html import unescape
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

from podium import metrics
from podium.tables import read

N = 300
ENDINGS = [".csv", ".parquet", *([".xlsx"] if find_spec("openpyxl") else [])]


@pytest.fixture
def visits():
    rng = np.random.default_rng(1)
    day = pd.Timestamp("2019-03-01") + pd.to_timedelta(rng.integers(0, 400, N), unit="D")
    frame = pd.DataFrame(
        {
            "code": [f"{i:08d}" for i in range(534, 534 + N)],
            "day": day,
            "member": rng.random(N) < 0.5,
            "amount": rng.normal(50, 10, N).round(2),
        }
    )
    risk = frame["amount"] / 10 + 2 * frame["member"] + rng.normal(size=N)
    return frame.assign(y=(risk > risk.median()).astype(int))


def written(frame, path):
    if path.suffix == ".xlsx":
        frame.to_excel(path, index=False)
    elif path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False)
    return path


def fit(podium, table, out, *more):
    run = podium("fit", table, "--label", "y", "--id", "code", "--model", "linear", "--out", out, *more)
    assert run.code == 0, run.err
    return out / "model.podium"


@pytest.mark.parametrize("trained_on", ENDINGS)
def test_a_model_of_dates_and_truth_values_scores_every_kind_of_file(trained_on, podium, visits, tmp_path):
    model = fit(podium, written(visits, tmp_path / f"table{trained_on}"), tmp_path / "m")
    lists = []
    for ending in ENDINGS:
        run = podium("score", model, written(visits, tmp_path / f"new{ending}"))
        assert run.code == 0, run.err
        lists.append(run.out)
    assert len(set(lists)) == 1


def test_an_identifier_in_the_list_is_that_of_the_table_byte_for_byte(podium, visits, tmp_path):
    codes = ["00000534", "98765432109876543210", "98765432109876543211", "", "NA", "1e5", "-7", "+4", " 8", "A12"]
    new = visits.assign(code=[f"{i}" for i in range(N - 10)] + codes)  # what is no number comes far down
    model = fit(podium, written(new, tmp_path / "table.csv"), tmp_path / "m")
    for run_of in (lambda: podium("score", model, tmp_path / "table.csv").out,):
        ids = [line.split(",")[0] for line in run_of().splitlines()[1:]]
        assert sorted(ids) == sorted(new["code"])
    held_out = (tmp_path / "m" / "scores.csv").read_text().splitlines()[1:]
    assert {line.split(",")[0] for line in held_out} <= set(new["code"])


def test_one_missing_identifier_changes_no_other(podium, visits, tmp_path):
    first = 4 * 10**15  # so long that as decimal numbers they would be written with an exponent
    frame = visits.assign(code=range(first, first + N))
    model = fit(podium, written(frame, tmp_path / "table.csv"), tmp_path / "m")
    gap = frame.assign(code=frame["code"].where(frame["code"] != first + 7).astype("Int64"))
    floats = gap.assign(code=gap["code"].astype(float))  # as pandas keeps whole numbers with a gap
    for table, ending in [*((gap, ending) for ending in ENDINGS), (floats, ".parquet")]:
        run = podium("score", model, written(table, tmp_path / f"new{ending}"), "--json")
        ids = pd.DataFrame(json.loads(run.out))["id"]
        assert set(ids.dropna()) == {str(first + i) for i in range(N) if i != 7}
        assert ids.isna().sum() == 1


@pytest.fixture
def loans():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"balance": rng.normal(800, 300, N).round(2), "rate": rng.normal(20, 5, N).round(1)})
    risk = frame["balance"] / 300 + rng.normal(size=N)
    return frame.assign(y=(risk > risk.quantile(0.7)).astype(int))


def as_in_europe(frame):
    return frame.assign(
        balance=[f"{x:,.2f}".translate(str.maketrans(",.", " ,")) + " €" for x in frame["balance"]],
        rate=[f"{x}%".replace(".", ",") for x in frame["rate"]],
    )


def test_numbers_written_as_in_europe_are_as_good_as_plain_ones(podium, loans, tmp_path):
    loans.to_csv(tmp_path / "plain.csv", index=False)
    as_in_europe(loans).to_csv(tmp_path / "europe.csv", index=False, sep=";")
    options = ("--label", "y", "--model", "linear")
    assert podium("fit", tmp_path / "plain.csv", *options, "--out", tmp_path / "p").code == 0
    run = podium("fit", tmp_path / "europe.csv", *options, "--out", tmp_path / "e")
    assert "'balance' was read as numbers written like 1 234,5 €" in run.err
    assert "'balance' was read as numbers written like 1 234,5 €" in unescape(
        (tmp_path / "e" / "report.html").read_text()
    )
    assert (tmp_path / "e" / "scores.csv").read_bytes() == (tmp_path / "p" / "scores.csv").read_bytes()
    scores = read(tmp_path / "e" / "scores.csv")
    assert metrics.auc(scores["label"], scores["score"]) > 0.75


def test_a_model_reads_new_lists_as_its_training_rows_were_written(podium, loans, tmp_path):
    as_in_europe(loans).to_csv(tmp_path / "europe.csv", index=False, sep=";")
    podium("fit", tmp_path / "europe.csv", "--label", "y", "--model", "linear", "--out", tmp_path / "m")
    model = tmp_path / "m" / "model.podium"
    # Each of these alone could be a decimal number with three digits behind the point.
    (tmp_path / "thousands.csv").write_text("balance;rate\n1.234;20%\n2.345;20%\n")
    (tmp_path / "plain.csv").write_text("balance,rate\n1234,20\n2345,20\n")
    ours, plain = (
        json.loads(podium("score", model, tmp_path / f"{n}.csv", "--json").out) for n in ("thousands", "plain")
    )
    assert ours == plain
    (tmp_path / "words.csv").write_text("balance;rate\n1 234,5 €;20%\nabout 7;20%\n")
    run = podium("score", model, tmp_path / "words.csv")
    assert (run.code, "numbers written like 1 234,5 €; got 'about 7'" in run.err) == (2, True)


def test_what_comes_late_in_a_long_list_is_read_as_what_came_before(podium, loans, tmp_path, monkeypatch):
    loans.to_csv(tmp_path / "plain.csv", index=False)
    podium("fit", tmp_path / "plain.csv", "--label", "y", "--model", "linear", "--out", tmp_path / "m")
    monkeypatch.setattr("podium.tables.files.csv._BLOCK", 1000)
    lines = (tmp_path / "plain.csv").read_text().splitlines()
    (tmp_path / "gap.csv").write_text("\n".join([*lines, "-,20,0"]) + "\n")
    run = podium("score", tmp_path / "m" / "model.podium", tmp_path / "gap.csv", "--json")
    assert len(json.loads(run.out)) == N + 1
    assert len({row["id"] for row in json.loads(run.out)}) == N + 1
    (tmp_path / "mixed.csv").write_text("\n".join([*lines, '"1,234",20,0']) + "\n")
    run = podium("score", tmp_path / "m" / "model.podium", tmp_path / "mixed.csv")
    assert (run.code, "got '1,234'" in run.err) == (2, True)


def test_an_excel_sheet_is_read_with_a_sentence_for_what_is_no_sheet(podium, visits, tmp_path):
    pytest.importorskip("openpyxl")
    (tmp_path / "table.xlsx").write_bytes(b"PK no more")
    run = podium("fit", tmp_path / "table.xlsx", "--label", "y", "--out", tmp_path / "m")
    assert (run.code, "must be an Excel file" in run.err) == (2, True)
    pd.DataFrame({"x": [1, 2]}).iloc[:0].to_excel(tmp_path / "empty.xlsx", index=False)
    assert podium("fit", tmp_path / "empty.xlsx", "--label", "y", "--out", tmp_path / "m").code == 2


def test_without_its_package_an_excel_file_gets_the_line_that_installs_it(podium, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    (tmp_path / "table.xlsx").write_bytes(b"PK")
    run = podium("fit", tmp_path / "table.xlsx", "--label", "y", "--out", tmp_path / "m")
    assert (run.code, "pip install 'podium[excel]'" in run.err) == (2, True)
    (tmp_path / "table.xls").write_bytes(b"old")
    run = podium("fit", tmp_path / "table.xls", "--label", "y", "--out", tmp_path / "m")
    assert (run.code, "save as .xlsx" in run.err) == (2, True)
