"""Check that the fields of a type match their annotations: a file may contain anything."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence, Set
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

_NUMBERS: dict[Any, tuple[type, ...]] = {
    float: (float, int, np.floating, np.integer),
    int: (int, np.integer),
    bool: (bool, np.bool_),
}


def check_fields(kind: type, state: Any) -> None:
    """Refuse the state of a dataclass in which a field is missing or of another type than it is declared."""
    if not is_dataclass(kind):
        return
    hints = declared(kind)
    values = dict(zip(hints, state, strict=True)) if isinstance(state, list) else state  # a list where there are slots
    for name, hint in hints.items():
        if isinstance(values, dict) and name not in values and name in _with_defaults(kind):
            continue  # a file from before there was such a field
        if not isinstance(values, dict) or name not in values or not fits(values[name], hint):
            raise ValueError(f"{kind.__name__}.{name} is not what it should be")


@cache
def declared(kind: Any) -> dict[str, Any]:
    """The fields of a dataclass with their types."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


@cache
def _with_defaults(kind: Any) -> set[str]:
    return {field.name for field in fields(kind) if field.default is not MISSING}


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of an annotated type, all the way down."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if hint is None or hint is types.NoneType:
        return value is None
    if origin in (Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if origin is Literal:
        return any(type(value) is type(part) and value == part for part in parts)
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) and _is_of_dtype(value, parts[1])
    if hint in _NUMBERS:
        return isinstance(value, _NUMBERS[hint]) and (hint is bool or not isinstance(value, bool))
    if not isinstance(value, origin or hint):
        return False
    return _items_fit(value, origin, parts)


def _items_fit(value: Any, origin: Any, parts: tuple[Any, ...]) -> bool:
    if origin is None:
        return True
    if issubclass(origin, Mapping):
        return all(fits(key, parts[0]) and fits(item, parts[1]) for key, item in value.items())
    if origin is tuple and parts[-1] is not Ellipsis:
        return len(value) == len(parts) and all(map(fits, value, parts))
    if issubclass(origin, (Sequence, Set)):
        return all(fits(item, parts[0]) for item in value)
    return True


def _is_of_dtype(value: Any, hint: Any) -> bool:
    wanted = get_args(hint)
    return (
        not wanted
        or wanted[0] is Any
        or any(np.issubdtype(value.dtype, part) for part in get_args(wanted[0]) or (wanted[0],))
    )
