"""Settings shared by all tests, and the command line as a fixture."""

from typing import NamedTuple

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("contracts")

# Compilation makes a first example slow; the examples are the same in every run.
settings.register_profile("podium", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("podium")


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
