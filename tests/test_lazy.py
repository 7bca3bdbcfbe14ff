"""Packages that load their names when they are asked for."""

import ast
import graphlib
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import podium
from podium import workflow
from podium.exceptions import MissingPackageError

SOURCE = Path(podium.__file__).parent
LAZY = sorted(
    ".".join(("podium", *init.parent.relative_to(SOURCE).parts))
    for init in SOURCE.rglob("__init__.py")
    if "load_on_first_use(" in init.read_text()
)


@pytest.mark.parametrize("name", LAZY)
def test_every_public_name_is_there_and_known_to_type_checkers(name):
    package = importlib.import_module(name)
    block = next(node for node in ast.parse(Path(package.__file__).read_text()).body if isinstance(node, ast.If))
    imported = {alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    outside = {
        alias.name
        for node in ast.parse(Path(package.__file__).read_text()).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    not_by_star = {"NeuralRanker"} if name == "podium" else set()  # without torch, ``import *`` would fail
    assert imported - not_by_star <= set(package.__all__) <= imported | outside
    assert set(package.__all__) <= set(dir(package))
    for each in package.__all__:
        assert getattr(package, each) is getattr(package, each)


def imports(body):
    """Imports that happen when a module is loaded: not those for type checkers, nor those of functions."""
    for node in body:
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Try | ast.With):
            yield from imports(node.body)


def loaded_with(modules, name):
    """The modules that one waits for; names of a lazy package are those of the module that has them."""
    for source, imported in imports(modules[name].body):
        lazy = next((block for block in modules.get(source, ast.Module([])).body if isinstance(block, ast.If)), None)
        homes = {n: home for home, n in imports(lazy.body)} if lazy else {}
        submodule = f"{source}.{imported}"
        yield homes.get(imported, submodule if submodule in modules else source)


def test_no_module_waits_for_itself():
    modules = {
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__"): ast.parse(
            path.read_text()
        )
        for path in SOURCE.rglob("*.py")
    }
    graph = {name: {m for m in loaded_with(modules, name) if m in modules} for name in modules}
    assert "podium.rankers.treerank.tree" in graph["podium.plots.trees"]  # by the lazy podium.rankers
    graphlib.TopologicalSorter(graph).prepare()  # an error names the modules of a cycle


def test_a_function_stays_in_front_of_the_module_of_its_name():
    code = (
        "import podium.workflow.fit, podium.workflow\n"
        "from podium.workflow import fit\n"
        "assert callable(fit) and fit is podium.workflow.fit and podium.workflow.score is not None\n"
        "import podium.workflow.score\n"
        "assert callable(podium.workflow.score)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_not_there_is_an_error_of_python():
    for package in (podium, workflow):
        with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
            package.nonsense  # noqa: B018


def test_a_package_without_its_libraries_is_imported_and_says_so_when_used(monkeypatch):
    monkeypatch.setattr("podium._optional.is_installed", lambda *packages: packages != ("jinja2",))
    monkeypatch.delitem(vars(workflow), "plan", raising=False)
    with pytest.raises(MissingPackageError, match=r"podium.workflow needs the package jinja2"):
        workflow.plan  # noqa: B018
