"""Evaluate the model on rows that were not used to train or choose it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from podium._types import FloatArray
from podium.metrics.scorers import estimator_scores
from podium.rankers import Segments, TreeRanker
from podium.selection.auto.search import Choice
from podium.tables import TableModel, about_effects, typical_effects
from podium.tables.columns.conditions import in_words
from podium.tables.effects import Effect
from podium.workflow.stages.encode import HeldOutRows
from podium.workflow.stages.importance import about_importance, importance


@dataclass(frozen=True, kw_only=True)
class Judgment:
    """Scores of the held-out rows by the model and by the other candidates, and effects of columns."""

    scores: FloatArray
    candidates: dict[str, FloatArray]
    effects: list[Effect]
    segments: Segments | None
    importance: list[Effect]
    notes: list[str]

    def for_report(self) -> dict[str, Any]:
        """What the report shows of it beside the scores."""
        names = ("candidates", "effects", "segments", "importance")
        return {name: getattr(self, name) for name in names} | {"effect_unit": "percent of the list"}


def judge(model: TableModel, choice: Choice, rows: HeldOutRows) -> Judgment:
    """Score the rows held out and change their values one by one."""
    scores = model.scores_of(rows.X)
    others = {name: estimator_scores(fitted, rows.X) for name, fitted in choice.fitted.items() if name != choice.name}
    notes = ["Effects are changes of place, in percent of the list, when one value changes and all others are fixed."]
    notes += about_effects(model)
    if others:
        others[choice.name] = scores
        notes.insert(
            0,
            "In the comparison of candidates the others were fitted to the part of the training rows used for "
            f"validation, {choice.name} to all training rows: this may explain part of its lead.",
        )
    effects = typical_effects(model, rows.listed)
    needed = importance(model, rows)
    notes += about_importance(model, len(rows.X)) if needed else []
    return Judgment(
        scores=scores,
        candidates=others,
        effects=effects,
        segments=_segments(model, rows),
        importance=needed,
        notes=notes,
    )


def _segments(model: TableModel, rows: HeldOutRows) -> Segments | None:
    """The segments of a ranking tree on the rows held out, its rules in the table's own words and units.

    Limits are those of independent rows of one weight; for others there are none.
    """
    tree = model.ranker
    if not isinstance(tree, TreeRanker):
        return None
    rules = tuple(rule.in_words(partial(in_words, model.encoder)) for rule in tree.rules_)
    found = replace(tree.segments(rows.X, rows.is_positive), rules=rules)
    if all(fact is None for fact in rows.facts.for_report().values()):
        return found
    return Segments.counted(rules, found.positives, found.rows - found.positives, None)
