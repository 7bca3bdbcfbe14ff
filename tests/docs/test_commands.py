"""Commands shown on the pages and in the readme run as they are written, in a folder that has the tables they name."""

import re
import shlex
from io import StringIO

import pytest

from docs.pages import PAGES, ROOT, blocks

pandas = pytest.importorskip("pandas")
for package in ("typer", "lightgbm", "matplotlib", "jinja2", "pyarrow", "openpyxl"):
    pytest.importorskip(package)

from podium.workflow.demo_table import demo_csv  # noqa: E402

README = ROOT / "README.md"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Loans with the day on which they were applied for, new ones without a label, a later batch, and two scores."""
    loans = pandas.read_csv(StringIO(demo_csv(3000)))
    loans["applied"] = pandas.date_range("2024-01-01", periods=len(loans), freq="8h").strftime("%Y-%m-%d")
    loans.to_csv(tmp_path / "loans.csv", index=False)
    loans[:300].drop(columns="defaulted").to_csv(tmp_path / "new_loans.csv", index=False)
    loans[-300:].to_csv(tmp_path / "loans_of_march.csv", index=False)
    payments = loans.rename(columns={"applied": "paid"}).assign(is_fraud=(loans["defaulted"] == "yes").astype(int))
    payments["paid"] = pandas.date_range("2024-01-01", periods=len(loans), freq="20min").astype(str)
    payments.assign(card=loans.index % 500).drop(columns="defaulted").to_csv(tmp_path / "payments.csv", index=False)
    both = {"late": (loans["defaulted"] == "yes").astype(int), "old": loans["amount"], "new": -loans["amount"]}
    pandas.DataFrame(both).to_csv(tmp_path / "both.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def folders_of_files(folder):
    """The tables of the guide on scale: scores, labeled loans and new ones, each in two files."""
    loans = pandas.read_csv(folder / "loans.csv").drop(columns="applied")
    loans["late"] = (loans.pop("defaulted") == "yes").astype(int)
    loans["score"] = loans["amount"]
    for name, columns in (("scores", ["late", "score"]), ("loans", [*loans]), ("new", [*loans.columns.drop("late")])):
        (folder / name).mkdir()
        for part in range(2):
            loans[part::2][columns].to_csv(folder / name / f"{part}.csv", index=False)


def commands(path):
    if path == README:
        fences = re.findall(r"^```console\n(.*?)^```$", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        return [line for text in fences for line in text.splitlines()]
    return [line for kind, text in blocks(path) if kind == "console" for line in text.splitlines()]


# The newcomer's path has a folder of its own; the guide on scale has folders of files.
WITH_COMMANDS = [path for path in (README, *PAGES) if commands(path) and path.stem != "getting_started"]


def run(line, podium):
    # A line is as good a model as any here, and takes a second; a cluster of this machine stands for another.
    quick = ("--model", "linear") if line.startswith("podium fit") else ()
    forced = ("--force",) if "--out" in line and "reproduce" not in line else ()
    ran = podium(*shlex.split(line.replace("tcp://scheduler:8786", "local"))[1:], *quick, *forced)
    assert ran.code == 0, f"{line}: {ran.err}"


@pytest.mark.parametrize("path", WITH_COMMANDS, ids=lambda path: path.stem)
def test_every_command_of_a_page_runs(path, folder, podium, request):
    if path.stem == "guide_scale":
        pytest.importorskip("dask")
        request.getfixturevalue("folders_of_files")
    for line in commands(path):
        if line.startswith("podium "):
            run(line, podium)
        else:
            assert re.match(r"make (\S+)", line)[1] in targets(), line


def targets():
    return re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_readme_says_in_python_what_its_commands_do(folder):
    codes = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    [code] = [each for each in codes if "workflow.fit" in each]
    exec(compile(code.replace("budget=100", 'budget=100, model="linear"'), "README.md", "exec"), {})
    assert (folder / "report.html").is_file()
