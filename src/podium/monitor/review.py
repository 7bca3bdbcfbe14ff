"""What is known of the labels of a batch, as far as they have come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._types import BoolArray, FloatArray
from podium.exceptions import InputError
from podium.labels import Observed


@dataclass(frozen=True, eq=False)
class KnownLabels:
    """Scores of all rows of a batch, labels as far as they are known, and how much each of them weighs.

    ``weight`` is the least inclusion probability of the batch over that of the row, and so at most 1. Rows that
    ``wait`` are certain to be labeled, and have no label yet.
    """

    scores: FloatArray
    is_labeled: BoolArray
    is_positive: BoolArray
    weight: FloatArray
    waits: BoolArray

    @classmethod
    def of(cls, y: Any, s: npt.ArrayLike, inclusion: npt.ArrayLike | None, pos_label: Any) -> KnownLabels:
        """From labels with gaps; those of rows that wait need not be there, other than in a finished `Observed`."""
        scores = _input.check_scores(s, "s").astype(np.float64)
        if isinstance(y, Observed):
            y, inclusion = y.y, y.inclusion if inclusion is None else inclusion
        labels = _input.column_of(y, "y")
        if len(labels) != len(scores):
            raise InputError(f"y and s must have the same length; got {len(labels)} labels and {len(scores)} scores.")
        is_labeled = (
            ~np.isnan(labels)
            if labels.dtype.kind == "f"
            else np.fromiter((not _input.is_missing(label) for label in labels), np.bool_, len(labels))
        )
        waits = np.zeros(len(scores), dtype=np.bool_)
        weight = np.ones(len(scores))
        if inclusion is not None:
            shares = _input.check_scores(inclusion, "inclusion").astype(np.float64)
            if len(shares) != len(scores):
                raise InputError(f"inclusion must have one probability for every row; got {len(shares)}.")
            if is_labeled.any():  # the bets on a batch begin with its first label
                waits = ~is_labeled & (shares == 1)
                Observed(labels[~waits], shares[~waits])  # refuses what is no design
                weight = shares.min() / shares
        is_positive = np.zeros(len(scores), dtype=np.bool_)
        if is_labeled.any():
            is_positive[is_labeled] = Observed(labels[is_labeled]).positives(pos_label)
        return cls(scores, is_labeled, is_positive, weight, waits)
