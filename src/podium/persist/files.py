"""Model files: one object, written so that reading it runs no code.

A file is a line ``podium model 1 <sha256>`` and then a skops archive: data and the names of types, never instructions.
Only types of this package, of scikit-learn and of the tree libraries are brought to life again.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

from podium import __version__, _optional
from podium.exceptions import InputError

_MAGIC = b"podium model 1 "
_HEAD = len(_MAGIC) + 64 + 1
_TRUSTED = re.compile(
    r"podium\.(rankers|criteria|inference|phi|kernels|models|solvers|tables)\.([a-z_]+\.)*_?[A-Z]\w*"
    r"|collections\.OrderedDict"
    r"|numpy\.dtype"
    r"|sklearn\.neural_network\._stochastic_optimizers\.AdamOptimizer"
    r"|lightgbm\.(basic\.Booster|sklearn\.LGBM\w+)"
    r"|xgboost\.(core\.Booster|sklearn\.XGB\w+)"
    r"|sklearn\.tree\._tree\.Tree"
    r"|sklearn\.ensemble\._hist_gradient_boosting\.predictor\.TreePredictor"
)


def versions() -> dict[str, str]:
    """Of Python and of the packages that decide what a model does."""
    others = {package: version(package) for package in ("numpy", "scipy", "scikit-learn")}
    return {"python": platform.python_version(), "podium": __version__} | others


def dumps(model: Any) -> bytes:
    """The bytes of a model file."""
    skops = _optional.load("skops.io", "podium.persist")
    body = skops.dumps({"model": model, "versions": versions()})
    return _MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def load(path: str | os.PathLike[str]) -> Any:
    """The model in a file; a foreign, damaged or suspicious one is refused."""
    skops = _optional.load("skops.io", "podium.persist")
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"A model must be a file that can be read; {path}: {error.strerror}.") from None
    if not content.startswith(_MAGIC):
        raise InputError(f"A model must be a file written by podium; {path} is not.", "podium fit writes model.podium.")
    body = content[_HEAD:]
    if hashlib.sha256(body).hexdigest().encode() != content[len(_MAGIC) : _HEAD - 1]:
        raise InputError(f"The model file {path} is damaged: its checksum does not fit.", "was it copied completely?")
    untrusted = [name for name in skops.get_untrusted_types(data=body) if not _TRUSTED.fullmatch(name)]
    if untrusted:
        raise InputError(
            f"The model file {path} holds types that podium does not bring to life: {', '.join(untrusted[:5])}.",
            "do not trust it, unless you know who wrote it.",
        )
    try:
        return skops.loads(body, trusted=skops.get_untrusted_types(data=body))["model"]
    except (ImportError, AttributeError, TypeError, KeyError) as error:
        raise InputError(
            f"The model file {path} needs what is not installed here: {error}.",
            "it was written by other versions, or with an extra such as podium[trees].",
        ) from None
