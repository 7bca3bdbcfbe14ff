"""The whole list behind a table in which only some rows have a label: their scores, labels and inclusion probabilities.

A list with explored rows names only those to inspect. It suffices: their ranks say where all others stand, and their
inclusion probabilities for how many rows each of them was drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api import types

from podium import _input
from podium._results.doubts import Doubt
from podium._types import Array, BoolArray, FloatArray
from podium.exceptions import InputError
from podium.labels import Observed
from podium.tables.columns.number import numbers
from podium.tables.labels import LabeledTable
from podium.tables.listing import LIST
from podium.tables.table import require_columns
from podium.workflow.stages.roles import INCLUSION, Roles, check_times, lists_of
from podium.workflow.stages.selected import Selection, at_random_note, selection, selection_doubt

if TYPE_CHECKING:
    from podium.tables import TableModel
    from podium.workflow.stages.encode import HeldOutRows
    from podium.workflow.stages.split import Parts

TIED = "tied"  # how many rows of the list have the score of a row
_PLACES = ("rank", TIED)
OF_LISTS = (INCLUSION, *_PLACES, LIST)  # columns that say of a list what it stands for
_ROUNDING = 0.5  # of sums of 1/π, in rows
_HEAVIEST = 3.0  # weight of a row to learn from, beside the lightest: with heavier ones less was learned


class WholeList(NamedTuple):
    """Labels of all rows of a list, with gaps; its scores by column; and what a person has to know first.

    Where there are several, ``list_of`` numbers the list of every row; ``notes`` say what was assumed.
    """

    labels: Observed
    scores: dict[str, FloatArray]
    doubts: tuple[Doubt, ...]
    list_of: Array | None = None
    notes: tuple[str, ...] = ()


def whole_list(
    data: LabeledTable,
    names: Sequence[str],
    list_of: Array | None = None,
    aside: Sequence[str | None] = (),
    found: Selection | None = None,
) -> WholeList | None:
    """The list, where not every row of it has a label; None if those that have one look like all.

    With inclusion probabilities their design says what holds. Without them rows may have been selected: that is tested.
    ``list_of`` is that of the rows with a label, followed by the others; lists without any label are left out. The
    place of a row in a list is known from all of its rows: they are needed even where labels are missing at random.
    Columns ``aside`` say nothing of a selection, which may have been ``found`` before.
    """
    frame = data.frame if data.others is None else pd.concat([data.frame, data.others])
    n_labeled = len(data.frame)
    labels = np.full(len(frame), np.nan)
    labels[:n_labeled] = data.is_positive
    checked = {name: _input.check_scores(frame[name], f"the column {name!r}").astype(float) for name in names}
    if has_design(data):
        several = np.zeros(len(frame), dtype=np.intp) if list_of is None else list_of
        parts = [np.flatnonzero(several == one) for one in np.unique(several)]
        lists = [_by_design(frame.iloc[rows], labels[rows], {n: s[rows] for n, s in checked.items()}) for rows in parts]
        whole = np.concatenate([labels for labels, _, _ in lists])
        if not np.isnan(whole).any():
            return None
        scores = {name: np.concatenate([scores[name] for _, _, scores in lists]) for name in checked}
        observed = Observed(whole, np.concatenate([inclusion for _, inclusion, _ in lists]))
        sizes = [len(labels) for labels, _, _ in lists]
        return WholeList(observed, scores, (), None if list_of is None else np.repeat(np.arange(len(sizes)), sizes))
    if data.others is None:
        return None
    label = [name for name in frame if name not in data.others or data.others[name].isna().all()]
    if list_of is not None:
        kept = np.flatnonzero(_in_lists_with_labels(list_of, n_labeled))
        frame, labels, checked = frame.iloc[kept], labels[kept], {name: s[kept] for name, s in checked.items()}
        list_of = np.unique(list_of[kept], return_inverse=True)[1]
        label += [LIST]
    is_labeled = ~np.isnan(labels)
    if is_labeled.all():
        return None
    tested = [str(name) for name in frame if name not in (*label, *aside)]
    found = found or selection(frame, is_labeled, tested, seed=0)
    if found.is_found:
        return WholeList(Observed(labels), checked, (selection_doubt(found, n_labeled, len(frame)),), list_of)
    if list_of is None:
        return None
    share = float(is_labeled.mean())
    return WholeList(Observed(labels, np.full(len(labels), share)), checked, (), list_of, (at_random_note(share),))


def _in_lists_with_labels(list_of: Array, n_labeled: int) -> BoolArray:
    """Of rows, the first of which have a label, those whose list has any."""
    return np.isin(list_of, list_of[:n_labeled])


def _by_design(
    frame: pd.DataFrame, labels: FloatArray, scores: dict[str, FloatArray]
) -> tuple[FloatArray, FloatArray, dict[str, FloatArray]]:
    """Labels, inclusion probabilities and scores of all rows of one list, of which some may not be in the table."""
    inclusion = inclusion_of(frame[INCLUSION])
    n_rows = _n_stood_for(inclusion)
    if TIED not in frame and np.isnan(labels).any():
        check_counts(inclusion)
    elif len(frame) < n_rows:
        (name,) = _only(list(scores), n_rows, len(frame))
        scores = {name: _by_place(frame, n_rows)}
        more = np.full(n_rows - len(frame), np.nan)
        labels, inclusion = np.append(labels, more), np.append(inclusion, more)
    return labels, filled(inclusion, next(iter(scores.values()))), scores


def named_lists(frame: pd.DataFrame, time: str | None, every: str | None, per: str | None) -> Array | None:
    """The list of every row, where there are several: as `podium score` named it, else by its time."""
    if LIST in frame and (TIED in frame or (every is not None and time is None)):
        return np.unique(frame[LIST].astype(str), return_inverse=True)[1]
    roles = Roles(label="", time=time, every=every, per=per)
    if every is None or time is None:
        return None
    require_columns(frame, [time], "column")
    of_row: Array = lists_of(frame, check_times(frame[time]), every, roles.per)["list_of"]
    return of_row


class JudgedPartly(NamedTuple):
    """Rows held out, of which some have a label: these come first, with weights if their design is known.

    ``ids`` are those of the others; ``lists`` says how often a list is made and names that of every row.
    """

    labels: Observed
    scores: FloatArray
    ids: pd.Series[Any]
    weight: FloatArray | None
    lists: tuple[str, Array] | None


@dataclass(frozen=True, kw_only=True)
class PartLabels:
    """Of a table to learn from: rows held out that have no label, and the inclusion probabilities of all held out.

    ``lists`` are those of all held out; a ``note`` says so where probabilities were not given, but seem to be equal.
    """

    others: pd.DataFrame
    ids: pd.Series[Any]
    n_listed: int
    inclusion: FloatArray | None
    doubts: tuple[Doubt, ...]
    lists: tuple[str, Array] | None
    note: str | None

    @classmethod
    def of(
        cls,
        data: LabeledTable,
        parts: Parts,
        roles: Roles,
        rng: np.random.Generator,
        aside: Sequence[str | None] = (),
        found: Selection | None = None,
    ) -> PartLabels | None:
        """None where rows without a label look like those with one, and no probabilities are given.

        Of several lists, all rows are needed even then: they tell the place of each. Lists without any label are left
        out. Columns ``aside`` say nothing of a selection, which may have been ``found`` before.
        """
        frame, others = data.frame, data.others
        if others is None:
            return None
        n_labeled, lists = len(frame), None
        if roles.every is not None:
            facts = roles.facts(pd.concat([frame, others]))
            assert facts.period is not None
            assert facts.list_of is not None
            since, may_be = facts.period[parts.held_out].min(), _in_lists_with_labels(facts.list_of, n_labeled)
            held = np.flatnonzero((facts.period >= since)[n_labeled:] & may_be[n_labeled:])
            rows = np.append(parts.held_out, n_labeled + held)
            lists = facts.each, np.unique(facts.list_of[rows], return_inverse=True)[1]
        else:
            held = _held_out(others, frame, parts, roles, rng)
        inclusion = note = None
        doubts: tuple[Doubt, ...] = ()
        if INCLUSION in roles.design:
            known, more = inclusion_of(frame[INCLUSION]), inclusion_of(others[INCLUSION])
            if np.isnan(known).any():
                raise InputError(
                    f"A row with a label needs an inclusion probability; {int(np.isnan(known).sum()):,} have none.",
                    "it is 1 for rows that were all inspected.",
                )
            if lists is None:
                check_counts(np.append(known, more))
            inclusion = np.append(known[parts.held_out], more[held])
        else:
            # The latest rows often have no label yet, which by itself says nothing of them.
            aside = (roles.label, roles.id, roles.time, *aside)
            names = [str(name) for name in frame if name not in aside and not others[name].isna().all()]
            whole = pd.concat([frame, others])
            found = found or selection(whole, np.arange(len(whole)) < n_labeled, names, seed=0)
            if found.is_found:
                doubts = (selection_doubt(found, n_labeled, len(whole)),)
            elif lists is None or not len(held):
                return None
            else:
                n_held = len(parts.held_out) + len(held)
                share = len(parts.held_out) / n_held
                inclusion, note = np.full(n_held, share), at_random_note(share)
        unlabeled = others.iloc[held]
        ids = unlabeled[roles.id].astype(str) if roles.id is not None else unlabeled.index.to_series()
        n_listed = n_labeled + len(others)
        design: Any = {"inclusion": inclusion, "doubts": doubts, "lists": lists, "note": note}
        return cls(others=unlabeled, ids=ids, n_listed=n_listed, **design)

    def judged(self, model: TableModel, held_out: HeldOutRows, scores: FloatArray) -> JudgedPartly:
        """All rows held out, scored: first those with a label, then the others."""
        labels = np.append(held_out.is_positive.astype(float), np.full(len(self.others), np.nan))
        together = np.append(scores, model.scores(self.others))
        if self.inclusion is None:
            return JudgedPartly(Observed(labels), together, self.ids, None, self.lists)
        inclusion = self.inclusion.copy()
        if self.lists is not None and _are_drawn_by_list(inclusion, self.lists[1]):
            for one in np.unique(self.lists[1][np.isnan(inclusion)]):
                rows = self.lists[1] == one
                inclusion[rows] = filled(inclusion[rows], together[rows])
        inclusion = filled(inclusion, together)
        observed = Observed(labels, inclusion)
        return JudgedPartly(observed, together, self.ids, 1 / inclusion[: len(scores)], self.lists)


def _held_out(others: pd.DataFrame, frame: pd.DataFrame, parts: Parts, roles: Roles, rng: np.random.Generator) -> Array:
    """Positions of the rows without a label that are held out as those with one are: the latest, by units, or some."""
    if roles.time is not None:
        since = frame[roles.time].iloc[parts.held_out].min()
        return np.flatnonzero((others[roles.time] >= since).to_numpy())
    share = len(parts.held_out) / len(frame)
    if roles.group is None:
        return np.sort(rng.permutation(len(others))[: round(share * len(others))])
    units = pd.Series(others[roles.group].unique())
    judged = set(frame[roles.group].iloc[parts.held_out])
    learned = set(frame[roles.group]) - judged
    drawn = [unit for unit in units if unit in judged or (unit not in learned and rng.random() < share)]
    return np.flatnonzero(others[roles.group].isin(drawn).to_numpy())


def _are_drawn_by_list(inclusion: FloatArray, list_of: Array) -> bool:
    """Whether rows with a known probability stand for as many as are in their list."""
    n_rows = np.bincount(list_of)
    stood_for = np.bincount(list_of, np.nan_to_num(1 / inclusion, nan=0.0), len(n_rows))
    return bool((np.abs(stood_for - n_rows) < _ROUNDING).all())


def column_of(unlabeled: str | None) -> list[str]:
    """The column that the option ``unlabeled`` names beside the label, which says nothing of how rows were chosen."""
    return [] if unlabeled is None or "=" not in unlabeled else [unlabeled.partition("=")[0]]


def learning_weights(inclusion: FloatArray) -> FloatArray:
    """Stabilized inverse inclusion probabilities of rows to learn from, 1 on average, and none above `_HEAVIEST`."""
    weight = 1 / inclusion
    weight = np.minimum(weight / weight.min(), _HEAVIEST)
    return np.asarray(weight / weight.mean())


def has_design(data: LabeledTable) -> bool:
    """Whether a column says how rows were chosen; if all have a label, it must look like that."""
    if INCLUSION not in data.frame:
        return False
    if data.others is not None or TIED in data.frame:
        return True
    column = data.frame[INCLUSION]
    values = numbers(column) if types.is_numeric_dtype(column) else np.zeros(1)
    return bool(((values > 0) & (values <= 1)).all() and (values < 1).any())


def inclusion_of(column: pd.Series[float]) -> FloatArray:
    """Probabilities in (0, 1]; missing where a row was not listed."""
    if not types.is_numeric_dtype(column):
        raise InputError(f"The column {INCLUSION!r} must hold probabilities; got text, such as {column.iloc[0]!r}.")
    values = numbers(column)
    outside = ~np.isnan(values) & ~((values > 0) & (values <= 1))
    if outside.any():
        raise InputError(
            f"The column {INCLUSION!r} must hold probabilities in (0, 1]; got {values[outside][0]:g} in "
            f"{int(outside.sum()):,} rows.",
            "it is the probability with which the row was to be labeled, whether it was or not.",
        )
    return values


def _n_stood_for(inclusion: FloatArray) -> int:
    """How many rows those with an inclusion probability stand for, if they are all rows that were drawn."""
    known = inclusion[~np.isnan(inclusion)]
    return round(float((1 / known).sum())) if len(known) else 0


def _only(names: Sequence[str], n_rows: int, n_here: int) -> Sequence[str]:
    if len(names) == 1:
        return names
    raise InputError(
        f"Scores are compared on all {n_rows:,} rows of the list, for which the {n_here:,} here were drawn.",
        "give a table of all rows; the columns label and inclusion may have gaps.",
    )


def _by_place(frame: pd.DataFrame, n_rows: int) -> FloatArray:
    """Scores in the order of the ranks, first those of the rows that are here, then those of all others."""
    try:
        require_columns(frame, _PLACES, "column")
    except InputError:
        raise InputError(
            f"The inclusion probabilities of these {len(frame):,} rows are those of rows drawn from {n_rows:,}, and "
            "where the others stand is not said.",
            "give a table of all rows of the list, or the one that podium score --explore wrote, with its columns "
            "rank and tied.",
        ) from None
    rank, tied = (numbers(frame[name]) for name in _PLACES)
    turn = pd.Series(rank).groupby(rank).cumcount().to_numpy()
    if not ((rank >= 1) & (turn < tied) & (rank + tied - 1 <= n_rows)).all():
        raise InputError(
            f"The ranks and inclusion probabilities of a list must belong together; these {len(frame):,} rows stand "
            f"for {n_rows:,}, but their ranks do not.",
            "evaluate the whole list that podium score --explore wrote, and one list at a time.",
        )
    place = np.arange(1.0, n_rows + 1)
    for first, n_tied in {(int(r), int(t)) for r, t in zip(rank, tied, strict=True)}:
        place[first - 1 : first - 1 + n_tied] = first
    is_free = np.ones(n_rows, dtype=np.bool_)
    is_free[(rank + turn - 1).astype(np.intp)] = False
    return -np.append(rank, place[is_free])


def filled(inclusion: FloatArray, scores: FloatArray) -> FloatArray:
    """Probabilities of the rows that were not listed: strata follow each other along the scores.

    A row drawn with probability π stands for 1/π rows. So the rows drawn say how many of the others have theirs.
    """
    gaps = np.flatnonzero(np.isnan(inclusion))
    if not len(gaps):
        return inclusion
    drawn = pd.DataFrame({"p": inclusion, "s": scores}).query("p < 1").groupby("p")["s"].agg(["size", "median"])
    drawn = drawn.sort_values("median", ascending=False)
    others = (drawn["size"] / drawn.index - drawn["size"]).cumsum().to_numpy()
    ends = np.round(others / others[-1] * len(gaps)).astype(int)
    whole = inclusion.copy()
    whole[gaps[np.argsort(-scores[gaps], kind="stable")]] = np.repeat(drawn.index, np.diff(ends, prepend=0))
    return whole


def check_counts(inclusion: FloatArray) -> None:
    """Rows drawn with probability π stand for 1/π each; where others have no probability, there must be so many."""
    n_gaps = int(np.isnan(inclusion).sum())
    due = _n_stood_for(inclusion) - (len(inclusion) - n_gaps)
    if n_gaps and due != n_gaps:
        raise InputError(
            f"{n_gaps:,} rows have no inclusion probability; by those of the others there should be {due:,} of them.",
            "give every row its probability, also those that were not drawn.",
        )


def n_inspected(labels: Observed, scores: FloatArray) -> int:
    """How far down every row has a label; as many rows as have one where not even the first has."""
    is_labeled = labels.is_labeled[np.argsort(-scores, kind="stable")]
    return int(np.argmin(np.append(is_labeled, False))) or int(is_labeled.sum())
