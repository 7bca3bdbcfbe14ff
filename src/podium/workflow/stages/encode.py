"""Describe the columns and turn the table into numbers; the table is used up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from podium._results.wording import quoted
from podium._types import BoolArray, FloatArray
from podium.exceptions import DegenerateSampleError
from podium.rankers.fingerprints import Fingerprints, spread
from podium.selection.dependence import Rows
from podium.tables import Encoder, TrainingRows, describe, listed_rows
from podium.tables.formats.recognize import Format
from podium.tables.labels import LabeledTable
from podium.tables.profile import ColumnProfile, profile
from podium.tables.table import row_names
from podium.workflow.stages.roles import Roles, RowFacts
from podium.workflow.stages.split import Parts

_ALL_ASIDE = "every column but the label has another role or is excluded."


@dataclass(frozen=True, kw_only=True)
class JudgingRows:
    """Rows that judge: names and labels, what ties them together, and what they are compared by."""

    ids: pd.Series[Any]
    is_positive: BoolArray
    facts: RowFacts
    aside: dict[str, Any]

    def for_report(self) -> dict[str, Any]:
        """What the report shows of them beside labels and scores."""
        return {**self.facts.for_report(), **self.aside}


@dataclass(frozen=True, kw_only=True)
class HeldOutRows(JudgingRows):
    """Those that one model judges, as a matrix, and some of them as a table, to change values in."""

    X: FloatArray
    listed: pd.DataFrame


@dataclass(frozen=True, kw_only=True)
class EncodedTable:
    """Training rows and rows that judge as numbers, the encoder that made them, and sentences about the columns.

    ``everyone``: all rows, those trained on first, where each is left out of a model in turn. Rows ``waiting`` are
    between these and those held out in time: only the final model is trained on them.
    """

    encoder: Encoder
    training: TrainingRows
    waiting: TrainingRows
    fingerprints: Fingerprints
    typical: FloatArray
    held_out: HeldOutRows
    everyone: JudgingRows | None
    formats: dict[str, Format]
    profile: dict[str, ColumnProfile]
    readings: list[str]
    notes: list[str]
    suspects: dict[str, str]

    @property
    def known(self) -> tuple[dict[str, Format], dict[str, ColumnProfile]]:
        """What a model needs to know of its columns, beside the encoder."""
        return self.formats, self.profile


def _like_lists(data: LabeledTable, parts: Parts) -> tuple[pd.DataFrame, Rows]:
    """Rows that new lists should be like: those to learn from, with all that have no label."""
    if data.others is None:
        return data.frame, parts.training
    whole = pd.concat([data.frame.iloc[parts.training], data.others])
    return whole, np.arange(len(whole))


def _everyone(data: LabeledTable, parts: Parts, roles: Roles) -> JudgingRows | None:
    """All rows of the table, where they judge."""
    if parts.fold is None:
        return None
    rows = np.append(parts.training, parts.held_out)
    return JudgingRows(
        ids=row_names(parts.texts, roles.id).iloc[rows],
        is_positive=data.is_positive[rows],
        facts=roles.facts(data.frame).at(rows),
        aside=roles.aside(data.frame, rows),
    )


def encode(
    data: LabeledTable,
    parts: Parts,
    *,
    roles: Roles,
    exclude: Sequence[str],
    rng: np.random.Generator,
    on_step: Callable[[str], Any],
) -> EncodedTable:
    """Everything is learned from the training rows alone; columns with a role and excluded ones are not learned from.

    The table's columns are let go as they are encoded: table and matrix are never in memory as a whole together.
    """
    on_step("describing the columns")
    labels = data.is_positive[parts.training]
    names = [name for name in data.frame.columns if name not in (roles.label, *roles.columns, *exclude)]
    description = describe(data.frame, data.is_positive, names, parts.training)
    if not description.kinds:
        raise DegenerateSampleError("There is no column to learn from.", " ".join(description.notes) or _ALL_ASIDE)
    encoder = Encoder.fit(data.frame, parts.training, description.kinds, labels)
    notes = [*description.notes, *encoder.notes()]
    unused = [name for name in description.kinds if name not in encoder.kinds]
    if unused:
        notes.append(f"Text without repeated values or words was dropped: {quoted(unused)}.")
    if not encoder.columns:
        raise DegenerateSampleError("There is no column to learn from.", " ".join(notes) or _ALL_ASIDE)
    is_one_table = parts.judged is data.frame
    if not is_one_table:
        notes += [f"Test table: {note}" for note in encoder.check(list(map(str, parts.judged.columns)))]
    on_step("encoding the table")
    listed = listed_rows(parts.judged, parts.held_out, encoder.kinds, rng)
    aside, everyone = roles.aside(parts.judged, parts.held_out), _everyone(data, parts, roles)
    described = profile(*_like_lists(data, parts), encoder.kinds)  # before its columns are let go
    facts = parts.training_facts
    # As new rows are encoded: those to learn from are described by labels of other rows, and never look like that.
    some = np.asarray(parts.training)[spread(len(parts.training))]
    known = Fingerprints.of_some(encoder.encode(data.frame, some), len(parts.training))
    others = np.concatenate([parts.held_out, parts.waiting])
    X = encoder.blank(len(others))
    if is_one_table:
        training = TrainingRows.of(encoder.training_rows(data.frame, parts.training, labels, rng, (others, X)))
    else:
        encoder.encode_into(X, parts.judged, parts.held_out)
        training = TrainingRows.of(encoder.training_rows(data.frame, parts.training, labels, rng))
    training = replace(training, weight=facts.weight, dependence=facts.dependence, fold=parts.fold)
    n_held_out, late = len(parts.held_out), parts.waiting_facts
    waiting = TrainingRows(X[n_held_out:], data.is_positive[parts.waiting], {}, late.weight, late.dependence)
    held_out = HeldOutRows(
        ids=row_names(parts.texts, roles.id).iloc[parts.held_out],
        listed=listed,
        X=X[:n_held_out],
        is_positive=parts.judged_labels,
        facts=parts.held_out_facts,
        aside=aside,
    )
    return EncodedTable(
        encoder=encoder,
        training=training,
        waiting=waiting,
        fingerprints=known,
        typical=training.typical(encoder, rng),
        held_out=held_out,
        everyone=everyone,
        profile=described,
        formats={name: data.formats[name] for name in (*encoder.kinds, *roles.of_lists)},
        readings=data.readings,
        notes=notes,
        suspects=dict.fromkeys(description.perfect, "alone predicts the label perfectly: likely it leaks the answer"),
    )
