"""Packages whose names are loaded when they are first asked for: a command waits only for what it needs."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from podium import _optional


def load_on_first_use(package: str, *needed: str) -> None:
    """Give a package the names that its ``__init__.py`` imports for type checkers (``if TYPE_CHECKING``).

    Where a ``needed`` package is absent, it can still be imported, and says so when a name is asked for.
    """
    module = sys.modules[package]
    module.__class__ = _Package
    source = ast.parse(Path(str(module.__file__)).read_bytes())
    imports = [node for block in source.body if isinstance(block, ast.If) for node in block.body]
    vars(module).update(
        _needed=needed,
        _homes={
            alias.name: (f"{package}.{alias.name}", None) if node.module == package else (node.module, alias.name)
            for node in imports
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        },
    )


class _Package(ModuleType):
    _homes: dict[str, tuple[str, str | None]]  # of every name, its module and its name there; None for a module
    _needed: tuple[str, ...]

    def __getattr__(self, name: str) -> Any:
        absent = AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if name.startswith("__"):  # what Python itself looks for
            raise absent
        _optional.require(self.__name__, *self._needed)
        if name not in self._homes:
            raise absent
        home, attribute = self._homes[name]
        found = import_module(home)
        setattr(self, name, found if attribute is None else getattr(found, attribute))
        return vars(self)[name]

    def __setattr__(self, name: str, value: Any) -> None:
        # Loading a submodule binds its name; a function of the same name stays in front of it.
        if isinstance(value, ModuleType) and self._homes.get(name) == (value.__name__, name):
            value = getattr(value, name)
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._homes})
