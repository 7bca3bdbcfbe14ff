"""The second pass: the rows that are not in the sample, turned into numbers and stored in blocks."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from podium import _memory
from podium._types import BoolArray, FloatArray
from podium.columns.number import numbers
from podium.distributed.blocks import BLOCK_VALUES, BlockWriter, Here, Loop, StoredBlock
from podium.distributed.cluster import Cluster
from podium.exceptions import InputError
from podium.tables import Encoder, chunks
from podium.tables.files.read import Share, shares_of
from podium.tables.files.source import parts_of
from podium.tables.formats.recognize import Format
from podium.tables.formats.text import LabelFormat
from podium.tables.table import Table
from podium.workflow.stages.encode import EncodedTable
from podium.workflow.stages.roles import Roles, check_times, check_weights
from podium.workflow.streaming.sample import Draw, Keys, SampledTable, keys_of
from podium.workflow.streaming.words import Unseen


@dataclass(frozen=True, eq=False, kw_only=True)
class ReadingRule:
    """How rows are read: their labels, times and units, and whether they are held out.

    ``since``: rows from this time on are held out; without times, the draw decides. Labels take the time ``delay``:
    those of rows in the last one before ``since`` wait, those of rows in the last one before ``latest`` may still come.
    ``unit_of_weight`` is the mean weight of the sample, by which all are divided.
    """

    roles: Roles
    draw: Draw
    since: float | None
    delay: float
    latest: float
    unseen: Unseen | None
    unit_of_weight: float
    formats: dict[str, Format]

    def known(self, learned: dict[str, Format], positive_words: frozenset[str]) -> dict[str, Format]:
        """How the columns needed are read."""
        named = (self.roles.time, self.roles.weight)
        roles = {name: self.formats[name] for name in named if name is not None}
        return {**learned, **roles, self.roles.label: LabelFormat(positive_words)}

    def as_text(self) -> list[str]:
        """Columns whose words are needed."""
        unseen = None if self.unseen is None else self.unseen.column
        return list(dict.fromkeys(name for name in (self.roles.group, unseen) if name is not None))

    def have_label(self, piece: Table) -> BoolArray:
        """Which rows were looked at, whose label is known."""
        known = piece.frame[self.roles.label].notna().to_numpy()
        if self.unseen is None:
            return known
        return known & ~self.unseen.among(piece.texts[self.unseen.column].astype(object))

    def parts(self, frame: pd.DataFrame, keys: Keys) -> tuple[BoolArray, BoolArray, BoolArray]:
        """Which rows are for training, which wait, and which are held out."""
        if self.roles.time is None or self.since is None:
            held_out = self.draw.are_held_out(keys)
            return ~held_out, np.zeros(len(keys), dtype=np.bool_), held_out
        time = numbers(check_times(frame[self.roles.time]))
        known = time <= self.latest - self.delay
        earlier = time < self.since
        training = earlier & (time <= self.since - self.delay) if self.delay else earlier
        return training & known, earlier & ~training & known, ~earlier & known

    def weight(self, frame: pd.DataFrame) -> FloatArray | None:
        return None if self.roles.weight is None else check_weights(frame[self.roles.weight]) / self.unit_of_weight


@dataclass(frozen=True, eq=False, kw_only=True)
class Rest:
    """All rows outside the sample: those for training, those that wait, and those held out."""

    training: list[StoredBlock]
    waiting: list[StoredBlock]
    held_out: list[StoredBlock]

    @property
    def parts(self) -> tuple[list[StoredBlock], ...]:
        return self.training, self.waiting, self.held_out

    @property
    def n_rows(self) -> int:
        return sum(len(block.is_positive) for part in self.parts for block in part)


def store_rest(
    path: Any, sampled: SampledTable, encoded: EncodedTable, rule: ReadingRule, cluster: Cluster, folder: Path
) -> Rest:
    """Encode rows like the sample, and store them in blocks for training; workers read what they can themselves."""
    known = rule.known(encoded.formats, sampled.positive_words)
    encoding = partial(_encoded, rule=rule, known=known, encoder=encoded.encoder, limit=sampled.limit)
    whole = Path(path).absolute()
    if not isinstance(cluster, Loop) and (whole.is_file() or whole.is_dir()):
        shares = shares_of(whole, known, BLOCK_VALUES // len(encoded.encoder.outputs))
        if shares is not None and cluster.sees([part.file.path for part in parts_of(whole)]):
            return _read_by_workers(cluster, whole, shares, encoding)
    _require_space(folder, 4.0 * len(encoded.encoder.outputs) * (sampled.n_rows - len(sampled.keys)))
    return encoding(None, path=path, cluster=cluster)


def _read_by_workers(cluster: Cluster, path: Path, shares: Sequence[Share], encoding: Callable[..., Rest]) -> Rest:
    """Every share by a worker, which keeps its blocks; here are their labels."""
    done = cluster.map(encoding, shares, path=path, cluster=Here())
    blocks: list[list[StoredBlock]] = [[], [], []]
    for rest, labels in zip(done, cluster.gather(cluster.map(_labels_of, done)), strict=True):
        for part, own, outlines in zip(range(3), blocks, labels, strict=True):
            n_blocks = len(outlines)
            rows = cluster.map(_rows_of, [rest] * n_blocks, [part] * n_blocks, list(range(n_blocks)))
            own += [replace(outline, rows=each) for outline, each in zip(outlines, rows, strict=True)]
    return Rest(training=blocks[0], waiting=blocks[1], held_out=blocks[2])


def _labels_of(rest: Rest) -> list[list[StoredBlock]]:
    return [[replace(block, rows=None) for block in part] for part in rest.parts]


def _rows_of(rest: Rest, part: int, block: int) -> FloatArray:
    return rest.parts[part][block].rows


def _encoded(
    share: Share | None,
    *,
    path: Any,
    cluster: Cluster,
    rule: ReadingRule,
    known: dict[str, Format],
    encoder: Encoder,
    limit: np.uint64,
) -> Rest:
    """The rows of a share of the table, or all, that are not in the sample, in blocks."""
    n_columns = len(encoder.outputs)
    parts = [BlockWriter(cluster, n_columns) for _ in range(3)]
    room = np.empty((0, n_columns), np.float32)
    for piece, keys in _numbered(path, rule, known, share):
        frame = piece.frame
        has_label = rule.have_label(piece)
        if not has_label.all():
            frame, keys = frame[has_label], keys[has_label]
        rows = rule.draw.places(keys) >= limit
        if len(frame) > len(room):
            room = np.empty((len(frame), n_columns), np.float32)
        X = room[: len(frame)]
        encoder.encode_into(X, frame)
        is_positive = frame[rule.roles.label].to_numpy(dtype=np.bool_)
        weight = rule.weight(frame)
        for part, these in zip(parts, rule.parts(frame, keys), strict=True):
            part.add(X, np.flatnonzero(rows & these), is_positive, weight)
    for part in parts:
        part.close()
    return Rest(training=parts[0].blocks, waiting=parts[1].blocks, held_out=parts[2].blocks)


def _numbered(
    path: Any, rule: ReadingRule, known: dict[str, Format], share: Share | None
) -> Iterator[tuple[Table, Keys]]:
    """Pieces of the table, with the keys of their rows."""
    group = rule.roles.group
    first = 0 if share is None else share.first
    for piece in chunks(path, known, rule.as_text(), share=share):
        n_rows = len(piece.frame)
        yield piece, keys_of(first, n_rows, None if group is None else piece.texts[group])
        first += n_rows


def _require_space(folder: Path, n_bytes: float) -> None:
    free = shutil.disk_usage(folder).free
    if n_bytes > 0.9 * free:
        raise InputError(
            f"Rows that do not fit into memory are stored on disk; these need {_memory.readable(n_bytes)}, and "
            f"{folder} has {_memory.readable(free)} left.",
            "set the environment variable TMPDIR to a folder with more space.",
        )
