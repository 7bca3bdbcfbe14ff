"""Arrays that break things: scores at the ends of the floating-point range, ties, weights of any size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LARGEST = 1.7e308


def labels(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Mostly of both classes; rarely of one."""
    y = rng.random(n_rows) < rng.choice([0.05, 0.3, 0.5, 0.9])
    if rng.random() < 0.98 and n_rows > 1:
        y[rng.permutation(n_rows)[:2]] = [True, False]
    return y


def scores(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Finite scores of an extreme kind, rarely with one that is not finite."""
    plain = rng.standard_normal(n_rows)
    kinds = [
        lambda: plain,
        lambda: np.round(plain * rng.choice([0.5, 2, 100])),
        lambda: plain * 10.0 ** rng.uniform(-300, 300),
        lambda: np.linspace(-1, 1, n_rows) * LARGEST,
        lambda: rng.choice([-LARGEST, LARGEST, 0.0], n_rows),
        lambda: plain * 5e-324 * rng.integers(1, 1000),
        lambda: 1e15 + rng.integers(-5000, 5000, n_rows),
        lambda: 1e15 + rng.integers(-8, 8, n_rows) / 8,
        lambda: 1.7e15 + rng.integers(0, 10**9, n_rows) * 1.0,  # times in microseconds
        lambda: np.where(np.arange(n_rows) == rng.integers(n_rows), 10.0 ** rng.uniform(10, 300), plain),
        lambda: np.where(np.arange(n_rows) == rng.integers(n_rows), -(10.0 ** rng.uniform(10, 90)), plain),
        lambda: np.where(rng.random(n_rows) < 0.5, 1e15 + rng.integers(-8, 8, n_rows), plain),
        lambda: np.full(n_rows, rng.choice([0.0, -0.0, 1e17, -LARGEST, 5e-324])),
        lambda: plain.astype(np.float32) * np.float32(1e30),
        lambda: rng.integers(-(2**62), 2**62, n_rows),
        lambda: rng.integers(0, 3, n_rows).astype(np.uint8),
        lambda: np.where(plain > 0, 0.0, -0.0),
        lambda: np.sort(plain) * rng.choice([1.0, 1e3, 1e5]),
    ]
    values = kinds[rng.integers(len(kinds))]()
    if rng.random() < 0.01 and values.dtype.kind == "f":
        values = values.copy()
        values[rng.integers(n_rows)] = rng.choice([np.nan, np.inf, -np.inf])
    return values


def weights(rng: np.random.Generator, n_rows: int) -> np.ndarray | None:
    """None as often as not; otherwise of any size, rarely wrong."""
    kinds = [
        lambda: None,
        lambda: None,
        lambda: None,
        lambda: rng.integers(1, 4, n_rows),
        lambda: rng.integers(0, 4, n_rows).astype(float),
        lambda: rng.random(n_rows) * 3,
        lambda: rng.random(n_rows) * 4e5,
        lambda: np.where(np.arange(n_rows) == rng.integers(n_rows), 1e12, 1.0),
        lambda: 10.0 ** rng.uniform(-300, 300, n_rows),
        lambda: 10.0 ** rng.uniform(-70, 70, n_rows),
        lambda: np.full(n_rows, rng.choice([1e-300, 1e300, 1e-9, 1 / n_rows])),
        lambda: np.where(np.arange(n_rows) == 0, rng.choice([-1.0, np.nan, np.inf, 1e-310, 1e305]), 1.0),
    ]
    return kinds[rng.choice(len(kinds), p=np.array([9] * 11 + [1]) / 100)]()


def sample(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Labels, scores, weights."""
    n_rows = int(rng.choice([1, 2, 3, 5, 12, 40, 150]))
    return labels(rng, n_rows), scores(rng, n_rows), weights(rng, n_rows)


def columns(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """A small table with extreme columns, labels, weights."""
    n_rows = int(rng.choice([2, 5, 20, 60]))
    y = labels(rng, n_rows)
    X = np.column_stack([np.asarray(scores(rng, n_rows), dtype=np.float64) for _ in range(rng.integers(1, 5))])
    return X, y, weights(rng, n_rows)


def choose(*values: Any) -> Callable[[np.random.Generator], Any]:
    """One of the values, when it is asked for."""
    return lambda rng: values[rng.integers(len(values))]
