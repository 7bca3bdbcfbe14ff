"""Code within sentences and tables: what it names exists and takes the arguments it is given, and commands exist."""

import ast
import inspect
import re
from functools import reduce

import numpy as np
import pytest

import podium
from docs.pages import DOCS, PAGES, ROOT, each
from podium.cli.commands import SUMMARIES

TEXTS = [*PAGES, ROOT / "README.md", DOCS / "llms.txt"]
# Files and a function of R, and variables of examples, that are called like one of our modules.
OTHERS = r".*\.(?:py|json|md|html)|roc\.test|report\.(?:save|markdown|summary)|selection\.\w+_"
COMING_FROM = [page for page in PAGES if page.stem.startswith("coming_from_")]


def literals(page):
    marks = r"``(.+?)``" if page.suffix == ".rst" else r"(?<!`)`([^`]+?)`(?!`)"
    return [" ".join(each.split()) for each in re.findall(marks, page.read_text(encoding="utf-8"), re.DOTALL)]


def dotted(node):
    """The name of a node such as inference.interval, or None."""
    match node:
        case ast.Name(name):
            return name
        case ast.Attribute(value, name) if (above := dotted(value)) is not None:
            return f"{above}.{name}"
    return None


def ours(name):
    """What a name means if it is one of Podium's, such as inference.interval or LinearRanker; else None."""
    parts = name.removeprefix("podium.").split(".")
    if parts[0] not in podium.__all__ or re.fullmatch(OTHERS, ".".join(parts)):
        return None
    return reduce(getattr, parts, podium)


def parsed(literal):
    """The code of a literal, with the dots for what is left out as an argument; None if it is no Python."""
    code = re.sub(r"(\w+)=(?=[,)]|$)", r"\1=None", literal.replace("…", "..."))
    try:
        return ast.parse(code)
    except SyntaxError:
        return None


def names_and_calls(literal):
    """The names of Podium in a literal as (what it means, the arguments it is given by name)."""
    tree = parsed(literal)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Attribute | ast.Name) and (member := ours(dotted(node) or "")) is not None:
            yield member, set()
        if isinstance(node, ast.Call) and (member := ours(dotted(node.func) or "")) is not None:
            yield member, {key.arg for key in node.keywords}


@each(TEXTS)
def test_names_and_arguments_in_sentences_exist(page):
    for literal in literals(page):
        for member, arguments in names_and_calls(literal):
            assert not arguments or arguments <= set(inspect.signature(member).parameters), literal


def test_a_name_or_an_argument_that_does_not_exist_is_noticed():
    with pytest.raises(AttributeError, match="quantity"):
        list(names_and_calls("inference.quantity(y, s)"))
    called = [arguments for _, arguments in names_and_calls('inference.interval(y, s, how="delong")')]
    assert {"how"} in called
    assert "how" not in inspect.signature(podium.inference.interval).parameters


@each(TEXTS)
def test_commands_in_sentences_exist(page):
    for literal in literals(page):
        if command := re.match(r"podium ([a-z]\w*)", literal):
            assert command[1] in SUMMARIES, literal


def written_here(page):
    """The literals in the second column of the tables that say what to write there and here."""
    cells = re.findall(
        r"^   \* - .*?\n     - (.*?)(?=^   \* -|^     - |^\S)", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    return [" ".join(each.split()) for cell in cells for each in re.findall(r"``(.+?)``", cell, re.DOTALL)]


@pytest.fixture(scope="module")
def rows():
    """What the tables call by few letters: labels, scores, probabilities, thresholds, a table and a model of it."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    y, y_b = np.arange(200) % 3 == 0, np.arange(200) % 4 == 0
    names = {"y": y, "y_b": y_b, "t": [0.5], "y_cal": y}
    names |= {name: rng.normal(size=200) + y for name in ("s", "a", "b", "s_cal", "s_new")}
    names["p"] = 1 / (1 + np.exp(-names["s"]))
    names["curve"] = podium.inference.decision_curve(y, names["p"])
    names["df"] = pandas.DataFrame({"y": y.astype(int), "s": names["s"], "a": names["a"]})
    names["new"] = names["df"].drop(columns="y")
    names["result"] = podium.workflow.fit(names["df"], label="y", model="linear")
    return names


@pytest.mark.parametrize("page", COMING_FROM, ids=lambda page: page.stem)
def test_what_to_write_here_runs(page, rows, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    names = {
        name: getattr(podium, name)
        for name in podium.__all__
        if name != "neural" or "neural." in page.read_text("utf-8")
    }
    ran = 0
    for literal in written_here(page):
        tree = parsed(literal.replace('label="y"', 'label="y", model="linear"'))  # as good as any here, and quick
        if tree is not None and "…" not in literal and any(True for _ in names_and_calls(literal)):
            exec(compile(tree, literal, "exec"), names | rows | {"params": {}})
            ran += 1
    assert ran > 1
