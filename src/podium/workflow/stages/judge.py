"""Evaluate the model on rows that were not used to train or choose it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import stdtrit

from podium._progress import report_progress
from podium._types import BoolArray, FloatArray
from podium.metrics.scorers import estimator_scores
from podium.rankers import Segments, TreeRanker
from podium.selection.search import Choice
from podium.tables import TableModel, about_effects, typical_effects
from podium.tables.conditions import in_words
from podium.tables.effects import Effect, Shape, most_telling
from podium.tables.listing import JUDGED_BY
from podium.workflow.stages.encode import HeldOutRows, JudgingRows

_REPEATS, _OF_SLOW = 3, 1  # permutations of a column
_SLOW = ("stack", "ranking-forest")  # a tenth of a millisecond a row, and more
_ROWS = 2_000  # at most
_SCORED, _SCORED_OF_SLOW = 200_000, 60_000  # rows in all, about: many columns are tried on fewer rows
_FEWEST = 10  # rows of each class that limits need
_LEVEL = 0.95


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """Scores of the held-out rows by the model and by the other candidates, and effects of columns."""

    scores: FloatArray
    candidates: dict[str, FloatArray]
    effects: list[Effect]
    segments: Segments | None
    importance: list[Effect]
    notes: list[str]
    shapes: list[Shape] = field(default_factory=list)  # of the delivered model

    def for_report(self) -> dict[str, Any]:
        """What the report shows of it beside the scores."""
        names = ("candidates", "effects", "segments", "importance", "shapes")
        return {name: getattr(self, name) for name in names} | {"effect_unit": "percent of the list"}


@dataclass(frozen=True, kw_only=True)
class JudgedRows:
    """Rows that judge the model that is delivered, with their scores on its scale.

    ``fixed`` are the scores of the last rows, which are held out, by the model that was judged by them alone; None
    where this is the one delivered.
    """

    rows: JudgingRows
    scores: FloatArray
    fixed: FloatArray | None = None

    def for_report(self) -> dict[str, Any]:
        """As arguments of `podium.report.build`."""
        if self.fixed is None:
            return self.rows.for_report()
        return {**self.rows.for_report(), "fixed": (self._of_fixed, self.fixed)}

    def by_whom(self) -> dict[str, Any]:
        """A column that says by what model each row was scored, where these are several."""
        if self.fixed is None or self._of_fixed.all():
            return {}
        return {JUDGED_BY: np.where(self._of_fixed, "the model held out from", "the model of a fold")}

    @property
    def _of_fixed(self) -> BoolArray:
        return np.arange(len(self.scores)) >= len(self.scores) - (0 if self.fixed is None else len(self.fixed))


def judge(model: TableModel, choice: Choice, rows: HeldOutRows) -> Evaluation:
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
    return Evaluation(
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


def importance(model: TableModel, rows: HeldOutRows) -> list[Effect]:
    """The fall of the AUC for every column, largest first; empty with weights, which this AUC does not support.

    All features derived from a column are permuted together. Of many columns, those most associated with the score are
    tried. Limits are for this model on new rows, 95 % each; there are none if rows depend on each other.
    """
    facts = rows.facts.for_report()
    if facts.get("sample_weight") is not None:
        return []
    rng = np.random.default_rng(model.facts["seed"])
    n_repeats, most = _effort(model)
    some = np.sort(rng.permutation(len(rows.X))[:most])
    X, y = rows.X[some], rows.is_positive[some]
    if y.all() or not y.any():
        return []
    names = most_telling(model, X, model.scores_of(X))
    places = {name: [out for column, out in model.encoder.parts(X) if name in column.sources] for name in names}
    falls = falls_of_auc(model.scores_of, X, y, places, rng, n_repeats)
    has_limits = all(fact is None for fact in facts.values()) and min(y.sum(), (~y).sum()) >= _FEWEST
    found = [(name, fall, reach if has_limits else np.nan) for name, fall, reach in falls]
    effects = [Effect(name, fall, fall - reach, fall + reach) for name, fall, reach in found]
    return sorted(effects, key=lambda one: -one.effect)


def about_importance(model: TableModel, n_rows: int) -> list[str]:
    """A note if only some of the held-out rows are used."""
    _, most = _effort(model)
    sentence = f"Permutation importance was computed on {most:,} of the {n_rows:,} held-out rows."
    return [sentence] if n_rows > most else []


def _effort(model: TableModel) -> tuple[int, int]:
    """How often a column is permuted, and on how many rows: less than the model took to train."""
    n_columns = min(len(model.kinds), 200)
    is_slow = model.facts.get("chosen") in _SLOW
    n_repeats, scored = (_OF_SLOW, _SCORED_OF_SLOW) if is_slow else (_REPEATS, _SCORED)
    return n_repeats, min(_ROWS, max(300, scored // (n_repeats * n_columns)))


def falls_of_auc(
    scores_of: Callable[[FloatArray], FloatArray],
    X: FloatArray,
    is_positive: BoolArray,
    places: dict[str, list[FloatArray]],
    rng: np.random.Generator,
    n_repeats: int = _REPEATS,
) -> list[tuple[str, float, float]]:
    """Per name: the mean fall when these views of X are permuted together, and how far its limits reach."""
    before = _placements(scores_of(X), is_positive)
    share = 1 / np.where(is_positive, is_positive.sum(), (~is_positive).sum())  # of a row in the mean of its class
    falls = []
    for done, (name, views) in enumerate(places.items()):
        report_progress(done / len(places))
        kept = [view.copy() for view in views]
        fall, noise, taken, given = 0.0, 0.0, np.zeros(len(X)), np.zeros(len(X))
        for _ in range(n_repeats):
            order = rng.permutation(len(X))
            for view, values in zip(views, kept, strict=True):
                view[:] = values[order]
            change = before - _placements(scores_of(X), is_positive)
            mean = float(change[is_positive].mean())  # of either class
            deviation = share * (change - mean) / n_repeats
            fall += mean / n_repeats
            noise += float(deviation @ deviation)
            taken += deviation
            given[order] += deviation
        for view, values in zip(views, kept, strict=True):
            view[:] = values
        falls.append((name, fall, _reach(taken, given, noise, is_positive)))
    return falls


def _placements(scores: FloatArray, is_positive: BoolArray) -> FloatArray:
    """Share of the other class that each row is on the right side of, a tie by one half; their mean is the AUC."""
    pos, neg = np.sort(scores[is_positive]), np.sort(scores[~is_positive])
    found = np.empty(len(scores))
    for own, other in ((is_positive, neg), (~is_positive, pos)):
        below = np.searchsorted(other, scores[own], "left") + np.searchsorted(other, scores[own], "right")
        found[own] = below / (2 * len(other))
    found[~is_positive] = 1 - found[~is_positive]
    return found


def _reach(taken: FloatArray, given: FloatArray, noise: float, is_positive: BoolArray) -> float:
    """Half the width of limits: a standard error times Student's quantile, its degrees of freedom by Welch.

    A row moves the fall by its own placement and by the value that it gives to another row. Both sums of squares hold
    what the pairing of rows leaves to chance, which counts once.
    """
    n_pos, n_neg = int(is_positive.sum()), int((~is_positive).sum())
    if min(n_pos, n_neg) < 2:
        return np.nan
    parts = np.array(
        [np.sum(taken[rows] ** 2) * n / (n - 1) for rows, n in ((is_positive, n_pos), (~is_positive, n_neg))]
    )
    if not parts.any():
        return 0.0
    freedom = parts.sum() ** 2 / (parts**2 / (n_pos - 1, n_neg - 1)).sum()
    variance = parts.sum() + max(float(given @ given) - noise, 0.0)
    return float(stdtrit(freedom, (1 + _LEVEL) / 2) * np.sqrt(variance))
