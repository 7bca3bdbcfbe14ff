"""Choose a model on the training rows, and train it on all of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sklearn.base import clone

from podium._types import FloatArray, Sample
from podium.exceptions import InputError
from podium.inference import compare
from podium.metrics.scorers import estimator_scores
from podium.phi import Phi
from podium.ranks.pooled import TieGroups
from podium.selection.candidates import CANDIDATES, build, fit_candidate
from podium.selection.search import Choice, choose
from podium.tables import TableModel, TrainingRows
from podium.workflow.stages.encode import HeldOutRows, JudgingRows
from podium.workflow.stages.split import MANY

_REFITTED = (
    "The final model was then retrained in the same way on all rows: the evaluation here is one of the procedure that "
    "produced it."
)
_WORSE = (
    "The final model is the one evaluated here: retrained on all rows, it ranked worse, even on rows that it had then "
    "been trained on."
)
_AS_JUDGED = (
    "The final model is the one evaluated here: with so many rows, training on the held-out ones as well would make "
    "almost no difference."
)


def choose_model(
    rows: TrainingRows,
    phi: Phi,
    model: str,
    criterion: str | None,
    increasing: Sequence[int],
    *,
    names: Sequence[str] = CANDIDATES,
    seed: int,
    time_limit: float,
    on_step: Callable[[str], Any],
) -> Choice:
    """The model named, or with ``"auto"`` the candidate of these ``names`` that is best on validation rows.

    ``increasing`` are columns of the matrix in which scores must not decrease: only trees support that.
    """
    if increasing:
        if model not in ("auto", "trees"):
            raise InputError(f"Only trees support increasing columns; got the model {model!r}.", "use the model trees.")
        ranker = build("trees", phi, criterion, seed)
        signs = [int(j in increasing) for j in range(rows.X.shape[1])]
        ranker.set_params(params=ranker.params | {"monotone_constraints": signs})
        return Choice("trees", ranker)
    if model != "auto":
        return Choice(model, build(model, phi, criterion, seed))
    return choose(
        rows,
        phi,
        names=names,
        criterion=criterion,
        seed=seed,
        time_limit=time_limit,
        on_start=lambda name: on_step(f"trying {name}"),
    )


def is_worth_refitting(n_rows: int, time: str | None) -> bool:
    """Whether training on the held-out rows as well makes a visible difference: if recent, or if rows are few."""
    return time is not None or n_rows <= MANY


def about_delivery(model: TableModel, is_refitted: bool, refit: bool | None, test: Any) -> list[str]:
    """Which model is the final one, unless the user chose."""
    if model.judged is not None:
        return [_REFITTED]
    if is_refitted:
        return [_WORSE]
    return [_AS_JUDGED] if refit is None and test is None else []


def about_rows(everyone: JudgingRows | None, is_by_all: bool, model: TableModel) -> list[str]:
    """How all rows judged, where they could."""
    if everyone is None or model.judged is None:
        return []
    if not is_by_all:
        return ["The rows held out judge alone: the models for the others would take longer than the time limit."]
    return [
        f"Each of the {len(everyone.is_positive):,} rows was judged by a model that had not seen it: the one trained "
        "without the rows held out, or one trained without another fold of rows, its kind chosen by the other folds. "
        "The rows of a fold are compared by their places in it; scores and cutoffs are those of the final model."
    ]


def is_worse(ranker: Any, held_out: HeldOutRows, scores: FloatArray) -> bool:
    """Whether a ranker trained on the held-out rows ranks even these worse than its ``scores`` before.

    Something has gone wrong then: for instance, a tree was pruned to its root.
    """
    labels, weight, own = held_out.is_positive, held_out.facts.weight, estimator_scores(ranker, held_out.X)
    if TieGroups.of(Sample(own, labels, weight)).share_won >= TieGroups.of(Sample(scores, labels, weight)).share_won:
        return False  # as nearly always: no limit of the difference is below zero
    difference: Any = compare(labels, own, scores, sample_weight=weight)
    return bool(difference.high < 0)


def refit(choice: Choice, rows: TrainingRows, waiting: TrainingRows, held_out: HeldOutRows) -> Any:
    """The ranker, refitted to all rows, with the encoding of the training rows."""
    if len(waiting.X):
        rows = rows.followed_by(waiting.X, waiting.is_positive, waiting.weight, waiting.dependence)
    return train(replace(choice, ranker=clone(choice.ranker)), followed_by(rows, held_out))[0]


def followed_by(rows: TrainingRows, held_out: HeldOutRows) -> TrainingRows:
    """All rows: those trained on, then those held out."""
    facts = held_out.facts
    return rows.followed_by(held_out.X, held_out.is_positive, facts.weight, facts.dependence)


def train(choice: Choice, rows: TrainingRows) -> tuple[Any, list[str]]:
    """The ranker, fitted to all training rows, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ranker = fit_candidate(choice.ranker, rows.X, rows.is_positive, rows.weight, rows.dependence)
    if hasattr(ranker, "oof_scores_"):
        ranker.oof_scores_ = ranker.oof_stack_ = ranker.oof_fold_ = None  # a model file holds no rows
    return ranker, [str(warning.message).splitlines()[0] for warning in caught]
