"""Podium: bipartite ranking. Learn a score, emphasize the top, measure it, and know how far to trust it."""

from importlib import import_module
from typing import Any

from podium.exceptions import DegenerateSampleError, InputError, InputTypeError, MissingPackageError

__version__ = "0.1.0"

# Where the classes are that are loaded on first use; the other names are modules. Editors read `__init__.pyi` instead.
_HOMES = {
    "AutoRanker": "selection",
    "BoostedRanker": "rankers",
    "CriterionRanker": "rankers",
    "ForestRanker": "rankers",
    "GradientBoostedRanker": "rankers",
    "LinearRanker": "rankers",
    "NeuralRanker": "neural",  # not in `__all__`: without torch, ``from podium import *`` would fail
    "Objective": "objective",
    "QuadraticRanker": "rankers",
    "StackedRanker": "rankers",
    "TreeRanker": "rankers",
    "cite": "citations",
}

__all__ = [
    "AutoRanker",
    "BoostedRanker",
    "CriterionRanker",
    "DegenerateSampleError",
    "ForestRanker",
    "GradientBoostedRanker",
    "InputError",
    "InputTypeError",
    "LinearRanker",
    "MissingPackageError",
    "Objective",
    "QuadraticRanker",
    "StackedRanker",
    "TreeRanker",
    "boosting",
    "bounds",
    "cite",
    "criteria",
    "datasets",
    "experiments",
    "inference",
    "kernels",
    "labels",
    "metrics",
    "models",
    "monitor",
    "neural",
    "persist",
    "phi",
    "plots",
    "rankers",
    "ranks",
    "report",
    "roc",
    "rounds",
    "selection",
    "shortlist",
    "solvers",
    "tables",
    "workflow",
]


def __getattr__(name: str) -> Any:
    """Load on first use: compiled loops and scikit-learn take their time, which ``podium --help`` need not wait for."""
    if name in _HOMES:
        globals()[name] = found = getattr(import_module(f"podium.{_HOMES[name]}"), name)  # looked up once
        return found
    if name in __all__:
        return import_module(f"podium.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
