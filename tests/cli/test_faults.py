"""What people meet by accident: each a sentence with code 2, or it works."""

import io
import sys

import numpy as np
import pandas as pd
import pytest

from podium.cli import main
from podium.tables.listing import ranked_list, to_csv


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return ended.value.code or 0


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"self": rng.standard_normal(200), "name": rng.choice(["a", "b"], 200)})
    frame["y"] = (frame["self"] + rng.standard_normal(200) > 0).astype(int)
    frame.to_csv(folder / "t.csv", index=False)
    frame.iloc[:0].to_csv(folder / "head.csv", index=False)
    frame.iloc[:0].to_parquet(folder / "zero.parquet")
    frame.assign(rare=[f"r{i}" for i in range(100)] * 2)[["rare", "y"]].to_csv(folder / "rare.csv", index=False)
    (folder / "long.csv").write_text("a" * 140_000 + ",y\n1,0\n2,1\n")
    assert run("fit", folder / "t.csv", "--label", "y", "--model", "linear", "--out", folder / "o") == 0
    return folder


@pytest.mark.parametrize("table", ["head.csv", "zero.parquet"])
def test_a_list_without_rows_is_refused(place, table, capsys):
    assert run("score", place / "o" / "model.podium", place / table) == 2
    assert "column names only" in capsys.readouterr().err


def test_a_list_may_come_by_standard_input(place, capsys, monkeypatch):
    pipe = io.TextIOWrapper(io.BytesIO((place / "t.csv").read_bytes()))
    monkeypatch.setattr(sys, "stdin", pipe)
    assert run("score", place / "o" / "model.podium", "-", "--top", 3) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["fit", "t.csv", "--label", "y", "--test", "t.csv", "--out", "p"], "nearly all of these are training rows"),
        (["fit", "long.csv", "--label", "y", "--out", "p"], "must hold column names"),
        (["test", "rare.csv", "--label", "y"], "no column to test by"),
        (["bound", "auc_uniform_sample_size", "epsilon=0.1"], "needs a function"),
        (
            ["evaluate", "o/scores.csv", "--label", "label", "--score", "score", "--phi", "early-recognition:1e5"],
            "tells",
        ),
    ],
)
def test_it_is_refused_with_a_sentence(place, arguments, sentence, capsys, monkeypatch):
    monkeypatch.chdir(place)
    assert run(*arguments) == 2
    assert sentence in " ".join(capsys.readouterr().err.split())


def test_an_identifier_with_a_carriage_return_stays_in_its_cell():
    text = to_csv(ranked_list(pd.Series(["C0\r=cmd|1", "b"]), np.array([1.0, 0.0])))
    assert '"C0\r=cmd|1"' in text
