"""From a table to a model and an honest judgement of it: what ``podium fit`` does between parsing and printing."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from podium._types import BoolArray, FloatArray
from podium.exceptions import DegenerateSampleError
from podium.metrics.estimator import estimator_scores
from podium.phi import Phi
from podium.tables import (
    Encoder,
    Split,
    TableModel,
    TrainingRows,
    describe,
    listed_rows,
    positives,
    split,
    typical_effects,
)
from podium.tables.columns import by_name
from podium.tables.effects import Effect
from podium.workflow.candidates import build
from podium.workflow.choice import Choice, choose


@dataclass(frozen=True)
class Task:
    """What was asked for."""

    label: str
    positive: str | None
    phi_for: Callable[[int], Phi]  # a budget is a share of the table, whose length is known only when it is read
    model: str
    criterion: str | None
    holdout: float
    id_column: str | None
    exclude: Sequence[str]
    seed: int
    time_limit: float


@dataclass(frozen=True)
class Trained:
    """The model, and everything about rows that had no part in making or choosing it."""

    model: TableModel
    choice: Choice
    is_positive: BoolArray
    scores: FloatArray
    ids: pd.Series[Any]
    candidates: dict[str, FloatArray]
    effects: list[Effect]
    notes: list[str]
    warnings: list[str]


def train(
    frame: pd.DataFrame, test: pd.DataFrame | None, task: Task, on_step: Callable[[str], Any] = lambda step: None
) -> Trained:
    """Describe, encode, choose, train on all rows but those held out, and score these.

    The frame is used up: its columns are let go as they are encoded.
    """
    frame, notes = by_name.labelled(frame, task.label)
    by_name.require(frame, task.exclude, "column to exclude")
    by_name.require(frame, [task.id_column] if task.id_column else [], "identifier")
    is_positive, positive = positives(frame[task.label], task.positive)
    phi, n_rows = task.phi_for(len(frame)), len(frame)
    rng = np.random.default_rng(task.seed)
    if test is None:
        parts, judged = split(is_positive, task.holdout, rng), frame
        y_judged = is_positive[parts.held_out]
    else:
        judged, more = by_name.labelled(test, task.label)
        notes += [f"Test file: {note}" for note in more]
        parts = Split(rng.permutation(n_rows), np.arange(len(judged)))
        y_judged = _judged_labels(judged[task.label], positive)
    on_step("looking at the columns")
    y = is_positive[parts.training]
    aside = {task.label, task.id_column, *task.exclude}
    description = describe(frame, is_positive, [name for name in frame.columns if name not in aside], parts.training)
    if not description.kinds:
        raise DegenerateSampleError("There is no column to learn from.", " ".join(description.notes))
    encoder = Encoder.fit(frame, parts.training, description.kinds, y)
    facts: dict[str, Any] = {"trained_on": len(y), "rows": n_rows, "seed": task.seed}
    model = TableModel(encoder, None, str(phi), task.label, positive, task.id_column, facts)
    if test is not None:
        used = judged[[name for name in judged.columns if name in encoder.kinds]]
        notes += [f"Test file: {note}" for note in model.check(used)]
    on_step("turning the table into numbers")
    ids = by_name.row_names(judged, task.id_column).iloc[parts.held_out]
    listed = listed_rows(judged, parts.held_out, encoder.kinds, rng)
    H = encoder.encode(judged, parts.held_out)
    rows = TrainingRows.taken_from(frame, parts.training, encoder, y, rng)
    del frame, judged
    choice = _chosen(rows, phi, task, on_step)
    on_step(f"training {choice.name} on {len(y):,} rows")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.ranker = choice.ranker.fit(rows.X, y)
    del rows
    if hasattr(model.ranker, "oof_scores_"):
        model.ranker.oof_scores_ = model.ranker.oof_stack_ = None  # a model file holds no rows
    facts["chosen"] = choice.name
    on_step("judging it on rows never used before")
    scores = estimator_scores(model.ranker, H)
    compared = {name: estimator_scores(fitted, H) for name, fitted in choice.fitted.items() if name != choice.name}
    if compared:
        compared[choice.name] = scores
    effects = typical_effects(model.scores, listed)
    notes += [*description.notes, *encoder.notes(), *choice.notes, *(str(w.message).splitlines()[0] for w in caught)]
    if compared:
        notes.append(
            "In the comparison of candidates the others were fitted to the training rows that they were tried on, "
            f"{choice.name} to all training rows: part of its lead may be due to that."
        )
    notes.append("Effects are changes of place, in percent of the list, when one value changes and all others stay.")
    return Trained(model, choice, y_judged, scores, ids, compared, effects, notes, list(description.warnings))


def _chosen(rows: TrainingRows, phi: Phi, task: Task, on_step: Callable[[str], Any]) -> Choice:
    if task.model != "auto":
        return Choice(task.model, build(task.model, phi, task.criterion, task.seed))
    return choose(rows, phi, task.criterion, task.seed, task.time_limit, lambda name: on_step(f"trying {name}"))


def _judged_labels(column: pd.Series[Any], positive: str) -> BoolArray:
    try:
        return positives(column, positive)[0]
    except (DegenerateSampleError, ValueError) as error:
        raise DegenerateSampleError(
            f"The rows held out must have both labels; in the test file: {str(error).splitlines()[0]}",
            "take other rows for the test.",
        ) from None
