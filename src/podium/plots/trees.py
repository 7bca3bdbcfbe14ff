"""Displays of ranking trees: the tree, and its segments."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from podium._results import wording
from podium._types import FloatArray
from podium.plots.canvas import (
    COLORS,
    FAINT,
    NEGATIVE,
    POSITIVE,
    Display,
    RocSquareDisplay,
    roc_square,
)
from podium.rankers import Segments, TreeRanker
from podium.rankers.treerank.rules import rule_of_cut

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class SegmentsDisplay(RocSquareDisplay):
    """The polygonal line from segment to segment, best first, with a cross of limits at every point.

    Attributes
    ----------
    segments : Segments
        The segments; those of rows that the tree was not grown on have limits.
    ax_ : matplotlib.axes.Axes
        The axes last drawn on.

    Examples
    --------
    >>> from podium import TreeRanker
    >>> from podium.datasets import LocationModel
    >>> from podium.plots import SegmentsDisplay
    >>> X, y = LocationModel(0.5, dimension=3).sample(300, 300, rng=0)
    >>> display = SegmentsDisplay(TreeRanker().fit(X[::2], y[::2]).segments(X[1::2], y[1::2]))
    >>> sorted(display.frame())
    ['fpr', 'fpr_high', 'fpr_low', 'tpr', 'tpr_high', 'tpr_low']
    """

    segments: Segments

    def frame(self) -> dict[str, FloatArray]:
        """True and false positive rate after every segment, with their limits."""
        names = (f"{rate}{end}" for rate in ("fpr", "tpr") for end in ("", "_low", "_high"))
        return {name: getattr(self.segments, name) for name in names}

    def _draw(self, ax: Axes) -> None:
        at = self.segments
        fpr, tpr = np.append(0.0, at.fpr), np.append(0.0, at.tpr)
        label = f"{len(at.rules)} segments (AUC {np.trapezoid(tpr, fpr):.3f})"
        ax.plot(fpr, tpr, "o-", color=COLORS[0], markersize=4, linewidth=1.6, label=label)
        if at.confidence_level is not None:
            style: dict[str, Any] = {"color": COLORS[0], "alpha": 0.4, "linewidth": 1.0}
            ax.hlines(at.tpr[:-1], at.fpr_low[:-1], at.fpr_high[:-1], **style)
            limits = f"{100 * at.confidence_level:.12g} % limits of each rate by itself"
            ax.vlines(at.fpr[:-1], at.tpr_low[:-1], at.tpr_high[:-1], label=limits, **style)
        roc_square(ax)


_WIDTH = 24  # letters of a line


@dataclass
class TreeDisplay(Display):
    """Cells as boxes: what goes to the left, the better side, and at the ends the share of positives of segments.

    Attributes
    ----------
    x, y : ndarray
        Where each cell is; y is minus its level.
    parent : ndarray
        The number of the cell that each one was cut from; −1 for the first.
    share : ndarray
        The share of positives among the training rows of each cell.
    text : list of str
        What is written in each.
    ax_ : matplotlib.axes.Axes
        The axes last drawn on.

    Examples
    --------
    >>> from podium import TreeRanker
    >>> from podium.datasets import LocationModel
    >>> from podium.plots import TreeDisplay
    >>> X, y = LocationModel(1.0, dimension=2).sample(300, 300, rng=0)
    >>> display = TreeDisplay.of(TreeRanker(max_depth=1).fit(X, y))
    >>> display.parent
    array([-1,  0,  0])
    """

    x: FloatArray
    y: FloatArray
    parent: FloatArray
    share: FloatArray
    text: list[str]

    _legend: ClassVar[dict[str, Any] | None] = None

    @classmethod
    def of(cls, ranker: TreeRanker) -> TreeDisplay:
        """The picture of a fitted tree.

        Parameters
        ----------
        ranker : TreeRanker
            The fitted tree to draw.

        Returns
        -------
        TreeDisplay
            The display; call ``plot`` to draw it.
        """
        tree = ranker.tree_
        n_cells = len(tree.first)
        x, y, parent = np.zeros(n_cells), np.zeros(n_cells), np.full(n_cells, -1)
        cut = np.flatnonzero(tree.first >= 0)
        for cell in map(int, cut):  # a parent comes before its children
            children = tree.upper[cell], tree.lower[cell]
            parent[[*children]], y[[*children]] = cell, y[cell] - 1
        todo, place = [0], 0
        while todo:  # leaves from left to right
            cell = todo.pop()
            if tree.first[cell] >= 0:
                todo += [int(tree.lower[cell]), int(tree.upper[cell])]
            else:
                x[cell], place = place, place + 1
        for cell in map(int, cut[::-1]):
            x[cell] = (x[tree.upper[cell]] + x[tree.lower[cell]]) / 2
        share = tree.share
        text = [f"{wording.percent(share[i])} of {tree.n_pos[i] + tree.n_neg[i]:,.6g}" for i in range(n_cells)]
        for number, cell in enumerate(tree.order, start=1):
            text[cell] = f"segment {number}\n{text[cell]}"
        for cell in map(int, cut):
            rule = rule_of_cut(tree, ranker.bins_, cell).in_words(ranker.condition_in_words)
            text[cell] += "\n" + textwrap.fill(rule, _WIDTH)
        return cls(x, y, parent, share, text)

    def frame(self) -> dict[str, FloatArray | list[str]]:
        """Where each cell is, the cell above it, its share of positives, and what is written in it."""
        return {"x": self.x, "y": self.y, "parent": self.parent, "share": self.share, "text": self.text}

    def _draw(self, ax: Axes) -> None:
        for cell, above in enumerate(self.parent):
            if above >= 0:
                ends = [self.x[above], self.x[cell]], [self.y[above], self.y[cell]]
                ax.plot(*ends, color=FAINT, linewidth=1.0, zorder=1)
        for x, y, share, text in zip(self.x, self.y, self.share, self.text, strict=True):
            color = POSITIVE if share > self.share[0] else NEGATIVE if share < self.share[0] else FAINT
            box = {"boxstyle": "round", "facecolor": "white", "edgecolor": color}
            ax.text(x, y, text, ha="center", va="center", fontsize=8, bbox=box)
        ax.set(
            xlim=(-0.6, self.x.max() + 0.6), ylim=(self.y.min() - 0.5, 0.5), xlabel="Up to the left, down to the right"
        )
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_visible(False)

    def _size(self) -> tuple[float, float]:
        return max(5.0, 1.9 * (self.x.max() + 1)), 1.6 * (1 - self.y.min())
