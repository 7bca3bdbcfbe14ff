import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "time_to_event.rst"


def test_every_example_on_the_page_about_time_to_event_is_run():
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8", optionflags=options)
    assert results.attempted > 10
    assert results.failed == 0
