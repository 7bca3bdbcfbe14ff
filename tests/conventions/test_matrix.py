"""Every convention × every public estimator: it holds, or it is a difference with a reason."""

import inspect
from pathlib import Path

import pytest
from sklearn.exceptions import ConvergenceWarning

from conventions.differences import DIFFERENCES
from conventions.estimators import ESTIMATORS, Case
from conventions.matrix import CONVENTIONS
from conventions.page import page


def marks(*cell):
    return [pytest.mark.xfail(reason=DIFFERENCES[cell], strict=True)] if cell in DIFFERENCES else []


CELLS = [pytest.param(name, each, marks=marks(name, each)) for name in CONVENTIONS for each in ESTIMATORS]


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
