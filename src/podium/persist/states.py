"""The state of an object, and an object from its state: ours as their classes declare it, foreign ones as they have it.

What compiled code reads without a check of its own (indices of trees) is checked here, before there is an object.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any

from podium.exceptions import InputError
from podium.persist import boosters, trees
from podium.persist.fields import check_fields
from podium.persist.schemas import completed, declared_state, schema_of
from podium.persist.shapes import check_shapes

_MOST_JOBS = 1024

# By the name of the class: the state of an object, and the object from a state.
_STATES: dict[str, Callable[[Any], Any]] = {
    "sklearn.tree._tree.Tree": trees.tree_state,
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor": trees.predictor_state,
    "sklearn._loss.loss.HalfBinomialLoss": lambda loss: {},
    "sklearn.neural_network._multilayer_perceptron.MLPClassifier": lambda network: _without(network, "_optimizer"),
    "lightgbm.basic.Booster": boosters.lightgbm_state,
    "xgboost.core.Booster": boosters.xgboost_state,
}
_REVIVED: dict[str, Callable[[type, Any], Any]] = {
    "sklearn.tree._tree.Tree": trees.tree_of,
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor": trees.predictor_of,
    "sklearn._loss.loss.HalfBinomialLoss": lambda kind, state: kind(),
    "podium.rankers.stack.forest_arrays.ForestArrays": trees.forest_arrays_of,
    "podium.rankers.treerank.cells.RankingTree": trees.ranking_tree_of,
    "lightgbm.basic.Booster": boosters.lightgbm_of,
    "xgboost.core.Booster": boosters.xgboost_of,
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
