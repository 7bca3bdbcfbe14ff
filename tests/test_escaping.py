"""The same hostile strings to every target: names, values, labels, groups and names of files stay text everywhere."""

import csv
import json
import re
import sqlite3
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from browser import Opened, chromium
from podium import report, workflow
from podium._results import escaping
from podium.cli import render
from podium.cli.errors import echo_error

LINK = "http://evil.example"
HOSTILE = [
    f'=HYPERLINK("{LINK}","x")',
    "+1+1",
    "-2+3",
    "@SUM(1)",
    "＝1＋1",
    "\x1b[31mred\x1b]0;title\x07\x9b2J",
    "\u202egnp.exe\u2066",
    "<script>document.title='hit'</script>",
    "\"'><img src=x onerror=\"document.title='hit'\">",
    "</script></style></title><script>document.title='hit'</script>",
    "' onmouseover=document.title='hit' x='",
    f"[x]({LINK}) ![x]({LINK}) <{LINK}> {LINK} www.evil.example",
    "{{ 7*7 }} ${7*7} %s {0}",
    "| a | b |",
    "`code` **bold** ~~gone~~ # head",
    "1. item",
    "- item",
    "'; DROP TABLE new_rows; --",
    '"; DROP TABLE new_rows; --',
    "*/ -- comment",
]
STRANGE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


def table(n_rows=600, seed=0):
    """Columns of hostile names, hostile values, a hostile label and group."""
    rng = np.random.default_rng(seed)
    label, group, many = HOSTILE[8], HOSTILE[0], HOSTILE[7]
    names = [name for name in HOSTILE if name not in (label, group, many)]
    frame = pd.DataFrame(rng.standard_normal((n_rows, len(names))), columns=names)
    frame[group] = rng.choice(HOSTILE[-8:], n_rows)
    frame[many] = rng.choice(HOSTILE, n_rows)
    frame["id"] = [HOSTILE[i % len(HOSTILE)] + str(i) for i in range(n_rows)]
    risk = frame[names].sum(axis=1) + (frame[many] < "A") + rng.logistic(size=n_rows)
    return frame.assign(**{label: np.where(risk > 0, HOSTILE[5], HOSTILE[9])})


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    path = folder / f"{HOSTILE[7].replace('/', '')}[x](y) =1.csv"
    table().to_csv(path, index=False)
    result = workflow.fit(
        path, label=HOSTILE[8], positive=HOSTILE[5], id_column="id", model="linear", slices=[HOSTILE[0]], budget=50
    )
    result.save(folder / "out")
    return result, folder / "out", path


def test_a_terminal_is_shown_visible_characters_only(capsys):
    render.say(*HOSTILE)
    render.talk(*HOSTILE)
    render.show_table(HOSTILE[5], HOSTILE[5:7], [HOSTILE[5:7]])
    echo_error("\n".join(HOSTILE))
    printed = "".join(capsys.readouterr())
    assert "DROP TABLE" in printed
    assert not STRANGE.search(printed)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_lists_are_legible_on_a_terminal_and_whole_for_programs(capsys, monkeypatch, is_terminal):
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_terminal)
    render.show_list("id\n\x9b2J\n")
    render.show_json({"id": "\x9b2J"})
    assert (len(STRANGE.findall(capsys.readouterr().out)) == 0) == is_terminal


def test_commands_show_no_code_of_a_terminal_in_errors_and_hints(podium, tmp_path):
    table(80).to_csv(tmp_path / "rows.csv", index=False)
    for arguments in (("--label", HOSTILE[5] + "?"), ("--label", HOSTILE[8], "--positive", HOSTILE[5] + "?")):
        run = podium("fit", tmp_path / "rows.csv", *arguments, "--out", tmp_path / "out")
        assert run.code == 2
        assert not STRANGE.search(run.err + run.out)


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_no_name_and_no_cell_of_a_list_is_a_formula(podium, fitted, tmp_path, ending):
    _, folder, path = fitted
    kept = [word for name in HOSTILE if name != HOSTILE[8] for word in ("--keep", name)]
    out = tmp_path / f"list.{ending}"
    run = podium("score", folder / "model.podium", path, *kept, "--reasons", 2, "--out", out)
    assert run.code == 0, run.err
    assert not STRANGE.search(run.err + run.out)
    if ending == "csv":
        with out.open(newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert len(cells) > 600 * len(HOSTILE)
        assert not [cell for cell in cells if FORMULA.match(cell) and not NUMBER.fullmatch(cell)]
    else:
        sheet = pytest.importorskip("openpyxl").load_workbook(out).active
        cells = [cell for row in sheet.iter_rows() for cell in row]
        assert {cell.data_type for cell in cells} == {"s", "n"}
        assert not any(cell.hyperlink for cell in cells)
        assert HOSTILE[0] in {cell.value for cell in cells}


def pages(fitted, folder):
    """The pages that podium writes, with what they are about as hostile as can be."""
    result, _, path = fitted
    found = {"fit": result.report.html}
    found["score"] = workflow.score(result.model, path).report.html
    moved = table(400, seed=1)
    moved[HOSTILE[-2]] += 3
    found["monitor"] = workflow.monitor(result.model, moved, reference=table(), state=folder / "state.json").report.html
    y = np.arange(200) % 3 == 0
    found["build"] = report.build(
        y,
        np.arange(200) % 7,
        title=HOSTILE[7],
        about=HOSTILE,
        candidates={name: np.arange(200) % (j + 2) for j, name in enumerate(HOSTILE)},
        effects=[(name, 0.8, 0.5, 1.1) for name in HOSTILE],
        warnings=HOSTILE,
        data_notes=HOSTILE,
        provenance={name: {name: name} for name in HOSTILE},
    ).html
    return found


def test_no_page_runs_or_loads_what_a_table_holds(fitted, tmp_path):
    with chromium() as browser:
        for name, html in pages(fitted, tmp_path).items():
            path = tmp_path / f"{name}.html"
            path.write_text(html)
            opened = Opened(browser, path)
            opened.page.wait_for_load_state("networkidle")
            for element in opened.page.locator("summary").all():
                element.click()
            assert opened.page.title() != "hit"
            assert opened.requests == [path.as_uri()]
            assert opened.complaints == []
            assert opened.page.locator("img, [onerror], [onmouseover], a[href*=evil]").count() == 0
            assert "DROP TABLE" in opened.page.locator("body").text_content()


def test_no_page_has_tags_or_attributes_from_a_table(fitted, tmp_path):
    class Tags(HTMLParser):
        def handle_starttag(self, tag, attrs):
            assert tag != "img"
            assert not [name for name, _ in attrs if name.startswith("on")]

    for html in pages(fitted, tmp_path).values():
        Tags().feed(html)


def test_markdown_has_no_link_image_or_markup_from_a_table(fitted, tmp_path):
    markdown_it = pytest.importorskip("markdown_it")
    reader = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for text in [fitted[0].report.markdown, *(f"- {escaping.markdown(one)}" for one in HOSTILE)]:
        html = reader.render(text)
        assert not re.search(r"<(a|img|code|s|script|em|h2>head|ol)\b", html)
        assert not re.search(r"(?<!\\)(https?:|www\.)", text)  # which some readers make links of without any markup


@pytest.mark.parametrize("text", HOSTILE)
def test_text_and_names_in_sql_are_text_and_names(text):
    with sqlite3.connect(":memory:") as base:
        query = f"{escaping.sql_comment(text)}\nSELECT {escaping.sql_text(text)} AS {escaping.sql_name(text)}"
        cursor = base.execute(query)
        assert cursor.fetchall() == [(text,)]
        assert cursor.description[0][0] == text


def test_statements_and_graphs_score_hostile_tables(fitted):
    result, _, _ = fitted
    new = table(50, seed=1).drop(columns=HOSTILE[8])
    expected = pytest.approx(result.model.scores(new), abs=1e-9)
    by = pytest.importorskip("databases")
    statement = workflow.export_sql(result.model)
    assert not STRANGE.search(statement.partition("\n")[0])
    assert by.by_duckdb(statement, new)["score"].to_numpy() == expected
    assert by.by_sqlite(workflow.export_sql(result.model, dialect="sqlite"), new)["score"].to_numpy() == expected
    pytest.importorskip("onnx")
    assert by.by_onnx(workflow.export_onnx(result.model), new)["score"].to_numpy() == expected


def test_figures_behind_a_report_are_json_whatever_names_are(fitted):
    assert json.loads((fitted[1] / "metrics.json").read_text())["headline"]
