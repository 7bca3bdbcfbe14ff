"""Commands shown on the pages run as they are written, in a folder that has the tables they name."""

import shlex
from io import StringIO

import pytest

from docs.pages import DOCS, blocks

pandas = pytest.importorskip("pandas")
for package in ("typer", "lightgbm", "matplotlib", "jinja2", "pyarrow", "openpyxl"):
    pytest.importorskip(package)

from podium.workflow.demo_table import demo_csv  # noqa: E402


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Loans with the day on which they were applied for, new ones without a label, and a later batch."""
    loans = pandas.read_csv(StringIO(demo_csv(3000)))
    loans["applied"] = pandas.date_range("2024-01-01", periods=len(loans), freq="8h").strftime("%Y-%m-%d")
    loans.to_csv(tmp_path / "loans.csv", index=False)
    loans[:300].drop(columns="defaulted").to_csv(tmp_path / "new_loans.csv", index=False)
    loans[-300:].to_csv(tmp_path / "loans_of_march.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", ["index", "how_to_choose", "command_line"])
def test_every_command_of_a_page_runs(page, folder, podium):
    lines = [line for kind, text in blocks(DOCS / f"{page}.rst") if kind == "console" for line in text.splitlines()]
    assert lines
    for line in lines:
        # A line is as good a model as any here, and takes a second.
        quick = ("--model", "linear") if line.startswith("podium fit") else ()
        forced = ("--force",) if "--out" in line and "reproduce" not in line else ()
        run = podium(*shlex.split(line)[1:], *quick, *forced)
        assert run.code == 0, f"{line}: {run.err}"
