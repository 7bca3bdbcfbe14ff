"""A model file is a line ``podium model 2 <sha256>`` and a skops archive: data and names of types, no instructions.

Only types that `podium.persist.names` lists, and those of scikit-learn that skops knows, are brought to life again.
"""

from __future__ import annotations

import hashlib
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from podium import __version__, _optional
from podium._files import write_file
from podium.exceptions import InputError
from podium.persist import names

_KIND = b"podium model "
_MAGIC = _KIND + b"2 "
_HEAD = len(_MAGIC) + 64 + 1


def versions() -> dict[str, str]:
    """Of Python and of the packages that decide what a model does."""
    others = {package: version(package) for package in ("numpy", "scipy", "scikit-learn")}
    return {"python": platform.python_version(), "podium": __version__} | others


def dumps(model: Any) -> bytes:
    """The bytes of a model file.

    Parameters
    ----------
    model : object
        A fitted ranker, or the model of `podium.workflow.fit`.
    """
    skops = _optional.load("skops.io", "podium.persist")
    body = names.to_public(skops.dumps({"model": model, "versions": versions()}))
    return _MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def save(model: Any, path: str | os.PathLike[str]) -> Path:
    """Write a model file, aside first: whoever looks finds the old file or the whole new one."""
    write_file(Path(path), dumps(model))
    return Path(path)


def load(path: str | os.PathLike[str]) -> Any:
    """The model in a file; a foreign, damaged, outdated or suspicious one is refused."""
    skops = _optional.load("skops.io", "podium.persist")
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"A model must be a file that can be read; {path}: {error.strerror}.") from None
    body = _checked_body(content, path)
    try:
        body, known = names.to_homes(body)
        types = skops.get_untrusted_types(data=body)
        untrusted = [name for name in types if name not in known]
        if untrusted:
            raise InputError(
                f"The model file {path} holds types that podium does not bring to life: {', '.join(untrusted[:5])}.",
                "do not trust it, unless you know who wrote it.",
            )
        return skops.loads(body, trusted=types)["model"]
    except (ImportError, AttributeError, TypeError, KeyError) as error:
        raise InputError(
            f"The model file {path} needs what is not installed here: {error}.",
            "it was written by other versions, or with an extra such as podium[trees].",
        ) from None


def _checked_body(content: bytes, path: str | os.PathLike[str]) -> bytes:
    """What follows the first line, which must fit it."""
    if not content.startswith(_KIND):
        raise InputError(f"A model must be a file written by podium; {path} is not.", "podium fit writes model.podium.")
    if not content.startswith(_MAGIC):
        raise InputError(
            f"The model file {path} was written by another version of podium, whose format this one does not read.",
            "train the model again, or use the version that wrote it.",
        )
    body = content[_HEAD:]
    if hashlib.sha256(body).hexdigest().encode() != content[len(_MAGIC) : _HEAD - 1]:
        raise InputError(f"The model file {path} is damaged: its checksum does not fit.", "was it copied completely?")
    return body
