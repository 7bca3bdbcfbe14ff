"""A model file is a line ``podium model 3 <sha256> <size>``, a JSON document of that size, and the bytes of arrays.

It holds data and names of types, no instructions: only types that `podium.persist.types` lists come to life.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import stat
from importlib.metadata import version
from pathlib import Path
from typing import Any

from podium import __version__
from podium._files import write_file
from podium.exceptions import InputError, MissingPackageError
from podium.persist import packing
from podium.persist.rehearsal import rehearse

_KIND = b"podium model "
_FIRST_LINE = re.compile(rb"podium model 3 ([0-9a-f]{64}) (\d{1,9})\n")
_LONGEST_LINE = 100
_LONGEST_DOCUMENT = 1 << 26  # bytes


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that decide what a model does.

    Returns
    -------
    dict of str to str
        The version of each, by name.
    """
    others = {package: version(package) for package in ("numpy", "scipy", "scikit-learn")}
    return {"python": platform.python_version(), "podium": __version__} | others


def dumps(model: Any) -> bytes:
    """The bytes of a model file, the same for the same model and versions.

    Parameters
    ----------
    model : object
        A fitted ranker, or the model of `podium.workflow.fit`.

    Returns
    -------
    bytes
        What `save` would write.
    """
    document, blocks = packing.pack({"model": model, "versions": versions()})
    body = document + b"".join(blocks)
    return b"podium model 3 %s %d\n" % (hashlib.sha256(body).hexdigest().encode(), len(document)) + body


def save(model: Any, path: str | os.PathLike[str]) -> Path:
    """Write a model to a file. An old file is replaced only once the new one is complete.

    Parameters
    ----------
    model : ranker or TableModel
        A fitted ranker, or the model of `podium.workflow.fit`; objects of types that are not on a list are refused.
    path : str or path
        The file to write or replace.

    Returns
    -------
    pathlib.Path
        The file that was written.
    """
    write_file(Path(path), dumps(model))
    return Path(path)


def load(path: str | os.PathLike[str]) -> Any:
    """Read the model in a file. A foreign, damaged, outdated or suspicious file is refused, and no code in it is run.

    Parameters
    ----------
    path : str or path
        The file to read.

    Returns
    -------
    object
        The ranker, or the model of a table.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would keep its reader waiting
            raise InputError(f"A model must be a file; {path} is none.")
        with Path(path).open("rb") as file:
            head = _checked_head(file.readline(_LONGEST_LINE), path)
            document, body = file.read(int(head[2])), file.read()
    except OSError as error:
        raise InputError(f"A model must be a file that can be read; {path}: {error.strerror}.") from None
    if hashlib.sha256(document + body).hexdigest().encode() != head[1]:
        raise InputError(f"The model file {path} is damaged: its checksum does not fit.", "was it copied completely?")
    try:
        if packing.n_items(document) > packing.MOST_ITEMS:
            raise ValueError("it says more than any model")
        return rehearse(packing.unpack(json.loads(document), body)["model"])
    except MissingPackageError:
        raise
    except InputError as error:
        sentence, *hint = str(error).split("\nHint: ")
        raise InputError(f"The model file {path} {sentence}.", *hint) from None
    except Exception as error:  # whatever a made-up file leads to
        raise unusable(path, error) from None


def unusable(path: str | os.PathLike[str], error: Exception) -> InputError:
    """The refusal of a file whose parts do not fit together; what is said of values is worth repeating."""
    reason = str(error).splitlines()[0][:100].rstrip(".") if isinstance(error, ValueError) else "its parts do not fit"
    return InputError(
        f"The model file {path} holds no model that can be used: {reason}.",
        "it was written by other versions, or is no work of podium.",
    )


def _checked_head(line: bytes, path: str | os.PathLike[str]) -> re.Match[bytes]:
    """The first line, taken apart."""
    if not line.startswith(_KIND):
        raise InputError(f"A model must be a file written by podium; {path} is not.", "podium fit writes model.podium.")
    head = _FIRST_LINE.fullmatch(line)
    if head is None or int(head[2]) > _LONGEST_DOCUMENT:
        raise InputError(
            f"The model file {path} was written by another version of podium, whose format this one does not read.",
            "train the model again, or use the version that wrote it.",
        )
    return head
