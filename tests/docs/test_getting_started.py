"""A newcomer's path: the commands of the page, copied one by one into an empty folder."""

import json
import re
import subprocess
import tomllib
from html import unescape

import pytest

from docs.pages import DOCS, ROOT, first_steps

for package in ("typer", "lightgbm", "matplotlib", "jinja2", "pyarrow"):
    pytest.importorskip(package)


def test_every_command_of_the_page_runs_in_an_empty_folder(tmp_path, monkeypatch, podium):
    monkeypatch.chdir(tmp_path)
    printed = {}
    for kind, words in first_steps():
        if kind == "python":
            exec(compile(words[0], "getting_started.rst", "exec"), {})
        elif words[0] == "podium":
            run = podium(*words[1:])
            assert run.code == 0, f"{words}: {run.err}"
            printed[words[1]] = run.out
        else:
            subprocess.run(words, check=True)
    assert "Among the top 100 of 6,000 expect" in (tmp_path / "loans" / "report.md").read_text(encoding="utf-8")
    assert (tmp_path / "report.html").stat().st_size > 50_000
    assert len((tmp_path / "first_100.csv").read_text(encoding="utf-8").splitlines()) == 101
    assert len((tmp_path / "first_50.csv").read_text(encoding="utf-8").splitlines()) == 51
    assert (tmp_path / "first_100.html").is_file()
    _shows_its_command_and_report(printed["demo"], tmp_path / "loans")


def _shows_its_command_and_report(printed, folder):
    files = {"loans.csv", "metrics.json", "model.podium", "report.html", "report.md", "scores.csv"}
    assert files <= {path.name for path in folder.iterdir()}
    assert f"Open {folder / 'report.html'} in a browser." in printed
    command = printed.splitlines()[0].split()
    assert command[:2] == ["podium", "fit"]
    assert command[command.index("--time-limit") + 1] == "20"  # what the demo sets is not kept from its reader
    assert " ".join(command) in unescape(re.sub("<[^>]*>", "", (folder / "report.html").read_text(encoding="utf-8")))


def test_the_extras_of_the_page_exist_and_are_those_with_which_distributions_are_checked():
    """`make dist-check` installs what is built in an empty environment, and takes the same steps there."""
    page = (DOCS / "getting_started.rst").read_text(encoding="utf-8")
    [named] = re.findall(r"pip install '\./podium\[([\w,]+)\]'", page)
    [checked] = re.findall(r'"\$\$file\[([\w,]+)\]"', (ROOT / "Makefile").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(named.split(",")) <= set(checked.split(",")) <= set(project["optional-dependencies"])


def test_the_notebook_runs_from_the_first_cell_to_the_last(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names = {}
    for cell in json.loads((DOCS / "first_list.ipynb").read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "first_list.ipynb", "exec"), names)
            assert cell["outputs"] == []  # nothing stored that could be out of date
    assert names["held_out"]["rank"].is_monotonic_increasing
