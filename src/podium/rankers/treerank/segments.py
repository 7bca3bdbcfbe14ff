"""The segments of a ranking tree as a table, from best to worst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from podium._results import wording
from podium._results.result import Result, Table
from podium._shares import least_share
from podium._types import FloatArray


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Segments(Result):
    r"""Segments of the population from best to worst, with counts and rates.

    Attributes
    ----------
    rules : tuple of str
        Which rows belong to each segment, in words.
    rows, positives : ndarray
        Number of rows and of positives in each segment; sums of weights if rows have weights.
    rate, rate_low, rate_high : ndarray
        The share of positives in each segment, and its limits.
    tpr, tpr_low, tpr_high : ndarray
        The share of all positives in this segment and the better ones, and its limits.
    fpr, fpr_low, fpr_high : ndarray
        The same for negatives.
    confidence_level : float or None
        The confidence level of each interval separately (Clopper–Pearson: guaranteed at every sample size for a given
        tree). None on the training rows of the tree, where limits are NaN: segments were chosen to look good there, so
        limits that treat them as fixed would not hold.
    """

    rules: tuple[str, ...]
    rows: FloatArray
    positives: FloatArray
    rate: FloatArray
    rate_low: FloatArray
    rate_high: FloatArray
    tpr: FloatArray
    tpr_low: FloatArray
    tpr_high: FloatArray
    fpr: FloatArray
    fpr_low: FloatArray
    fpr_high: FloatArray
    confidence_level: float | None

    @classmethod
    def counted(
        cls, rules: Sequence[str], n_pos: FloatArray, n_neg: FloatArray, confidence_level: float | None
    ) -> Segments:
        """From the positives and negatives in each segment; without a level there are no limits.

        Parameters
        ----------
        rules : sequence of str
            The rule of each segment in words, best first.
        n_pos, n_neg : array
            Positives and negatives in each.
        confidence_level : float, optional
            The confidence level of each interval separately; without it there are no limits.
        """
        rows = n_pos + n_neg
        shares = {
            "rate": (n_pos, rows),
            "tpr": (np.cumsum(n_pos), np.full(len(rows), n_pos.sum())),
            "fpr": (np.cumsum(n_neg), np.full(len(rows), n_neg.sum())),
        }
        columns: dict[str, FloatArray] = {}
        for name, (hits, total) in shares.items():
            with np.errstate(invalid="ignore"):
                columns[name] = hits / total  # NaN in a segment without rows
            low, high = _clopper_pearson(hits, total, confidence_level)
            if name != "rate" and confidence_level is not None:
                low[-1] = 1.0  # all rows are in some segment
            columns |= {f"{name}_low": low, f"{name}_high": high}
        return cls(rules=tuple(rules), rows=rows, positives=n_pos, confidence_level=confidence_level, **columns)

    def __repr__(self) -> str:
        best = f"best: {wording.percent(self.rate[0])} positive" if self.rows[0] else "the best without rows"
        worst = f"worst: {wording.percent(self.rate[-1])}" if self.rows[-1] else "the worst without rows"
        whose = "training rows" if self.confidence_level is None else "rows"
        return f"{len(self.rules)} segments of {self.rows.sum():,.15g} {whose}, {best}, {worst}"

    def _table(self) -> Table:
        heading = ("rule", "rows", "positives", "rate", "true positive rate", "false positive rate")
        return heading, self.table_rows()

    def table_rows(self) -> list[tuple[str, ...]]:
        """Every segment in words: rule, rows, positives, and the three shares with their limits."""
        return [
            (
                self.rules[i],
                f"{self.rows[i]:,.15g}",
                f"{self.positives[i]:,.15g}",
                *(self._share(name, i) for name in ("rate", "tpr", "fpr")),
            )
            for i in range(len(self.rules))
        ]

    def _share(self, name: str, i: int) -> str:
        if np.isnan(getattr(self, name)[i]):
            return "–"
        text = wording.percent(getattr(self, name)[i])
        if self.confidence_level is None:
            return text
        low, high = (wording.percent(getattr(self, f"{name}_{end}")[i]) for end in ("low", "high"))
        return f"{text} ({low} to {high})"


def _clopper_pearson(
    hits: FloatArray, total: FloatArray, confidence_level: float | None
) -> tuple[FloatArray, FloatArray]:
    if confidence_level is None:
        return np.full(len(hits), np.nan), np.full(len(hits), np.nan)
    tail = (1 - confidence_level) / 2
    return least_share(hits, total, tail), 1 - least_share(total - hits, total, tail)
