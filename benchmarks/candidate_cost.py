"""Seconds that the candidates of the automatic choice take, by rows and columns.

Prints the constants of `podium.selection.candidates`: for every candidate the fit of
seconds = a + b · rows + c · rows · columns, none of them negative and relative errors squared, to processor seconds on
made-up tables.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
from scipy.optimize import nnls

from podium import phi
from podium.selection.candidates import MODELS, build

ROWS = (1_000, 4_000, 16_000, 60_000)
COLUMNS = (5, 20, 80)
LONGEST = 25.0  # seconds; a larger table is not tried after one that took longer


def table(n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Half of the columns tell something, two of them jointly; one row in ten is positive."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, n_columns))
    X[:, ::3] = X[:, ::3].round()
    risk = X[:, : max(n_columns // 2, 2)].sum(axis=1) / np.sqrt(n_columns) + X[:, 0] * X[:, 1]
    risk += rng.logistic(size=n_rows)
    return np.asfortranarray(X), risk > np.quantile(risk, 0.9)


def seconds(name: str, n_rows: int, n_columns: int) -> float:
    """Processor time of a fit; everything is compiled before."""
    X, y = table(n_rows, n_columns)
    best = np.inf
    for _ in range(2 if n_rows < 10_000 else 1):
        begun = time.process_time()
        build(name, phi.for_budget(n_rows // 20, n_rows), None, 0).fit(X, y)
        best = min(best, time.process_time() - begun)
    return best


def main() -> None:
    warnings.simplefilter("ignore")
    for name in MODELS:
        seconds(name, 1_000, 5)
        cells, taken = [], []
        for n_columns in COLUMNS:
            for n_rows in ROWS:
                cells.append((1.0, n_rows, n_rows * n_columns))
                taken.append(seconds(name, n_rows, n_columns))
                print(f"{name:16} {n_rows:7,} rows {n_columns:3} columns {taken[-1]:8.2f} s", flush=True)
                if taken[-1] > LONGEST:
                    break
        scaled = np.array(cells) / np.array(taken)[:, None]
        a, b, c = nnls(scaled, np.ones(len(taken)))[0]
        factor = np.exp(np.abs(np.log(scaled @ [a, b, c])).max())
        print(f'"{name}": Cost({a:.2g}, {b:.2g}, {c:.2g}),  # within a factor of {factor:.1f}')


if __name__ == "__main__":
    main()
