"""Settings shared by all tests, and the command line as a fixture."""

from importlib.util import find_spec
from typing import NamedTuple

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("contracts")

# Compilation makes a first example slow; the examples are the same in every run.
settings.register_profile("podium", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("podium")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    """Skip what fails for want of a package, where it is not installed; with all of them nothing is skipped."""
    try:
        return (yield)
    except Exception as error:
        cause = error
        while cause is not None:
            if (
                isinstance(cause, ModuleNotFoundError)
                and cause.name
                and find_spec(cause.name.partition(".")[0]) is None
            ):
                pytest.skip(f"needs {cause.name}")
            cause = cause.__cause__ or cause.__context__
        raise


class Run(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def podium(capsys, monkeypatch):
    """A call such as podium("fit", path, "--label", "y") gives exit code, standard output and standard error."""
    from podium.cli import main

    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments) -> Run:
        capsys.readouterr()
        with pytest.raises(SystemExit) as leaving:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Run(leaving.value.code or 0, printed.out, printed.err)

    return run
