"""Do chances hold? What was said of rows that taught nothing, and what was found there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium._types import BoolArray, FloatArray
from podium.rankers.calibration.counts import wilson
from podium.rankers.calibration.curves import Calibration

_FOLDS, _BINS, _PER_BIN = 5, 10, 20


@dataclass(frozen=True, eq=False)
class Reliability:
    """Bins of about equally many rows by the chance said, and the share of positives found there with 95 % limits."""

    said: FloatArray
    found: FloatArray
    low: FloatArray
    high: FloatArray
    n_rows: FloatArray

    @property
    def expected_error(self) -> float:
        """The mean distance of what was found from what was said, over all rows."""
        return float(np.average(np.abs(self.found - self.said), weights=self.n_rows))


def reliability(is_positive: BoolArray, scores: FloatArray) -> Reliability:
    """Chances learned from four fifths of the rows, five times over, and what was found in the other fifth."""
    order = np.argsort(scores, kind="stable")
    fold = np.empty(len(scores), dtype=np.intp)
    for rows in (order[is_positive[order]], order[~is_positive[order]]):
        fold[rows] = np.arange(len(rows)) % _FOLDS  # every fold has scores of all sizes of both classes
    said = np.empty(len(scores))
    for k in range(_FOLDS):
        here = fold == k
        said[here] = Calibration.fit(scores[~here], is_positive[~here])(scores[here])
    n_bins = int(np.clip(len(scores) // _PER_BIN, 2, _BINS))
    parts = np.array_split(np.argsort(said, kind="stable"), n_bins)
    n: FloatArray = np.array([len(part) for part in parts], dtype=np.float64)
    h: FloatArray = np.array([is_positive[part].sum() for part in parts], dtype=np.float64)
    low, high = wilson(h, n)
    return Reliability(np.array([said[part].mean() for part in parts]), h / n, low, high, n)
