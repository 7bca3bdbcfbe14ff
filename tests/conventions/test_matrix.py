"""Every convention × every public estimator: it holds, or it is a difference with a reason."""

import inspect
from pathlib import Path

import pytest
from sklearn.exceptions import ConvergenceWarning

from conventions.differences import DIFFERENCES
from conventions.estimators import ESTIMATORS, Case
from conventions.matrix import CONVENTIONS
from conventions.page import page


def marks(place, *cell):
    """All rankers open one door: every third pair tells in each run, the others once a week."""
    if cell in DIFFERENCES:
        return [pytest.mark.xfail(reason=DIFFERENCES[cell], strict=True)]
    return [pytest.mark.slow] if place % 3 else []


CELLS = [
    pytest.param(name, each, marks=marks(i + j, name, each))
    for i, name in enumerate(CONVENTIONS)
    for j, each in enumerate(ESTIMATORS)
]


@pytest.mark.parametrize(("convention", "estimator"), CELLS)
def test_a_convention_is_kept(convention, estimator, tmp_path, recwarn):
    check = CONVENTIONS[convention]
    check(Case(estimator), *([tmp_path] if "tmp_path" in inspect.signature(check).parameters else []))
    assert all(issubclass(each.category, ConvergenceWarning) for each in recwarn)


def test_there_are_enough_conventions_and_every_difference_is_about_one():
    assert len(CONVENTIONS) >= 72
    assert {name for name, _ in DIFFERENCES} <= set(CONVENTIONS)


def test_the_page_is_that_of_the_matrix():
    assert (Path(__file__).parents[2] / "docs/conventions.rst").read_text(encoding="utf-8") == page()
