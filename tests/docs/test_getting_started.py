"""A newcomer's path: the commands of the page, copied one by one into an empty folder."""

import json
import shlex
import subprocess

import pytest

from docs.pages import DOCS, blocks

for package in ("typer", "lightgbm", "matplotlib", "jinja2", "pyarrow"):
    pytest.importorskip(package)
INSTALL = ("python -m venv", ". .venv", "pip install")  # `make dist-check` installs what is built


def execute(line, podium):
    if line.startswith("podium "):
        run = podium(*shlex.split(line)[1:])
        assert run.code == 0, f"{line}: {run.err}"
    elif not line.startswith(INSTALL):
        subprocess.run(shlex.split(line), check=True)


def test_every_command_of_the_page_runs_in_an_empty_folder(tmp_path, monkeypatch, podium):
    monkeypatch.chdir(tmp_path)
    for kind, text in blocks(DOCS / "getting_started.rst"):
        if kind == "python":
            exec(compile(text, "getting_started.rst", "exec"), {})
        for line in text.splitlines() if kind == "console" else ():
            execute(line, podium)
    assert "Among the top 100 of 6,000 expect" in (tmp_path / "loans" / "report.md").read_text(encoding="utf-8")
    assert (tmp_path / "report.html").stat().st_size > 50_000
    assert len((tmp_path / "first_100.csv").read_text(encoding="utf-8").splitlines()) == 101
    assert len((tmp_path / "first_50.csv").read_text(encoding="utf-8").splitlines()) == 51
    assert (tmp_path / "first_100.html").is_file()


def test_the_notebook_runs_from_the_first_cell_to_the_last(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names = {}
    for cell in json.loads((DOCS / "first_list.ipynb").read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "first_list.ipynb", "exec"), names)
            assert cell["outputs"] == []  # nothing stored that could be out of date
    assert names["held_out"]["rank"].is_monotonic_increasing
