import doctest
from pathlib import Path

from podium import bounds

PAGE = Path(__file__).parents[2] / "docs" / "bounds.rst"


def test_every_number_on_the_page_about_bounds_is_recomputed():
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted > 10
    assert results.failed == 0


def test_the_page_about_bounds_names_every_bound():
    page = PAGE.read_text(encoding="utf-8")
    abbreviated = {
        name for name in bounds.__all__ if name.endswith("_sample_size") or name.startswith("auc_finite_class")
    }
    assert [name for name in bounds.__all__ if name.islower() and name not in page and name not in abbreviated] == []
