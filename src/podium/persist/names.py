"""Names of types in model files: public ones, so that moving a class from one file to another breaks no model.

A class of podium is called ``podium.<package>.<Class>`` in a file, wherever in the package it is defined. Classes that
a package exports are found by that name; the others that models are made of are listed here.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from importlib import import_module
from typing import Any

# Packages whose exported classes may be in a model.
_PACKAGES = ("phi", "kernels", "criteria", "models", "solvers", "inference", "rankers", "selection", "tables")
# Parts of models that no package exports: name in files, and where the class is.
_PARTS = {
    "podium.rankers.Columns": "podium.rankers.lines.columns.Columns",
    "podium.rankers.NormalScores": "podium.rankers.lines.columns.NormalScores",
    "podium.rankers.RankingTree": "podium.rankers.treerank.cells.RankingTree",
    "podium.rankers.Bins": "podium.rankers.treerank.bins.Bins",
    "podium.rankers.LightgbmTrees": "podium.rankers.trees.lightgbm_backend.LightgbmTrees",
    "podium.rankers.XgboostTrees": "podium.rankers.trees.xgboost_backend.XgboostTrees",
    "podium.rankers.KernelLogistic": "podium.rankers.stack.kernel_logistic.KernelLogistic",
    "podium.rankers.SmallNetwork": "podium.rankers.stack.small_network.SmallNetwork",
    "podium.rankers.NormalScale": "podium.rankers.stack.scale.NormalScale",
    "podium.rankers.PlattScale": "podium.rankers.stack.scale.PlattScale",
    "podium.tables.DateColumn": "podium.tables.columns.date.DateColumn",
    "podium.tables.DateFormat": "podium.tables.formats.date.DateFormat",
    "podium.tables.GapColumn": "podium.tables.columns.date.GapColumn",
    "podium.tables.NumberFormat": "podium.tables.formats.number.NumberFormat",
    "podium.tables.TextFormat": "podium.tables.formats.text.TextFormat",
    "podium.tables.TruthFormat": "podium.tables.formats.text.TruthFormat",
    "podium.tables.WordsColumn": "podium.tables.columns.words.WordsColumn",
    "podium.tables.NumberColumn": "podium.tables.columns.number.NumberColumn",
    "podium.tables.TextColumn": "podium.tables.columns.text.TextColumn",
}
# Types of other packages that are data, beyond those that skops itself trusts.
_OTHERS = frozenset(
    {
        "collections.OrderedDict",
        "numpy.dtype",
        "lightgbm.basic.Booster",
        "lightgbm.sklearn.LGBMClassifier",
        "xgboost.core.Booster",
        "xgboost.sklearn.XGBClassifier",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
        "sklearn.tree._tree.Tree",
    }
)
_SCHEMA = "schema.json"  # of a skops archive


def to_public(archive: bytes) -> bytes:
    """The archive with public names in place of those of files of this package."""
    return _renamed(archive, _public)


def to_homes(archive: bytes) -> tuple[bytes, set[str]]:
    """The archive with the names that Python finds today, and which of its types are known to be data."""
    known = set(_OTHERS)

    def home(name: str) -> str:
        place = _home(name)
        if place is None:
            return name
        known.add(place)
        return place

    return _renamed(archive, home), known


def _public(name: str) -> str:
    package = name.split(".")[1]
    public = f"podium.{package}.{name.rpartition('.')[2]}"
    return public if _home(public) == name else name


def _home(public: str) -> str | None:
    """Where the class of a public name is; None if it is no class that a model may hold."""
    if public in _PARTS:
        return _PARTS[public]
    _, package, *rest = public.split(".")
    if package not in _PACKAGES or len(rest) != 1:
        return None
    module = import_module(f"podium.{package}")
    found = getattr(module, rest[0]) if rest[0] in getattr(module, "__all__", ()) else None
    return f"{found.__module__}.{found.__qualname__}" if isinstance(found, type) else None


def _renamed(archive: bytes, rename: Callable[[str], str]) -> bytes:
    """A copy in which the types of this package have other names."""
    copy = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(copy, "w") as new:
        for item in old.infolist():
            content = old.read(item)
            if item.filename == _SCHEMA:
                content = json.dumps(_walked(json.loads(content), rename), indent=2).encode()
            new.writestr(item, content)
    return copy.getvalue()


def _walked(node: Any, rename: Callable[[str], str]) -> Any:
    if isinstance(node, list):
        return [_walked(item, rename) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: _walked(item, rename) for key, item in node.items()}
    module = node.get("__module__")
    if isinstance(module, str) and module.partition(".")[0] == "podium" and "__class__" in node:
        node["__module__"], _, node["__class__"] = rename(f"{module}.{node['__class__']}").rpartition(".")
    return node
