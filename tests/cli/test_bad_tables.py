"""Tables that cannot be used: each gets its sentence and exit code 2, and nothing is written."""

import errno
import os
from pathlib import Path

import pytest

ROWS = "".join(f"{i % 7},{(i * 5) % 11},{i % 2}\n" for i in range(40))
GOOD = "a,b,y\n" + ROWS
FORTY = "a,b,y\n" + "".join(f"{i},{i % 3},{i}\n" for i in range(40))

BAD = {
    "an empty file": (b"", "is empty"),
    "a header only": (b"a,b,y\n", "has column names only"),
    "one column": (b"y\n1\n0\n", "at least one other column"),
    "no label": (b"a,b\n1,2\n", "there is no 'y'"),
    "a label of one value": (b"a,b,y\n1,2,1\n3,4,1\n", "needs two values; got only 1."),
    "a label of forty values": (FORTY.encode(), "needs two values; got 40"),
    "a label of two words": (b"a,b,y\n1,2,in\n3,4,out\n", "for instance 'out'"),
    "a label without values": (b"a,b,y\n1,2,\n3,4,\n", "none at all"),
    "duplicate column names": (b"a,a,y\n1,2,1\n", "more than one 'a'"),
    "a row too long": (GOOD.encode() + b"1,2,1,9\n", "got 4 in '1,2,1,9'"),
    "a row too short": (GOOD.encode() + b"1,2\n", "got 2 in '1,2'"),
    "damaged UTF-8": (GOOD.encode() + "ü,2,1\n".encode() + b"\xe9,2,1\n", "must be text in UTF-8"),
    "another encoding": (b"a,b,y\n" + "Ѓќ,2,1\n".encode("cp1251"), "must be text in UTF-8"),
    "a letter cut off": (GOOD.encode() + "ü,2,1\nü".encode()[:-1], "must be text in UTF-8"),
    "NUL bytes": (GOOD.encode() + b"1,\0,1\n", "has NUL bytes"),
    "a hundred thousand columns": (",".join(f"c{i}" for i in range(10**5)).encode() + b"\n", "at most 10,000 columns"),
    "columns that say nothing": (b"a,b,y\n" + b"1,,0\n1,,1\n" * 9, "no column to learn from"),
    "one positive": (b"a,b,y\n" + b"1,2,0\n3,4,0\n" * 9 + b"5,6,1\n", "Both parts of a split need rows of both"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_table_gets_its_sentence_and_nothing_is_written(what, podium, tmp_path):
    content, sentence = BAD[what]
    (tmp_path / "table.csv").write_bytes(content)
    run = podium("fit", tmp_path / "table.csv", "--label", "y", "--out", tmp_path / "out")
    assert run.code == 2
    assert run.err.startswith("Error: ")
    assert sentence in run.err
    assert run.out == ""
    assert os.listdir(tmp_path) == ["table.csv"]


def test_a_directory_without_tables_is_none(podium, tmp_path):
    run = podium("fit", tmp_path, "--label", "y", "--out", tmp_path / "out")
    assert (run.code, "there are none in" in run.err, os.listdir(tmp_path)) == (2, True, [])


def test_a_file_that_is_not_there_is_named(podium, tmp_path):
    run = podium("fit", tmp_path / "none.csv", "--label", "y", "--out", tmp_path / "out")
    assert (run.code, "there is no" in run.err, os.listdir(tmp_path)) == (2, True, [])


def test_a_file_that_may_not_be_read_gets_a_sentence(podium, tmp_path, monkeypatch):
    (tmp_path / "table.csv").write_text(GOOD)

    def refuse(self, *args, **options):  # an administrator may read everything, so permissions alone test nothing
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    run = podium("fit", tmp_path / "table.csv", "--label", "y", "--out", tmp_path / "out")
    assert (run.code, "a file you may read" in run.err, os.listdir(tmp_path)) == (2, True, ["table.csv"])


def test_a_full_disk_ends_with_one_and_leaves_nothing_behind(podium, tmp_path, monkeypatch):
    (tmp_path / "table.csv").write_text(GOOD)

    def fill(path, content):
        path.write_bytes(content[:10])
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr("podium._files._write_synced", fill)
    run = podium("fit", tmp_path / "table.csv", "--label", "y", "--model", "linear", "--out", tmp_path / "new" / "out")
    assert (run.code, "No space left on device" in run.err) == (1, True)
    assert os.listdir(tmp_path) == ["table.csv"]


def test_an_interrupt_while_writing_leaves_no_half_file(podium, tmp_path, monkeypatch):
    (tmp_path / "table.csv").write_text(GOOD)

    def interrupt(path, content):
        path.write_bytes(content[:10])
        raise KeyboardInterrupt

    monkeypatch.setattr("podium._files._write_synced", interrupt)
    run = podium("fit", tmp_path / "table.csv", "--label", "y", "--model", "linear", "--out", tmp_path / "out")
    assert (run.code != 0, os.listdir(tmp_path)) == (True, ["table.csv"])


def test_a_test_file_with_one_label_is_refused(podium, tmp_path):
    (tmp_path / "table.csv").write_text(GOOD)
    (tmp_path / "test.csv").write_text("a,b,y\n" + "1,2,0\n" * 9)
    run = podium(
        "fit", tmp_path / "table.csv", "--label", "y", "--test", tmp_path / "test.csv", "--out", tmp_path / "out"
    )
    assert run.code == 2
    assert "held-out rows must have both labels" in run.err
    assert not (tmp_path / "out").exists()


def test_a_broken_gzip_file_gets_a_sentence(podium, tmp_path):
    (tmp_path / "table.csv.gz").write_bytes(b"no gzip at all")
    run = podium("fit", tmp_path / "table.csv.gz", "--label", "y", "--out", tmp_path / "out")
    assert (run.code, "could not be unpacked" in run.err) == (2, True)


def test_a_broken_parquet_file_gets_a_sentence(podium, tmp_path):
    (tmp_path / "table.parquet").write_bytes(b"PAR1 and no more")
    run = podium("fit", tmp_path / "table.parquet", "--label", "y", "--out", tmp_path / "out")
    assert (run.code, "must be a Parquet file" in run.err) == (2, True)
