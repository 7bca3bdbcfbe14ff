"""The second pass: the rows that are not in the sample, turned into numbers and stored in blocks."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from podium import _memory
from podium._types import BoolArray, FloatArray
from podium.columns.number import numbers
from podium.distributed.blocks import BlockWriter, StoredBlock
from podium.distributed.cluster import Cluster
from podium.exceptions import InputError
from podium.tables import chunks
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
    def n_rows(self) -> int:
        return sum(len(block.is_positive) for block in (*self.training, *self.waiting, *self.held_out))


def store_rest(
    path: Any, sampled: SampledTable, encoded: EncodedTable, rule: ReadingRule, cluster: Cluster, folder: Path
) -> Rest:
    """Encode rows like the sample, and store them in blocks for training."""
    n_columns = len(encoded.encoder.outputs)
    _require_space(folder, 4.0 * n_columns * (sampled.n_rows - len(sampled.keys)))
    parts = [BlockWriter(cluster, n_columns) for _ in range(3)]
    room = np.empty((0, n_columns), np.float32)
    for piece, keys in _numbered(path, rule, rule.known(encoded.formats, sampled.positive_words)):
        frame = piece.frame
        has_label = rule.have_label(piece)
        if not has_label.all():
            frame, keys = frame[has_label], keys[has_label]
        rows = rule.draw.places(keys) >= sampled.limit
        if len(frame) > len(room):
            room = np.empty((len(frame), n_columns), np.float32)
        X = room[: len(frame)]
        encoded.encoder.encode_into(X, frame)
        is_positive = frame[rule.roles.label].to_numpy(dtype=np.bool_)
        weight = rule.weight(frame)
        for part, these in zip(parts, rule.parts(frame, keys), strict=True):
            part.add(X, np.flatnonzero(rows & these), is_positive, weight)
    for part in parts:
        part.close()
    return Rest(training=parts[0].blocks, waiting=parts[1].blocks, held_out=parts[2].blocks)


def _numbered(path: Any, rule: ReadingRule, known: dict[str, Format]) -> Iterator[tuple[Table, Keys]]:
    """Pieces of the table, with the keys of their rows."""
    group = rule.roles.group
    first = 0
    for piece in chunks(path, known, rule.as_text()):
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
