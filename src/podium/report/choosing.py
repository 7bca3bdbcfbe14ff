"""A slider along a path of cuts: how many rows each selects, and the share of negatives that is stated of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from podium._types import BoolArray, FloatArray
from podium.report.axes import Axes, Axis
from podium.report.budgets import ROUND, RankedList
from podium.report.figures import Figure, stacked
from podium.report.wording import briefly, count, share_on_axis
from podium.shortlist import ShortlistPath, path
from podium.shortlist.choosing import stated_as

_LONGEST = 10_000_000  # rows of a list that are written down one by one


@dataclass(frozen=True)
class PathSlider:
    """Some cuts of a path, one per step of the slider, and which of them it starts at."""

    path: ShortlistPath
    at: list[int]
    start: int
    figure: Figure

    @classmethod
    def of(cls, cuts: ShortlistPath, near: int, most: int | None = None) -> PathSlider | None:
        """Round numbers of rows up to ``most`` and the number nearest to ``near``; None if there are no two cuts."""
        n_rows, length = cuts.n_rows, len(cuts.scores)
        most = length if most is None else most
        asked = {d * 10**e for e in range(len(str(most))) for d in ROUND} | {near, most}
        reached = np.searchsorted(n_rows, sorted(n for n in asked if n <= most), side="right") - 1
        at = sorted({int(i) for i in reached if i >= 0})
        if len(at) < 2:
            return None
        start = int(np.argmin(np.abs(n_rows[at] - near)))
        return cls(cuts, at, start, _figure(cuts, at))

    @property
    def readouts(self) -> list[dict[str, str]]:
        """Per step what the page shows; the keys are those of the fields in the page."""
        return [
            {
                "cut-rows": f"{rows:,}",
                "cut-share": stated_as(share),
                "cut-false": count(rows * share),
                "cut-true": count(rows * (1 - share)),
                "cut-option": f"--rows {rows}",
            }
            for rows, share in self._cuts
        ]

    @property
    def lookup(self) -> list[dict[str, Any]]:
        """The same, with the place of the marker."""
        markers = self.figure.markers
        return [{"text": text, "marker": {"path": at}} for text, at in zip(self.readouts, markers, strict=True)]

    @property
    def summary(self) -> list[dict[str, float]]:
        """The same as plain numbers."""
        return [{"rows": rows, "stated_share": share} for rows, share in self._cuts]

    @property
    def _cuts(self) -> list[tuple[int, float]]:
        return [(int(self.path.n_rows[i]), float(self.path.shares[i])) for i in self.at]


def of_next_list(ranked: RankedList, near: int) -> PathSlider | None:
    """For a list whose scores are spread like those of the rows that one model judges.

    How many rows of the next list reach a cut varies; the number of its negatives that is stated does not depend on it.
    """
    if ranked.prevalence is not None or ranked.population > _LONGEST:
        return None
    sample, m = ranked.guarding, ranked.population
    return PathSlider.of(path(sample.is_positive, sample.scores, spread_like(sample.scores, m)), near)


def of_list(judged: tuple[BoolArray, FloatArray], scores: FloatArray, n_rows: int, near: int) -> PathSlider | None:
    """For a list of ``n_rows`` of which only the first may have been kept."""
    last = np.nextafter(min(scores.min(), judged[1].min()), -np.inf)  # below all negatives: no cut for any row
    rest = np.full(n_rows - len(scores), last)
    return PathSlider.of(path(*judged, np.concatenate([scores, rest])), near, most=len(scores))


def spread_like(scores: FloatArray, length: int) -> FloatArray:
    """So many scores with the distribution of others."""
    return np.sort(scores)[((np.arange(length) + 0.5) * len(scores) / length).astype(np.intp)]


def _figure(cuts: ShortlistPath, at: list[int]) -> Figure:
    axes = Axes(
        Axis(0, float(cuts.n_rows[at[-1]]), "Rows selected", briefly),
        Axis(0, 1, "Stated share of negatives", share_on_axis),
    )
    upto = at[-1] + 1
    curve = axes.line(cuts.n_rows[:upto].astype(np.float64), cuts.shares[:upto], "curve")
    first, last = (f"{stated_as(cuts.shares[i])} of the first {cuts.n_rows[i]:,} rows" for i in (at[0], at[-1]))
    description = f"The stated share of negatives rises from {first} to {last}."
    markers = [axes.point(float(cuts.n_rows[i]), float(cuts.shares[i])) for i in at]
    legend = [("curve", "Stated share, wherever you stop")]
    title = "Share of negatives stated of the first rows"
    return Figure("path", title, description, stacked(axes.frame(), curve), legend, markers)
