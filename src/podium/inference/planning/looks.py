"""How many rows below the top to look at, drawn at random, until a figure of the whole list is known well enough."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._types import Array, FloatArray
from podium.exceptions import InputError
from podium.inference.observed import drawn_events, limits_within
from podium.labels.explore import measure, spread, strata

_ROUND = (1, 2, 5)


class Known(NamedTuple):
    """What is expected to be known of the whole list after so many looks below its top."""

    looks: int
    estimate: float
    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low


class Looks:
    r"""Expected intervals for a figure of a list, its first k rows and some of the others labeled.

    Rows are drawn from strata as `podium.labels.explore` has it. If each row is positive with its chance
    :math:`p_i`, the variance of the estimate is expected to be :math:`\sum_i (1/\pi_i - 1)\, c_i^2\, p_i (1 - p_i)`,
    with :math:`c_i` the slope of the figure in the label of row i.
    """

    def __init__(self, scores: npt.ArrayLike, chances: FloatArray, k: int, aim: str, level: float) -> None:
        values = np.asarray(_input.check_scores(scores), dtype=np.float64)
        k = _input.check_integer("top", k, 1, len(values) - 1, f"the list has {len(values):,} rows.")
        order = np.argsort(-values, kind="stable")
        self.chances = np.clip(chances[order], 1 / (2 * len(order)), 1 - 1 / (2 * len(order)))
        figure = measure(values[order], aim, k)
        self._estimate, self._level = figure.at(self.chances), level
        self._spread, self._slopes = (each[k:] for each in (spread(figure, self.chances), figure.slopes(self.chances)))
        self._rest = self.chances[k:]

    def known(self, n_looks: int) -> Known:
        """What is expected after so many looks."""
        inclusion = strata(self._spread, n_looks).inclusion
        variance = float(self._spread**2 @ (1 / inclusion - 1))
        events = drawn_events(self._slopes, inclusion, self._rest)
        low, high, _ = limits_within(self._estimate, (0.0, 1.0), variance, events, self._level)
        return Known(n_looks, self._estimate, low, high)

    def course(self) -> list[Known]:
        """At round numbers of looks, up to all rows of the rest."""
        n_rest = len(self._rest)
        rounds: Array = np.array([d * 10**e for e in range(len(str(n_rest))) for d in _ROUND])
        return [self.known(int(n)) for n in rounds[(rounds >= 2) & (rounds < n_rest)]] + [self.known(n_rest)]

    def needed(self, width: float) -> Known:
        """The fewest looks after which the interval is expected to be at most so wide."""
        width = _input.check_number("width", width, 0, 1, open_low=True, open_high=True)
        low, high = 1, len(self._rest)  # too few, enough
        if high < 2:
            raise InputError("A plan needs rows below the top to look at; there are none.", "inspect fewer rows.")
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.known(middle).width <= width else (middle, high)
        return self.known(high)
