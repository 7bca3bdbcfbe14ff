"""Podium: bipartite ranking. Learn a score, emphasise the top, measure it, and know how far to trust it."""

from importlib import import_module
from typing import Any

from podium import metrics, phi, ranks, roc
from podium.exceptions import DegenerateSampleError, InputError, InputTypeError

__version__ = "0.1.0.dev0"

# Loaded on first use: rankers need scikit-learn, which loads pandas where it is installed.
_RANKERS = (
    "BoostedRanker",
    "CriterionRanker",
    "GradientBoostedRanker",
    "LinearRanker",
    "QuadraticRanker",
    "StackedRanker",
)
_MODULES = (
    "bounds",
    "criteria",
    "datasets",
    "experiments",
    "inference",
    "kernels",
    "models",
    "persist",
    "plots",
    "rankers",
    "report",
    "selection",
    "solvers",
    "tables",
)

__all__ = [
    "DegenerateSampleError",
    "InputError",
    "InputTypeError",
    "metrics",
    "phi",
    "ranks",
    "roc",
    "Objective",
    *_MODULES,
    *_RANKERS,
]


def __getattr__(name: str) -> Any:
    if name in _RANKERS:
        return getattr(import_module("podium.rankers"), name)
    if name == "Objective":
        return import_module("podium.objective").Objective
    if name in _MODULES:
        return import_module(f"podium.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), "Objective", *_RANKERS, *_MODULES])
