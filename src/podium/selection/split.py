"""Training and held-out rows, with both classes in each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._types import BoolArray
from podium.exceptions import DegenerateSampleError

Rows = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Split:
    """Positions of the two parts."""

    training: Rows
    held_out: Rows


def split(is_positive: BoolArray, share: float, rng: np.random.Generator, name: str = "holdout") -> Split:
    """Hold out a share of the positives and the same share of the negatives, at random."""
    share = _input.check_number(name, share, 0, 1, open_low=True, open_high=True)
    kept, held_out = [], []
    for rows in (np.flatnonzero(is_positive), np.flatnonzero(~is_positive)):
        rows = rng.permutation(rows)
        cut = round(share * len(rows))
        if not 0 < cut < len(rows):
            raise DegenerateSampleError(
                f"Both parts of a split need rows of both classes; got {int(is_positive.sum())} positive and "
                f"{int((~is_positive).sum())} negative rows, of which a share of {share:g} is held out.",
                "use more rows, or a share nearer to a half.",
            )
        held_out.append(rows[:cut])
        kept.append(rows[cut:])
    # In random order: learners that look at the first rows must not see one class only.
    return Split(rng.permutation(np.concatenate(kept)), rng.permutation(np.concatenate(held_out)))
