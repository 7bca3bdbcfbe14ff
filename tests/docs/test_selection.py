import doctest
from pathlib import Path

from podium.selection.penalized import PENALTIES

PAGE = Path(__file__).parents[2] / "docs" / "selection.rst"


def test_the_example_on_the_page_about_selection_gives_what_it_says():
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted > 5
    assert results.failed == 0


def test_every_penalty_has_been_measured_at_every_size():
    page = PAGE.read_text(encoding="utf-8")
    for size in ("150", "1,500", "15,000"):
        for method in (*PENALTIES, "5-fold cross-validation"):
            assert any(line.startswith(f"   {size} | {method}") for line in page.splitlines()), (size, method)
