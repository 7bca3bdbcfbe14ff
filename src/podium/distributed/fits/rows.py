"""Rows in partitions elsewhere, as the stages of a fit and an objective see them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from podium._types import BoolArray, FloatArray, Sample
from podium.criteria import Criterion
from podium.criteria.curvature import CurvatureTerms
from podium.criteria.rounds import Finished, Step
from podium.distributed.fits.bundles import Bundles
from podium.distributed.fits.cluster import Cluster, Future
from podium.distributed.fits.door import Collection, Labels
from podium.models import Model
from podium.objective import Data
from podium.rankers.lines.rows import Rows, TrainingRows, subsample_places

Mapping = Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Part:
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

    def __add__(self, other: Size) -> Size:
        return Size(
            n_pos=self.n_pos + other.n_pos,
            n_neg=self.n_neg + other.n_neg,
            on_pos=self.on_pos + other.on_pos,
            on_neg=self.on_neg + other.on_neg,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class PartitionedRows(TrainingRows):
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
        sizes = cluster.gather(cluster.map(_size, parts))
        total = sizes[0]
        for size in sizes[1:]:
            total = total + size
        bundles = Bundles.of(cluster, len(parts), collection.futures)
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
        low = np.min([facts.low for facts in self.collection.facts], axis=0)
        high = np.max([facts.high for facts in self.collection.facts], axis=0)
        return np.asarray(high > low)[columns]

    def mapped(self, function: Mapping) -> PartitionedRows:
        return replace(self, mapping=function)

    @property
    def data(self) -> Data:
        return PartitionedData(self)

    def are_separated(self, model: Model, theta: FloatArray) -> bool:
        lowest_up, minus_highest_down = self.run(_separation(), ModelScores(model, theta, self.mapping))[0]
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

    def run(self, rounds: Generator[Step, Any, Any], scores: Callable[..., FloatArray]) -> tuple[Any, list[Future]]:
        """What rounds over the scores of all rows come to, and what every bundle has kept.

        ``scores`` makes the scores of X and the part of a partition.
        """
        done, total = list[Future](), None
        while True:
            try:
                step = rounds.send(total)
            except StopIteration as end:
                return end.value, done
            if done:
                done = self.bundles.map(_take_step, done, step=step)
            else:
                done = self.bundles.map(_first_step, *self.columns(), scores=scores, step=step)
            total = self.bundles.sum(_summary, done)


class PartitionedData(Data):
    """What an objective asks of rows in partitions."""

    def __init__(self, rows: PartitionedRows) -> None:
        self.rows, self.n_columns = rows, rows.shape[1]
        self._latest: tuple[FloatArray, list[Future]] = (np.empty(0), [])

    def value_and_gradient(self, criterion: Criterion, model: Model, theta: FloatArray) -> tuple[float, FloatArray]:
        rows, scores = self.rows, ModelScores(model, theta, self.rows.mapping)
        finished, done = rows.run(criterion.rounds(), scores)
        gradient = rows.bundles.sum(_pulled, *rows.columns(), done, finished=finished, scores=scores)
        by_score = rows.bundles.map(_by_score, done, finished=finished) if criterion.has_curvature else []
        self._latest = (theta.copy(), by_score)
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

    def __call__(self, X: Any, part: Part) -> FloatArray:
        return self.model.scores(part.rows(X, self.mapping), self.theta)

    def vjp(self, X: Any, part: Part, by_score: FloatArray) -> FloatArray:
        return self.model.vjp(part.rows(X, self.mapping), self.theta, by_score)


def _part(labels: Labels, first: int, positive: Any, factors: tuple[float, float] | None) -> Part:
    is_positive, weight = np.asarray(labels.y == positive), labels.weight
    if factors is not None:
        by_class = np.where(is_positive, factors[1], factors[0])
        weight = by_class if weight is None else weight * by_class
    return Part(replace(labels, y=labels.y[:0], weight=None), is_positive, weight, first)


def _size(part: Part) -> Size:
    up, weight = part.is_positive, part.weight
    n_pos = int(np.count_nonzero(up))
    n_neg = len(up) - n_pos
    on_pos, on_neg = (n_pos, n_neg) if weight is None else (float(weight @ up), float(weight @ ~up))
    return Size(n_pos=n_pos, n_neg=n_neg, on_pos=on_pos, on_neg=on_neg)


def _chosen_rows(X: Any, part: Part, positives: Any, negatives: Any) -> tuple[FloatArray, BoolArray, FloatArray]:
    up = part.is_positive
    places = np.sort(np.concatenate([np.flatnonzero(up)[positives], np.flatnonzero(~up)[negatives]]))
    weight = np.ones(len(places)) if part.weight is None else part.weight[places]
    return part.rows(X, None)[places], up[places], weight


def _numbered_rows(X: Any, part: Part, places: Any) -> FloatArray:
    return np.asarray(part.rows(X, None)[places])


def _first_step(X: Any, part: Part, scores: Callable[..., FloatArray], step: Step) -> tuple[Any, Sample, Any]:
    rows = part.sample(scores(X, part))
    summary, kept = step(rows, None)
    return summary, rows, kept


def _take_step(done: tuple[Any, Sample, Any], step: Step) -> tuple[Any, Sample, Any]:
    _, rows, kept = done
    summary, kept = step(rows, kept)
    return summary, rows, kept


def _summary(done: tuple[Any, Sample, Any]) -> Any:
    return done[0]


def _by_score(done: tuple[Any, Sample, Any], finished: Finished) -> FloatArray:
    _, rows, kept = done
    return finished.gradient(rows, kept)


def _pulled(X: Any, part: Part, done: tuple[Any, Sample, Any], finished: Finished, scores: ModelScores) -> FloatArray:
    return scores.vjp(X, part, _by_score(done, finished))


def _curvature(
    X: Any, part: Part, by_score: FloatArray, criterion: Criterion, model: Model, mapping: Mapping | None
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
