"""Ratios measured in one run: the machine's noise divides out, its speed does too."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the table: what, against what, the ratio and what it must be."""

    what: str
    against: str
    ratio: float  # time of `what` over time of `against`, or its inverse where `wanted` starts with ">="
    wanted: str  # such as "<= 4" or ">= 10"

    @property
    def holds(self) -> bool:
        sign, bound = self.wanted.split()
        return self.ratio <= float(bound) if sign == "<=" else self.ratio >= float(bound)


def seconds(*calls: Callable[[], object], repeat: int = 7) -> list[float]:
    """The best time of each call; the calls take turns, so that a busy spell hits all of them."""
    best = [float("inf")] * len(calls)
    for call in calls:
        call()  # compile, fill caches
    for _ in range(repeat):
        for i, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def show(title: str, rows: list[Row]) -> None:
    print(f"\n{title}")
    for row in rows:
        mark = "ok " if row.holds else "MISS"
        print(f"  {mark} {row.ratio:10.2f}  (wanted {row.wanted:8s})  {row.what}  against  {row.against}")
