"""What the objects of a class of this package keep in a file, by name, and how files of earlier versions are completed.

A dataclass keeps its fields. An estimator keeps the parameters of its constructor and what its class and their bases
annotate under a name that begins or ends with an underscore, such as ``coef_: FloatArray``: what a fit learns. An
annotation with ``Sometimes`` says that some fits learn no such thing; a value in the class stands for it in files that
are older than it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache, cached_property
from typing import Annotated, Any, get_args, get_origin

from sklearn.base import BaseEstimator

from podium.exceptions import InputError
from podium.persist.fields import fits
from podium.persist.upgrades import upgraded


@dataclass(frozen=True)
class Schema:
    """Parameters with what makes their defaults; what a fit learns, with its types; and what every fit learns."""

    parameters: dict[str, Callable[[], Any] | None]
    learned: dict[str, Any]
    required: frozenset[str]

    def __contains__(self, name: str) -> bool:
        return name in self.parameters or name in self.learned


@cache
def schema_of(kind: type) -> Schema | None:
    """The schema of a class of this package; None of other classes."""
    if is_dataclass(kind):
        return Schema({field.name: _factory(field) for field in fields(kind)}, {}, frozenset())
    if not issubclass(kind, BaseEstimator) or kind.__module__.startswith("sklearn."):
        return None
    parameters = {name: _maker(each.default) for name, each in inspect.signature(kind).parameters.items()}
    hints: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        if not base.__module__.startswith("sklearn."):
            hints |= inspect.get_annotations(base, eval_str=True)
    hints = {name: hint for name, hint in hints.items() if name.startswith("_") or name.endswith("_")}
    sometimes = {name for name, hint in hints.items() if get_origin(hint) is Annotated or hasattr(kind, name)}
    learned = {name: get_args(hint)[0] if get_origin(hint) is Annotated else hint for name, hint in hints.items()}
    return Schema(parameters, learned, frozenset(learned.keys() - sometimes))


def declared_state(value: Any, schema: Schema) -> dict[str, Any]:
    """What an object keeps, by name; an attribute that its class does not declare is not dropped in silence."""
    kind, state = type(value), value.__getstate__() or {}
    if isinstance(state, list):  # of a dataclass with slots
        state = dict(zip(schema.parameters, state, strict=True))
    for name in state:
        if name not in schema and not _is_derived(kind, name):
            raise InputError(
                f"A model file holds what the class of a model declares; got a {kind.__name__} with {name!r}, too.",
                "delete that attribute, or annotate it in the class.",
            )
    return {name: state[name] for name in (*schema.parameters, *schema.learned) if name in state}


def completed(kind: type, state: Any, schema: Schema) -> dict[str, Any]:
    """A state as this version would have written it, from that in a file; InputError if it says what is unknown."""
    if isinstance(state, list) and len(state) <= len(schema.parameters):  # slots, in files that do not name them
        state = dict(zip(schema.parameters, state, strict=False))
    state = upgraded(kind, state or {})
    for name in state:
        if name not in schema and not _is_derived(kind, name):
            raise InputError(
                f"holds a {kind.__name__} with {str(name)[:40]!r}, which this version of podium does not know",
                "a newer version may have written it: update podium.",
            )
    complete = {name: item for name, item in state.items() if name in schema}
    for name, default in schema.parameters.items():
        if name not in state:
            if default is None:
                raise ValueError(f"a {kind.__name__} needs {name}")
            complete[name] = default()
    _check_learned(kind, complete, schema)
    return complete


def _check_learned(kind: type, state: dict[str, Any], schema: Schema) -> None:
    """All that every fit learns, or nothing, and of the types that are declared."""
    if state.keys() & schema.learned.keys() and not schema.required <= state.keys():
        raise ValueError(f"a fitted {kind.__name__} needs {', '.join(sorted(schema.required - state.keys()))}")
    for name, hint in schema.learned.items():
        if name in state and not fits(state[name], hint):
            raise ValueError(f"{kind.__name__}.{name} is not what it should be")


def _factory(field: Any) -> Callable[[], Any] | None:
    """What makes the default of a field."""
    if field.default_factory is not MISSING:
        return field.default_factory
    return None if field.default is MISSING else _maker(field.default)


def _maker(default: Any) -> Callable[[], Any] | None:
    return None if default is inspect.Parameter.empty else lambda: default


def _is_derived(kind: type, name: Any) -> bool:
    """Whether an attribute is computed from others and kept for its next use."""
    return isinstance(name, str) and isinstance(inspect.getattr_static(kind, name, None), cached_property)
