"""A list known by counts: what can be said of it without its rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium import phi as phi_
from podium._results.result import Result
from podium._types import Array, FloatArray
from podium.inference.intervals import jackknife
from podium.inference.lists.influence import Influence
from podium.inference.lists.ranking import Ranking
from podium.phi import Phi
from podium.ranks.pooled import TieGroups
from podium.roc import RocCurve

_LONG = 1 << 26  # rows, beyond which a table of all ranks is no longer small


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CountedList(Result):
    """How many positives and negatives lie at some scores and between them.

    Between two scores there is one class only, or nothing: what counts is the order of positives and negatives, and
    that is complete. AUC, W_φ, ROC curve and influence values are those of all rows in one array.

    Attributes
    ----------
    values : ndarray
        The distinct scores of the class that was collected, ascending.
    pos, neg : ndarray
        Rows of each class, from below: under the first score, on it, between it and the second, on that, and so on.
    """

    values: Array
    pos: Array
    neg: Array

    @property
    def n_pos(self) -> int:
        """The number of positives."""
        return int(self.pos.sum())

    @property
    def n_neg(self) -> int:
        """The number of negatives."""
        return int(self.neg.sum())

    def __repr__(self) -> str:
        return f"list of {self.n_pos:,} positives and {self.n_neg:,} negatives with AUC {self.auc():.3f}"

    def auc(self) -> float:
        """Area under the ROC curve, from whole numbers: the nearest float."""
        twice_won = 2 * np.cumsum(self.neg) - self.neg
        some = self.pos > 0
        # Sums of products may exceed 2⁶³: the upper and the lower half of each factor by themselves.
        high, low = np.divmod(twice_won[some], 1 << 31)
        total = (int(self.pos[some] @ high) << 31) + int(self.pos[some] @ low)
        return total / (2 * self.n_pos * self.n_neg)

    def rank_statistic(self, phi: Phi | str = "auc") -> float:
        """ω_φ on the scale from 0 to 1, as :func:`podium.metrics.rank_statistic` of all rows.

        Parameters
        ----------
        phi : Phi or str
            Which part of the list matters; see `podium.phi`. At φ(u) = u it is the AUC.

        Returns
        -------
        float
            ω_φ; rows that tie are worth the mean of φ over their ranks.
        """
        ranking = self._ranking(phi)
        return self.auc() if ranking.is_auc else ranking.omega

    def roc_curve(self) -> RocCurve:
        """The ROC curve. Where rows of one class follow each other, one segment stands for all of them."""
        values = np.concatenate([[-np.inf], np.repeat(self.values, 2)])
        values[2::2] = np.nextafter(values[2::2].astype(np.float64), np.inf)  # whatever lies above that score
        neg, pos = (np.concatenate([[0], np.cumsum(mass[self._occupied][::-1])]) for mass in (self.neg, self.pos))
        thresholds = np.concatenate([[np.inf], values[self._occupied][::-1]])
        return RocCurve(neg / neg[-1], pos / pos[-1], thresholds, self.n_pos, self.n_neg)

    def standard_error(self, phi: Phi | str = "auc") -> float:
        """Of ω_φ, by the two-sample jackknife: at φ(u) = u DeLong's.

        Parameters
        ----------
        phi : Phi or str
            Which part of the list matters; see `podium.phi`.

        Returns
        -------
        float
            The standard error, for independent rows.
        """
        return float(np.sqrt(self._influence(phi).variance()))

    def influence_values(
        self, y_true: npt.ArrayLike, y_score: npt.ArrayLike, phi: Phi | str = "auc", *, pos_label: Any = None
    ) -> FloatArray:
        """What each row of a chunk contributes to ω_φ of the whole list.

        Parameters
        ----------
        y_true, y_score : array-like
            Labels and scores of rows that were counted.
        phi : Phi or str
            Which part of the list matters; see `podium.phi`.
        pos_label : object, optional
            The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.

        Returns
        -------
        ndarray
            One value per row of the chunk, as :func:`podium.inference.influence_values` of all rows.
        """
        chunk = _input.check_chunk(y_true, y_score, pos_label)
        cell = sum(np.searchsorted(self.values, chunk.scores, side) for side in ("left", "right"))
        of_group = self._influence(phi).of_groups(np.cumsum(self._occupied)[cell] - 1)
        return np.where(chunk.is_positive, *of_group)

    @cached_property
    def _occupied(self) -> Array:
        return (self.pos + self.neg) > 0

    def _ranking(self, phi: Phi | str) -> Ranking:
        cells = np.flatnonzero(self._occupied)
        # Masses that are floats take sums over ranks by integrals: no table of all ranks.
        pos, neg = (
            mass[cells].astype(np.float64 if self.n_pos + self.n_neg > _LONG else np.int64, copy=False)
            for mass in (self.pos, self.neg)
        )
        return Ranking.of_groups(TieGroups(cells, pos, neg), phi_.resolve(phi))

    def _influence(self, phi: Phi | str) -> Influence:
        return jackknife.influence(self._ranking(phi))
