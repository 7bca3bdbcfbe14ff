"""What ties rows together, and splits that keep it from flattering the judgment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._types import BoolArray, FloatArray
from podium.exceptions import DegenerateSampleError

Rows = npt.NDArray[np.intp]
_WINDOWS = 3  # of rolling validation
_DRAWS = 20  # of units, before a split is refused


@dataclass(frozen=True)
class Split:
    """Positions of the two parts."""

    training: Rows
    held_out: Rows


def split(is_positive: BoolArray, share: float, rng: np.random.Generator, name: str = "holdout") -> Split:
    """Hold out a share of the positives and the same share of the negatives, at random."""
    share = _input.check_fraction(name, share)
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


@dataclass(frozen=True)
class Dependence:
    """The timestamp of each row, and the unit (patient, household) it belongs to, as numbers; None if unknown.

    If both are known, rows are split by time, since units of the past will occur again.
    """

    time: FloatArray | None = None
    group: npt.NDArray[np.intp] | None = None

    def at(self, rows: Rows) -> Dependence:
        """Of some of the rows."""
        return Dependence(
            None if self.time is None else self.time[rows], None if self.group is None else self.group[rows]
        )

    def followed_by(self, other: Dependence) -> Dependence:
        """Of these rows and others after them."""
        return Dependence(
            None if self.time is None or other.time is None else np.concatenate([self.time, other.time]),
            None if self.group is None or other.group is None else np.concatenate([self.group, other.group]),
        )

    def split(self, is_positive: BoolArray, share: float, rng: np.random.Generator) -> Split:
        """Hold out the most recent rows, or whole units at random, or rows at random of each class."""
        if self.time is not None:
            return _latest(self.time, is_positive, share, 1.0, rng)
        if self.group is not None:
            return _whole_groups(self.group, is_positive, share, rng)
        return split(is_positive, share, rng)

    def splits(self, is_positive: BoolArray, share: float, repeats: int, rng: np.random.Generator) -> list[Split]:
        """Splits for model choice: repeated at random; in time, rolling windows, each predicted from earlier rows."""
        if self.time is None:
            return [self.split(is_positive, share, rng) for _ in range(repeats)]
        ends = np.linspace(1, 0.5, _WINDOWS)  # of the time covered, the whole first
        return [_latest(self.time, is_positive, share, end, rng) for end in ends]


INDEPENDENT = Dependence()


def _latest(time: FloatArray, is_positive: BoolArray, share: float, end: float, rng: np.random.Generator) -> Split:
    """Of the first rows in time, up to the share ``end`` of all, the latest are held out; none from both sides."""
    share = _input.check_fraction("holdout", share)
    order = np.argsort(time, kind="stable")
    n_rows = round(end * len(order))
    order = order[: int(np.searchsorted(time[order], time[order[n_rows - 1]], side="right"))]  # a moment is not cut
    cut = int(np.searchsorted(time[order], time[order[round((1 - share) * len(order))]]))
    return with_both_classes(order[:cut], order[cut:], is_positive, "in time", rng)


def _whole_groups(group: npt.NDArray[np.intp], is_positive: BoolArray, share: float, rng: np.random.Generator) -> Split:
    """Units in random order are held out until the share of the rows is reached; again where a part lacks a class."""
    share = _input.check_fraction("holdout", share)
    sizes = np.bincount(group)
    for _ in range(_DRAWS):
        drawn = rng.permutation(len(sizes))
        upto = np.cumsum(sizes[drawn])
        chosen = drawn[: max(1, int(np.searchsorted(upto, share * len(group) - 0.5) + 1))]
        out = np.isin(group, chosen)
        if all(0 < is_positive[part].sum() < part.sum() for part in (out, ~out)):
            break
    return with_both_classes(np.flatnonzero(~out), np.flatnonzero(out), is_positive, "by whole groups", rng)


def with_both_classes(
    training: Rows, held_out: Rows, is_positive: BoolArray, how: str, rng: np.random.Generator
) -> Split:
    """Both parts in random order; refused where one has no row of a class."""
    for part, rows in (("to learn from", training), ("to judge by", held_out)):
        n_pos = int(is_positive[rows].sum())
        if n_pos in (0, len(rows)):
            raise DegenerateSampleError(
                f"Both parts of a split need rows of both classes; split {how}, the {len(rows):,} rows {part} have "
                f"{n_pos:,} positive ones.",
                "use more rows, or another share to hold out.",
            )
    return Split(rng.permutation(training), rng.permutation(held_out))
