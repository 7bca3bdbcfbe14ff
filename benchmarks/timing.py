"""Ratios measured in one run: the machine's noise divides out, its speed does too."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the table: what, against what, the ratio and what it must be."""

    what: str
    against: str
    ratio: float  # time of `what` over time of `against`, or its inverse where `wanted` starts with ">="
    wanted: str  # such as "<= 4" or ">= 10"
    wanted_by_fast_sort: str = ""  # where NumPy's sort is a fast one, if that makes a difference

    def holds(self, sort_is_slow: bool) -> bool:
        sign, bound = (self.wanted if sort_is_slow else self.wanted_by_fast_sort or self.wanted).split()
        return self.ratio <= float(bound) if sign == "<=" else self.ratio >= float(bound)

    @property
    def target(self) -> str:
        if not self.wanted_by_fast_sort:
            return f"wanted {self.wanted}"
        return f"wanted {self.wanted} where NumPy's sort is slow, {self.wanted_by_fast_sort} where it is fast"


def seconds(*calls: Callable[[], object], repeat: int = 7) -> list[float]:
    """The best processor time of each call, all of one thread; they take turns, so that a busy spell hits all."""
    best = [float("inf")] * len(calls)
    for call in calls:
        call()  # compile, fill caches
    for _ in range(repeat):
        for i, call in enumerate(calls):
            start = time.process_time()
            call()
            best[i] = min(best[i], time.process_time() - start)
    return best


def peak_bytes(call: Callable[[], object]) -> int:
    """Working memory of a call; arrays made in compiled loops, no larger than a cell, are not seen."""
    tracemalloc.start()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def show(title: str, rows: list[Row], sort_is_slow: bool) -> None:
    print(f"\n{title}", flush=True)
    for row in rows:
        mark = "ok " if row.holds(sort_is_slow) else "MISS"
        print(f"  {mark} {row.ratio:10.2f}  ({row.target})  {row.what}  against  {row.against}", flush=True)
