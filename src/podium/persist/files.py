"""A model file is a line ``podium model 3 <sha256> <size>``, a JSON document of that size, and the bytes of arrays.

It holds data and names of types, no instructions: only types that `podium.persist.types` lists come to life.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import re
import stat
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from podium import __version__
from podium._files import write_file
from podium.exceptions import InputError, InputTypeError, MissingPackageError
from podium.persist import packing
from podium.persist.rehearsal import rehearse

_KIND = b"podium model "
_FORMAT = 3
_FIRST_LINE = re.compile(rb"podium model (\d{1,9}) ([0-9a-f]{64}) (\d{1,9})\n")
_LONGEST_LINE = 100
_LONGEST_DOCUMENT = 1 << 26  # bytes


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that scores depend on.

    Returns
    -------
    dict of str to str
        The version of each, by name.
    """
    import scipy  # here: a line is read without
    import sklearn

    others = {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__}
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
        The contents of the file that `save` writes.
    """
    document, blocks = packing.pack({"model": _opened(model), "versions": versions()})
    body = document + b"".join(blocks)
    return b"podium model %d %s %d\n" % (_FORMAT, hashlib.sha256(body).hexdigest().encode(), len(document)) + body


def save(model: Any, path: str | os.PathLike[str]) -> Path:
    """Write a model to a file. An old file is replaced only once the new one is complete.

    Parameters
    ----------
    model : ranker or TableModel
        A fitted ranker, or the model of `podium.workflow.fit`; objects of other types are refused.
    path : str or path
        The file to write or replace.

    Returns
    -------
    pathlib.Path
        The file that was written.
    """
    write_file(Path(path), dumps(model))
    return Path(path)


def load(file: str | os.PathLike[str] | BinaryIO) -> Any:
    """Load a model. Damaged, outdated, foreign or suspicious files are refused, and no code in a file is run.

    Of a line or boosted columns of a table only what scores rows comes to life at first, which takes some megabytes:
    the rest is checked, and refused where it must be, when it is first used.

    Parameters
    ----------
    file : str, path or file object
        The file to read; a file object must be open in binary mode and is read to its end.

    Returns
    -------
    object
        The ranker, or the model of a table.
    """
    if not isinstance(file, (str, os.PathLike)):
        if not hasattr(file, "readline"):
            raise InputTypeError(f"A model is read from a path or an open file; got {type(file).__name__}.")
        return _read(file, "The model file")
    try:
        if not stat.S_ISREG(os.stat(file).st_mode):  # a pipe would keep its reader waiting
            raise InputError(f"A model must be a regular file; {file} is not.")
        with Path(file).open("rb") as opened:
            return _read(opened, f"The model file {file}")
    except OSError as error:
        raise InputError(f"A model must be a file that can be read; {file}: {error.strerror}.") from None


def loads(content: bytes) -> Any:
    """The model in the bytes of a model file, as `load` reads it.

    Parameters
    ----------
    content : bytes
        What `dumps` returned, or `save` wrote.

    Returns
    -------
    object
        The ranker, or the model of a table.
    """
    return _read(io.BytesIO(content), "The model in these bytes")


def _read(file: BinaryIO, what: str) -> Any:
    """The model in an open file; ``what`` it is called in refusals."""
    line = file.readline(_LONGEST_LINE)
    if not isinstance(line, bytes):
        raise InputTypeError("A model is read in binary mode; got a file open in text mode.", "open(path, 'rb')")
    checksum, size = _checked_head(line, what)
    document, body = file.read(size), file.read()
    if hashlib.sha256(document + body).hexdigest().encode() != checksum:
        raise InputError(f"{what} is damaged: its checksum does not match.", "was it copied completely?")
    written_by: dict[str, str] = {}
    try:
        if packing.n_items(document) > packing.MOST_ITEMS:
            raise ValueError("it has more entries than any model")
        tree = json.loads(document)
        written_by |= _versions_in(tree)
    except Exception as error:  # whatever a made-up file leads to
        raise _refusal(what, error, "") from None

    def whole() -> Any:
        return _whole(what, document, body, written_by)

    return _sealed(tree, body, whole) or whole()


def _sealed(tree: Any, body: bytes, whole: Callable[[], Any]) -> Any:
    """A model of which only what scores rows has come to life; None where there is none, or it is not sound."""
    try:
        if dict(tree["items"])["model"]["kind"] != "podium.tables.TableModel":
            return None
        room = import_module("podium.tables.sealed")  # by its name, as all types of models
        parts = packing.unpack(tree, body, lambda kind, state: room.part(kind, state, packing.alive))
        return room.sealed(parts["model"], whole)
    except Exception:  # whatever a made-up file leads to: the whole of it is read next, and refused
        return None


def _opened(model: Any) -> Any:
    """A whole model, where one is sealed."""
    is_sealed = type(model).__module__ == "podium.tables.sealed"
    return import_module("podium.tables.sealed").opened(model) if is_sealed else model


def _whole(what: str, document: bytes, body: bytes, written_by: dict[str, str]) -> Any:
    """The model with all its parts, once it has scored made-up rows."""
    from sklearn.exceptions import InconsistentVersionWarning

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InconsistentVersionWarning)  # said below, once and for all members
            model = rehearse(packing.unpack(json.loads(document), body)["model"])
    except MissingPackageError:
        raise
    except Exception as error:  # whatever a made-up file leads to
        raise _refusal(what, error, written_by.get("podium", "")) from None
    _warn_of_other_versions(what, document, written_by.get("scikit-learn", ""))
    return model


def _refusal(what: str, error: Exception, written_by: str) -> InputError:
    """Why a file is not read, and what to do: update, if it is newer than this version."""
    if isinstance(error, InputError):
        sentence, *hint = str(error).split("\nHint: ")
        refusal = InputError(f"{what} {sentence}.", *hint)
    else:
        refusal = unusable(what, error)
    if _release(written_by) <= _release(__version__):
        return refusal
    newer = f"podium {written_by[:40]} wrote it, which is newer than this one, {__version__}: update podium."
    return InputError(str(refusal).split("\nHint: ")[0], newer)


def _versions_in(tree: Any) -> dict[str, str]:
    """The versions named in a file, before any object is built from it."""
    named = dict(dict(tree["items"])["versions"]["items"])
    return {str(name): str(text) for name, text in named.items()}


def _release(text: str) -> tuple[int, ...]:
    """The numbers of a version, to compare it with others; none where there is no version."""
    start = re.match(r"\d{1,9}(\.\d{1,9}){0,2}", text)
    return tuple(map(int, start[0].split("."))) if start else ()


def _warn_of_other_versions(what: str, document: bytes, then: str) -> None:
    """Estimators of scikit-learn are in the file as its version had them; all else is in forms of our own."""
    import sklearn

    now = sklearn.__version__
    if b'"kind":"sklearn.' in document and _release(then)[:2] != _release(now)[:2]:
        warnings.warn(
            f"{what} contains estimators of scikit-learn {then[:40]}; installed is {now}: scores may differ or fail. "
            "Compare some with earlier ones, or retrain the model.",
            stacklevel=6,
        )


def unusable(what: str, error: Exception) -> InputError:
    """The refusal of a file whose parts do not fit together; what is said of values is worth repeating."""
    reason = str(error).splitlines()[0][:100].rstrip(".") if isinstance(error, ValueError) else "its parts do not match"
    return InputError(
        f"{what} contains no usable model: {reason}.",
        "it was written by another version, or not by Podium.",
    )


def _checked_head(line: bytes, what: str) -> tuple[bytes, int]:
    """The checksum and the size of the document, from the first line."""
    if not line.startswith(_KIND):
        raise InputError(f"{what} was not written by podium.", "podium fit writes model.podium.")
    head = _FIRST_LINE.fullmatch(line)
    if head is None or int(head[3]) > _LONGEST_DOCUMENT:
        raise InputError(f"{what} has an invalid first line.", "was it copied completely?")
    number = int(head[1])
    if number != _FORMAT:
        raise InputError(
            f"{what} has format {number}; this version of Podium ({__version__}) reads format {_FORMAT}.",
            "update podium." if number > _FORMAT else "retrain the model, or use the version that wrote it.",
        )
    return head[2], int(head[3])
