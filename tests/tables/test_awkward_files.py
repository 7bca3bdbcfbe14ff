"""Forty awkward CSV files: the right numbers, or one clear sentence; none silently wrong."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from podium.columns.encode import kind_of
from podium.exceptions import InputError
from podium.tables import Sheet, column_names, to_table
from podium.tables.files.csv import CsvFile

DAYS = ("2019-12-31", "2020-01-15", None)

# What it is: text, values expected of the column x (None: text), a part of what is said (empty: nothing is).
READ = {
    "decimal comma": ("x;y\n1,5;0\n2,75;1\n", (1.5, 2.75), "like 1234,5"),
    "decimal comma, quoted, between commas": ('x,y\n"1,5",0\n"-2,75",1\n', (1.5, -2.75), "like 1234,5"),
    "decimal comma, points for thousands": ("x;y\n1.234,5;0\n12,1;1\n", (1234.5, 12.1), "like 1.234,5"),
    "blanks for thousands": ("x;y\n1 234,5;0\n12,1;1\n", (1234.5, 12.1), "like 1 234,5"),
    "narrow blanks for thousands": (
        "x;y\n1\u202f234,5;0\n1\u00a0234\u00a0567,25;1\n",
        (1234.5, 1234567.25),
        "1 234",
    ),
    "apostrophes for thousands": ("x;y\n1'234.50;0\n12.1;1\n", (1234.5, 12.1), "like 1'234.5"),
    "commas for thousands": ('x,y\n"1,234.5",0\n"12,345,678",1\n', (1234.5, 12345678), "like 1,234.5"),
    "groups as in India": ('x,y\n"12,34,567.5",0\n"1,00,000",1\n', (1234567.5, 100000), "like 1,234.5"),
    "points for thousands where others have commas": (
        "x;z;y\n1.234;0,5;0\n900;1,25;1\n2.500;2,0;0\n",
        (1234, 900, 2500),
        "'1.234' can mean 1234 or 1.234",
    ),
    "points for thousands in a file for Europe": ("x;y\n1.234;0\n900;1\n", (1234, 900), "can mean 1234 or 1.234"),
    "decimal points in a file for Europe": ("x;z;y\n1.234;0.5;0\n2.5;1.25;1\n", (1.234, 2.5), ""),
    "a comma before three digits, doubtful": (
        'x,y\n"1,234",0\n"5,678",1\n',
        (1234, 5678),
        "can mean 1234 or 1.234",
    ),
    "a comma before three digits in a file for Europe": (
        "x;y\n1,234;0\n5,678;1\n",
        (1.234, 5.678),
        "can mean 1.234",
    ),
    "a zero before the comma": ('x,y\n"0,125",0\n"1,250",1\n', (0.125, 1.25), "like 1234,5"),
    "dollars": ("x,y\n$19.55,0\n$-3,1\n-$0.5,0\n", (19.55, -3, -0.5), "1234.5 $"),
    "dollars with thousands": ('x,y\n"$1,200.00",0\n$5,1\n', (1200, 5), "1,234.5 $"),
    "euros behind": ("x;y\n1.200,00 €;0\n5 €;1\n", (1200, 5), "1.234,5 €"),
    "a code of a currency": ("x;y\nCHF 1'200.50;0\nCHF 3;1\n", (1200.5, 3), "CHF"),
    "per cent": ("x,y\n85%,0\n3.5 %,1\n", (85, 3.5), "%"),
    "accountants' brackets": ('x,y\n"(1,234.50)",0\n12.0,1\n', (-1234.5, 12), "1,234.5"),
    "a minus behind": ("x,y\n12.5-,0\n3,1\n", (-12.5, 3), ""),
    "a typographer's minus": ("x,y\n\u221212.5,0\n3,1\n", (-12.5, 3), ""),
    "exponents with a comma": ("x;y\n1,5E3;0\n2e-1;1\n", (1500, 0.2), "1234,5"),
    "numbers within apostrophes": ("x,y\n'12.5',0\n'3',1\n", (12.5, 3), ""),
    "blanks around": ("x , y\n 1.5 , 0\n 2, 1\n", (1.5, 2), ""),
    "a dash for none": ("x,y\n1.5,0\n-,1\nn.a.,1\n", (1.5, None, None), "taken for missing: '-', 'n.a.'"),
    "what a laboratory did not measure": (
        "x;y\n1,5;0\nn.b.;1\nND;1\nnot done;0\n2,5;1\n",
        (1.5, None, None, None, 2.5),
        "taken for missing: 'n.b.', 'ND', 'not done'",
    ),
    "a word of the house for most of the numbers": (
        "x,y\n" + "".join(f"{i}.5,0\n" for i in range(20)) + "refused,1\n" * 30,
        None,
        "except for 30 of 50 values, such as 'refused'",
    ),
    "limits of detection": (
        "x;y\n" + "".join(f"{i},5;0\n" for i in range(20)) + "<0,5;1\n< 0,5;0\n≥100;1\n",
        (*(i + 0.5 for i in range(20)), 0.5, 0.5, 100),
        "3 values of column 'x' were read as the limit itself.",
    ),
    "limits that five rows have": (
        "x,y\n" + "".join(f"{i},0\n" for i in range(5, 11)) + "<5,1\n" * 5 + "10+,0\n" * 3 + ">10,1\n",
        (*range(5, 11), *[5] * 5, *[10] * 4),
        "9 values of column 'x' were read as the limit itself: '<5'.",
    ),
    "an open end": ("x,y\n0,0\n1,1\n2,0\n3+,1\n", (0, 1, 2, 3), "1 value of column 'x' was read as the limit itself."),
    "limits amid the numbers": (
        "x,y\n" + "".join(f"{i},0\n" for i in range(10)) * 3 + "5+,1\n",
        None,
        "limits between them: it was treated as text. Write each limit as a number",
    ),
    "no value as MySQL writes it": ("x,y\n1.5,0\n\\N,1\n", (1.5, None), ""),
    "no word as MySQL writes it": ("t,x,y\nu,1.5,0\n\\N,2,1\n", (1.5, 2), ""),
    "classes that look like limits": ("x,y\n" + "<18,0\n18,1\n>65,1\n" * 9, None, ""),
    "grades and a word": ("x,y\n" + "1,0\n2,1\nabsent,0\nabsent,1\n" * 9, None, ""),
    "errors of a spreadsheet": ("x,y\n1.5,0\n#DIV/0!,1\n", (1.5, None), "taken for missing: '#DIV/0!'"),
    "a byte mark": ("\ufeffx,y\n1.5,0\n2,1\n", (1.5, 2), ""),
    "a line that tells the separator": ("sep=;\nx;y\n1,5;0\n2;1\n", (1.5, 2), "1234,5"),
    "a byte mark and that line": ("\ufeffsep=;\r\nx;y\r\n1,5;0\r\n2;1\r\n", (1.5, 2), "1234,5"),
    "a separator within a quoted name": ('"a;b;c;d",x,y\n1,1.5,0\n2,2,1\n', (1.5, 2), ""),
    "a line break within a quoted name": ('"a\nb",x,y\n1,1.5,0\n2,2,1\n', (1.5, 2), ""),
    "a line break within a value": ('t,x,y\n"u\nv",1.5,0\nw,2,1\n', (1.5, 2), ""),
    "true and false": ("x,y\nTRUE,0\nfalse,1\n", (1, 0), ""),
    "true and false with a gap": ("x,y\nTrue,0\n,1\nFalse,0\n", (1, None, 0), ""),
    "dates by points": ("x,y\n31.12.2019,0\n15.1.2020,1\n,0\n", DAYS, "like 31.12.2019"),
    "dates of day and month": ("x,y\n31/12/2019,0\n15/01/2020,1\n,0\n", DAYS, "like 31/12/2019"),
    "dates of month and day": ("x,y\n12/31/2019,0\n1/15/2020,1\n,0\n", DAYS, "like 12/31/2019"),
    "dates that may be either": (
        "x,y\n03/04/2019,0\n05/06/2019,1\n",
        ("2019-04-03", "2019-06-05"),
        "can mean 5 April 2003 or 4 May 2003; it was read as 5 April 2003",
    ),
    "firsts of months": ("x,y\n01/03/2019,0\n01/04/2019,1\n", ("2019-03-01", "2019-04-01"), "like 31/12/2019"),
    "names of months": ("x,y\n31-Dec-2019,0\n15-Jan-2020,1\n,0\n", DAYS, "like 31-Dec-2019"),
    "dates with a time": ("x,y\n31.12.2019 00:00,0\n15.01.2020 00:00,1\n,0\n", DAYS, "31.12.2019 17:30"),
    "dates with a zone": ("x,y\n2019-12-31T00:00:00Z,0\n2020-01-15T00:00:00Z,1\n,0\n", DAYS, ""),
    "dates with an offset": ("x,y\n2019-12-31T02:00:00+02:00,0\n2020-01-15T00:00:00+00:00,1\n,0\n", DAYS, ""),
    "a day that is not": (
        "x,y\n" + "31.12.2019,0\n15.01.2020,1\n" * 9 + "31.02.2020,0\n",
        None,
        "except for 1 of 19",
    ),
    "numbers with few words": (
        "x,y\n" + "1.5,0\n2.5,1\n3,0\n4,1\n" * 5 + "about 7,1\n",
        None,
        "except for 1 of 21 values, the first in row 21: it was treated as text.",
    ),
    "numbers with a word that five rows have": (
        "x,y\n" + "".join(f"{i}.5,0\n" for i in range(20)) + "later,1\n" * 5,
        None,
        "except for 5 of 25 values, such as 'later': it was treated as text.",
    ),
    "numbers with a unit": ("x,y\n12 kg,0\n13.5 kg,1\n", None, "with the unit 'kg'"),
    "two currencies": ("x,y\n$12,0\n€13,1\n", None, "several units"),
    "numbers of twenty digits": ("x,y\n98765432109876543210,0\n98765432109876543211,1\n", None, ""),
    "points and commas mixed": ("x;y\n1.5;0\n2,5;1\n3.5;1\n4,5;0\n", None, "decimal points and commas"),
}

REFUSED = {
    "a decimal comma between commas": ("x,y\n1,5,0\n2,75,1\n", "got 3 in '1,5,0'"),
    "the old Excel": ("x,y\n1,0\n", ".xlsx"),
    "columns set apart by blanks": ("x y\n1 0\n", "separated by"),
    "no names at all": (",,\n,,\n", "more than one ''"),
    "a title above the names": ("Report 2019\nx,y\n1,0\n2,1\n", "at least one other column"),
}


@pytest.mark.parametrize("what", READ)
def test_an_awkward_file_is_read_right_and_what_was_done_is_said(what, tmp_path):
    text, expected, said = READ[what]
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8", newline="")
    table = to_table(path)
    column, sentences = table.frame["x"], " ".join([*table.notes, *table.warnings])
    if expected is None:
        assert kind_of(column) == "text"
    elif isinstance(expected[0], str):
        days = pd.to_datetime(column, utc=True).dt.tz_localize(None)
        assert [None if pd.isna(day) else str(day.date()) for day in days] == list(expected)
    else:
        wanted = [np.nan if value is None else value for value in expected]
        np.testing.assert_allclose(column.to_numpy(dtype=float), wanted, rtol=1e-15)
    assert said in sentences
    if not said:
        assert sentences == ""


@pytest.mark.parametrize("what", REFUSED)
def test_an_awkward_file_that_cannot_be_understood_gets_a_sentence(what, tmp_path):
    text, sentence = REFUSED[what]
    path = tmp_path / ("t.xls" if "Excel" in what else "t.csv")
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(InputError) as refusal:
        to_table(path)
    assert sentence in str(refusal.value)


NAMES = ["key", "x", "due", "y"]
TITLED = [["Open items"], ["as of 2024-12-31"], NAMES, ["a", "1,5", "", "0"], ["b", "2,75", "2024-01-05", "1"]]


def test_a_title_above_the_names_of_a_csv_file_is_left_out_and_said(tmp_path):
    path = tmp_path / "t.csv"
    for padding in ("", ";;;"):
        lines = [";".join(cells) + (padding if len(cells) == 1 else "") for cells in TITLED]
        path.write_text("\n".join(lines), encoding="utf-8")
        table = to_table(path)
        assert list(table.frame) == ["key", "x", "due", "y"]
        np.testing.assert_allclose(table.frame["x"], [1.5, 2.75])
        assert "Above the column names, 2 rows were read as a title." in table.notes


@pytest.mark.parametrize("title", ["Open items, all branches", "Items, of a, b, c, d and e", "Bern | 2024, first half"])
def test_a_separator_of_other_files_within_a_title_is_none_here(title, tmp_path):
    rows = "\n".join(f"k{i};{i},5;2024-01-05;{i % 2}" for i in range(9))
    path = tmp_path / "t.csv"
    path.write_text(f"{title}\n{';'.join(NAMES)}\n{rows}\n", encoding="utf-8")
    table = to_table(path)
    assert list(table.frame) == NAMES
    np.testing.assert_allclose(table.frame["x"], np.arange(9) + 0.5)
    assert "Above the column names, 1 row was read as a title." in table.notes


def test_a_title_above_the_names_of_a_sheet_is_left_out_and_said(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for cells in [TITLED[0], [], NAMES, ["a", 1.5, None, 0], ["b", 2.75, "z", 1]]:
        book.active.append(cells)
    book.save(tmp_path / "t.xlsx")
    table = to_table(tmp_path / "t.xlsx")
    np.testing.assert_allclose(table.frame["x"], [1.5, 2.75])
    assert "Above the column names, 1 row was read as a title." in table.notes


@pytest.mark.parametrize(
    "foot",
    [
        [["Total", 4.25, None, 1]],
        [["Summe:", 4.25, None, 1]],
        [[None, "Grand total", None, 1], ["Source: the register"]],
    ],
)
def test_totals_and_remarks_below_a_sheet_are_left_out_and_said(foot, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    rows = [["Sum 41", 1.5, None, 0], ["Total Energies", 2.75, "z", 1]]
    for cells in [NAMES, *rows, [], *foot]:
        book.active.append(cells)
    book.save(tmp_path / "t.xlsx")
    table = to_table(tmp_path / "t.xlsx")
    assert table.frame["key"].tolist() == ["Sum 41", "Total Energies"]
    assert table.frame["x"].tolist() == [1.5, 2.75]
    assert any("read as totals or a remark" in note for note in table.notes)


def test_a_first_row_of_few_names_above_numbers_is_no_title(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,2,3,4,5\n", encoding="utf-8")
    with pytest.raises(InputError, match="got 5 in '1,2,3,4,5'"):
        to_table(path)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_text_as_western_windows_writes_it_is_read_and_said(tmp_path, ending):
    n_rows = 150_000  # several blocks, of which the last has the only letters beyond ASCII
    text = "Größe;y\r\n" if ending == ".csv" else "x;y\r\n"
    text += "1;0\r\n2;1\r\n" * n_rows + "Nähe „12 €“;1\r\n"
    path = tmp_path / f"t{ending}"
    content = text.encode("cp1252")
    path.write_bytes(gzip.compress(content) if ending.endswith("gz") else content)
    table = to_table(path)
    name = table.frame.columns[0]
    assert name == ("Größe" if ending == ".csv" else "x")
    assert table.frame[name].iloc[-1] == "Nähe „12 €“"
    assert len(table.frame) == 2 * n_rows + 1
    assert "in the encoding of Windows (cp1252)" in table.notes[0]


def test_a_csv_file_is_opened_once_each_for_its_encoding_its_header_and_its_rows(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,0\n2,1\n", encoding="utf-8")
    opened, open_it = [], Path.open
    monkeypatch.setattr(Path, "open", lambda self, *args, **more: opened.append(self) or open_it(self, *args, **more))
    assert to_table(path).frame["x"].tolist() == [1, 2]
    assert opened == [path] * 3
    assert column_names(path) == ["x", "y"]
    assert opened == [path] * 3


def test_a_header_is_read_again_when_the_file_has_changed(tmp_path):
    path = tmp_path / "t.csv"
    for names in (["x", "y"], ["u", "v", "w"]):
        path.write_text(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n", encoding="utf-8")
        assert column_names(path) == list(to_table(path).frame) == names


@pytest.mark.parametrize(("encoding", "ending"), [("utf-16-le", ".csv"), ("utf-16-be", ".csv.gz")])
def test_text_in_utf_16_is_read_and_said(tmp_path, ending, encoding):
    n_rows = 700_000  # of several blocks, which cut letters in two
    text = "\ufeffGröße;y\r\n" + "1;0\r\n2;1\r\n" * (n_rows // 2) + "Łódź 😀;1\r\n"
    path, content = tmp_path / f"t{ending}", text.encode(encoding)
    path.write_bytes(gzip.compress(content, 1) if ending.endswith("gz") else content)
    table = to_table(path)
    assert table.frame["Größe"].iloc[-1] == "Łódź 😀"
    assert len(table.frame) == n_rows + 1
    assert "is not in UTF-8: it was read in UTF-16" in table.notes[0]


def test_half_a_letter_of_utf_16_is_refused(tmp_path):
    (tmp_path / "t.csv").write_bytes("\ufeffx,y\n1,0\n2,1\n".encode("utf-16-le") + b"\x00")
    with pytest.raises(InputError, match="in another encoding, or damaged"):
        to_table(tmp_path / "t.csv")


@pytest.fixture
def book(tmp_path):
    """A workbook whose second sheet is the table."""
    with pd.ExcelWriter(tmp_path / "book.xlsx") as writer:
        pd.DataFrame({"read": ["me"], "first": ["!"]}).to_excel(writer, sheet_name="Notes", index=False)
        pd.DataFrame({"x": [1.5, 2.0], "y": [0, 1]}).to_excel(writer, sheet_name="March", index=False)
    return tmp_path / "book.xlsx"


def test_a_sheet_is_read_by_its_name_and_several_are_told(book):
    first, named = to_table(book), to_table(Sheet(book, "March"))
    assert list(first.frame) == ["read", "first"]
    assert "book.xlsx has 2 sheets ('Notes', 'March'): the first was read." in first.notes[0]
    assert named.frame["x"].tolist() == [1.5, 2.0]
    assert named.notes == []


@pytest.mark.parametrize(
    ("name", "words"),
    [("march", "no sheet 'march'.\nHint: its sheets are 'Notes', 'March'; did you mean 'March'?"), ("May", "'March'.")],
)
def test_a_sheet_that_is_not_there_leads_to_those_that_are(book, name, words):
    with pytest.raises(InputError) as refused:
        to_table(Sheet(book, name))
    assert words in str(refused.value)


def test_a_sheet_of_a_file_without_sheets_is_refused(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,0\n2,1\n")
    with pytest.raises(InputError, match="Only Excel files have sheets"):
        to_table(Sheet(tmp_path / "t.csv", "March"))


@pytest.mark.parametrize("change", ["swapped", "grown", "gone"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch, change):
    path, other = tmp_path / "t.csv", tmp_path / "u.csv"
    path.write_text("x,y\n1,0\n2,1\n")
    other.write_text("x,y\n7,0\n8,1\n")
    read = CsvFile.read

    def read_and_change(self, reader):
        found = read(self, reader)
        if change == "swapped":
            other.replace(path)
        elif change == "grown":
            path.write_text("x,y\n1,0\n2,1\n3,1\n")
        else:
            path.unlink()
        return found

    monkeypatch.setattr(CsvFile, "read", read_and_change)
    with pytest.raises(InputError, match=r"must stay as it is while it is read; .* has changed"):
        to_table(path)
