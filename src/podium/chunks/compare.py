"""Paired comparisons over chunks: once each scorer's list is counted, one more pass for how they vary together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium import phi as phi_
from podium._types import Array, FloatArray
from podium.chunks.counted import CountedList
from podium.chunks.rows import check_chunk
from podium.exceptions import InputError
from podium.inference.comparisons.pairs import Question
from podium.inference.comparisons.results import Comparison, Comparisons
from podium.inference.intervals import pseudo_event
from podium.inference.intervals.limits import ALTERNATIVES, Limits
from podium.inference.lists.estimates import MetricEstimate
from podium.inference.lists.influence import Covariance, Influence
from podium.phi import Phi


@dataclass(frozen=True, eq=False, kw_only=True)
class Products:
    """What :class:`Compare` returns for some chunks; ``a + b`` is the same for the rows of both.

    Attributes
    ----------
    pos, neg : ndarray
        Sums over the rows of each class of the products of their influence values, one row and column per scorer.
    """

    pos: FloatArray
    neg: FloatArray

    def __add__(self, other: Products) -> Products:
        return Products(pos=self.pos + other.pos, neg=self.neg + other.neg)


@dataclass(frozen=True, eq=False, kw_only=True)
class Compare:
    """The pass that compares scorers of the same rows, after their lists were counted.

    Attributes
    ----------
    lists : mapping
        The counted list of each scorer, by its name.
    phi : Phi or str
        Which part of the list matters; see `podium.phi`.
    alternative : {"two-sided", "greater", "less"}
        What the test is against, as in :func:`podium.inference.compare`.
    confidence_level : float
        The nominal coverage of the interval for the difference.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.

    Examples
    --------
    >>> from podium.chunks import Compare
    >>> y, a, b = [0, 0, 0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8], [2, 1, 5, 3, 4, 8, 6, 7]
    >>> from podium.chunks import count_list
    >>> compare = Compare(lists={"a": count_list(lambda: [(y, a)]), "b": count_list(lambda: [(y, b)])})
    >>> compare.finish(compare.summarize(y, {"a": a, "b": b}))
    difference in AUC (a − b) +0.062, 95 % interval −0.154 to +0.279, p = 0.506 (paired, two-sided); note: ...
    """

    lists: Mapping[str, CountedList]
    phi: Phi | str = "auc"
    alternative: str = "two-sided"
    confidence_level: float = 0.95
    pos_label: Any = None

    def __post_init__(self) -> None:
        _input.check_choice("alternative", self.alternative, ALTERNATIVES)
        _input.check_number("confidence_level", self.confidence_level, 0, 1, open_low=True, open_high=True)
        if len(self.lists) < 2:
            raise InputError(f"A comparison needs two scorers; got {len(self.lists)}.")
        unsettled = [name for name, one in self.lists.items() if one.max_error]
        if unsettled:
            raise InputError(
                f"A comparison needs exact lists; memory did not suffice for {unsettled[0]}.", "allow more memory."
            )

    def summarize(
        self,
        y_true: npt.ArrayLike,
        scores: Mapping[str, npt.ArrayLike],
        sample_weight: npt.ArrayLike | None = None,
        *,
        where: str = "",
    ) -> Products:
        """How the scorers vary together in one chunk.

        Parameters
        ----------
        y_true : array-like
            The labels of the chunk.
        scores : mapping
            The scores of the chunk by each scorer, by name.
        sample_weight : array-like, optional
            One weight per row; a weight of 3 is three equal rows.
        where : str
            How errors call the chunk, as in ``"partition 3"``.
        """
        chunks = {
            name: check_chunk(y_true, scores[name], sample_weight, self.pos_label, where)[0] for name in self.lists
        }
        rows = next(iter(chunks.values()))
        of_rows = [
            np.where(rows.is_positive, *self._influence[name].of_groups(self.lists[name].group_of(chunk.scores)))
            for name, chunk in chunks.items()
        ]
        weight = np.ones(len(rows.scores)) if rows.weight is None else rows.weight
        influence = np.array(of_rows)
        pos, neg = (
            (weight[one] * influence[:, one]) @ influence[:, one].T for one in (rows.is_positive, ~rows.is_positive)
        )
        return Products(pos=pos, neg=neg)

    def finish(self, summary: Products) -> Comparison | Comparisons:
        """The comparison of two scorers, or of all pairs of more.

        Parameters
        ----------
        summary : Products
            What this pass made of all chunks, merged.
        """
        one = next(iter(self.lists.values()))
        covariance = Covariance(
            tuple((sums / (n * (n - 1)), n - 1.0) for sums, n in ((summary.pos, one.n_pos), (summary.neg, one.n_neg)))
        )
        estimates = [
            _estimate(counted, self.phi, float(covariance.total[i, i])) for i, counted in enumerate(self.lists.values())
        ]
        return Question(estimates, covariance, self.alternative, self.confidence_level).all_pairs(list(self.lists))

    @cached_property
    def _influence(self) -> dict[str, Influence]:
        return {name: counted.influence(self.phi) for name, counted in self.lists.items()}


@dataclass(frozen=True, eq=False)
class _Estimate(MetricEstimate):
    """ω_φ of a counted list, whose variance is known without its rows."""

    variance: float = 0.0

    def limits(self, confidence_level: float, clusters: Array | None = None) -> Limits:
        if len(self.ranking.ties.values) == 1:  # all scores tie: nothing is known
            return Limits(0.0, 1.0, 0.0)
        return pseudo_event.both_limits(self.value, self.variance, *self.events(), confidence_level)


def _estimate(counted: CountedList, phi: Phi | str, variance: float) -> _Estimate:
    ranking = counted.with_rows_apart.ranking(phi)
    events = partial(pseudo_event.loss_and_gain, ranking)
    return _Estimate(str(phi_.resolve(phi)), ranking, ranking.omega, np.zeros(0), events, variance=variance)
