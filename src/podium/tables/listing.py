"""The ranked list: best first, with rank and percentile; may be built piece by piece."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from podium._types import FloatArray


class Listing:
    """Rows and their scores; with ``top`` only the best are kept, whatever the number added.

    ``n_bytes`` is what all rows added so far take.
    """

    def __init__(self, top: int | None = None) -> None:
        self._top = top
        self._pieces: list[pd.DataFrame] = []
        self.n_rows = 0
        self.n_bytes = 0

    def add(self, ids: pd.Series[Any], scores: FloatArray, more: Mapping[str, Any] | None = None) -> None:
        """Add rows, with further columns if wanted."""
        self.n_rows += len(scores)
        piece = pd.DataFrame({"id": ids.to_numpy(), "score": scores, **(more or {})})
        self.n_bytes += int(piece.memory_usage(index=False, deep=False).sum())
        self._pieces.append(piece)
        if self._top is not None and sum(map(len, self._pieces)) > 2 * self._top:
            self._pieces = [self._sorted()]

    def frame(self) -> pd.DataFrame:
        """Columns id, score, rank (1 is best; ties share the better one), percentile (100 is best), and any further."""
        best = self._sorted()
        rank = best["score"].rank(method="min", ascending=False).astype(np.int64)
        best.insert(2, "rank", rank)
        best.insert(3, "percentile", 100.0 * (1 - (rank - 1) / self.n_rows))
        return best

    def _sorted(self) -> pd.DataFrame:
        together = pd.concat(self._pieces, ignore_index=True)
        best = together.sort_values("score", ascending=False, kind="stable", ignore_index=True)
        return best if self._top is None else best.head(self._top)


def ranked_list(ids: pd.Series[Any], scores: FloatArray, **more: Any) -> pd.DataFrame:
    """The list of rows that are all at hand; see `Listing.frame`."""
    listing = Listing()
    listing.add(ids, scores, more)
    return listing.frame()
