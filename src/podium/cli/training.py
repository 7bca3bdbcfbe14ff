"""From a table to a model and an honest judgement of it: what ``podium fit`` does between parsing and printing."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from podium._input import BoolArray, FloatArray
from podium.cli import candidates
from podium.exceptions import DegenerateSampleError
from podium.phi import Phi
from podium.tables import Encoder, TableModel, columns, describe, positives, split, typical_effects
from podium.tables.effects import Effect
from podium.tables.model import ranker_scores


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
    choice: candidates.Choice
    is_positive: BoolArray
    scores: FloatArray
    ids: pd.Series[Any]
    others: dict[str, FloatArray]
    effects: list[Effect]
    notes: list[str]
    warnings: list[str]


def train(
    frame: pd.DataFrame, test: pd.DataFrame | None, task: Task, on_step: Callable[[str], Any] = lambda step: None
) -> Trained:
    """Describe, encode, choose, train on all rows but those held out, and score these."""
    frame, notes = columns.labelled(frame, task.label)
    columns.require(frame, task.exclude, "column to exclude")
    columns.require(frame, [task.id_column] if task.id_column else [], "identifier")
    is_positive, positive = positives(frame[task.label], task.positive)
    phi = task.phi_for(len(frame))
    rng = np.random.default_rng(task.seed)
    if test is None:
        parts = split(is_positive, task.holdout, rng)
        rows, judged = parts.training, frame.iloc[parts.held_out]
        y_judged = is_positive[parts.held_out]
    else:
        rows = rng.permutation(len(frame))
        judged, more = columns.labelled(test, task.label)
        notes += [f"Test file: {note}" for note in more]
        y_judged = _judged_labels(judged[task.label], positive)
    on_step("looking at the columns")
    y = is_positive[rows]
    aside = {task.label, task.id_column, *task.exclude}
    description = describe(frame, is_positive, [name for name in frame.columns if name not in aside])
    if not description.kinds:
        raise DegenerateSampleError("There is no column to learn from.", " ".join(description.notes))
    encoder = Encoder.fit(frame, rows, description.kinds, y)
    X = encoder.encode_training(frame, rows, y, rng)
    ids = columns.row_names(frame, task.id_column)
    ids = ids.loc[judged.index] if test is None else columns.row_names(judged, task.id_column)
    judged = judged[[name for name in encoder.kinds if name in judged]]
    n_rows = len(frame)
    del frame  # the matrix has taken its place in memory
    choice = _chosen(X, y, phi, task, on_step)
    on_step(f"training {choice.name} on {len(y):,} rows")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ranker = choice.ranker.fit(X, y)
    del X
    if hasattr(ranker, "oof_scores_"):
        ranker.oof_scores_ = ranker.oof_stack_ = None  # a model file holds no rows
    facts = {"trained_on": len(y), "rows": n_rows, "chosen": choice.name, "seed": task.seed}
    model = TableModel(encoder, ranker, str(phi), task.label, positive, task.id_column, facts)
    if test is not None:
        notes += [f"Test file: {note}" for note in model.check(judged)]
    on_step("judging it on rows never used before")
    scores = model.scores(judged)
    H = encoder.encode(judged) if choice.fitted else None
    others = {n: ranker_scores(r, H) for n, r in choice.fitted.items() if n != choice.name and H is not None}
    effects = typical_effects(model.scores, judged, rng)
    notes += [*description.notes, *encoder.notes(), *choice.notes, *(str(w.message) for w in caught)]
    notes.append("Effects are changes of place, in percent of the list, when one value changes and all others stay.")
    return Trained(model, choice, y_judged, scores, ids, others, effects, notes, list(description.warnings))


def _chosen(X: FloatArray, y: BoolArray, phi: Phi, task: Task, on_step: Callable[[str], Any]) -> candidates.Choice:
    if task.model != "auto":
        return candidates.Choice(task.model, candidates.build(task.model, phi, task.criterion, task.seed))
    return candidates.choose(
        X, y, phi, task.criterion, task.seed, task.time_limit, lambda name: on_step(f"trying {name}")
    )


def _judged_labels(column: pd.Series[Any], positive: str) -> BoolArray:
    try:
        return positives(column, positive)[0]
    except (DegenerateSampleError, ValueError) as error:
        raise DegenerateSampleError(
            f"The rows held out must have both labels; in the test file: {str(error).splitlines()[0]}",
            "take other rows for the test.",
        ) from None
