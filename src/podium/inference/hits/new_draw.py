"""Hits among the first rows of a new draw, in which the number of positives is random, too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit, ndtr, ndtri, stdtrit

from podium._fast.chances import line_of_chances
from podium._fast.order import groups_of_rows
from podium._shares import normal_quantile
from podium._types import Array, BoolArray, FloatArray, Sample
from podium.inference.intervals.influence import auc_variance
from podium.inference.intervals.limits import loss_and_gain, pseudo_event_limits
from podium.inference.lists.influence import left_out_factor
from podium.inference.lists.ranking import Ranking
from podium.phi import Mww
from podium.ranks.pooled import TieGroups

# Rows on either side of the cut whose labels give the chance of a hit there: at least so many, and k^0.8/2 beyond.
_FEWEST_AT_CUT = 5
_FEW = 1 << 12  # numbers of hits that are tried one by one
# Labeled rows that stand for the first k: with fewer, the recall's own limits cover .87 to .93 only.
_FEW_ABOVE = 50
_ROWS_OF_LINE = 10  # judged rows that the chance along the whole list counts as, in what to expect above a cut
_EVEN = np.concatenate([[0.0], ndtr(np.linspace(-4, 4, 400)), [1.0]])  # places of a long list, to which it is fitted
_GRID = (np.arange(64) + 0.5) / 64


@dataclass(frozen=True, eq=False)
class Prediction:
    """Hits to expect, the limits of those of the next list, and their standard deviation there."""

    estimate: float
    low: int
    high: int
    standard_deviation: float


@dataclass(frozen=True, eq=False)
class NewDraw:
    r"""What a labeled list says of the hits in another list of the same kind, whatever its length and the budget.

    ``places`` is the number of rows down to the end of each tie group; ``rows`` and ``hits`` are those rows and their
    positives, each counting so that the share of positives is ``prevalence`` where that was given. Straight lines
    between them are expectations over the orders of tied rows. Weights of the sample sum to the number of independent
    rows that they are worth, (Σw)²/Σw² (Kish). ``missing`` is the variance of the hits among the first rows that comes
    from labels that are missing there, where some are.
    """

    sample: Sample
    places: FloatArray
    rows: FloatArray
    hits: FloatArray
    n_pos: float
    prevalence: float | None
    clusters: Array | None
    missing: Callable[[float], float] = lambda rows: 0.0

    @classmethod
    def of(cls, sample: Sample, prevalence: float | None = None, clusters: Array | None = None) -> NewDraw:
        return cls._of_groups(TieGroups.of(sample), prevalence, sample, clusters)

    @classmethod
    def of_groups(cls, groups: TieGroups, prevalence: float | None = None) -> NewDraw:
        """Of independent rows that are known by their counts; none is looked at by itself."""
        nobody = Sample(np.zeros(0), np.zeros(0, np.bool_))
        return cls._of_groups(groups, prevalence, nobody, None)

    @classmethod
    def _of_groups(cls, groups: TieGroups, prevalence: float | None, sample: Sample, clusters: Array | None) -> NewDraw:
        pos, places = groups.from_top()
        n_pos = float(pos[-1])
        rows = places
        if prevalence is not None:
            neg, n_rows = places - pos, places[-1]
            pos = pos * (prevalence * n_rows / pos[-1])
            rows = pos + neg * ((1 - prevalence) * n_rows / neg[-1])
        return cls(sample, places, rows, pos, n_pos, prevalence, clusters)

    @property
    def n_rows(self) -> float:
        """Labeled rows; with weights, as many as they are worth."""
        return float(self.places[-1])

    def prediction(self, k: int, n_next: int, level: float) -> Prediction:
        """Limits for the hits among the first ``k`` of ``n_next`` rows, as `precision_at_interval` states them."""
        share = k / n_next
        rows = share * self.n_rows
        precision = float(np.interp(rows, self.rows, self.hits)) / rows
        at_cut = self.chance_at_cut(rows)
        inflation, quantile = self._for_clusters(lambda: self.contributions(rows), level)
        of_missing = (k / rows) ** 2 * self.missing(rows)

        def variances(p: FloatArray) -> tuple[FloatArray, FloatArray]:
            """Of the hits in the next list, and of their estimate, if p is the precision there."""
            per_row = p * (1 - p) + (1 - share) * (precision - at_cut) ** 2
            of_next = inflation * k * per_row
            if self.prevalence is None:
                return of_next, of_next * n_next / self.n_rows + of_missing
            return of_next, inflation * n_next**2 * self._class_variance(p, share, p - precision + at_cut)

        of_next, of_estimate = (float(v[0]) for v in variances(np.array([(precision * rows + 0.5) / (rows + 1)])))

        def are_kept(h: Array) -> BoolArray:
            """Whether so many hits are within the limits."""
            # The precision of both lists together, each weighted by how well it is known.
            pooled = (precision * of_next + h / k * of_estimate) / (of_next + of_estimate)
            variance = np.sum(variances(pooled), axis=0)
            gap = np.maximum(np.abs(h - k * precision) - 0.5, 0.0)
            return np.asarray(gap**2 <= quantile**2 * variance)

        low, high = _ends(are_kept, k, k * precision) if rows >= 1 else (0, k)  # else less than one row stands for k
        expected = min(max(k * self.expected_precision(share), float(low)), float(high))
        return Prediction(estimate=expected, low=low, high=high, standard_deviation=float(np.sqrt(of_next)))

    def expected_precision(self, share: float) -> float:
        r"""The precision to expect among the first ``share`` of a list, also where hardly a judged row stands for it.

        With h hits among the r judged rows above the cut, and the mean :math:`\bar p` there of a chance that rises
        along the whole list (a line in the normal scores of the places, on the logit scale), it is
        :math:`(h + 10\,\bar p)/(r + 10)`: one label cannot turn it. Nor is it below the share of positives for scores
        whose AUC is above ½ at 95 %.
        """
        rows = share * self.n_rows
        hits = float(np.interp(rows, self.rows, self.hits))
        start, rise = self._line
        chance = float(expit(start + rise * ndtri(1 - share * _GRID)).mean())
        expected, random = (hits + _ROWS_OF_LINE * chance) / (rows + _ROWS_OF_LINE), self.hits[-1] / self.n_rows
        return float(random if expected < random and self._beats_random else expected)

    @cached_property
    def _line(self) -> tuple[float, float]:
        """Level and slope, not below 0, of the log odds of a positive in the normal scores of places in the list."""
        places, hits = self.rows, self.hits
        if len(places) > len(_EVEN):
            kept = np.searchsorted(places, places[-1] * _EVEN)
            kept = kept[np.append(True, kept[1:] > kept[:-1])]
            places, hits = places[kept], hits[kept]
        known = np.diff(places)
        scores = ndtri(1 - (places[:-1] + known / 2) / places[-1])
        positives = np.clip(np.diff(hits), 0.0, known)  # estimated numbers of hits need not rise
        start, rise = line_of_chances(scores, positives, known)
        if rise < 0:
            return float(np.log(hits[-1] / (places[-1] - hits[-1]))), 0.0
        return float(start), float(rise)

    @cached_property
    def _beats_random(self) -> bool:
        """Whether the interval for the AUC of the judged rows lies above ½."""
        pos, total = (np.diff(counts)[::-1] for counts in (self.hits, self.rows))
        if (pos < 0).any() or (pos > total).any() or min(pos.sum(), (total - pos).sum()) < 2:
            return False
        ranking = Ranking.of_groups(TieGroups(np.arange(float(len(pos))), pos, total - pos), Mww())
        return pseudo_event_limits(ranking.omega, auc_variance(ranking), *loss_and_gain(ranking), 0.95).low > 0.5

    def recall(self, k: int, n_next: int, level: float) -> tuple[float, float, float]:
        r"""Share of all positives of the next list among its first ``k``: to expect, and limits.

        The number of positives there is random as well, so a row contributes 1{above}·(y − c) − Ry to πR, R being the
        recall. As for the hits, the variance is that of a binomial share times a factor, with the recall pooled over
        both lists.
        """
        share = k / n_next
        rows = share * self.n_rows
        hits = float(np.interp(rows, self.rows, self.hits))
        recall, prevalence = min(hits / self.hits[-1], 1.0), self.hits[-1] / self.n_rows
        if k == n_next:
            return 1.0, 1.0, 1.0
        expected = self.expected_precision(share) * share / prevalence
        if rows < _FEW_ABOVE:
            low, high = self._recall_by_hits(k, n_next, level, recall)
            return min(max(expected, low), high), low, high
        c = self.chance_at_cut(rows)
        # Positives and negatives above the cut, positives below it; negatives below contribute nothing.
        chances = np.array([hits, rows - hits, self.hits[-1] - hits]) / self.n_rows
        parts = np.array([1 - c - recall, -c, -recall])
        inflation, quantile = self._for_clusters(
            lambda: self.contributions(rows) - recall * self.sample.is_positive, level
        )
        per_row = inflation * float(chances @ parts**2 - (chances @ parts) ** 2) / prevalence**2
        of_next = per_row / n_next
        of_estimate = per_row / self.n_rows
        if self.prevalence is not None:
            of_classes = float(self._class_variance(np.array([hits / rows]), share, np.array([c]))[0])
            of_estimate = inflation * of_classes / prevalence**2
        binomial = recall * (1 - recall)
        n_positives = 1 / (1 / self.n_pos + 1 / (prevalence * n_next))  # where nothing varies: rare exceptions
        variance = (of_next + of_estimate) / binomial if binomial * per_row > 0 else 1 / n_positives
        weight = of_estimate / (of_next + of_estimate) if per_row > 0 else 0.5
        # (r − R)² ≤ z²·variance·r̄(1 − r̄) with r̄ = R + weight·(r − R), a quadratic inequality in r − R.
        reach = quantile**2 * variance
        slope, square = reach * weight * (1 - 2 * recall), 1 + reach * weight**2
        root = np.sqrt(slope**2 + 4 * square * reach * binomial)
        half = 0.5 / (prevalence * n_next)  # a positive, which is there or not
        low, high = recall + (slope - root) / (2 * square) - half, recall + (slope + root) / (2 * square) + half
        low, high = max(0.0, float(low)), min(1.0, float(high))
        return min(max(expected, low), high), low, high

    def _recall_by_hits(self, k: int, n_next: int, level: float, recall: float) -> tuple[float, float]:
        """Limits of the recall from those of the hits and of the positives in the list, both at the level."""
        hits = self.prediction(k, n_next, level)
        prevalence = self.hits[-1] / self.n_rows
        inflation, quantile = self._for_clusters(lambda: self.sample.is_positive.astype(np.float64), level)
        spread = n_next * np.sqrt(inflation * prevalence * (1 - prevalence) * (1 / n_next + 1 / self.n_rows))
        fewest, most = prevalence * n_next + quantile * spread * np.array([-1, 1])
        return min(hits.low / most, recall), min(max(hits.high / max(fewest, hits.high, 1.0), recall), 1.0)

    def chance_at_cut(self, rows: float) -> float:
        """Share of positives, each row as much as it counts, among the labeled rows around the cut."""
        place = float(np.interp(rows, self.rows, self.places))
        reach = max(_FEWEST_AT_CUT, 0.5 * place**0.8)
        around = np.clip([place - reach, place + reach], 0, self.places[-1])
        hits, counted = (np.diff(np.interp(around, self.places, counts)) for counts in (self.hits, self.rows))
        return float(np.clip(hits[0] / counted[0], 0.0, 1.0))  # estimated numbers of hits need not rise

    @cached_property
    def _weights(self) -> tuple[float, float]:
        """What a positive and a negative count."""
        return self.hits[-1] / self.n_pos, (self.n_rows - self.hits[-1]) / (self.n_rows - self.n_pos)

    def _class_variance(self, p: FloatArray, share: float, at_cut: FloatArray) -> FloatArray:
        r"""Of the estimated hits per row of the list, where positives and negatives were sampled each by itself.

        .. math:: \frac{(\pi (1 - c))^2\, T(1 - T)}{n} + \frac{((1 - \pi) c)^2\, F(1 - F)}{m}, \qquad
           T = \frac{pq}{\pi}, \quad F = \frac{(1 - p) q}{1 - \pi}.
        """
        assert self.prevalence is not None
        prevalence, c = self.prevalence, np.clip(at_cut, 0.0, 1.0)
        tpr = np.clip(p * share / prevalence, 0.0, 1.0)
        fpr = np.clip((1 - p) * share / (1 - prevalence), 0.0, 1.0)
        # Few rows of a class above the cut say little of c: lean to the end that makes their part larger.
        n_pos, n_neg = self.n_pos, self.n_rows - self.n_pos
        c_pos, c_neg = c - c / (1 + n_pos * tpr), c + (p - c) / (1 + n_neg * fpr)
        of_pos = (prevalence * (1 - c_pos)) ** 2 * tpr * (1 - tpr) / n_pos
        return of_pos + ((1 - prevalence) * c_neg) ** 2 * fpr * (1 - fpr) / n_neg

    @cached_property
    def _tie_group(self) -> Array:
        """Number of the tie group of every row, from the top."""
        values, group = groups_of_rows(self.sample.scores)
        return len(values) - 1 - group

    def contributions(self, rows: float) -> FloatArray:
        """Of every row to the hits above a cut after so many rows; of the tie group that is cut a part is above."""
        return self._above(rows) * (self.sample.is_positive - self.chance_at_cut(rows))

    def inflation_of_share(self, rows: float) -> float:
        """How much more the number of rows above a cut varies than that of independent rows, at least 1."""
        return self._for_clusters(lambda: self._above(rows), 0.5)[0]

    def _above(self, rows: float) -> FloatArray:
        """Which part of every row is above a cut after so many rows, of the tie group that is cut."""
        return np.clip((rows - self.rows[:-1]) / np.diff(self.rows), 0.0, 1.0)[self._tie_group]

    def _for_clusters(self, contributions: Callable[[], FloatArray], level: float) -> tuple[float, float]:
        r"""How much more sums of these contributions vary than those of independent rows, at least 1; the quantile.

        With the change T that leaving out each of C clusters makes, the quantile is that of Student's t with
        :math:`2 (\sum T^2)^2 / (\sum T^4 - (\sum T^2)^2 / C)` degrees of freedom (Satterthwaite).
        """
        if self.clusters is None:
            return 1.0, normal_quantile(level)
        y, weight = self.sample.is_positive, self.sample.weight
        influence = contributions() * np.where(y, *self._weights)
        # With a prevalence of its own each class was sampled by itself.
        each = np.ones(len(y)) if weight is None else weight
        changes = np.zeros(int(self.clusters.max()) + 1)
        for rows in (y, ~y) if self.prevalence is not None else (np.ones(len(y), dtype=np.bool_),):
            influence[rows] = (influence[rows] - np.average(influence[rows], weights=each[rows])) * each[rows]
            mass = np.bincount(self.clusters[rows], each[rows], len(changes)).astype(np.float64)
            changes += np.bincount(self.clusters[rows], influence[rows], len(changes)) * left_out_factor(mass)
        totals = changes**2
        if not totals.sum() > 0:
            return 1.0, normal_quantile(level)
        inflation = max(1.0, float(totals.sum() / (influence @ influence)))
        spread = totals @ totals - totals.sum() ** 2 / len(totals)
        freedom = 2 * totals.sum() ** 2 / spread if spread > 0 else len(totals)
        return inflation, float(stdtrit(freedom, (1 + level) / 2))


def _ends(are_kept: Callable[[Array], BoolArray], k: int, center: float) -> tuple[int, int]:
    """The least and the largest of 0, …, k that are kept; of a long list, looked for outwards from the center."""
    if k < _FEW:
        kept = np.flatnonzero(are_kept(np.arange(k + 1)))
        return int(kept.min(initial=int(np.floor(center)))), int(kept.max(initial=int(np.ceil(center))))
    middle = round(center)
    below = _last_kept(lambda steps: are_kept(middle - steps), middle)
    return middle - below, middle + _last_kept(lambda steps: are_kept(middle + steps), k - middle)


def _last_kept(are_kept: Callable[[Array], BoolArray], most: int) -> int:
    """The largest of 0, …, ``most`` up to which all are kept, as the first is: by ever finer grids."""
    low, high = 0, most + 1
    while high - low > 1:
        grid = np.unique(np.linspace(low, high, _FEW).astype(np.int64))[1:]
        grid = grid[grid <= most]
        lost = np.flatnonzero(~are_kept(grid))
        end = int(lost[0]) if len(lost) else len(grid)
        low, high = (int(grid[end - 1]) if end else low), (int(grid[end]) if end < len(grid) else high)
    return low
