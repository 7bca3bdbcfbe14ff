"""Compressed and Excel files: read whole, or refused in a sentence before they fill the memory."""

import gzip
import re
import time
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from podium.exceptions import InputError
from podium.tables import chunks, column_names, max_unpacked, read
from podium.tables.files.source import bytes_in_memory

FRAME = pd.DataFrame({"x": np.arange(600.0), "y": np.arange(600) % 2})


@pytest.fixture
def sheet(tmp_path):
    """An Excel file whose parts are rewritten."""
    pytest.importorskip("openpyxl")
    whole = tmp_path / "whole.xlsx"
    FRAME.to_excel(whole, index=False)

    def rewritten(part, rewrite):
        path = tmp_path / "rewritten.xlsx"
        with zipfile.ZipFile(whole) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
            for name in old.namelist():
                content = old.read(name)
                new.writestr(name, rewrite(content) if name == part else content)
        return path

    return rewritten


SHEET = "xl/worksheets/sheet1.xml"


@pytest.mark.parametrize("dimension", [b'ref="A1:B300"', b'ref="A1"', b'ref="A1:XFD1048576"', b'ref="B2:C3"'])
def test_a_sheet_is_read_whole_whatever_size_it_says_it_has(sheet, dimension):
    path = sheet(SHEET, lambda text: re.sub(rb'(?<=<dimension )ref="[^"]*"', dimension, text))
    pd.testing.assert_frame_equal(read(path), FRAME.astype({"x": int}), check_dtype=False)


DAMAGED = {
    "a tag that is not closed": (SHEET, lambda text: text.replace(b"</sheetData>", b"")),
    "an end that is missing": (SHEET, lambda text: text[: len(text) // 2]),
    "no XML at all": (SHEET, lambda text: b"\x00\x01"),
    "a workbook that is none": ("xl/workbook.xml", lambda text: b"<a"),
    "styles that are none": ("xl/styles.xml", lambda text: b"<styleSheet>"),
    "a number that is none": (SHEET, lambda text: text.replace(b"<v>7</v>", b"<v>seven</v>", 1)),
    "a cell that has no place": (SHEET, lambda text: text.replace(b'r="A5"', b'r="5"', 1)),
    "a row beyond all rows": (SHEET, lambda text: text.replace(b'<row r="9"', b'<row r="999999999999"', 1)),
    "entities upon entities": (
        SHEET,
        lambda text: (
            b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
            + b"".join(b'<!ENTITY %c "%s">' % (98 + i, b"&%c;" % (97 + i) * 10) for i in range(9))
            + b"]>"
            + text.split(b"?>")[-1].replace(b"<v>7</v>", b"<v>&j;</v>", 1)
        ),
    ),
}


@pytest.mark.parametrize(("part", "damage"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_excel_file_is_refused_with_a_sentence(sheet, part, damage):
    with pytest.raises(InputError, match="Excel"):
        read(sheet(part, damage))


def gzip_bomb(path, n_bytes):
    """Rows of zeros, a thousandth of their size."""
    block = b"0,0\n" * 2**18
    with path.open("wb") as file, gzip.GzipFile(fileobj=file, mode="wb") as packed:
        packed.write(b"x,y\n")
        for _ in range(n_bytes // len(block)):
            packed.write(block)
    return path


def excel_bomb(path, n_bytes):
    row = b"<row><c><v>0</v></c><c><v>0</v></c></row>"
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file, file.open("xl/bomb.xml", "w") as part:
        for _ in range(n_bytes >> 20):
            part.write((row * (2**20 // len(row) + 1))[: 2**20])
    return path


def parquet_bomb(path, n_bytes):
    zeros = pa.nulls(n_bytes, pa.int8())
    parquet.write_table(pa.table({"x": zeros, "y": zeros}), path)
    return path


@pytest.fixture(scope="module", params=["gzip", "excel", "parquet"])
def bomb(request, tmp_path_factory):
    """A file of at most a few hundred kilobytes that unpacks to over 100 MB."""
    folder = tmp_path_factory.mktemp("bombs")
    if request.param == "gzip":
        return gzip_bomb(folder / "bomb.csv.gz", 110 << 20)
    if request.param == "parquet":
        return parquet_bomb(folder / "bomb.parquet", 55 << 20)
    pytest.importorskip("openpyxl")
    FRAME.to_excel(folder / "bomb.xlsx", index=False)
    return excel_bomb(folder / "bomb.xlsx", 110 << 20)


def test_a_file_that_unpacks_to_a_thousand_times_its_size_is_refused_at_once(bomb):
    assert bomb.stat().st_size < 500_000
    tracemalloc.start()
    began = time.process_time()
    for reader in (read, lambda path: next(chunks(path, {}, ["x"]))):
        with pytest.raises(InputError, match=r"may unpack to 100\.0 MB; it unpacks to more\.\nHint: .*--max-unpacked"):
            reader(bomb)
    assert time.process_time() - began < 10
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()


def test_the_limit_can_be_raised_and_lowered(tmp_path, bomb):
    with max_unpacked(1e9):
        assert column_names(bomb) == ["x", "y"]
    with pytest.raises(InputError, match="unpacks to more"):
        column_names(bomb)
    FRAME.to_csv(tmp_path / "small.csv.gz", index=False)
    assert len(read(tmp_path / "small.csv.gz")) == len(FRAME)
    with max_unpacked(1000), pytest.raises(InputError, match=r"may unpack to 1\.0 kB"):
        read(tmp_path / "small.csv.gz")
    FRAME.to_csv(tmp_path / "plain.csv", index=False)
    with max_unpacked(1000):
        assert len(read(tmp_path / "plain.csv")) == len(FRAME)  # not compressed


def test_memory_is_planned_by_what_a_gzip_file_unpacks_to(tmp_path):
    text = "x,y\n" + "0,0\n" * 100_000
    (tmp_path / "t.csv").write_text(text)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
    assert bytes_in_memory(tmp_path / "t.csv.gz") == bytes_in_memory(tmp_path / "t.csv")
