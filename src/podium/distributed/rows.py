"""Rows in partitions elsewhere, as the stages of a fit and an objective see them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from podium._types import BoolArray, FloatArray, Sample
from podium.criteria import Criterion
from podium.criteria.base import CurvatureTerms
from podium.distributed.cluster import Cluster, Future
from podium.distributed.door import Collection, Facts, Labels
from podium.distributed.walk import Bundles, Walk
from podium.models import Model
from podium.objective import Data
from podium.rankers.lines.rows import Rows, RowSource, subsample_places
from podium.rounds.computation import Step

Mapping = Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Partition:
    """What is known of a partition on its worker: which rows are positive, their weights, and where they begin."""

    labels: Labels
    is_positive: BoolArray
    weight: FloatArray | None
    first: int

    def rows(self, X: Any, mapping: Mapping | None) -> Any:
        """The rows that count, as the model takes them."""
        rows = self.labels.rows(X)
        return rows if mapping is None else mapping(rows)

    def sample(self, scores: FloatArray) -> Sample:
        return Sample(scores, self.is_positive, self.weight, self.first)


@dataclass(frozen=True, eq=False, kw_only=True)
class Size:
    """Rows of a partition, or of all: of each class, by number and by weight."""

    n_pos: int
    n_neg: int
    on_pos: float
    on_neg: float

    @classmethod
    def of(cls, facts: Facts, positive: Any, factors: tuple[float, float]) -> Size:
        """Of a partition, with factors for the weights of negatives and positives."""
        n_pos, on_pos = facts.labels[positive], facts.masses[positive]
        on_neg = sum(mass for label, mass in facts.masses.items() if label != positive)
        return cls(n_pos=n_pos, n_neg=facts.n_rows - n_pos, on_pos=on_pos * factors[1], on_neg=on_neg * factors[0])

    def __add__(self, other: Size) -> Size:
        return Size(
            n_pos=self.n_pos + other.n_pos,
            n_neg=self.n_neg + other.n_neg,
            on_pos=self.on_pos + other.on_pos,
            on_neg=self.on_neg + other.on_neg,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class PartitionedRows(RowSource):
    """All rows of a collection."""

    collection: Collection
    parts: list[Future]
    sizes: Sequence[Size]
    total: Size
    bundles: Bundles
    mapping: Mapping | None = None

    @classmethod
    def of(cls, collection: Collection, positive: Any, factors: tuple[float, float] | None) -> PartitionedRows:
        """With the label of the positives, and factors for the weights of negatives and positives."""
        cluster = collection.cluster
        firsts = np.cumsum([0, *(facts.n_rows for facts in collection.facts)]).tolist()[:-1]
        parts = cluster.map(_part, collection.labels, firsts, positive=positive, factors=factors)
        sizes = [Size.of(facts, positive, factors or (1.0, 1.0)) for facts in collection.facts]
        total = reduce(add, sizes)
        bundles = Bundles.of(cluster, [facts.n_rows for facts in collection.facts], collection.futures)
        return cls(collection=collection, parts=parts, sizes=sizes, total=total, bundles=bundles)

    @property
    def shape(self) -> tuple[int, int]:
        return self.total.n_pos + self.total.n_neg, self.collection.facts[0].n_columns

    @property
    def n_pos(self) -> float:
        return self.total.on_pos

    @property
    def n_neg(self) -> float:
        return self.total.on_neg

    @property
    def n_total(self) -> float:
        return self.n_pos + self.n_neg

    @property
    def cluster(self) -> Cluster:
        return self.collection.cluster

    def map(self, function: Callable[..., Any], *columns: Sequence[Any], **same: Any) -> list[Future]:
        """A function of X, what is known of the partition, and more."""
        return self.cluster.map(function, self.collection.blocks(), self.parts, *columns, **same)

    def subsample(self, n_rows: int, rng: np.random.RandomState) -> Rows:
        if self.shape[0] <= n_rows:
            places = [np.arange(self.total.n_pos), np.arange(self.total.n_neg)]
        else:
            places = subsample_places(self.total.n_pos, self.total.n_neg, n_rows, rng)
        by_class = []
        for numbers, counts in zip(places, ([s.n_pos for s in self.sizes], [s.n_neg for s in self.sizes]), strict=True):
            starts = np.cumsum([0, *counts])
            cuts = np.searchsorted(numbers, starts)
            by_class.append([numbers[a:b] - s for a, b, s in zip(cuts, cuts[1:], starts, strict=False)])
        chosen = self.cluster.gather(self.map(_chosen_rows, *by_class))
        if self.shape[0] <= n_rows:  # all, in the order of the rows
            return Rows(*(np.concatenate([part[i] for part in chosen]) for i in range(3)))
        X, is_positive, weight = (np.concatenate([part[i] for part in chosen]) for i in range(3))
        order = np.argsort(~is_positive, kind="stable")  # positives, then negatives, as in memory
        X, is_positive, weight = X[order], is_positive[order], weight[order]
        for c, mass in ((is_positive, self.n_pos), (~is_positive, self.n_neg)):
            weight[c] *= mass / weight[c].sum()
        return Rows(X, is_positive, weight)

    def vary(self, columns: BoolArray) -> BoolArray:
        places = np.flatnonzero(columns)
        lows, highs = zip(*self.cluster.gather(self.map(_extremes, places=places)), strict=True)
        return np.asarray(np.max(highs, axis=0) > np.min(lows, axis=0))

    def mapped(self, function: Mapping) -> PartitionedRows:
        return replace(self, mapping=function)

    @property
    def data(self) -> Data:
        return PartitionedData(self)

    def are_separated(self, model: Model, theta: FloatArray) -> bool:
        walk = self.walk(ModelScores(model, theta, self.mapping))
        lowest_up, minus_highest_down = walk.follow(_separation())[0]
        return bool(lowest_up > -minus_highest_down)

    def rows_numbered(self, numbers: Any) -> FloatArray:
        """Rows of given numbers, ascending."""
        starts = np.cumsum([0, *(size.n_pos + size.n_neg for size in self.sizes)])
        cuts = np.searchsorted(numbers, starts)
        places = [numbers[a:b] - s for a, b, s in zip(cuts, cuts[1:], starts, strict=False)]
        return np.concatenate(self.cluster.gather(self.map(_numbered_rows, places)))

    def columns(self) -> tuple[list[Any], list[Any]]:
        """X and what is known of the partitions, by bundle."""
        return self.bundles.of_partitions(self.collection.blocks()), self.bundles.of_partitions(self.parts)

    def walk(self, scores: Callable[..., FloatArray]) -> Walk:
        """Rounds over scores, which are made of X and the part of a partition."""
        at_hand = self.collection.futures is not None and not self.cluster.reads_again
        return Walk(self.bundles, self.columns, scores, at_hand=at_hand)


class PartitionedData(Data):
    """What an objective asks of rows in partitions."""

    def __init__(self, rows: PartitionedRows) -> None:
        self.rows, self.n_columns = rows, rows.shape[1]
        self._latest: tuple[FloatArray, list[Future]] = (np.empty(0), [])

    def value_and_gradient(self, criterion: Criterion, model: Model, theta: FloatArray) -> tuple[float, FloatArray]:
        walk = self.rows.walk(ModelScores(model, theta, self.rows.mapping))
        finished, gradient = walk.follow(criterion.rounds(), pulls=not criterion.has_curvature)
        if gradient is None:
            gradient = walk.gradient(finished)
        self._latest = (theta.copy(), walk.by_score(finished) if criterion.has_curvature else [])
        return finished.value, gradient

    def curvature(self, criterion: Criterion, model: Model, theta: FloatArray) -> FloatArray:
        if not np.array_equal(theta, self._latest[0]):
            self.value_and_gradient(criterion, model, theta)
        rows, by_score = self.rows, self._latest[1]
        columns = (*rows.columns(), by_score)
        return rows.bundles.sum(_curvature, *columns, criterion=criterion, model=model, mapping=rows.mapping).matrix()

    def __repr__(self) -> str:
        n_rows, n_columns = self.rows.shape
        return f"{n_rows} rows of {n_columns} columns in {len(self.rows.parts)} partitions"


@dataclass(frozen=True, eq=False)
class ModelScores:
    """The scores of a partition by a model and θ, and the way back."""

    model: Model
    theta: FloatArray
    mapping: Mapping | None

    def __call__(self, X: Any, part: Partition) -> FloatArray:
        return self.model.scores(part.rows(X, self.mapping), self.theta)

    def vjp(self, X: Any, part: Partition, by_score: FloatArray) -> FloatArray:
        return self.model.vjp(part.rows(X, self.mapping), self.theta, by_score)


def _part(labels: Labels, first: int, positive: Any, factors: tuple[float, float] | None) -> Partition:
    is_positive, weight = np.asarray(labels.y == positive), labels.weight
    if factors is not None:
        by_class = np.where(is_positive, factors[1], factors[0])
        weight = by_class if weight is None else weight * by_class
    return Partition(replace(labels, y=labels.y[:0], weight=None), is_positive, weight, first)


def _chosen_rows(X: Any, part: Partition, positives: Any, negatives: Any) -> tuple[FloatArray, BoolArray, FloatArray]:
    up = part.is_positive
    places = np.sort(np.concatenate([np.flatnonzero(up)[positives], np.flatnonzero(~up)[negatives]]))
    weight = np.ones(len(places)) if part.weight is None else part.weight[places]
    return part.rows(X, None)[places], up[places], weight


def _extremes(X: Any, part: Partition, places: Any) -> tuple[FloatArray, FloatArray]:
    """The least and the largest value of some columns."""
    chosen = part.rows(X, None)[:, places]
    return chosen.min(axis=0), chosen.max(axis=0)


def _numbered_rows(X: Any, part: Partition, places: Any) -> FloatArray:
    return np.asarray(part.rows(X, None)[places])


def _curvature(
    X: Any, part: Partition, by_score: FloatArray, criterion: Criterion, model: Model, mapping: Mapping | None
) -> CurvatureTerms:
    return criterion.curvature_terms(by_score, model.features(part.rows(X, mapping)))


@dataclass(frozen=True, slots=True)
class _Least:
    """Two numbers, the least of each. ``a + b`` is that of both."""

    numbers: tuple[float, float]

    def __add__(self, other: _Least) -> _Least:
        return _Least((min(self.numbers[0], other.numbers[0]), min(self.numbers[1], other.numbers[1])))


def _separation() -> Generator[Step, Any, tuple[float, float]]:
    """The lowest positive score, and minus the highest negative one."""
    least: _Least = yield _least
    return least.numbers


def _least(rows: Sample, kept: None) -> tuple[_Least, None]:
    up = rows.scores[rows.is_positive].min(initial=np.inf)
    down = rows.scores[~rows.is_positive].max(initial=-np.inf)
    return _Least((float(up), float(-down))), None
