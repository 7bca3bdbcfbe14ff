"""Where cells start: at single scores, at quantiles, and inside cells that need to be finer."""

from __future__ import annotations

from typing import Any

import numpy as np

from podium._types import Array, BoolArray


def lowest(dtype: np.dtype[Any]) -> Any:
    """A number that no score lies below."""
    return dtype.type(-np.inf) if dtype.kind == "f" else np.iinfo(dtype).min


def following(values: Array) -> Array:
    """The next number of the same type."""
    return np.nextafter(values, np.inf) if values.dtype.kind == "f" else values + 1


def around(values: Array) -> Array:
    """Cells that hold each of these distinct scores alone, and what lies between them."""
    apart = np.unique(np.stack([values, following(values)], axis=1))
    return np.concatenate([[lowest(values.dtype)], apart])


def quantiles(pos: tuple[Array, Array], neg: tuple[Array, Array], n_cells: int) -> Array:
    """About so many cells with equal parts of both classes, by samples of them; scores seen twice by themselves."""
    values = np.concatenate([pos[0], neg[0]])
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(np.concatenate([mass / mass.sum() for _, mass in (pos, neg)])[order])
    values = values[order]
    twice = np.concatenate([values[:-1][values[:-1] == values[1:]], pos[0][pos[1] > 1], neg[0][neg[1] > 1]])
    if values.dtype.kind == "f":
        values = np.interp(np.linspace(0, upto[-1], n_cells), upto, values)
    return np.union1d(values[:: max(1, len(values) // n_cells)], around(np.unique(twice)))


def subdivided(starts: Array, these: BoolArray, n_parts: int) -> Array:
    """Some of the cells in equal parts, as far as they have two ends."""
    low, high = starts[:-1][these[:-1]], starts[1:][these[:-1]]
    finite = low > lowest(starts.dtype)
    low, high = low[finite], high[finite]
    steps = np.arange(1, n_parts) / n_parts
    inner = low[:, None] * (1 - steps) + high[:, None] * steps  # not by the width, which may overflow
    return np.union1d(starts, inner.astype(starts.dtype).ravel())


def is_wide(starts: Array) -> BoolArray:
    """Whether a cell can hold different scores."""
    return np.append(starts[1:] > following(starts[:-1]), True)
