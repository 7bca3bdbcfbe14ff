"""Lines of code on a narrow screen break between words, not after the hyphens of an option or inside a word."""

import runpy

import pytest

from docs.pages import DOCS

docutils = pytest.importorskip("docutils")
core = pytest.importorskip("docutils.core")
line_breaks = runpy.run_path(str(DOCS / "line_breaks.py"))
at_joints = line_breaks["at_joints"]


def cell(code):
    return f'<td><code><span class="pre">{code}</span></code></td>'


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("auc_sample_size", "auc_<wbr>sample_<wbr>size"),
        ("metrics.auc(y, s)", "metrics.<wbr>auc(<wbr>y, s)"),
        ("GradientBoostedRanker()", "Gradient<wbr>Boosted<wbr>Ranker()"),
        ("fpr=0.1", "fpr=0.1"),
    ],
)
def test_a_name_in_a_table_breaks_where_its_words_meet_and_a_number_nowhere(name, broken):
    assert at_joints(cell(name)) == cell(broken)


def test_names_in_a_table_break_also_where_they_are_not_marked_as_code():
    assert (
        at_joints("<td><p>a/test_b.py::test_c</p></td>")
        == "<td><p>a/<wbr>test_<wbr>b.<wbr>py::<wbr>test_<wbr>c</p></td>"
    )


def test_addresses_and_paragraphs_stay_as_they_are():
    page = '<p><code><span class="pre">auc_sample_size</span></code></p><td><a href="a_b.html">De Long</a></td>'
    assert at_joints(page) == page


@pytest.mark.parametrize("around", ["<pre>fit a.csv {} 100</pre>", '<code><span class="pre">{}</span></code>'])
def test_an_option_stays_whole(around):
    assert at_joints(around.format("--time-limit")) == around.format('<span class="whole">--time-limit</span>')


def test_drawings_are_not_touched():
    drawing = "<svg><text>podium fit --budget 100</text></svg>"
    assert at_joints(drawing) == drawing


def test_numbers_stay_with_their_percent_sign_and_in_tables_with_their_error():
    page = core.publish_doctree("in 95 % of ``5 %`` ± 1\n\n.. csv-table::\n\n   +0.01 ± 0.02, **2.1 (3)**, 1 of 2")
    line_breaks["keep_numbers_whole"](page)
    cells = [cell.astext() for cell in page.findall(docutils.nodes.entry)]
    assert page[0].astext() == "in 95\N{NO-BREAK SPACE}% of 5 % ± 1"
    assert cells == ["+0.01\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}0.02", "2.1\N{NO-BREAK SPACE}(3)", "1 of 2"]
