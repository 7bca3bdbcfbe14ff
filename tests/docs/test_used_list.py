"""The page on lists in use prints what it shows."""

import re

from docs.pages import DOCS, run_python

PAGE = DOCS / "used_list.rst"
LINE = re.compile(r"(\d), (\d+) to (\d+), (\d+), ([\d.]+) \(([\d.]+) to ([\d.]+)\)")


def test_the_months_are_those_of_the_page_and_promises_hold_but_for_the_one_it_names(capsys):
    run_python(PAGE)
    printed = LINE.findall(capsys.readouterr().out)
    shown = LINE.findall(PAGE.read_text(encoding="utf-8"))
    assert [month for month, *_ in printed] == list("123456")
    kept = [int(low) <= int(found) <= int(high) for _, low, high, found, *_ in printed]
    assert kept == [False] + 5 * [True]
    for one, other in zip(printed, shown, strict=True):
        for value, written in zip(map(float, one), map(float, other), strict=True):
            assert abs(value - written) <= (0.03 if value < 1 else 3)  # products of matrices round by processor
        *_, recall, least, most = map(float, one)
        assert least <= recall <= most
