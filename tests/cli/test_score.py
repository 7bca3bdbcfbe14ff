"""``podium score`` and ``podium explain``: a model meets other tables."""

import json
import re
import shutil
import sqlite3

import numpy as np
import pandas as pd
import pytest

from podium import persist, workflow
from podium.tables import read, to_table


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=400), "z": rng.normal(size=400), "kind": rng.choice(list("abc"), 400)})
    frame["y"] = (frame["x"] + (frame["kind"] == "a") + rng.normal(size=400) > 0).astype(int)
    frame.insert(0, "key", [f"k{i}" for i in range(400)])
    frame.to_csv(folder / "table.csv", index=False)
    workflow.fit(folder / "table.csv", label="y", id_column="key", model="linear").save(folder / "m")
    return frame, folder


@pytest.fixture
def fitted(trained, tmp_path):
    frame, folder = trained
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    return frame, tmp_path / "m" / "model.podium"


def test_scores_are_those_of_the_model_best_first(fitted, podium, tmp_path):
    frame, model = fitted
    run = podium("score", model, tmp_path / "table.csv", "--out", tmp_path / "scores.csv")
    assert (run.code, run.out.split()) == (0, [str(tmp_path / "scores.csv"), str(tmp_path / "scores.html")])
    got = pd.read_csv(tmp_path / "scores.csv").set_index("id")["score"]
    scorer = persist.load(model)
    np.testing.assert_allclose(got[frame["key"]], scorer.scores(frame))
    assert got.is_monotonic_decreasing


def test_the_top_of_a_list_is_the_beginning_of_the_whole_list(fitted, podium, tmp_path):
    _, model = fitted
    whole = podium("score", model, tmp_path / "table.csv").out.splitlines()
    assert podium("score", model, tmp_path / "table.csv", "--top", 7).out.splitlines() == whole[:8]


def test_a_file_read_in_many_chunks_gives_the_same_list(fitted, podium, tmp_path):
    frame, model = fitted
    big = pd.concat([frame] * 40, ignore_index=True).drop(columns="key")
    big.to_parquet(tmp_path / "big.parquet", row_group_size=1000)
    big.to_csv(tmp_path / "big.csv", index=False)
    from_parquet = podium("score", model, tmp_path / "big.parquet", "--top", 90)
    assert from_parquet.code == 0
    assert podium("score", model, tmp_path / "big.csv", "--top", 90).out == from_parquet.out


def test_columns_that_are_missing_are_named(fitted, podium, tmp_path):
    frame, model = fitted
    frame.drop(columns=["x", "kind"]).to_csv(tmp_path / "new.csv", index=False)
    run = podium("score", model, tmp_path / "new.csv")
    assert (run.code, "missing: 'x', 'kind'" in run.err) == (2, True)
    frame.rename(columns={"kind": "Kind of case"}).to_csv(tmp_path / "new.csv", index=False)
    run = podium("score", model, tmp_path / "new.csv")
    assert "Hint: were columns renamed? Perhaps rename 'Kind of case' to 'kind'." in run.err


def test_columns_that_hold_other_things_are_named(fitted, podium, tmp_path):
    frame, model = fitted
    wrong = frame.assign(x=frame["x"].map("about {:.1f}".format))
    wrong.to_csv(tmp_path / "new.csv", index=False)
    run = podium("score", model, tmp_path / "new.csv")
    assert (run.code, "'x'" in run.err, "must hold numbers; got 'about" in run.err) == (2, True, True)
    wrong.to_parquet(tmp_path / "new.parquet")
    run = podium("score", model, tmp_path / "new.parquet")
    assert (run.code, "'x'" in run.err, "must hold numbers; got 'about" in run.err) == (2, True, True)


def test_columns_in_another_order_and_further_ones_change_nothing_and_are_mentioned(fitted, podium, tmp_path):
    frame, model = fitted
    frame.iloc[:, ::-1].assign(extra=1).to_csv(tmp_path / "new.csv", index=False)
    run = podium("score", model, tmp_path / "new.csv")
    assert run.out == podium("score", model, tmp_path / "table.csv").out
    assert "does not use: 'extra'" in run.err
    assert "in another order" in run.err


def test_an_unknown_value_and_a_missing_one_are_scored(fitted, podium, tmp_path):
    _, model = fitted
    (tmp_path / "new.csv").write_text("x,z,kind\n?,1,never seen\n0.5,,\n")
    rows = json.loads(podium("score", model, tmp_path / "new.csv", "--json").out)
    assert sorted(row["id"] for row in rows) == [1, 2]
    assert np.isfinite([row["score"] for row in rows]).all()


def test_explaining_a_row_adds_up_what_its_values_do(fitted, podium, tmp_path):
    frame, model = fitted
    best = frame["key"][frame["x"].idxmax()]
    found = json.loads(podium("explain", model, tmp_path / "table.csv", "--row", best, "--json").out)
    assert found["effects"][0]["name"].startswith("x = ")
    assert found["effects"][0]["effect"] > 10
    run = podium("explain", model, tmp_path / "table.csv", "--row", best)
    assert f"Row {best} is number {found['rank']} of 400" in run.out
    frame[frame["key"] == best].to_csv(tmp_path / "alone.csv", index=False)
    run = podium("explain", model, tmp_path / "alone.csv", "--row", best)
    assert (run.code, "the table has only one row" in run.err) == (2, True)
    run = podium("explain", model, tmp_path / "table.csv", "--row", "nobody")
    assert (run.code, "no row 'nobody'" in run.err) == (2, True)


def test_reading_freely_or_as_the_model_knows_it_gives_the_same_numbers(fitted, tmp_path):
    _, model = fitted
    scorer = persist.load(model)
    free, settled = read(tmp_path / "table.csv"), to_table(tmp_path / "table.csv", known=scorer.known).frame
    np.testing.assert_array_equal(scorer.scores(free), scorer.scores(settled))


def test_a_model_is_written_as_sql_that_scores_alike(fitted, podium, tmp_path):
    frame, model = fitted
    run = podium("export", model, "--sql", "--table", "main.rows of today", "--dialect", "sqlite")
    assert (run.code, run.out.rstrip()[-1]) == (0, ";")
    with sqlite3.connect(":memory:") as base:
        frame.drop(columns="y").to_sql("rows of today", base, index=False)
        found = pd.read_sql_query(run.out, base).set_index("key")["score"]
    np.testing.assert_allclose(found[frame["key"]], persist.load(model).scores(frame), atol=1e-9)
    path = tmp_path / "score.sql"
    assert podium("export", model, "--sql", "--out", path).out.split() == [str(path)]
    assert path.read_text(encoding="utf-8").startswith("-- Scores for y = 1")
    refused = podium("export", model)
    assert (refused.code, refused.err.splitlines()[0]) == (2, "Error: Choose one format to export.")


def test_a_model_is_written_as_onnx(fitted, podium, tmp_path):
    pytest.importorskip("onnx")
    _, model = fitted
    path = tmp_path / "model.onnx"
    assert podium("export", model, "--onnx", path).out.split() == [str(path)]
    assert path.read_bytes() == workflow.export_onnx(model)
    assert podium("export", model, "--onnx", path).code == 2  # it is there already
    assert podium("export", model, "--onnx", path, "--sql", "--force").code == 2


def test_a_list_is_not_written_under_a_name_that_says_otherwise(fitted, podium, tmp_path):
    _, model = fitted
    for command in ("score", "shortlist"):
        run = podium(command, model, tmp_path / "table.csv", "--out", tmp_path / "list.pdf")
        assert (run.code, re.search("A list is written as .*; got list.pdf", run.err) is not None) == (2, True)
    assert not (tmp_path / "list.pdf").exists()
