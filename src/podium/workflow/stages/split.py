"""Training rows and held-out rows: a share of the table, or another table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from podium._types import BoolArray, FloatArray
from podium.columns.date import shared_moments
from podium.exceptions import DegenerateSampleError, InputError
from podium.rankers.folds import Folds, stratified_folds
from podium.report.wording import moment
from podium.selection.dependence import Rows, Split
from podium.tables import to_table
from podium.tables.labels import LabeledTable, has_value
from podium.tables.table import labeled_rows
from podium.workflow.stages.roles import Roles, RowFacts

HELD_OUT = 0.3  # of the rows
MANY = 200_000  # rows; there 43 % more of them moved an AUC of .852 by .0009, of 20,000 rows by .005
_FOLDS = 3  # of the rows that are not held out; models without one learn from 77 % of all rows
_FEWEST = 2  # rows of either class in a fold
_MOSTLY = 0.9
_DAY = 86_400


def matured(data: LabeledTable, roles: Roles, latest: float | None = None) -> LabeledTable:
    """Without the rows of the last ``label_delay``, whose labels may still come; whole periods are left out.

    Of a sample, ``latest`` is the time of the last row of its table, and the rows left out are not counted.
    """
    if roles.label_delay is None:
        return data
    others = data.frame[:0] if data.others is None else data.others
    rows = roles.facts(pd.concat([data.frame, others])).dependence
    assert rows.time is not None
    last, counts = rows.time.max() if latest is None else latest, latest is None
    if types.is_datetime64_any_dtype(data.frame[roles.time]) and last > datetime.now().timestamp() + _DAY:
        until = moment(np.datetime64(int(last), "s"))
        raise InputError(f"Labels of rows after today are not known; {roles.time!r} goes up to {until}.", "omit them.")
    recent = rows.time > last - rows.delay
    if rows.period is not None:
        recent = rows.period >= rows.period[recent].min()
    n_labeled = len(data.frame)
    kept, n_pending = np.flatnonzero(~recent[:n_labeled]), int(recent.sum())
    if not len(kept):
        raise InputError(
            f"label_delay must be shorter than the time the table covers; {roles.label_delay} reaches beyond its first "
            "row.",
        )
    note = f"{n_pending:,} rows of the last {roles.label_delay} were left out: their labels may still come."
    return replace(
        data,
        frame=data.frame.iloc[kept],
        texts=data.texts.iloc[kept],
        is_positive=data.is_positive[kept],
        others=None if data.others is None else others.iloc[np.flatnonzero(~recent[n_labeled:])],
        notes=[*data.notes, note] if counts else data.notes,
    )


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Positions of the training rows in their table; the judging rows, by their table, positions and labels.

    ``waiting`` are rows between them, whose labels were not known when the first one held out came.
    """

    training: Rows
    training_facts: RowFacts
    judged: pd.DataFrame
    texts: pd.DataFrame
    held_out: Rows
    held_out_facts: RowFacts
    judged_labels: BoolArray
    notes: list[str]
    waiting: Rows
    waiting_facts: RowFacts
    fold: Folds | None = None  # of every training row, where these are left out of a model in turn

    def weighted(self, weight: FloatArray) -> Parts:
        """The same parts of a table whose rows have these weights."""
        return replace(
            self,
            training_facts=replace(self.training_facts, weight=weight[self.training]),
            held_out_facts=replace(self.held_out_facts, weight=weight[self.held_out]),
            waiting_facts=replace(self.waiting_facts, weight=weight[self.waiting]),
        )


def split_rows(
    data: LabeledTable, roles: Roles, holdout: float | None, test: Any, rng: np.random.Generator, seed: int
) -> Parts:
    """Hold out the most recent rows, whole units, or a share of both classes, unless a test table is given.

    Where no share is asked for, the other rows are parted into folds, so that each is left out of a model in turn.
    """
    facts = roles.facts(data.frame)
    if test is not None and roles.label_delay is not None:
        raise InputError("label_delay is for rows held out in time; got test rows with it.", "omit label_delay.")
    if test is None:
        parts = facts.dependence.split(data.is_positive, HELD_OUT if holdout is None else holdout, rng)
        judged, texts, judged_facts, labels = data.frame, data.texts, facts, data.is_positive[parts.held_out]
        notes = how_held_out(roles, facts.at(parts.held_out))
        waiting = np.setdiff1d(np.arange(len(data.frame)), np.concatenate([parts.training, parts.held_out]))
    else:
        known = {name: way for name, way in data.formats.items() if name != roles.label}
        given = to_table(test, known=known, as_text=list(map(str, data.texts)))
        read = labeled_rows(given, roles.label)
        if roles.every is not None and (n_missing := len(given.frame) - len(read.frame)):
            raise InputError(
                f"Hits a period need the labels of all rows of the lists; {n_missing:,} of the test table have none.",
                "omit test: rows held out of one table keep their place among those without a label.",
            )
        judged, texts, notes = read.frame, read.texts, [f"Test table: {note}" for note in read.notes]
        _refuse_training_rows(judged, data.frame)
        parts = Split(rng.permutation(len(data.frame)), np.arange(len(judged)))
        waiting = np.zeros(0, dtype=np.intp)
        judged_facts, labels = roles.facts(judged), _judged_labels(judged[roles.label], data.positive)
    training_facts = facts.at(parts.training)
    fold = None
    if test is None and holdout is None:
        fold = folds_of(training_facts, data.is_positive[parts.training], seed)
    if fold is not None and roles.group is not None:
        notes = [f"Units ({roles.group}) stay together: no model judges a row whose unit it has seen."]
    return Parts(
        training=parts.training,
        training_facts=training_facts,
        fold=fold,
        judged=judged,
        texts=texts,
        held_out=parts.held_out,
        held_out_facts=judged_facts.at(parts.held_out),
        judged_labels=labels,
        notes=notes,
        waiting=waiting,
        waiting_facts=facts.at(waiting),
    )


def folds_of(facts: RowFacts, is_positive: BoolArray, seed: int) -> Folds | None:
    """The fold of every row; None for rows in time, weights, few rows of a class, or so many that they change nothing.

    Of rows in time the latest are to judge, and weights have no places.
    """
    n_rows = len(is_positive)
    if facts.time is not None or facts.weight is not None or n_rows > (1 - HELD_OUT) * MANY:
        return None
    fold = stratified_folds(is_positive, _FOLDS, seed, facts.group)
    counts = [np.bincount(fold, rows, _FOLDS).min() for rows in (is_positive, ~is_positive)]
    return fold if min(counts) >= _FEWEST else None


def how_held_out(roles: Roles, held_out: RowFacts) -> list[str]:
    """How rows were held out, if not at random."""
    if held_out.time is not None:
        since = moment(shared_moments(held_out.time.to_numpy(), (0.0,))[0])
        earlier = "earlier ones" if roles.label_delay is None else f"those {roles.label_delay} older, with known labels"
        return [f"Evaluated on the most recent rows, from about {roles.time} = {since} on; trained on {earlier}."]
    if held_out.group is not None:
        n_units = len(np.unique(held_out.group))
        return [f"Evaluated on {n_units:,} units ({roles.group}) without any row in training."]
    return []


def _refuse_training_rows(judged: pd.DataFrame, training: pd.DataFrame) -> None:
    """Refuse a test table that consists of training rows, such as the training file or a part of it."""
    shared = [name for name in judged if name in training]
    seen, learned = (pd.util.hash_pandas_object(frame[shared].astype(str), index=False) for frame in (judged, training))
    distinct = learned.nunique() / len(learned)  # else rows are equal by chance
    if distinct > _MOSTLY and seen.isin(learned).mean() > _MOSTLY:
        raise InputError(
            "The test table must contain new rows; nearly all of these are training rows.",
            "omit the test table to hold out a share of the rows.",
        )


def _judged_labels(column: pd.Series[Any], positive: str) -> BoolArray:
    is_positive = has_value(column, positive)
    if is_positive.all() or not is_positive.any():
        rows = "all are" if is_positive.all() else "none is"
        raise DegenerateSampleError(
            f"The held-out rows must have both labels; in the test table {rows} {column.name} = {positive}.",
            "use other rows for the test.",
        )
    return is_positive
