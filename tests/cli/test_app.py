"""The command itself: quick to ask, readable in any window, and in words of its own."""

import re
import subprocess
import sys

import pytest

from podium import __version__, workflow
from podium.cli.commands import SUMMARIES
from podium.exceptions import InputError

SLOW = ["numba", "scipy", "sklearn", "pandas", "pyarrow", "matplotlib", "podium.workflow"]


def loaded_by(*arguments, modules):
    code = (
        "import sys\nfrom podium.cli import main\n"
        f"try:\n    main({list(arguments)})\nexcept SystemExit as ended:\n    assert not ended.code\n"
        f"print([name for name in {modules} if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.splitlines()[-1]


def test_help_loads_nothing_that_takes_time():
    assert loaded_by("--help", modules=SLOW) == "[]"


@pytest.mark.parametrize("name", ["evaluate", "fit", "reproduce", "score"])
def test_help_of_a_command_does_not_wait_for_its_libraries(name):
    assert loaded_by(name, "--help", modules=["numba", "scipy.stats", "sklearn", "pandas", "pyarrow"]) == "[]"


@pytest.mark.parametrize("command", [["evaluate", "--score", "a"], ["compare", "--score", "a", "--score", "b"]])
def test_judging_scores_does_not_wait_for_scikit_learn(command, tmp_path):
    table = tmp_path / "scores.csv"
    table.write_text("y,a,b\n" + "1,3,4\n0,1,5\n1,2,1\n0,0,2\n" * 30)
    name, *options = command
    loaded = loaded_by(name, str(table), "--label", "y", *options, modules=["scipy.stats", "sklearn", "torch"])
    assert loaded == "[]"


def test_the_version_is_printed(podium):
    run = podium("--version")
    assert (run.code, run.out.strip()) == (0, f"podium {__version__}")


def test_the_package_runs_as_the_command():
    run = subprocess.run([sys.executable, "-m", "podium", "--version"], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == f"podium {__version__}"


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_command_is_listed_and_shows_an_example(name, podium):
    listing = " ".join(podium("--help").out.split())
    assert SUMMARIES[name] in listing
    run = podium(name, "--help")
    assert (run.code, f"podium {name}" in run.out) == (0, True)
    assert SUMMARIES[name].split(":")[0] in " ".join(run.out.split())


def test_a_command_that_is_none_gets_a_sentence(podium):
    run = podium("fitt")
    assert (run.code, "No such command 'fitt'" in run.err) == (2, True)


def test_the_list_of_bounds_is_readable_at_80_columns(podium):
    lines = podium("bound").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "auc_deviation" in lines  # a name that can be copied stands whole, by itself


PYTHON = re.compile(
    r"pos_label|y_true|astype|None\b|\bdict\b|DataFrame|random_state|argument '|\w+=None|\bFalse\b|\bTrue\b|self"
)


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "none.csv", "--label", "y"),
        ("fit", "t.csv", "--label", "yy"),
        ("fit", "t.csv", "--label", "word"),
        ("fit", "t.csv", "--label", "y", "--budget", "0"),
        ("fit", "t.csv", "--label", "y", "--holdout", "2"),
        ("fit", "t.csv", "--label", "y", "--criterion", "best", "--model", "linear"),
        ("fit", "t.csv", "--label", "y", "--phi", "power"),
        ("fit", "t.csv", "--label", "y", "--positive", "7"),
        ("evaluate", "t.csv", "--label", "y", "--score", "word"),
        ("evaluate", "t.csv", "--label", "y", "--score", "x", "--phi", "none"),
        ("evaluate", "t.csv", "--label", "y", "--score", "x", "--budget", "99"),
        ("compare", "t.csv", "--label", "y", "--score", "x"),
        ("test", "t.csv", "--label", "y", "--column", "x", "--alternative", "more"),
        ("bound", "auc_deviation", "n_pos=3"),
        ("bound", "auc_deviation", "150"),
        ("score", "t.csv", "t.csv"),
    ],
)
def test_no_hint_speaks_python(arguments, podium, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i % 7},{'abc'[i % 3]},{i % 2}\n" for i in range(40))
    (tmp_path / "t.csv").write_text("x,word,y\n" + rows)
    run = podium(*arguments)
    assert run.code == 2
    assert not PYTHON.search(run.err), run.err


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ("fit t.csv --target y", "--label names the column"),
        ("evaluate t.csv --y=y --score x", "--label names the column"),
        ("fit t.csv", "for instance --label defaulted"),
        ("fit t.csv --label y --budget 10%", "--fraction 0.1 is a share of the list"),
        ("fit t.csv --label y --budget=0.05", "--fraction 0.05 is a share of the list"),
        ("fit t.csv --label y --budget 0", "you can inspect, at least one"),
        ("fit t.csv --label y --holdout 25%", "--holdout 0.25"),
        ("fit t.csv --label y --label_delay 3", "did you mean --label-delay?"),
        ("fit t.csv --label y --every day", "--time names that column"),
        ("fit t.csv --label word", "--positive names the values"),
        ("compare t.csv --label y --score x", "name each of them with --score"),
    ],
)
def test_a_newcomer_is_led_to_the_option(arguments, hint, podium, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i % 7},{'abc'[i % 3]},{i % 2}\n" for i in range(40))
    (tmp_path / "t.csv").write_text("x,word,y\n" + rows)
    run = podium(*arguments.split())
    assert run.code == 2
    assert hint in run.err


def test_the_library_speaks_of_arguments_where_the_command_speaks_of_options(podium, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"{i % 7},{i % 3}\n" for i in range(40)))
    with pytest.raises(InputError, match="the argument positive names the values"):
        workflow.evaluate(str(path), label="y", score="x")
    assert "--positive names the values" in podium("evaluate", path, "--label", "y", "--score", "x").err


@pytest.mark.parametrize("sign", [1, -1])
def test_scores_that_rank_upside_down_are_told(sign, podium, tmp_path):
    rows = "".join(f"{sign * (i % 10)},{int(i % 10 > 4 + i % 3)}\n" for i in range(200))
    (tmp_path / "t.csv").write_text("s,y\n" + rows)
    run = podium("evaluate", tmp_path / "t.csv", "--label", "y", "--score", "s")
    assert run.code == 0
    assert ("rank upside down" in run.err) == (sign == -1)
