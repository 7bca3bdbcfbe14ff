"""What people meet by accident: each a sentence with code 2, or it works."""

import gzip
import io
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from podium.cli import main
from podium.tables import TableModel
from podium.tables.files.csv import to_csv
from podium.tables.listing import ranked_list


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
    gap = frame.assign(y=frame["y"].astype("boolean"), score=frame["self"])
    gap.loc[3, "y"] = pd.NA
    gap.to_parquet(folder / "gap.parquet")
    (folder / "long.csv").write_text("a" * 140_000 + ",y\n1,0\n2,1\n")
    assert run("fit", folder / "t.csv", "--label", "y", "--model", "linear", "--out", folder / "o") == 0
    return folder


@pytest.mark.parametrize("table", ["head.csv", "zero.parquet"])
def test_a_list_without_rows_is_refused(place, table, capsys):
    assert run("score", place / "o" / "model.podium", place / table) == 2
    assert "only column names" in capsys.readouterr().err


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
        (
            ["fit", "t.csv", "--label", "y", "--baseline", "name", "--out", "p"],
            "needs a number in every row; 'name' has",
        ),
        (
            ["fit", "t.csv", "--label", "y", "--exclude", "self", "--exclude", "name", "--out", "p"],
            "learn from. Hint: every column but the label",
        ),
        (["evaluate", "t.csv", "--label", "y", "--score", "name"], "'name' must be numbers; got objects such as '"),
        (["compare", "t.csv", "--label", "y", "--score", "self"], "two columns of scores; got 'self'"),
        (["test", "t.csv", "--label", "y", "--alternative", "less"], "A one-sided test needs one numeric column"),
        (["test", "rare.csv", "--label", "y"], "There is no column to test"),
        (["bound", "auc_uniform_sample_size", "epsilon=0.1"], "needs a function"),
        (
            ["evaluate", "o/scores.csv", "--label", "label", "--score", "score", "--phi", "early-recognition:1e6"],
            "tells",
        ),
    ],
)
def test_it_is_refused_with_a_sentence(place, arguments, sentence, capsys, monkeypatch):
    monkeypatch.chdir(place)
    assert run(*arguments) == 2
    assert sentence in " ".join(capsys.readouterr().err.split())


def test_a_list_named_as_a_gzip_file_is_one(place):
    assert run("score", place / "o" / "model.podium", place / "t.csv", "--out", place / "list.csv.gz") == 0
    assert len(pd.read_csv(place / "list.csv.gz")) == 200


def test_an_identifier_with_a_carriage_return_stays_in_its_cell():
    text = to_csv(ranked_list(pd.Series(["C0\r=cmd|1", "b"]), np.array([1.0, 0.0])))
    assert '"C0\r=cmd|1"' in text


def printed(monkeypatch, encoding, *arguments):
    """What a command writes to a standard output of this encoding, in bytes."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", stream)
        assert run(*arguments) == 0
    stream.flush()
    return stream.buffer.getvalue()


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_a_terminal_without_greek_letters_shows_question_marks(place, encoding, monkeypatch):
    out = printed(monkeypatch, encoding, "evaluate", place / "gap.parquet", "--label", "y", "--score", "score")
    assert "95 % interval" in out.decode(encoding)


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_identifiers_are_kept_byte_for_byte_whatever_the_terminal(place, form, tmp_path, monkeypatch):
    table = tmp_path / "greek.csv"
    table.write_text("code,self,name\nω1,0.5,a\nφ1,0.1,b\n", encoding="utf-8")
    out = printed(monkeypatch, "cp1252", "score", place / "o" / "model.podium", table, "--id", "code", *form)
    assert "ω1" in out.decode("utf-8")
    assert "φ1" in out.decode("utf-8")


def test_labels_with_a_gap_are_left_out(place, capsys):
    assert run("evaluate", place / "gap.parquet", "--label", "y", "--score", "score") == 0
    assert "1 of 200 rows have no label and were left out" in capsys.readouterr().err


def test_what_does_not_fit_into_memory_is_a_sentence(place, capsys, monkeypatch):
    monkeypatch.setattr("podium.workflow.score", lambda *_, **__: np.empty(2**57))
    assert run("score", place / "o" / "model.podium", place / "t.csv") == 2
    told = capsys.readouterr().err
    assert "not enough memory: Unable to allocate 1.00 EiB" in told
    assert "Hint: leave out columns" in told


@pytest.mark.skipif(sys.platform != "linux", reason="only there the limit holds")
@pytest.mark.parametrize(("megabytes", "code"), [(800, 2), (1100, 0)])
def test_a_limit_of_the_address_space(place, megabytes, code):
    command = f"from podium.cli import main; main(['score', '{place / 'o' / 'model.podium'}', '{place / 't.csv'}'])"
    limit = (megabytes * 10**6,) * 2
    ended = subprocess.run(
        [sys.executable, "-c", f"import resource; resource.setrlimit(resource.RLIMIT_AS, {limit}); {command}"],
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )
    assert ended.returncode == code, ended.stderr
    assert ("needs an address space of 1.0 GB; its limit here is 800.0 MB" in ended.stderr) == (code == 2)
    assert "Traceback" not in ended.stderr


def test_a_library_that_cannot_be_loaded_for_lack_of_memory_is_a_sentence(place, capsys, monkeypatch):
    def fail(*_, **__):
        raise ImportError("libsvm.so: failed to map segment from shared object")

    monkeypatch.setattr("podium.workflow.score", fail)
    assert run("score", place / "o" / "model.podium", place / "t.csv") == 2
    assert "not enough memory: libsvm.so" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="a working folder cannot be removed")
@pytest.mark.parametrize("arguments", [["fit", "--label", "y", "--model", "linear", "--out"], ["score", "--out"]])
def test_a_working_folder_that_was_removed(place, arguments, tmp_path, capsys, monkeypatch):
    gone, model = tmp_path / "gone", [place / "o" / "model.podium"] * (arguments[0] == "score")
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    name, *options = arguments
    assert run(name, *model, place / "t.csv", *options, "there.csv") == 2
    assert "needs a working folder; this one was removed" in capsys.readouterr().err
    assert run(name, *model, place / "t.csv", *options, tmp_path / "there.csv") == 0  # all paths are given in full


def test_a_disk_that_is_full_leaves_the_list_of_before(place, tmp_path, capsys):
    import resource  # not on Windows, where the test is skipped

    out, limits = tmp_path / "list.csv", resource.getrlimit(resource.RLIMIT_FSIZE)
    out.write_text("of before")
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        code = run("score", place / "o" / "model.podium", place / "t.csv", "--out", out, "--force")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert code == 1
    assert "File too large" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["list.csv"]
    assert out.read_text() == "of before"


@pytest.mark.skipif(os.name != "posix", reason="a signal of POSIX")
def test_a_command_that_is_told_to_end_leaves_no_folder(place, tmp_path, monkeypatch):
    before = signal.getsignal(signal.SIGTERM)

    def told(*_, **__):
        assert (tmp_path / "out").is_dir()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(10)

    monkeypatch.setattr("podium.workflow.fit", told)
    assert run("fit", place / "t.csv", "--label", "y", "--out", tmp_path / "out") == 128 + signal.SIGTERM
    assert not list(tmp_path.iterdir())
    assert signal.getsignal(signal.SIGTERM) == before


def test_what_a_compressed_table_may_unpack_to_is_an_option(place, tmp_path, capsys):
    packed = tmp_path / "t.csv.gz"
    packed.write_bytes(gzip.compress((place / "t.csv").read_bytes()))
    score = ["score", place / "o" / "model.podium", packed, "--out", tmp_path / "list.csv"]
    assert run("--max-unpacked", "2KB", *score) == 2
    assert "may unpack to 2.0 kB; it unpacks to more" in " ".join(capsys.readouterr().err.split())
    assert run("--max-unpacked", "much", *score) == 2
    assert "A size is a number of bytes; got 'much'" in capsys.readouterr().err
    assert run("--max-unpacked", "1MB", *score) == 0
    assert run(*score, "--force") == 0


def test_a_column_of_huge_numbers_in_another_unit(tmp_path, capsys):
    x = np.linspace(1, 2, 100)
    for name, unit in (("t", 1e200), ("u", 1e203)):
        frame = pd.DataFrame({"x": x * unit, "z": x % 0.1, "y": (x % 0.03 > 0.01).astype(int)})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    assert run("fit", tmp_path / "t.csv", "--label", "y", "--model", "linear", "--out", tmp_path / "o") == 0
    assert run("score", tmp_path / "o" / "model.podium", tmp_path / "u.csv") == 0
    assert "1,000 times as large" in capsys.readouterr().err


def test_a_table_that_is_swapped_between_two_looks_leaves_no_list(place, tmp_path, capsys, monkeypatch):
    table, other, out = tmp_path / "t.csv", tmp_path / "u.csv", tmp_path / "list.csv"
    table.write_bytes((place / "t.csv").read_bytes())
    other.write_bytes((place / "t.csv").read_bytes())
    scored = TableModel.scores

    def score_and_swap(self, frame):
        if len(frame) == 200 and other.exists():  # not where the model is tried on a made-up table
            other.replace(table)
        return scored(self, frame)

    monkeypatch.setattr(TableModel, "scores", score_and_swap)
    assert run("score", place / "o" / "model.podium", table, "--reasons", 1, "--out", out) == 2
    assert "t.csv has changed" in capsys.readouterr().err
    assert not out.exists()


def test_a_sheet_is_an_option_of_every_command_that_reads_a_table(place, tmp_path, capsys):
    book = tmp_path / "book.xlsx"
    with pd.ExcelWriter(book) as writer:
        pd.DataFrame({"read": ["me"], "first": ["!"]}).to_excel(writer, sheet_name="Notes", index=False)
        pd.read_csv(place / "t.csv").to_excel(writer, sheet_name="March", index=False)
    model = place / "o" / "model.podium"
    for command, *more in (
        ("score", model, book),
        ("shortlist", model, book),
        ("explain", model, book, "--row", "1"),
        ("evaluate", book, "--label", "y", "--score", "self"),
        ("test", book, "--label", "y", "--column", "self"),
    ):
        assert run(command, *more, "--sheet", "March") == 0
        capsys.readouterr()
    assert run("evaluate", book, "--label", "y", "--score", "self") == 2
    assert "Hint: its sheets are 'Notes', 'March'; --sheet names one." in capsys.readouterr().err
