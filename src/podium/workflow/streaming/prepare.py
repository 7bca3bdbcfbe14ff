"""From a file or folder larger than memory to a sample in memory and blocks of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from podium import _input, _memory
from podium.columns.number import numbers
from podium.distributed.blocks import engine
from podium.exceptions import InputError
from podium.selection.dependence import with_both_classes
from podium.tables import chunks
from podium.tables.formats.recognize import Format
from podium.workflow.stages.observed import PartLabels
from podium.workflow.stages.prepare import Prepared
from podium.workflow.stages.roles import Roles, check_times, check_weights
from podium.workflow.stages.selected import selection_doubt
from podium.workflow.stages.split import HELD_OUT, Parts, how_held_out, matured
from podium.workflow.streaming.rest import ReadingRule, store_rest
from podium.workflow.streaming.sample import Draw, SampledTable, draw_sample
from podium.workflow.streaming.table import StreamedTable


@contextmanager
def prepare_stream(
    path: Any,
    roles: Roles,
    *,
    positive: str | Sequence[str] | None,
    exclude: Sequence[str],
    holdout: float | None,
    test: Any,
    unlabeled: str | None = None,
    seed: int,
    memory: float,
    time_limit: float,
    on_step: Callable[[str], Any],
) -> Iterator[Prepared]:
    """Read the table twice: for a sample and for the rest. If the sample is all of it, it is a table like any other."""
    if test is not None:
        raise InputError(
            "A table larger than memory is evaluated on its own held-out rows; got a test table.",
            "omit it; podium score and podium evaluate use another table afterwards.",
        )
    if roles.every is not None:
        raise InputError(
            "Lists of a period are judged as a whole, in memory; this table exceeds it.",
            "allow more memory, or omit every; podium evaluate --every needs memory for a few columns only.",
        )
    draw = Draw(seed, HELD_OUT if holdout is None else _input.check_fraction("holdout", holdout))
    rng = np.random.default_rng(seed)
    with TemporaryDirectory(prefix="podium-") as name:
        folder = Path(name)
        on_step("reading and drawing a sample")
        sampled = draw_sample(path, roles, exclude, positive, unlabeled, draw, memory)
        latest = np.inf
        if roles.time is not None and roles.label_delay is not None:
            latest = _latest(path, roles.time, sampled.data.formats[roles.time])
            sampled = replace(sampled, data=matured(sampled.data, roles, latest))
        parts, rule = _split(sampled, roles, draw, latest, rng)
        partly = PartLabels.of(sampled.data, parts, roles, np.random.default_rng(seed), found=sampled.found)
        if partly is not None and sampled.found is not None:
            doubts = (selection_doubt(sampled.found, sampled.n_rows, sampled.n_listed),)
            partly = replace(partly, n_listed=sampled.n_listed, doubts=doubts)
        prepared = Prepared.of(sampled.data, parts, roles, exclude=exclude, seed=seed, rng=rng, on_step=on_step)
        prepared = replace(prepared.judged_by(partly), labels=sampled.labels)
        if sampled.is_whole:
            yield replace(prepared, notes=[*prepared.notes, *_pending(sampled, prepared.n_rows, roles)])
            return
        cluster = engine(folder, memory / 3)
        on_step(f"encoding all {sampled.n_rows:,} rows")
        rest = store_rest(path, sampled, prepared.encoded, rule, cluster, folder)
        names = ("encoded", "positive", "remarks", "doubts", "suspects", "partly", "labels")
        facts = {name: getattr(prepared, name) for name in names}
        n_rows = prepared.n_rows + rest.n_rows
        yield StreamedTable(
            **facts,
            n_rows=n_rows,
            notes=[
                _how_it_was_read(memory, len(sampled.keys)),
                *prepared.notes,
                *_pending(sampled, n_rows, roles),
            ],
            rest=rest,
            cluster=cluster,
            memory=memory,
            time_limit=time_limit,
        )


def _split(
    sampled: SampledTable, roles: Roles, draw: Draw, latest: float, rng: np.random.Generator
) -> tuple[Parts, ReadingRule]:
    """The split of the sample, and the rule that splits all other rows in the same way."""
    data = sampled.data
    facts = roles.facts(data.frame)
    since = None
    if facts.time is None:
        held_out = draw.are_held_out(sampled.keys)
        how = "at random" if roles.group is None else "by whole groups"
        split = with_both_classes(np.flatnonzero(~held_out), np.flatnonzero(held_out), data.is_positive, how, rng)
    else:
        split = facts.dependence.split(data.is_positive, draw.holdout, rng)
        since = float(numbers(facts.time)[split.held_out].min())
    waiting = np.setdiff1d(np.arange(len(data.frame)), np.concatenate([split.training, split.held_out]))
    parts = Parts(
        training=split.training,
        training_facts=facts.at(split.training),
        judged=data.frame,
        texts=data.texts,
        held_out=split.held_out,
        held_out_facts=facts.at(split.held_out),
        judged_labels=data.is_positive[split.held_out],
        notes=how_held_out(roles, facts.at(split.held_out)),
        waiting=waiting,
        waiting_facts=facts.at(waiting),
    )
    unit = 1.0 if roles.weight is None else float(check_weights(data.frame[roles.weight]).mean())
    rule = ReadingRule(
        roles=roles,
        draw=draw,
        since=since,
        delay=facts.delay,
        latest=latest,
        unseen=sampled.unseen,
        unit_of_weight=unit,
        formats=dict(data.formats),
    )
    return parts, rule


def _latest(path: Any, time: str, way: Format) -> float:
    """The latest time of all rows, in one pass over their times."""
    return max(float(numbers(check_times(piece.frame[time])).max()) for piece in chunks(path, {time: way}))


def _pending(sampled: SampledTable, n_rows: int, roles: Roles) -> list[str]:
    """A note on rows whose labels may still come."""
    if roles.label_delay is None:
        return []
    return [
        f"{sampled.n_rows - n_rows:,} rows of the last {roles.label_delay} were left out: their labels may still come."
    ]


def _how_it_was_read(memory: float, n_sampled: int) -> str:
    return (
        f"The table needs more than {_memory.readable(memory)} and was read in chunks: columns were described, leaks "
        f"looked for and models compared on a random sample of {n_sampled:,} rows; the chosen model was trained on all "
        "training rows. No stack of models was tried, since it needs all rows in memory."
    )
