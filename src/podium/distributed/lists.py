"""A list on Dask, counted; and what is asked of it."""

from __future__ import annotations

from typing import Any

from podium.chunks import CountedList, run_passes
from podium.distributed.partitions import Partitions
from podium.exceptions import InputError
from podium.phi import Phi


def count_list(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    memory: float | None = None,
    tol: float = 0.0,
) -> CountedList:
    """The list as counts, of which everything else is read off: as :func:`podium.chunks.count_list`.

    Parameters
    ----------
    y_true, y_score : Dask array or series
        Labels and scores in the same partitions; larger scores are more positive.
    sample_weight : Dask array or series, optional
        One weight per row; a weight of 3 is three equal rows.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.
    memory : float, optional
        Bytes that may be used on the client and on each worker; a quarter of what is left here unless given.
    tol : float
        The error of the AUC at which passes may end; at 0 the list is exact, or as exact as memory allows.

    Returns
    -------
    CountedList
        The whole list. Where memory did not suffice, its ``max_error`` bounds the error.
    """
    partitions = Partitions.of(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    return run_passes(lambda step: partitions.map_reduce(step.summarize), pos_label=pos_label, memory=memory, tol=tol)


def exact_enough(counted: CountedList, tol: float, phi: Phi | str = "auc") -> CountedList:
    """The list, if its ω_φ is wrong by no more than allowed; a number alone does not say so."""
    if counted.max_error:
        low, high = counted.bounds(phi)
        if (high - low) / 2 > tol:
            raise InputError(
                f"Memory does not suffice for the exact value, which lies between {low:.9g} and {high:.9g}.",
                "pass memory=..., or a tol that is large enough; podium.distributed.count_list has values with bounds.",
            )
    return counted
