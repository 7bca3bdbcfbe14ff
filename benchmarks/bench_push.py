"""Pushes: value and gradient, coordinate ascent against the literal Figure 2, one round of thresholds."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits
from timing import Row, seconds

from podium._types import Sample
from podium.criteria import IRPush, PNormPush
from podium.rankers.weak import BinnedColumns, FeatureRankers, Stumps
from podium.solvers import CoordinateAscent

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from rankers import naive_boosting


def rows() -> list[Row]:
    with threadpool_limits(1):
        return [*_gradients(), *_figure_2(), *_thresholds()]


def _gradients(n_total: int = 10**6) -> list[Row]:
    rng = np.random.default_rng(0)
    y = rng.random(n_total) < 0.5
    X, w = rng.standard_normal((n_total, 15)), rng.standard_normal(15)
    scores = rng.standard_normal(n_total) + y
    table = []
    for criterion, against, wanted in (
        (PNormPush(4), "X @ w", "<= 1.5"),
        (IRPush(), "X @ w", "<= 1.5"),
        (PNormPush(4, "logistic"), "np.sort", "<= 1.5"),
        (PNormPush(4, "hinge"), "np.sort", "<= 8"),
        (PNormPush(4, "squared_hinge"), "np.sort", "<= 8"),
    ):
        other = (lambda: X @ w) if against == "X @ w" else (lambda: np.sort(scores))
        ours, theirs = seconds(lambda: criterion.value_and_gradient(scores, y), other, repeat=15)
        table.append(Row(f"value and gradient of {criterion}, N = 1e6", against, ours / theirs, wanted))
    return table


def _magic() -> tuple[np.ndarray, np.ndarray]:
    """1,000 rows of MAGIC if PODIUM_DATA has it, else normal rows of the same shape."""
    path = Path(os.environ.get("PODIUM_DATA", "")) / "magic.csv.gz"
    rng = np.random.default_rng(0)
    if path.exists():
        data = rng.permutation(np.loadtxt(path, delimiter=",", skiprows=1))[:1000]
        return data[:, :-1], data[:, -1] == 1
    y = rng.random(1000) < 0.65
    return rng.standard_normal((1000, 10)) + 0.3 * y[:, None], y


def _figure_2() -> list[Row]:
    X, y = _magic()
    unit = (X - X.min(axis=0)) / np.ptp(X, axis=0)

    def ascent(p: float) -> object:
        return CoordinateAscent(100).climb(FeatureRankers(PNormPush(p), Sample(np.zeros(len(y)), y), unit))

    table = []
    for p in (1, 4, 16):
        ours, literal = seconds(lambda: ascent(p), lambda: naive_boosting.figure_2(unit, y, p, 100), repeat=2)
        table.append(Row(f"100 rounds at p = {p}, 1,000 × 10", "the pair matrix", literal / ours, ">= 200"))
    return table


def _thresholds(n_total: int = 10**6) -> list[Row]:
    rng = np.random.default_rng(0)
    y = rng.random(n_total) < 0.5
    X, w = rng.standard_normal((n_total, 20)), rng.standard_normal(20)
    stumps = Stumps(PNormPush(1), Sample(np.zeros(n_total), y), BinnedColumns.fit(X, None, 255))
    ours, theirs = seconds(lambda: CoordinateAscent(1).climb(stumps), lambda: X @ w, repeat=9)
    return [Row("one round of thresholds, 1e6 × 20", "X @ w", ours / theirs, "<= 20")]
