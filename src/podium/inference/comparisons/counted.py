"""Paired comparisons of lists in chunks: each scorer's list is counted, and one pass says how they vary together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from podium._types import Array, FloatArray
from podium.inference.comparisons.pairs import Question
from podium.inference.comparisons.results import Comparison, Comparisons
from podium.inference.intervals.influence import jackknife
from podium.inference.intervals.limits import Limits, both_limits, loss_and_gain
from podium.inference.lists.estimates import MetricEstimate
from podium.inference.lists.influence import Covariance, Influence
from podium.inference.lists.ranking import Ranking
from podium.phi import Phi
from podium.rounds.computation import Partitions, Take, over_chunks, run
from podium.rounds.counted import CountedList
from podium.rounds.counting import check_chunk, counting
from podium.rounds.rows import Chunks, elsewhere


@dataclass(frozen=True, eq=False)
class Lists:
    """The same rows by several scorers: what takes a step over the list of each, and over all of them together.

    A step over all is called with labels, a mapping of names to scores, and weights if there are any.
    """

    each: dict[str, Take]
    together: Take

    @classmethod
    def of_chunks(cls, chunks: Chunks) -> Lists:
        """Chunks of labels, scores by name, and weights if rows have any."""
        _, scores, *_ = next(iter(chunks()))
        return cls({name: over_chunks(partial(_columns, chunks, name)) for name in scores}, over_chunks(chunks))

    @classmethod
    def of_collections(cls, y_true: Any, scores: Mapping[str, Any], sample_weight: Any) -> Lists:
        """Dask collections."""
        columns = {f"scores of {name}": each for name, each in scores.items()}
        partitions = Partitions.of(y_true=y_true, **columns, sample_weight=sample_weight)
        each = {name: elsewhere(y_true, one, sample_weight) for name, one in scores.items()}
        return cls(each, lambda step: partitions.map_reduce(_ByName(step, tuple(scores))))  # type: ignore[arg-type]

    def compare(
        self, phi: Phi, alternative: str, level: float, pos_label: Any = None, memory: float | None = None
    ) -> Comparison | Comparisons:
        """Compare all pairs of scorers, which share the memory."""
        counted = {}
        for name, take in self.each.items():
            share = None if memory is None else memory / len(self.each)
            counted[name] = run(counting(pos_label=pos_label, memory=share), take)
            counted[name].require_exact()
        influence = {name: jackknife(Ranking.of_counts(one, phi)) for name, one in counted.items()}
        products = self.together(partial(_products, influence, pos_label))
        sizes = next(iter(counted.values()))
        covariance = Covariance(
            tuple((sums / (n * (n - 1)), n - 1.0) for sums, n in zip(products, (sizes.n_pos, sizes.n_neg), strict=True))
        )
        estimates = [_estimate(one, phi, float(covariance.total[i, i])) for i, one in enumerate(counted.values())]
        return Question(estimates, covariance, alternative, level).all_pairs(list(counted))


def _columns(chunks: Chunks, name: str) -> Iterator[tuple[Any, ...]]:
    return ((y_true, scores[name], *weights) for y_true, scores, *weights in chunks())


@dataclass(frozen=True, eq=False)
class _ByName:
    """A step over all scorers for columns of scores that come one after the other, and a last one of weights if any."""

    step: Callable[..., FloatArray]
    names: tuple[str, ...]

    def __call__(self, y_true: Any, *columns: Any, where: str) -> FloatArray:
        scores, weights = columns[: len(self.names)], columns[len(self.names) :]
        return self.step(y_true, dict(zip(self.names, scores, strict=True)), *weights, where=where)


def _products(
    influence: Mapping[str, Influence],
    pos_label: Any,
    y_true: Any,
    scores: Mapping[str, Any],
    sample_weight: Any = None,
    *,
    where: str = "",
) -> FloatArray:
    """Sums over the rows of each class of a chunk of the products of their influence values."""
    chunks = {name: check_chunk(y_true, scores[name], sample_weight, pos_label, where)[0] for name in influence}
    rows = next(iter(chunks.values()))
    of_rows = [influence_of_rows(influence[name], chunk.scores, chunk.is_positive) for name, chunk in chunks.items()]
    values, weight = np.array(of_rows), np.ones(len(rows.scores)) if rows.weight is None else rows.weight
    return np.array(
        [(weight[one] * values[:, one]) @ values[:, one].T for one in (rows.is_positive, ~rows.is_positive)]
    )


def influence_of_rows(influence: Influence, scores: Array, is_positive: Array) -> FloatArray:
    """The influence value of each of these rows of a counted list."""
    group = np.searchsorted(influence.ties.values, scores, "right") - 1
    return np.where(is_positive, *influence.of_groups(group))


@dataclass(frozen=True, eq=False)
class _Estimate(MetricEstimate):
    """ω_φ of a counted list, whose variance is known without its rows."""

    variance: float = 0.0

    def limits(self, confidence_level: float, clusters: Array | None = None) -> Limits:
        if len(self.ranking.ties.values) == 1:  # all scores tie: nothing is known
            return Limits(0.0, 1.0, 0.0)
        return both_limits(self.value, self.variance, *self.events(), confidence_level)


def _estimate(counted: CountedList, phi: Phi, variance: float) -> _Estimate:
    ranking = Ranking.of_counts(counted.with_rows_apart, phi)
    events = partial(loss_and_gain, ranking)
    return _Estimate(str(phi), ranking, ranking.omega, np.zeros(0), events, variance=variance)
