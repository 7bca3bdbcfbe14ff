"""What fitting a candidate costs, by its rows and columns and not by the clock."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """Seconds a + b · rows + c · rows · columns."""

    a: float
    b: float
    c: float


# Processor seconds on one core of a server of 2021, by benchmarks/candidate_cost.py. They need not be right on every
# machine: they are there so that every machine makes the same choice.
COSTS = {
    "linear": Cost(0.21, 0.0, 1.6e-07),
    "linear-quantile": Cost(0.13, 0.0, 4.3e-07),
    "quadratic": Cost(0.066, 0.0, 3.6e-06),
    "boosted": Cost(0.0071, 5.2e-07, 1.2e-07),
    "trees": Cost(0.062, 1.9e-06, 8.6e-07),
    "ranking-tree": Cost(0.065, 8.9e-06, 3.8e-07),
    "ranking-forest": Cost(0.19, 0.00023, 2.3e-06),
    "stack": Cost(3.9, 0.00065, 3.6e-05),
}


def seconds_of(name: str, n_rows: int, n_columns: int) -> float:
    """Of fitting the candidate of this name to so many rows and columns."""
    cost = COSTS[name]
    return cost.a + n_rows * (cost.b + cost.c * n_columns)
