"""Collections whose rows lie in partitions elsewhere: known by their graph, without loading what made them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


def is_collection(value: Any) -> bool:
    """Whether it is a Dask array, series or dataframe: what tells of a graph of tasks."""
    return hasattr(type(value), "__dask_graph__")


def takes_collections(method: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Where X is a collection, the function of the same name in `podium.distributed.fit` answers for a ranker."""

    @wraps(method)
    def dispatched(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        if is_collection(args[1] if len(args) > 1 else kwargs.get("X")):
            return getattr(import_module("podium.distributed.fit"), method.__name__)(*args, **kwargs)
        return method(*args, **kwargs)

    return dispatched
