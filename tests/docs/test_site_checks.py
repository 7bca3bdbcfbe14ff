"""The checks that `make docs` makes of the built pages notice each fault, and nothing else."""

import runpy

import pytest

from docs.pages import DOCS

CHECKS = runpy.run_path(str(DOCS / "site_checks.py"))
NAME = '<a href="#top"><code class="xref py py-func docutils"><span class="pre">f()</span></code></a>'
WHOLE = (
    NAME + '<h1 id="top">A page</h1><a href="other.html#part-1">on</a><a href="#top">up</a><img alt="" src="a.png"/>'
)


def faults(tmp_path, content):
    (tmp_path / "other.html").write_text('<h2 id="part-1">A part</h2>', encoding="utf-8")
    (tmp_path / "page.html").write_text(WHOLE + content, encoding="utf-8")
    return CHECKS["faults"](tmp_path)


@pytest.mark.parametrize(
    "content",
    ["", '<a href="https://example.org/a">out</a>', '<a class="x" href="other.html?q=1&amp;r=2#part-1">on</a>'],
)
def test_a_whole_page_has_no_fault(content, tmp_path):
    assert faults(tmp_path, content) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('<a href="missing.html">on</a>', "missing.html leads nowhere"),
        ('<a href="other.html#part-2">on</a>', "other.html#part-2 leads nowhere"),
        ('<a href="#bottom">down</a>', "#bottom leads nowhere"),
        ('<a href="http://example.org">out</a>', "http://example.org leads nowhere"),
        ('<img src="b.png"/>', "no words for"),
        ('<code class="xref py py-func docutils"><span class="pre">f()</span></code>', "f() is on no page"),
        ('<td><ol class="arabic simple" start="4">', "a cell became a list"),
        ("x" * CHECKS["LARGEST"], "more than 80,000"),
    ],
)
def test_a_fault_is_said(content, said, tmp_path):
    [fault] = faults(tmp_path, content)
    assert fault.startswith("page.html: ")
    assert said in fault


def test_the_index_of_names_may_be_long(tmp_path):
    (tmp_path / "genindex.html").write_text("x" * 100_000, encoding="utf-8")
    assert CHECKS["faults"](tmp_path) == []
