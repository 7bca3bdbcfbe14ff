"""Packages that only an extra brings: asked for in one way, and one sentence where they are absent."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from podium.exceptions import MissingPackageError

# The extra of podium that brings each package.
_EXTRAS = {
    "pandas": "tables",
    "pyarrow": "tables",
    "openpyxl": "excel",
    "matplotlib": "plot",
    "jinja2": "report",
    "lightgbm": "trees",
    "xgboost": "xgboost",
    "onnx": "onnx",
    "torch": "torch",
    "dask": "dask",
    "distributed": "dask",
    "typer": "cli",
    "rich": "cli",
}


def load(module: str, user: str) -> Any:
    """A module of an optional package for the ``user`` named, such as ``"podium.plots"``."""
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ImportError as error:
        raise _missing(package, user) from error
    except OSError as error:
        if "libomp" not in str(error):
            raise
        raise MissingPackageError(
            f"{user} needs the package {package}, which needs OpenMP.", "on macOS, brew install libomp."
        ) from error


def require(user: str, *packages: str) -> None:
    """Refuse before any work what would fail later for want of a package."""
    for package in packages:
        if not is_installed(package):
            raise _missing(package, user)


def is_installed(*packages: str) -> bool:
    """Whether all of them can be found; nothing is loaded."""
    try:
        return all(find_spec(package) is not None for package in packages)
    except ImportError:
        return False


def _missing(package: str, user: str) -> MissingPackageError:
    return MissingPackageError(
        f"{user} needs the package {package}, which is not installed.", f"pip install 'podium[{_EXTRAS[package]}]'"
    )
