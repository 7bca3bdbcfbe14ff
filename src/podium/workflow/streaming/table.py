"""A table read in chunks, ready for training: a sample in memory, the rest in blocks."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from podium import inference, metrics
from podium._threads import one_thread
from podium._types import BoolArray, FloatArray
from podium.distributed.blocks import Loop, StoredBlock, collection_of
from podium.distributed.boosting import boost, boost_files, rows_apart
from podium.distributed.cluster import Cluster
from podium.distributed.fit import fit_collection
from podium.exceptions import InputError
from podium.phi import Phi
from podium.report.wording import statistic_of
from podium.rounds import CountedList, count_list
from podium.rounds.rows import Chunks
from podium.selection.candidates import seconds_of
from podium.selection.search import Choice
from podium.tables import TableModel
from podium.workflow.stages.prepare import Prepared
from podium.workflow.stages.train import choose_model
from podium.workflow.streaming.rest import Rest

MODELS = ("linear", "quadratic", "trees")  # that learn from blocks; the cheapest first
_CLOSE = 1e-4  # between limits of a statistic that is shown with four digits
_NOT_LEAST = ("quadratic",)  # whose cost on all rows decides whether they are tried


@dataclass(frozen=True, kw_only=True)
class StreamedTable(Prepared):
    """Like any table, except that the model is trained on blocks of rows. ``encoded`` is the sample."""

    rest: Rest
    cluster: Cluster
    memory: float
    time_limit: float

    @property
    def n_training(self) -> int:
        return super().n_training + sum(len(block.is_positive) for block in self.rest.training)

    @property
    def n_held_out(self) -> int:
        return super().n_held_out + sum(len(block.is_positive) for block in self.rest.held_out)

    def choose(self, phi: Phi, model: str, criterion: str | None, increasing: Sequence[int], **more: Any) -> Choice:
        """Choose among the models that can be trained on blocks, by the sample."""
        if model not in ("auto", *MODELS):
            raise InputError(
                f"For a table larger than memory, the model is one of {', '.join(MODELS)}; got {model!r}.",
                "choose one of these, or allow more memory.",
            )
        n_columns = len(self.encoded.encoder.outputs)
        costs = {name: seconds_of(name, self.n_training, n_columns) for name in _NOT_LEAST}
        dear = {name: cost for name, cost in costs.items() if cost > self.time_limit}
        names = [name for name in MODELS if name not in dear]
        choice = choose_model(self.encoded.training, phi, model, criterion, increasing, names=names, **more)
        if model == "auto" and not increasing:
            choice.notes += [
                f"{name} was not tried: {cost:,.0f} s on all rows would exceed the time limit of {self.time_limit:g} s."
                for name, cost in dear.items()
            ]
        return choice

    def train(self, choice: Choice) -> tuple[Any, list[str]]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ranker = self._fitted(choice, self._training_blocks())
        remarks = [str(warning.message).splitlines()[0] for warning in caught]
        apart = self._rows_apart(self.n_training)
        if choice.name == "trees" and apart > 1:
            remarks.append(
                f"Trees were trained on every {_ordinal(apart)} training row: all rows would exceed the memory or the "
                "time limit."
            )
        if choice.name == "trees" and not isinstance(self.cluster, Loop):
            remarks.append("Trees were grown by XGBoost, which trains on the rows of all workers.")
        return ranker, remarks

    def refit(self, choice: Choice) -> Any:
        held_out = self.encoded.held_out
        sample = self._block(held_out.X, held_out.is_positive, held_out.facts.weight)
        rows = self.encoded.waiting
        waiting = [self._block(rows.X, rows.is_positive, rows.weight)] if len(rows.X) else []
        blocks = [*self._training_blocks(), *waiting, *self.rest.waiting, sample, *self.rest.held_out]
        return self._fitted(replace(choice, ranker=clone(choice.ranker)), blocks)

    def judge_further(self, model: TableModel, scores: FloatArray, phi: Phi) -> tuple[dict[str, Any], list[str]]:
        """The statistic of all held-out rows, counted in passes; none where these were selected to be labeled."""
        if self.partly is not None:
            return {}, []
        held_out, facts = self.encoded.held_out, self.encoded.held_out.facts
        further = self.cluster.map(_scores, [block.rows for block in self.rest.held_out], model=model)
        labels = [(block.is_positive, block.weight) for block in self.rest.held_out]

        def pieces() -> Iterator[tuple[BoolArray, FloatArray, FloatArray | None]]:
            yield held_out.is_positive, scores, facts.weight
            for (is_positive, weight), future in zip(labels, further, strict=True):
                yield is_positive, self.cluster.gather([future])[0], weight

        counted, (low, high) = _counted(pieces, phi, self.memory / 4)
        value = metrics.rank_statistic(counted, phi=phi)
        figures = {"rows": self.n_held_out, "estimate": value, "error": (high - low) / 2}
        sentence = f"On all {self.n_held_out:,} held-out rows, the {statistic_of(phi)} is {value:.4f}"
        if high - low > _CLOSE:
            sentence += f", give or take {(high - low) / 2:.1g}"
        if facts.time is None and facts.group is None and facts.weight is None:
            limits = inference.interval(counted, phi=phi)
            figures |= {"low": limits.low, "high": limits.high}
            sentence += f" (95 % interval {limits.low:.4f} to {limits.high:.4f})"
        return {"all_held_out": figures}, [f"{sentence}; the figures above are for a random sample of {len(scores):,}."]

    def _training_blocks(self) -> list[StoredBlock]:
        rows = self.encoded.training
        return [self._block(rows.X, rows.is_positive, rows.weight), *self.rest.training]

    def _block(self, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> StoredBlock:
        """Rows that are in memory."""
        X = np.ascontiguousarray(X)
        rows = X if isinstance(self.cluster, Loop) else self.cluster.store(X)
        return StoredBlock(rows=rows, n_columns=X.shape[1], is_positive=is_positive, weight=weight)

    def _fitted(self, choice: Choice, blocks: list[StoredBlock]) -> Any:
        ranker, grow = choice.ranker, boost
        if isinstance(self.cluster, Loop):
            n_rows = sum(len(block.is_positive) for block in blocks)
            grow = partial(boost_files, apart=self._rows_apart(n_rows))
        elif choice.name == "trees":
            constraints = {name: value for name, value in ranker.params.items() if name == "monotone_constraints"}
            ranker.set_params(backend="xgboost", params={name: tuple(each) for name, each in constraints.items()})
        with one_thread():
            return fit_collection(ranker, collection_of(self.cluster, blocks), grow)

    def _rows_apart(self, n_rows: int) -> int:
        """On a cluster trees are grown from every row: its memory and time are for others to mind."""
        if not isinstance(self.cluster, Loop):
            return 1
        n_columns = len(self.encoded.encoder.outputs)
        by_time = int(np.ceil(seconds_of("trees", n_rows, n_columns) / self.time_limit))
        return max(by_time, rows_apart(n_rows, n_columns, self.memory / 2))


def _counted(pieces: Chunks, phi: Phi, memory: float) -> tuple[CountedList, tuple[float, float]]:
    """The list, and between what its statistic lies: as close as can be read, or else as memory allows."""
    for tol in (_CLOSE / 100, 0.0):
        counted = count_list(pieces, memory=memory, tol=tol)
        low, high = (metrics.rank_statistic(order, phi=phi) for order in counted.extremes)
        if high - low <= _CLOSE:
            break
    return counted, (low, high)


def _scores(X: Any, model: TableModel) -> FloatArray:
    return model.scores_of(np.asarray(X, dtype=np.float64))


def _ordinal(n: int) -> str:
    return {2: "second", 3: "third"}.get(n, f"{n}th")
