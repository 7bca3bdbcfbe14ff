"""Held-out rows by time: periods, and the results of the list in each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from podium._results.doubts import Doubt
from podium._results.wording import percent
from podium._types import Array, BoolArray, FloatArray, Sample
from podium.columns.date import shared_moments
from podium.inference import Interval, interval
from podium.report.wording import moment

_FEWEST, _MOST = 4, 8  # periods
_PER_PERIOD = 10  # rows of the rarer class
LEVEL = 0.01  # below which p-value a change over time is reported


class Period(NamedTuple):
    """A stretch of time: its rows, the share of positives, hits among its best rows, and its AUC (None: one class)."""

    first: str
    last: str
    n_rows: int
    n_pos: int
    n_inspected: int
    hits: float
    auc: Interval | None

    @property
    def positive_share(self) -> float:
        return self.n_pos / self.n_rows

    @property
    def precision(self) -> float:
        return self.hits / self.n_inspected


def blocks_of(time: Array, is_positive: BoolArray) -> npt.NDArray[np.intp]:
    """Number of the period of every row: about equally many rows in each, no moment in two."""
    rarer = min(int(is_positive.sum()), int((~is_positive).sum()))
    n_blocks = int(np.clip(rarer // _PER_PERIOD, _FEWEST, _MOST))
    order = np.argsort(time, kind="stable")
    first = np.searchsorted(time[order], time)  # rows before the moment of each
    return np.unique(first * n_blocks // len(time), return_inverse=True)[1]


def periods(sample: Sample, time: Array, blocks: Array, ranked_share: float, level: float) -> list[Period]:
    """Results of each period, inspecting the same share of its rows as the budget is of the list."""
    by_period = []
    for block in range(int(blocks.max()) + 1):
        rows = blocks == block
        y, scores = sample.is_positive[rows], sample.scores[rows]
        both = 2 <= y.sum() <= len(y) - 2
        n_inspected = max(1, round(ranked_share * len(y)))
        best = np.argsort(-scores, kind="stable")[:n_inspected]
        first, last = shared_moments(time[rows], (0.0, 1.0))
        by_period.append(
            Period(
                first=moment(first),
                last=moment(last),
                n_rows=len(y),
                n_pos=int(y.sum()),
                n_inspected=n_inspected,
                hits=float(y[best].sum()),
                auc=interval(y, scores, confidence_level=level) if both else None,
            )
        )
    return by_period


def changes(sample: Sample, time: Array, by_period: Sequence[Period], contributions: FloatArray) -> list[Doubt]:
    """A doubt if the share of positives, or the precision, has a trend in time."""
    values = {"share of positives": sample.is_positive.astype(np.float64), "hits among the best rows": contributions}
    words = []
    for name, value in values.items():
        if trend_pvalue(time, value) < LEVEL:
            words.append(name)
    if not words:
        return []
    first, last = by_period[0], by_period[-1]
    sentence = (
        f"The held-out rows change over time ({' and '.join(words)}). In the first period "
        f"{percent(first.positive_share)} are positive, with {percent(first.precision)} hits among the best rows; in "
        f"the last {percent(last.positive_share)}, with {percent(last.precision)}. Future rows may differ again: the "
        "range is for rows like all of these."
    )
    return [Doubt("trend", sentence)]


def trend_pvalue(time: Array, value: Array) -> float:
    """p-value of no correlation with the order in time, for independent rows."""
    place = np.unique(time, return_inverse=True)[1].astype(np.float64)
    place, value = place - place.mean(), value - value.mean()
    scale = np.sqrt((place @ place) * (value @ value))
    return 1.0 if scale == 0 else float(2 * ndtr(-abs(place @ value) / scale * np.sqrt(len(value))))
