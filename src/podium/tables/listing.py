"""The ranked list: best first, with rank and percentile; may be built piece by piece."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from podium._types import Array, FloatArray

LIST = "list"  # the column that names the list of a row, where there are several
JUDGED_BY = "judged_by"  # of rows that judge: which kind of model scored each, where these are several


class Listing:
    """Rows and their scores; with ``top`` only the best of each list are kept, whatever the number added.

    ``n_bytes`` is what all rows added so far take, ``lengths`` how many rows every list has.
    """

    def __init__(self, top: int | None = None) -> None:
        self._top = top
        self._pieces: list[pd.DataFrame] = []
        self.n_rows = 0
        self.n_bytes = 0
        self.lengths: Counter[Any] = Counter()

    def add(
        self,
        ids: pd.Series[Any],
        scores: FloatArray,
        more: Mapping[str, Any] | None = None,
        list_of: Array | None = None,
    ) -> None:
        """Add rows, with further columns if wanted, and with the name of the list of each where there are several."""
        self.n_rows += len(scores)
        names = {} if list_of is None else {LIST: list_of}
        piece = pd.DataFrame({**names, "id": ids.to_numpy(), "score": scores, **(more or {})})
        self.lengths.update([None] * len(scores) if list_of is None else list_of.tolist())
        self.n_bytes += int(piece.memory_usage(index=False, deep=False).sum())
        self._pieces.append(piece)
        if self._top is not None and sum(map(len, self._pieces)) > 2 * self._top * len(self.lengths):
            self._pieces = [self._sorted()]

    def frame(self) -> pd.DataFrame:
        """Columns id, score, rank (1 is best; ties share the better one), percentile (100 is best), and any further."""
        best = self._sorted()
        several = LIST in best
        place, scores = np.arange(len(best)), best["score"].to_numpy()
        begins = (place == 0) | ((best[LIST] != best[LIST].shift()).to_numpy() if several else False)
        start, tied = (
            np.maximum.accumulate(np.where(first, place, 0))
            for first in (begins, begins | (scores != np.roll(scores, 1)))
        )
        length = best[LIST].map(self.lengths).to_numpy() if several else self.n_rows
        best.insert(2 + several, "rank", tied - start + 1)
        best.insert(3 + several, "percentile", 100.0 * (1 - (tied - start) / length))
        return best

    def _sorted(self) -> pd.DataFrame:
        together = pd.concat(self._pieces, ignore_index=True)
        best = together.sort_values("score", ascending=False, kind="stable", ignore_index=True)
        if LIST in best:
            best = best.sort_values(LIST, kind="stable", ignore_index=True)
            return best if self._top is None else best.groupby(LIST, sort=False).head(self._top).reset_index(drop=True)
        return best if self._top is None else best.head(self._top)


def ranked_list(ids: pd.Series[Any], scores: FloatArray, **more: Any) -> pd.DataFrame:
    """The list of rows that are all at hand; see `Listing.frame`."""
    listing = Listing()
    listing.add(ids, scores, more)
    return listing.frame()
