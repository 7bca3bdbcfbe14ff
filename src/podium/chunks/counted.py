"""A list known by counts: what can be said of it without its rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from podium import _input
from podium import phi as phi_
from podium._fast.lists import merge_counts, twice_wins
from podium._results.result import Result
from podium._types import Array, BoolArray, FloatArray
from podium.chunks.groups import Groups
from podium.chunks.rows import check_chunk
from podium.inference.curves.bands import RocBand, band_of_groups
from podium.inference.intervals import jackknife
from podium.inference.intervals.interval import Interval, interval_of
from podium.inference.intervals.methods import METHODS, IntervalRequest
from podium.metrics.area import CurvePart, area_of_part
from podium.metrics.linear import statistic_of_groups, statistic_of_ranks
from podium.metrics.top import expected_hits
from podium.phi import Phi
from podium.roc import RocCurve

_MOST_PAIRS = 1 << 62  # twice as many are counted in 64 bits


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CountedList(Groups, Result):
    """A list known by its counts: all that the AUC, W_φ, the ROC curve and influence values depend on.

    Attributes
    ----------
    starts : ndarray
        Where the groups start, ascending: a group holds the rows with scores from its start up to the next one's.
    pos, neg : ndarray
        The number of rows of each class in every group, or their weight.
    wide : ndarray
        Whether a group may hold different scores. Where all of them are of one class, their order does not matter.
    n_pos, n_neg : int or float
        The numbers of positives and of negatives, or their weights.
    max_error : float
        By how much the AUC can be wrong at most: 0 where the list is exact.
    """

    def __repr__(self) -> str:
        error = f", wrong by {self.max_error:.1g} at most" if self.max_error else ""
        return f"list of {self.n_pos:,} positives and {self.n_neg:,} negatives with AUC {self.auc():.3f}{error}"

    def auc(self) -> float:
        """Area under the ROC curve; without weights from whole numbers, the nearest float."""
        if self.is_weighted:
            return self.ties.share_won
        twice_won = 2 * np.cumsum(self.neg) - self.neg
        some = self.pos > 0
        # Sums of products may exceed 2⁶³: the upper and the lower half of each factor by themselves.
        high, low = np.divmod(twice_won[some], 1 << 31)
        total = (int(self.pos[some] @ high) << 31) + int(self.pos[some] @ low)
        return total / (2 * self.n_pos * self.n_neg)

    def rank_statistic(self, phi: Phi | str = "auc", *, scale: str = "omega") -> float:
        """W_φ, as :func:`podium.metrics.rank_statistic` of all rows.

        Parameters
        ----------
        phi : Phi or str
            Which part of the list matters; see `podium.phi`. At φ(u) = u it is the AUC.
        scale : {"omega", "mean", "sum"}
            ω_φ on the scale from 0 to 1, W_φ/n, or W_φ.

        Returns
        -------
        float
            The statistic; rows that tie are worth the mean of φ over their ranks.
        """
        _input.check_choice("scale", scale, ("omega", "mean", "sum"))
        phi = phi_.resolve(phi)
        if scale == "omega" and phi.bind(self.n_pos + self.n_neg).is_affine:
            return self.auc()
        if self.is_weighted or self.is_long:
            return statistic_of_groups(self.float_ties, phi, scale)
        return statistic_of_ranks(self.positive_ranks, phi, scale)

    def bounds(self, phi: Phi | str = "auc") -> tuple[float, float]:
        """ω_φ of the worst and of the best order of the rows whose order is not known.

        Parameters
        ----------
        phi : Phi or str
            Which part of the list matters; see `podium.phi`.

        Returns
        -------
        tuple of float
            The limits between which ω_φ of all rows lies; equal where the list is exact.
        """
        worst, best = (self.in_order(positives_first=first) for first in (True, False))
        return worst.rank_statistic(phi), best.rank_statistic(phi)

    def roc_curve(self) -> RocCurve:
        """The ROC curve. Where rows of one class follow each other, one segment may stand for all of them."""
        neg, pos = (np.concatenate([[0], np.cumsum(mass[::-1])]) for mass in (self.neg, self.pos))
        thresholds = np.concatenate([[np.inf], self.starts[::-1].astype(np.float64)])
        sizes = (None, None) if self.is_weighted else (self.n_pos, self.n_neg)
        return RocCurve(neg / neg[-1], pos / pos[-1], thresholds, *sizes)

    def partial_auc(
        self,
        max_fpr: float | None = None,
        *,
        min_fpr: float = 0.0,
        min_tpr: float | None = None,
        max_tpr: float | None = None,
        standardize: str | None = None,
    ) -> float:
        """Area under a part of the curve, as :func:`podium.metrics.partial_auc` of all rows.

        Parameters
        ----------
        max_fpr, min_fpr : float, default 1 and 0
            The range of false positive rates.
        min_tpr, max_tpr : float, optional
            A range of true positive rates instead, whose area lies to the right of the curve.
        standardize : {None, "mean", "mcclish"}
            How the area is put on a common scale.

        Returns
        -------
        float
            The area.
        """
        _input.check_choice("standardize", standardize, (None, "mean", "mcclish"))
        return area_of_part(self.roc_curve(), CurvePart.of(min_fpr, max_fpr, min_tpr, max_tpr), standardize)

    def precision_at(
        self, k: int | None = None, *, fraction: float | None = None, prevalence: float | None = None
    ) -> float:
        """Share of positives among the first rows, as :func:`podium.metrics.precision_at` of all rows.

        Parameters
        ----------
        k : int, optional
            How many rows from the top are looked at; either this or ``fraction``.
        fraction : float, optional
            The share of the list that is looked at, in (0, 1]; either this or ``k``.
        prevalence : float, optional
            Share of positives in the list to speak of, where it is not the share here.

        Returns
        -------
        float
            The share of positives, in [0, 1].
        """
        hits, size, _ = expected_hits(self.ties, k, fraction, prevalence)
        return hits / size

    def standard_error(self, phi: Phi | str = "auc") -> float:
        """The standard error of ω_φ by the two-sample jackknife; at φ(u) = u it is DeLong's.

        Parameters
        ----------
        phi : Phi or str
            Which part of the list matters; see `podium.phi`.

        Returns
        -------
        float
            The standard error, for independent rows.
        """
        return float(np.sqrt(jackknife.influence(self.ranking(phi)).variance()))

    def interval(
        self,
        phi: Phi | str = "auc",
        *,
        confidence_level: float = 0.95,
        method: str = "auto",
        scale: str = "omega",
        n_resamples: int = 2000,
        rng: Any = None,
    ) -> Interval:
        """Confidence interval of ω_φ, as :func:`podium.inference.interval` of all rows.

        Parameters
        ----------
        phi : Phi or str
            Which part of the list matters; see `podium.phi`.
        confidence_level : float
            The nominal coverage of the two-sided interval.
        method : str
            How the limits are found.
        scale : {"omega", "mean", "sum"}
            Whether the interval is for ω_φ, for W_φ/n or for W_φ.
        n_resamples : int
            The number of bootstrap samples.
        rng : numpy.random.Generator or int, optional
            The generator of bootstrap samples, or its seed.

        Returns
        -------
        Interval
            The interval. Rows of one class between two of the other are taken not to tie with each other.
        """
        _input.check_choice("method", method, METHODS)
        _input.check_choice("scale", scale, ("omega", "mean", "sum"))
        level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
        n_draws = _input.check_integer("n_resamples", n_resamples, 2)
        request = IntervalRequest(self.with_rows_apart.ranking(phi), level, None, n_draws, np.random.default_rng(rng))
        return interval_of(request, method, scale)

    def roc_band(self, **options: Any) -> RocBand:
        """A band for the curve, as :func:`podium.inference.roc_band` of all rows.

        Parameters
        ----------
        **options
            ``confidence_level``, ``method``, ``side``, ``n_resamples`` and ``rng`` of that function.

        Returns
        -------
        RocBand
            The band.
        """
        return band_of_groups(self.ties, **options)

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
        rows, _ = check_chunk(y_true, y_score, None, pos_label, "")
        return np.where(rows.is_positive, *self.influence(phi).of_groups(self.group_of(rows.scores)))


class HeldList(CountedList):
    """The scores of each class, ascending. The AUC needs no groups, which take three times the memory of the scores."""

    classes: tuple[Array, Array]

    def __init__(self, pos: Array, neg: Array) -> None:
        # Fields of a frozen dataclass are set as cached properties set themselves.
        self.__dict__.update(classes=(pos, neg), n_pos=len(pos), n_neg=len(neg), max_error=0.0)

    @cached_property
    def _groups(self) -> tuple[Array, Array, Array]:
        return merge_counts(*self.classes)

    @cached_property
    def starts(self) -> Array:
        return self._groups[0]

    @cached_property
    def pos(self) -> Array:
        return self._groups[1]

    @cached_property
    def neg(self) -> Array:
        return self._groups[2]

    @cached_property
    def wide(self) -> BoolArray:
        return np.zeros(len(self.starts), np.bool_)

    @property
    def with_rows_apart(self) -> Self:
        return self

    def in_order(self, *, positives_first: bool) -> Self:
        return self

    @property
    def is_weighted(self) -> bool:
        return False

    def auc(self) -> float:
        n_pairs = self.n_pos * self.n_neg
        return super().auc() if n_pairs > _MOST_PAIRS else int(twice_wins(*self.classes)) / (2 * n_pairs)
