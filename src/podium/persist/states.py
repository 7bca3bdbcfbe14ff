"""The state of an object, and an object from its state: ours as their classes declare it, foreign ones as they have it.

A dataclass keeps its fields. An estimator keeps the parameters of its constructor and what its class and their bases
annotate under a name that begins or ends with an underscore, such as ``coef_: FloatArray``: what a fit learns. An
annotation with ``Sometimes`` says that some fits learn no such thing; a value in the class stands for it in files that
are older than it. What compiled code reads without a check of its own (indices of trees) is checked here, before there
is an object.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache, cached_property
from typing import Annotated, Any, get_args, get_origin

from podium.exceptions import InputError
from podium.persist import boosters, trees
from podium.persist.fields import check_fields, fits
from podium.persist.shapes import check_shapes
from podium.persist.upgrades import upgraded

_MOST_JOBS = 1024
_REVIVED: dict[str, Callable[[type, Any], Any]] = {
    "sklearn.tree._tree.Tree": trees.tree_of,
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor": trees.predictor_of,
    "sklearn._loss.loss.HalfBinomialLoss": lambda kind, state: kind(),
    "podium.rankers.stack.members.ForestArrays": trees.forest_arrays_of,
    "podium.rankers.treerank.cells.RankingTree": trees.ranking_tree_of,
    "lightgbm.basic.Booster": boosters.lightgbm_of,
    "xgboost.core.Booster": boosters.xgboost_of,
}


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
    from sklearn.base import BaseEstimator  # here: a line is read without scikit-learn

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
                f"A model file holds the attributes that a class declares; this {kind.__name__} also has {name!r}.",
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
                f"contains a {kind.__name__} with {str(name)[:40]!r}, which this version of Podium does not know",
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


# By the name of the class: the state of an object, and the object from a state.
_STATES: dict[str, Callable[[Any], Any]] = {
    "sklearn.tree._tree.Tree": trees.tree_state,
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor": trees.predictor_state,
    "sklearn._loss.loss.HalfBinomialLoss": lambda loss: {},
    "sklearn.neural_network._multilayer_perceptron.MLPClassifier": lambda network: _without(network, "_optimizer"),
    "lightgbm.basic.Booster": boosters.lightgbm_state,
    "xgboost.core.Booster": boosters.xgboost_state,
}


def state_of(value: Any) -> Any:
    """What a class of ours declares; of others, the attributes or what else makes the object."""
    kind: type = type(value)
    schema = schema_of(kind)
    if schema is not None:
        return declared_state(value, schema)
    take = _STATES.get(_home(kind))
    return value.__getstate__() if take is None else take(value)


def revive(kind: type, state: Any) -> Any:
    """An object of a listed type; ValueError where fields are of other types, or compiled code could not trust it."""
    schema = schema_of(kind)
    if schema is not None:
        state = completed(kind, state, schema)
    check_fields(kind, state)
    make = _REVIVED.get(_home(kind))
    if make is not None:
        return make(kind, state)
    if isinstance(state, dict):
        jobs = state.get("n_jobs")
        if jobs is not None and not (type(jobs) is int and abs(jobs) <= _MOST_JOBS):
            raise ValueError(f"a model cannot use {jobs!r} processes")
        trees.check_columns(kind, state)
        check_shapes(kind, state)
    new: Any = object.__new__(kind)
    if is_dataclass(kind):
        for name, value in state.items():
            object.__setattr__(new, name, value)  # also where the fields are frozen, or in slots
    elif hasattr(new, "__setstate__"):
        new.__setstate__(state)
    else:
        vars(new).update(state or {})
    if is_dataclass(kind) and hasattr(new, "__post_init__"):
        try:
            new.__post_init__()  # what it checks of its values
        except InputError as error:
            raise ValueError(str(error)) from None
    return new


def _home(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _without(value: Any, *names: str) -> dict[str, Any]:
    """The state without attributes that only further training needs."""
    return {name: part for name, part in value.__getstate__().items() if name not in names}
