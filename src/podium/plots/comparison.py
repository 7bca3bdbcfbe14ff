"""A forest plot: one line per estimate, with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from podium._types import FloatArray
from podium.exceptions import InputError, InputTypeError
from podium.plots.canvas import (
    COLORS,
    FAINT,
    Display,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class ComparisonDisplay(Display):
    """Estimates or differences with their intervals, one below the other.

    Attributes
    ----------
    labels : sequence of str
        The names of the rows.
    estimate, low, high : ndarray
        The estimates and the limits of their intervals.
    reference : float, optional
        Where to draw a vertical line: 0 for differences.
    quantity : str
        The label of the axis.
    ax_ : matplotlib.axes.Axes
        The axes last drawn on.

    Examples
    --------
    >>> from podium.inference import tpr_interval
    >>> from podium.plots import ComparisonDisplay
    >>> y, s = [0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6]
    >>> display = ComparisonDisplay.of({f"at FPR {t}": tpr_interval(y, s, fpr=t) for t in (0.2, 0.5)})
    >>> display.labels
    ['at FPR 0.2', 'at FPR 0.5']
    """

    labels: Sequence[str]
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    reference: float | None = None  # a vertical line: 0 for differences
    quantity: str = "Estimate"

    _legend: ClassVar[dict[str, Any] | None] = None

    @classmethod
    def of(cls, results: Mapping[str, Any] | Sequence[Any]) -> ComparisonDisplay:
        """From results by name, or from results that have a ``label`` or the ``names`` of the two that they compare.

        A result has ``low``, ``high`` and a ``difference`` (of a comparison; then there is a line at 0) or an
        ``estimate``. What :func:`podium.inference.compare` returns for many scorers may be given as it is.

        Parameters
        ----------
        results : mapping or sequence
            The results, by name or in order.

        Returns
        -------
        ComparisonDisplay
            The display; call ``plot`` to draw it.
        """
        rows = list(results.values() if isinstance(results, Mapping) else getattr(results, "pairs", results))
        if not rows:
            raise InputError("A forest plot needs at least one result; got none.")
        kind = "difference" if all(hasattr(row, "difference") for row in rows) else "estimate"
        for row in rows:
            lacking = [name for name in (kind, "low", "high") if not hasattr(row, name)]
            if lacking:
                raise InputTypeError(
                    f"A forest plot needs results with low, high and a difference or an estimate; {row!r} lacks "
                    f"{' and '.join(lacking)}.",
                    "draw differences and estimates in two plots.",
                )
        labels = (
            list(results) if isinstance(results, Mapping) else [_label(row, i) for i, row in enumerate(rows, start=1)]
        )
        estimate, low, high = (np.array([getattr(row, name) for row in rows], float) for name in (kind, "low", "high"))
        reference = 0.0 if kind == "difference" else None
        return cls(labels, estimate, low, high, reference, quantity=kind.capitalize())

    def frame(self) -> dict[str, Any]:
        """Labels, estimates and limits."""
        return {"label": list(self.labels), "estimate": self.estimate, "low": self.low, "high": self.high}

    def _draw(self, ax: Axes) -> None:
        n = len(self.labels)
        rows = np.arange(n)
        if self.reference is not None:
            ax.axvline(self.reference, color=FAINT, linewidth=0.8, linestyle=(0, (4, 4)), zorder=1)
        ax.hlines(rows, self.low, self.high, color=COLORS[0], linewidth=1.6)
        ax.plot(self.estimate, rows, "s", color=COLORS[0], markersize=6)
        for row, (estimate, low, high) in enumerate(zip(self.estimate, self.low, self.high, strict=True)):
            # The figures stand in a column of their own, to the right of everything drawn.
            text = f"{estimate:.3f}  [{low:.3f}, {high:.3f}]".replace("-", "−")
            ax.text(1.02, row, text, transform=ax.get_yaxis_transform(), va="center", fontsize="small")
        ax.set_yticks(rows, self.labels)
        ax.set(ylim=(n - 0.5, -0.5), xlabel=self.quantity)

    def _size(self) -> tuple[float, float]:
        return 6.0, 1.2 + 0.4 * len(self.labels)


def _label(row: Any, number: int) -> str:
    if hasattr(row, "label"):
        return str(row.label)
    return " − ".join(row.names) if hasattr(row, "names") else str(number)
