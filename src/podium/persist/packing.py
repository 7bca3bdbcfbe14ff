"""From a model to one JSON document and the bytes of its arrays, and back.

Numbers, text, lists and None stand for themselves; anything else is an object with a ``kind``. Arrays lie one after the
other in the order in which the document names them: no byte is used twice or left over, so that a file cannot unfold
into more memory than it has bytes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from podium.exceptions import InputError
from podium.persist import states
from podium.persist.types import name_of, type_of

MOST_ITEMS = 1_000_000  # of the document: each takes memory once it is read
_DTYPE = re.compile(r"[<|][biufU][0-9]{1,4}")
_MOST_AXES = 8
_LONGEST_AXIS = 1_000_000  # beyond the bytes of the file: an array without numbers may have axes of any length
# Keys that a file chooses must not all have the same hash: that of whole numbers is known, and so is that of tuples.
_KEYS = (str, int, float, type(None), np.generic)
_HASHED_APART = 2**61 - 1  # whole numbers below have hashes of their own
_MOST_LARGE = 1000  # numbers beyond


def pack(model: Any) -> tuple[bytes, list[bytes]]:
    """The document and the blocks of bytes that it refers to."""
    packer = _Packer()
    document = json.dumps(packer.pack(model), separators=(",", ":"), sort_keys=True).encode()
    if n_items(document) > MOST_ITEMS:
        raise InputError(f"A model file may have {MOST_ITEMS:,} numbers and words outside arrays; this model has more.")
    return document, packer.blocks


def alive(kind: Any, state: Any) -> Any:
    """An object of the type that a file names."""
    return states.revive(type_of(kind), state)


def unpack(document: Any, body: bytes, revive: Callable[[Any, Any], Any] = alive) -> Any:
    """The model of a document that JSON has read; ValueError, or what a made-up one leads to, if there is none.

    ``revive`` makes an object of the name of its type and its state.
    """
    unpacker = _Unpacker(memoryview(body), revive)
    model = unpacker.unpack(document)
    if unpacker.at != len(body):
        raise ValueError("bytes are left over")
    return model


def n_items(document: bytes) -> int:
    """An upper bound for the number of values in a JSON text."""
    return sum(map(document.count, (b",", b"[", b"{")))


class _Packer:
    def __init__(self) -> None:
        self.blocks: list[bytes] = []

    def pack(self, value: Any) -> Any:
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, list):
            return [self.pack(item) for item in value]
        if isinstance(value, (tuple, set, frozenset)) and type(value) in (tuple, set, frozenset):
            items = value if isinstance(value, tuple) else sorted(value)
            return {"kind": type(value).__name__, "items": [self.pack(item) for item in items]}
        if isinstance(value, dict):
            return {"kind": "dict", "items": [[self.pack(key), self.pack(item)] for key, item in value.items()]}
        if isinstance(value, (np.ndarray, np.generic)):
            return self._array(value)
        if isinstance(value, np.dtype):
            return {"kind": "dtype", "of": self._array(np.empty(0, value))}
        if isinstance(value, bytes):
            self.blocks.append(value)
            return {"kind": "bytes", "size": len(value)}
        if isinstance(value, (np.random.RandomState, np.random.Generator)):
            return None  # a fitted model draws nothing more
        return {"kind": name_of(type(value)), "state": self.pack(states.state_of(value))}

    def _array(self, value: Any) -> Any:
        if isinstance(value, np.generic):
            return {"kind": "scalar", "value": self._array(np.asarray(value))}
        if value.dtype == object:
            return {"kind": "objects", "shape": list(value.shape), "items": [self.pack(item) for item in value.flat]}
        if value.dtype.names:
            columns = [[name, self._array(np.ascontiguousarray(value[name]))] for name in value.dtype.names]
            return {"kind": "records", "columns": columns}
        value = value.astype(value.dtype.newbyteorder("<"), copy=False)
        if not _DTYPE.fullmatch(value.dtype.str):
            raise InputError(f"A model file holds arrays of numbers, booleans and text; got one of {value.dtype}.")
        order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
        self.blocks.append(value.tobytes(order))
        return {"kind": "array", "dtype": value.dtype.str, "shape": list(value.shape), "order": order}


class _Unpacker:
    def __init__(self, body: memoryview, revive: Callable[[Any, Any], Any]) -> None:
        self.body, self.at, self.n_large, self.revive = body, 0, 0, revive

    def unpack(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.unpack(item) for item in value]
        if isinstance(value, dict):
            return self._object(value, value["kind"])
        if type(value) is int and abs(value) >= _HASHED_APART:
            self.n_large += 1
            if self.n_large > _MOST_LARGE:
                raise ValueError("it holds too many numbers of more than 18 digits")
        return value

    def _object(self, value: dict[str, Any], kind: Any) -> Any:
        if kind == "array":
            return self._array(value)
        if kind == "scalar":
            return self.unpack(value["value"])[()]
        if kind == "dtype":
            return self.unpack(value["of"]).dtype
        if kind == "records":
            return self._records({name: self.unpack(column) for name, column in value["columns"]})
        if kind == "bytes":
            return bytes(self._take(value["size"]))
        if kind == "dict":
            return {self._key(key): self.unpack(item) for key, item in value["items"]}
        if kind == "tuple":
            return tuple(map(self.unpack, value["items"]))
        if kind in ("set", "frozenset"):
            return {"set": set, "frozenset": frozenset}[kind](map(self._key, value["items"]))
        if kind == "objects":
            items = np.empty(len(value["items"]), dtype=object)
            items[:] = [self.unpack(item) for item in value["items"]]
            return items.reshape(value["shape"])
        return self.revive(kind, self.unpack(value["state"]))

    def _key(self, value: Any) -> Any:
        key = self.unpack(value)
        if not isinstance(key, _KEYS):
            raise ValueError(f"a {type(key).__name__} is no name")
        return key

    def _array(self, value: Mapping[str, Any]) -> Any:
        shape = value["shape"]
        if not _DTYPE.fullmatch(value["dtype"]) or value["order"] not in ("C", "F") or len(shape) > _MOST_AXES:
            raise ValueError(f"no array is of {value['dtype']} and shape {shape}")
        if not all(type(length) is int and 0 <= length <= len(self.body) + _LONGEST_AXIS for length in shape):
            raise ValueError(f"no array has the shape {shape}")
        dtype = np.dtype(value["dtype"])
        block = self._take(math.prod(shape) * dtype.itemsize)
        return np.frombuffer(block, dtype).reshape(shape, order=value["order"]).copy(order="K")

    @staticmethod
    def _records(columns: dict[str, Any]) -> Any:
        shapes = {part.shape for part in columns.values()}
        if len(shapes) != 1:
            raise ValueError("records need as many values in every column")
        records = np.zeros(next(iter(shapes)), np.dtype([(name, part.dtype) for name, part in columns.items()]))
        for name, part in columns.items():
            records[name] = part
        return records

    def _take(self, size: int) -> memoryview:
        if type(size) is not int or not 0 <= size <= len(self.body) - self.at:
            raise ValueError("an array is larger than the file")
        self.at += size
        return self.body[self.at - size : self.at]
