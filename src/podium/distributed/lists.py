"""Lists on Dask: counted partition by partition, and asked what functions of lists in memory are asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

from podium.chunks import CollectForPush, Compare, CountedList, Products, run_passes
from podium.distributed.partitions import Partitions
from podium.exceptions import InputError
from podium.inference import Comparison, Comparisons

_COLUMNS = ("y_true", "y_score", "sample_weight")


def count_list(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    memory: float | None = None,
    tol: float = 0.0,
) -> CountedList:
    """Count a list on Dask, as :func:`podium.chunks.count_list` counts one that comes in chunks.

    Parameters
    ----------
    y_true, y_score : Dask array or series
        Labels and scores in the same partitions; larger scores are more positive.
    sample_weight : Dask array or series, optional
        One weight per row; a weight of 3 is three equal rows.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.
    memory : float, optional
        Bytes that may be used on the client and on each worker; by default a quarter of what is available here.
    tol : float
        The error of the AUC at which passes may end; at 0 the list is exact, or as exact as memory allows.

    Returns
    -------
    CountedList
        The whole list, whose methods give metrics, curves and intervals. If memory did not suffice, its ``max_error``
        bounds the error.
    """
    partitions = Partitions.of(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    return run_passes(lambda step: partitions.map_reduce(step.summarize), pos_label=pos_label, memory=memory, tol=tol)


def answer(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of `podium.metrics` or `podium.inference` on Dask collections."""
    name, given = function.__name__, signature(function).bind(*args, **kwargs).arguments
    here = {"compare": _compare, "push_risk": _push_risk}.get(name)
    options = _accepted(function, here or getattr(CountedList, name), given)
    if here is not None:
        return here(**options)
    columns = {key: options.pop(key) for key in (*_COLUMNS, "pos_label") if key in options}
    return _exactly(count_list(**columns), name, options)


def _accepted(function: Callable[..., Any], here: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    """The arguments that can be answered for on Dask; others may have their default values alone."""
    parameters, defaults = signature(here).parameters, signature(function).parameters
    takes_all = any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values())
    accepted = {}
    for name, value in given.items():
        if takes_all or name in parameters or name in (*_COLUMNS, "pos_label"):
            accepted[name] = value
        elif value is not defaults[name].default:
            raise InputError(
                f"{function.__name__} on Dask collections takes no {name}.",
                f"podium.inference.{function.__name__} of arrays in memory does: compute() the columns first.",
            )
    return accepted


def _exactly(counted: CountedList, name: str, options: dict[str, Any]) -> Any:
    """The value, if no order of the rows whose order is not known changes it: a number alone would not say so."""
    if counted.max_error:
        is_number = name not in ("interval", "roc_band")
        what = (name, options) if is_number else ("rank_statistic", {"phi": options.get("phi", "auc")})
        orders = (counted.in_order(positives_first=first) for first in (True, False))
        low, high = sorted(getattr(order, what[0])(**what[1]) for order in orders)
        if low != high:
            raise InputError(
                f"Memory does not suffice for the exact value, which lies between {low:.9g} and {high:.9g}.",
                "podium.distributed.count_list(..., memory=...) has values with bounds.",
            )
    return getattr(counted, name)(**options)


def _push_risk(y_true: Any, y_score: Any, sample_weight: Any = None, **options: Any) -> float:
    """In two passes: the positives are held, negatives pass by."""
    partitions = Partitions.of(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    step: Any = CollectForPush(**options)
    while not isinstance(step, float):
        step = step.finish(partitions.map_reduce(step.summarize))
    return step


def _compare(
    y_true: Any,
    score_a: Any,
    score_b: Any = None,
    phi: Any = "auc",
    *,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    sample_weight: Any = None,
    pos_label: Any = None,
) -> Comparison | Comparisons:
    """Each scorer's list is counted; one more pass over all of them finds how their influence values vary together."""
    if score_b is None and not isinstance(score_a, Mapping):
        raise InputError(
            "A comparison needs two scorers; got one.", "pass score_b, or several scorers by name as a dictionary."
        )
    scores = dict(score_a) if score_b is None else {"a": score_a, "b": score_b}
    lists = {
        name: count_list(y_true, each, sample_weight=sample_weight, pos_label=pos_label)
        for name, each in scores.items()
    }
    step = Compare(
        lists=lists, phi=phi, alternative=alternative, confidence_level=confidence_level, pos_label=pos_label
    )
    columns = {f"scores of {name}": each for name, each in scores.items()}
    partitions = Partitions.of(y_true=y_true, **columns, sample_weight=sample_weight)
    return step.finish(partitions.map_reduce(_ByName(step, tuple(scores))))


@dataclass(frozen=True, eq=False)
class _ByName:
    """The comparing pass for columns of scores that come one after the other, and a last one of weights if any."""

    step: Compare
    names: tuple[str, ...]

    def __call__(self, y_true: Any, *columns: Any, where: str) -> Products:
        scores, weights = columns[: len(self.names)], columns[len(self.names) :]
        return self.step.summarize(y_true, dict(zip(self.names, scores, strict=True)), *weights, where=where)
