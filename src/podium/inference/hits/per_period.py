"""Hits among the first k rows of every list, where a list is made anew each day or for each branch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from podium import _input
from podium._results import wording
from podium._results.result import Result
from podium._types import Array, FloatArray, Sample
from podium.exceptions import DegenerateSampleError
from podium.inference.hits.new_draw import Prediction
from podium.inference.lists.influence import clusters_of
from podium.inference.observed import refuse_options
from podium.labels import Observed
from podium.labels.design import design_of
from podium.ranks.pooled import TieGroups

_MOST_ALIKE = 0.95  # correlation of lists that follow each other


@dataclass(frozen=True, repr=False, kw_only=True)
class HitsPerPeriod(Result):
    """Hits among the first k rows of the next list, by the lists of the past.

    Attributes
    ----------
    estimate : float
        The mean number of hits among the first k rows of a list.
    low, high : int
        Limits of the hits in the next list, both included.
    standard_deviation : float
        The standard deviation of the hits from list to list.
    k : int
        How many rows of each list are inspected.
    n_lists : int
        The number of lists.
    random_hits : float
        The mean number of hits in random order.
    units : tuple of (float, int, int) or None
        The same estimate and limits for distinct units found, where ``units`` was given.
    confidence_level : float
        Nominal probability that the hits of the next list are within the limits.
    """

    estimate: float
    low: int
    high: int
    standard_deviation: float
    k: int
    n_lists: int
    random_hits: float
    units: tuple[float, int, int] | None
    confidence_level: float

    def __repr__(self) -> str:
        distinct = "" if self.units is None else "; {:.3g} distinct units, {:,} to {:,}".format(*self.units)
        return (
            f"{self.estimate:.3g} hits expected in the first {self.k:,} of a list, "
            f"{wording.level(self.confidence_level)} range {self.low:,} to {self.high:,}{distinct}; from "
            f"{self.n_lists:,} lists"
        )


@dataclass(frozen=True, repr=False, kw_only=True)
class HitsPerPeriodBounds(Result):
    """What holds of the hits among the first k rows of the next list where rows were selected to be labeled.

    There is no estimate, since nothing says what the rows without a label are like.

    Attributes
    ----------
    low, high : int
        Limits of the hits in the next list: the lower one if no row without a label was a hit, the upper one if all
        among the first k of their lists were.
    mean : tuple of float
        The mean number of hits of the lists of the past, at least and at most.
    k : int
        How many rows of each list are inspected.
    n_lists : int
        The number of lists.
    confidence_level : float
        Nominal probability, at least, that the hits of the next list are within the limits.
    """

    low: int
    high: int
    mean: tuple[float, float]
    k: int
    n_lists: int
    confidence_level: float

    def __repr__(self) -> str:
        fewest, most = self.mean
        return (
            f"between {fewest:.3g} and {most:.3g} hits on average in the first {self.k:,} of a list, "
            f"{wording.level(self.confidence_level)} range {self.low:,} to {self.high:,}, whatever the missing labels "
            f"are; from {self.n_lists:,} lists"
        )


def hits_per_period(
    y_true: npt.ArrayLike | Observed,
    y_score: npt.ArrayLike,
    period: npt.ArrayLike,
    *,
    k: int,
    units: npt.ArrayLike | None = None,
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> HitsPerPeriod:
    r"""Prediction interval for the hits among the first k rows of the next day's list.

    Each of D periods (days, or days and branches) has a list of its own, of whose rows the first k are inspected, which
    finds :math:`H_1, \dots, H_D` hits. Those of the next list are predicted from their mean and standard deviation:

    .. math:: \bar H \pm \Bigl( t_{D'-1}\, s' \sqrt{1 + 1/D'} + \tfrac12 \Bigr), \qquad
       D' = D\, \frac{1 - r}{1 + r}, \qquad s'^2 = s^2\, \frac{1 - 1/D}{1 - 1/D'},

    where r ≥ 0 is the correlation of one list's hits with the next one's, corrected for the bias that few lists have:
    days that follow each other are worth fewer independent ones, and have not shown all that days can be like. So the
    range includes what makes a whole day better or worse than others, which a range from independent rows does not.
    Where s′² is smaller than the variance of a binomial number of hits with the mean of the lists, that is taken.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores of rows that were not used to train or choose the scorer. As :class:`podium.labels.Observed`,
        labels may have gaps; scores are those of all rows.
    period : array-like
        The list that each row belongs to, such as its date; their order is that of time.
    k : int
        How many rows of each list are inspected; a shorter list is inspected as a whole.
    units : array-like, optional
        The unit (card, patient) of each row, to count distinct units found as well.
    confidence_level : float
        Nominal probability that the hits of the next list are within the limits.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    HitsPerPeriod
        The hits to expect among the first k rows of the next list, and the range that holds them; for observed labels
        with gaps and without inclusion probabilities, :class:`HitsPerPeriodBounds` without an estimate.

    Notes
    -----
    Where only some rows have a label, with known inclusion probabilities, the hits of a list are the sum of ỹ over its
    first k rows (see `podium.labels.Observed`): its own label for a row that was sure to have one. Such sums vary more
    than hits do, by the variance v of the design, on average over the lists. So s′² has v less and, as it is not known
    exactly, one standard error that v gives it more, :math:`v \sqrt{2/(D'-1)}`; v/D of the mean is added.

    With r = 0 exact if the hits of all lists, the next one included, are independent draws from one normal
    distribution; it is approximate if they follow a first-order autoregression. Rows that tie at the cut count by the
    part of them that is inspected.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import hits_per_period
    >>> rng = np.random.default_rng(0)
    >>> day = np.repeat(np.arange(30), 200)
    >>> y = rng.random(6000) < 0.1
    >>> hits_per_period(y, y + rng.normal(size=6000), day, k=20)
    7.43 hits expected in the first 20 of a list, 95 % range 2 to 12; from 30 lists
    """
    level = _input.check_fraction("confidence_level", confidence_level)
    if isinstance(y_true, Observed) and y_true.has_gaps:
        refuse_options(y_true, units=units is not None)
        scores = _input.check_scores(y_score)
        list_of = clusters_of(period, None, len(scores), "period")
        return _of_observed(y_true, scores, list_of, _input.check_integer("k", k, 1), level, pos_label)
    sample = _input.check_sample(y_true, y_score, pos_label=pos_label)
    n_rows = len(sample.scores)
    lists = PeriodLists.of(sample, clusters_of(period, None, n_rows, "period"))
    k = _input.check_integer("k", k, 1)
    hits = lists.prediction(k, level)
    found = None if units is None else lists.units_found(k, clusters_of(units, None, n_rows, "units"), level)
    return HitsPerPeriod(
        estimate=hits.estimate,
        low=hits.low,
        high=hits.high,
        standard_deviation=hits.standard_deviation,
        k=k,
        n_lists=lists.n_lists,
        random_hits=lists.random_hits(k),
        units=None if found is None else (found.estimate, found.low, found.high),
        confidence_level=level,
    )


@dataclass(frozen=True, eq=False)
class PeriodLists:
    """Labeled rows in lists, each ranked by itself: ``list_of`` numbers the list of every row from 0 on."""

    sample: Sample
    list_of: Array

    @classmethod
    def of(cls, sample: Sample, list_of: Array) -> PeriodLists:
        """Refused with fewer than two lists, as nothing is known then of how they differ."""
        n_lists = int(list_of.max()) + 1
        if n_lists < 2:
            raise DegenerateSampleError(
                f"A range for the next list needs at least two lists; got {n_lists}.",
                "hold out more rows, or name a shorter period.",
            )
        return cls(sample, list_of)

    @property
    def n_lists(self) -> int:
        return len(self._rows)

    @property
    def length(self) -> int:
        """Rows of a list, on average."""
        return max(1, round(len(self.list_of) / self.n_lists))

    @cached_property
    def _rows(self) -> list[Array]:
        """Rows of every list."""
        order = np.argsort(self.list_of, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(self.list_of[order])) + 1)

    @cached_property
    def _from_top(self) -> list[tuple[FloatArray, FloatArray]]:
        """Of every list: positives, and rows, down to the end of each tie group."""
        scores, y = self.sample.scores, self.sample.is_positive
        return [TieGroups.of(Sample(scores[rows], y[rows])).from_top() for rows in self._rows]

    @cached_property
    def _best_first(self) -> list[FloatArray]:
        return [np.sort(self.sample.scores[rows])[::-1] for rows in self._rows]

    def by_place(self, scores: FloatArray) -> FloatArray:
        """Less the place of every row within its own list by these scores, from 1; tied rows share the middle one."""
        begins, ends = self._ties(scores)
        return -(begins + 1 + ends) / 2

    def among_first(self, k: int) -> FloatArray:
        """Which rows are among the first k of their list; of a tie group at the cut, by the share that is."""
        begins, ends = self._ties(self.sample.scores)
        return np.asarray(np.clip((k - begins) / (ends - begins), 0.0, 1.0))

    def _ties(self, scores: FloatArray) -> tuple[Array, Array]:
        """Of every row, how many rows of its list stand above those that tie with it, and with these."""
        begins, ends = np.empty((2, len(scores)), dtype=np.intp)
        for rows in self._rows:
            values, group = np.unique(-scores[rows], return_inverse=True)
            upto = np.append(0, np.cumsum(np.bincount(group, minlength=len(values))))
            begins[rows], ends[rows] = upto[group], upto[group + 1]
        return begins, ends

    def sums(self, values: FloatArray) -> FloatArray:
        """Of a value of every row, over each list."""
        return np.bincount(self.list_of, values).astype(np.float64)

    def hits(self, k: int) -> FloatArray:
        """Of every list: positives among its first k rows, a tie at the cut by the part of it that is inspected."""
        return np.array([np.interp(k, rows, pos) for pos, rows in self._from_top])

    @cached_property
    def _totals(self) -> tuple[FloatArray, FloatArray]:
        """Positives and rows of every list."""
        pos, rows = zip(*((pos[-1], rows[-1]) for pos, rows in self._from_top), strict=True)
        return np.array(pos), np.array(rows)

    def random_hits(self, k: int) -> float:
        """Hits to expect in random order, on average over the lists."""
        pos, rows = self._totals
        return float(np.mean(pos * np.minimum(1.0, k / rows)))

    def cutoff(self, k: int) -> float:
        """Score of the last row inspected: the middle one of the lists."""
        return float(np.median([best[min(k, len(best)) - 1] for best in self._best_first]))

    def prediction(self, k: int, level: float) -> Prediction:
        """Hits among the first k rows of the next list; see `hits_per_period`."""
        return self.next_one(self.hits(k), k, level)

    def next_one(self, counts: FloatArray, k: int, level: float, noise: float = 0.0) -> Prediction:
        """Prediction from one number of each list, k at most; ``noise`` is the variance with which these are known."""
        mean = float(np.clip(counts.mean(), 0.0, k))
        inspected = float(np.minimum(k, self._totals[1]).mean())
        chance = (min(mean, inspected) * self.n_lists + 0.5) / (inspected * self.n_lists + 1)
        spread, reach = _reach(counts - counts.mean(), np.sqrt(inspected * chance * (1 - chance)), level, noise)
        low, high = int(np.ceil(mean - reach - 0.5)), int(np.floor(mean + reach + 0.5))
        return Prediction(mean, max(0, low), min(k, high), spread)

    def recall(self, k: int, level: float) -> tuple[float, float, float]:
        """Share of the positives of a list that are among its first k: the ratio of means, and limits in the next."""
        hits, pos = self.hits(k), self._totals[0]
        recall = float(hits.sum() / pos.sum())
        if (hits == pos).all():
            return recall, 1.0, 1.0
        reach = (_reach(hits - recall * pos, 0.0, level)[1] + 0.5) / float(pos.mean())
        return recall, max(0.0, recall - reach), min(1.0, recall + reach)

    def units_found(self, k: int, unit: Array, level: float) -> Prediction:
        """Distinct units with a positive among the first k rows; of rows that tie at the cut, the first are taken."""
        counts = np.zeros(self.n_lists)
        for i, rows in enumerate(self._rows):
            first = rows[np.argsort(-self.sample.scores[rows], kind="stable")[:k]]
            counts[i] = len(np.unique(unit[first[self.sample.is_positive[first]]]))
        return self.next_one(counts, k, level)


def _of_observed(
    observed: Observed, scores: FloatArray, list_of: Array, k: int, level: float, pos_label: Any
) -> HitsPerPeriod:
    """By estimated labels, each list as the design leaves it uncertain; else what known labels leave possible."""
    known = observed.positives(pos_label)
    lists = PeriodLists.of(Sample(scores, known), list_of)
    above, n_lists = lists.among_first(k), lists.n_lists
    if observed.inclusion is None:
        fewest, further = (lists.sums(above * rows) for rows in (known, ~observed.is_labeled))
        least, most = (lists.next_one(hits, k, level) for hits in (fewest, fewest + further))
        return HitsPerPeriodBounds(  # type: ignore[return-value]
            low=least.low,
            high=most.high,
            mean=(least.estimate, most.estimate),
            k=k,
            n_lists=n_lists,
            confidence_level=level,
        )
    design, _ = design_of(observed, lists.by_place(scores), None, pos_label)
    labels = design.pseudo_labels
    unsure = np.unique(list_of[(above > 0) & (design.inclusion < 1)])
    noise = sum(float(design.covariance((above * (list_of == one))[None])[0, 0]) for one in unsure) / n_lists
    found = lists.next_one(lists.sums(above * labels), k, level, noise)
    share = np.minimum(1.0, k / np.bincount(list_of))
    return HitsPerPeriod(
        estimate=found.estimate,
        low=found.low,
        high=found.high,
        standard_deviation=found.standard_deviation,
        k=k,
        n_lists=n_lists,
        random_hits=float(np.mean(lists.sums(labels) * share)),
        units=None,
        confidence_level=level,
    )


def _reach(deviations: FloatArray, least: float, level: float, noise: float = 0.0) -> tuple[float, float]:
    """The standard deviation of the next one, at least ``least``, and how far it may be; see `hits_per_period`.

    The correlation of neighbors is too low by (1 + 3r)/D in the mean (Kendall 1954); ``noise`` has none.
    """
    n, squares = len(deviations), float(deviations @ deviations)
    own = squares - n * noise
    r = float(deviations[1:] @ deviations[:-1]) / own if own > 0 else 0.0
    r = min(max(r + (1 + 3 * r) / n, 0.0), _MOST_ALIKE)
    worth = max(2.0, n * (1 - r) / (1 + r))
    variance = squares / n / (1 - 1 / worth) - noise * (1 - float(np.sqrt(2 / (worth - 1))))
    spread = float(np.sqrt(max(variance, least**2)))
    return spread, float(stdtrit(worth - 1, (1 + level) / 2)) * float(np.sqrt(spread**2 * (1 + 1 / worth) + noise / n))
