"""Contracts: what everything that a package exports has to keep, as plain functions of one instance.

Each module of this folder is about one kind of thing. Its ``cases()`` are found from the ``__all__`` of the package;
every other public function in it is a contract, and fails where an instance does not keep it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from contracts import bounds, criteria, displays, kernels, models, phi, rankers, solvers

KINDS: tuple[ModuleType, ...] = (phi, kernels, criteria, models, solvers, rankers, bounds, displays)


def contracts_of(kind: ModuleType) -> list[Callable[[Any], None]]:
    """The contracts of one kind of thing."""
    functions = [f for _, f in inspect.getmembers(kind, inspect.isfunction) if f.__module__ == kind.__name__]
    return [f for f in functions if not f.__name__.startswith("_") and f.__name__ != "cases"]
