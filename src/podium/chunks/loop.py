"""All passes, in a loop or by whatever can map and reduce."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any, TypeVar

import numpy.typing as npt

from podium.chunks.counted import CountedList
from podium.chunks.limits import Limits
from podium.chunks.passes import Collect, Collected, Count, Counts
from podium.exceptions import InputTypeError

Summary = TypeVar("Summary", Collected, Counts)
Chunk = tuple[npt.ArrayLike, ...]


def merge(a: Summary, b: Summary) -> Summary:
    """Merge two summaries; the order of merging makes no difference.

    Parameters
    ----------
    a, b : Collected or Counts
        What ``summarize`` of one pass returned for two chunks, or what ``merge`` returned.

    Returns
    -------
    Collected or Counts
        The same for the rows of both together.
    """
    return a + b


def run_passes(
    map_reduce: Callable[[Collect | Count], Collected | Counts],
    *,
    pos_label: Any = None,
    memory: float | None = None,
    tol: float = 0.0,
) -> CountedList:
    """Run passes until the list is known, by a function of your own that maps a pass over the chunks.

    Parameters
    ----------
    map_reduce : callable
        Called with every pass: applies its ``summarize`` to all chunks and merges what comes out.
    pos_label, memory, tol
        As in :func:`count_list`.

    Returns
    -------
    CountedList
        The whole list.
    """
    limits = Limits(tol=tol) if memory is None else Limits(memory=memory, tol=tol)
    step: Any = Collect(pos_label=pos_label, limits=limits)
    while not isinstance(step, CountedList):
        step = step.finish(map_reduce(step))
    return step


def count_list(
    chunks: Callable[[], Iterable[Chunk]], *, pos_label: Any = None, memory: float | None = None, tol: float = 0.0
) -> CountedList:
    """Count a list chunk by chunk: for a file that is larger than memory, or anything else that can be read again.

    One pass is enough where all distinct scores fit into memory, two where those of one class do. Otherwise there are
    three or more: cells are counted, then the rows of those that hold both classes are gathered. Where these would not
    fit, ``CountedList.max_error`` bounds the error.

    Parameters
    ----------
    chunks : callable
        Called once for every pass; returns the chunks, each labels and scores, and weights if rows have any.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.
    memory : float, optional
        Bytes that may be used beside the chunks; a quarter of what is left unless given.
    tol : float
        The error of the AUC at which passes may end. It is an error if it cannot be reached. At 0 the list is exact, or
        as exact as memory allows.

    Returns
    -------
    CountedList
        The whole list, of which AUC, W_φ, ROC curve and influence values are those of all rows.

    Examples
    --------
    >>> from podium.chunks import count_list
    >>> count_list(lambda: [([0, 0, 1], [0.1, 0.4, 0.35]), ([1], [0.8])])
    list of 2 positives and 2 negatives with AUC 0.750
    """
    if not callable(chunks):
        raise InputTypeError(
            f"chunks must be a function that returns the chunks anew for every pass; got {type(chunks).__name__}.",
            "wrap them: lambda: chunks.",
        )

    def in_a_loop(step: Collect | Count) -> Collected | Counts:
        none: Any = step.summarize([], [])
        parts = (step.summarize(*chunk, where=f"chunk {i}") for i, chunk in enumerate(chunks()))
        return reduce(merge, parts, none)

    return run_passes(in_a_loop, pos_label=pos_label, memory=memory, tol=tol)
