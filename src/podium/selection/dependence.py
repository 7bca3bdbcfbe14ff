"""What ties rows together, and splits that keep it from flattering the judgment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

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

    If both are known, rows are split by time, since units of the past will occur again. ``period`` numbers the period
    of every row in the order of time: none is cut. A label is known after the time ``delay``.
    """

    time: FloatArray | None = None
    group: npt.NDArray[np.intp] | None = None
    period: npt.NDArray[np.intp] | None = None
    delay: float = 0.0

    def at(self, rows: Rows) -> Dependence:
        """Of some of the rows."""
        some: dict[str, Any] = {name: None if each is None else each[rows] for name, each in self._parts.items()}
        return replace(self, **some)

    def followed_by(self, other: Dependence) -> Dependence:
        """Of these rows and others after them."""
        joined: dict[str, Any] = {}
        for name, each in self._parts.items():
            more = other._parts[name]
            joined[name] = None if each is None or more is None else np.concatenate([each, more])
        return replace(self, **joined)

    @property
    def _parts(self) -> dict[str, Any]:
        return {"time": self.time, "group": self.group, "period": self.period}

    def split(self, is_positive: BoolArray, share: float, rng: np.random.Generator) -> Split:
        """Hold out the most recent rows, or whole units at random, or rows at random of each class."""
        if self.time is not None:
            return self._latest(self.time, is_positive, share, 1.0, rng)
        if self.group is not None:
            return _whole_groups(self.group, is_positive, share, rng)
        return split(is_positive, share, rng)

    def splits(self, is_positive: BoolArray, share: float, repeats: int, rng: np.random.Generator) -> list[Split]:
        """Splits for model choice: repeated at random; in time, rolling windows, each predicted from earlier rows."""
        if self.time is None:
            return [self.split(is_positive, share, rng) for _ in range(repeats)]
        ends = np.linspace(1, 0.5, _WINDOWS)  # of the time covered, the whole first
        return [self._latest(self.time, is_positive, share, end, rng) for end in ends]

    def _latest(
        self, time: FloatArray, is_positive: BoolArray, share: float, end: float, rng: np.random.Generator
    ) -> Split:
        """Of the first rows in time, up to the share ``end`` of all, the latest are held out; no period is cut.

        Trained on are rows whose labels were known when the first one held out came.
        """
        share = _input.check_fraction("holdout", share)
        moment = time if self.period is None else self.period
        order = np.argsort(time, kind="stable")
        n_rows = round(end * len(order))
        order = order[: int(np.searchsorted(moment[order], moment[order[n_rows - 1]], side="right"))]  # none is cut
        cut = int(np.searchsorted(moment[order], moment[order[round((1 - share) * len(order))]]))
        known = int(np.searchsorted(time[order], time[order[cut]] - self.delay, side="right")) if self.delay else cut
        return with_both_classes(order[: min(known, cut)], order[cut:], is_positive, "in time", rng)


INDEPENDENT = Dependence()


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
