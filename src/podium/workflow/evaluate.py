"""Evaluate a column of scores against a column of labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from podium import _input, inference
from podium._results.doubts import Doubt, removed
from podium._results.result import Result
from podium._types import Array, BoolArray, Sample
from podium.exceptions import InputError
from podium.inference import (
    CalibrationSummary,
    Certificate,
    HitsPerPeriod,
    HitsPerPeriodBounds,
    Interval,
    PrecisionInterval,
)
from podium.inference.hits.lower_bound import FewestHits
from podium.inference.hits.per_period import PeriodLists
from podium.inference.observed import Bounds
from podium.rounds import CountedList
from podium.tables.files.source import is_streamed, memory_to_use
from podium.tables.labels import read_labeled
from podium.tables.listing import JUDGED_BY
from podium.workflow.reasons import CHANCES
from podium.workflow.stages.detect import never_looked_at
from podium.workflow.stages.observed import WholeList, column_of, n_inspected, named_lists, whole_list
from podium.workflow.streaming.labeled import LabeledStream

_SEVERAL = (
    f"The rows were scored by several models (column {JUDGED_BY!r}): nothing is guaranteed of one of them. The report "
    "has the guarantees of the model that held-out rows judged."
)


@dataclass(frozen=True, kw_only=True, repr=False)
class EvaluateResult(Result):
    """How well scores rank, with uncertainty.

    Attributes
    ----------
    n_rows, n_pos : int
        Number of labeled rows, and of positives among them.
    intervals : tuple of Interval or Bounds
        ω for each requested φ, with its confidence interval. Where only some rows have a label, what is known of the
        whole list: also the share of positives, and with a budget precision and recall; bounds if rows were selected.
    certificate : Certificate or None
        A distribution-free guarantee for the first φ; None if there is a warning, or not enough memory for all ranks.
    hits : PrecisionInterval or HitsPerPeriod or None
        Expected hits among the first rows of the next list, if a budget was given; bounds on them if rows were selected
        from several lists.
    hits_guaranteed : int or None
        Lower bound on these hits, guaranteed for any list from the same source, if a budget but no prevalence was given
        and scores and labels fit into memory.
    calibration : CalibrationSummary or None
        Calibration of the column ``probability`` that lists of `score` have, or else of scores that all lie in [0, 1].
    notes : tuple of str
        What was left out.
    warnings : tuple of str
        Doubts about figures of the labeled rows: they may not hold for the list, so nothing is guaranteed.
    """

    n_rows: int
    n_pos: int
    intervals: tuple[Interval | Bounds, ...]
    certificate: Certificate | None
    hits: PrecisionInterval | HitsPerPeriod | HitsPerPeriodBounds | None
    hits_guaranteed: int | None
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    calibration: CalibrationSummary | None = None

    def __repr__(self) -> str:
        return f"EvaluateResult({self.n_rows:,} rows, {self.n_pos:,} positive; {'; '.join(map(repr, self.intervals))})"


def evaluate(
    table: Any,
    *,
    label: str,
    score: str = "score",
    positive: str | Sequence[str] | None = None,
    phi: Sequence[str] = ("auc", "power:3"),
    budget: int | None = None,
    population: int | None = None,
    prevalence: float | None = None,
    time: str | None = None,
    every: str | None = None,
    per: str | None = None,
    unlabeled: str | None = None,
    confidence_level: float = 0.95,
    memory: float | None = None,
    on_step: Callable[[str], Any] = lambda step: None,
) -> EvaluateResult:
    """Evaluate scores against labels: ω with an interval for each φ, hits within a budget, and a guarantee.

    Parameters
    ----------
    table : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
        Rows that were not used to train the scorer; a file, or a folder of CSV or Parquet files, may exceed memory.
    label, score : str
        The columns of labels and of scores; a larger score is more positive.
    positive : str or sequence of str, optional
        The label's value that belongs on top, unless the labels are 0/1, −1/1 or false/true.
    phi : sequence of str
        Which parts of the list matter; see `podium.phi`. The guarantee is for the first one.
    budget : int, optional
        How many rows can be inspected.
    population : int, optional
        Length of the list the budget applies to; by default the number of rows of the table.
    prevalence : float, optional
        Share of positives in the population that list is drawn from, if known and different from the share here.
    time : str, optional
        The column with each row's timestamp, which tells its period.
    every : str, optional
        How often a list is made, as for `fit`; the budget is then one per list, and a row counts by its place in its
        own. Lists that `score` wrote have a column ``list``, and need no ``time``.
    per : str, optional
        A column for each of whose values a list of its own is made every period.
    unlabeled : str, optional
        The label's value, or ``COLUMN=VALUE``, of rows that nobody looked at, if their label is not empty.
    confidence_level : float
        Confidence level of the intervals and of the guarantee.
    memory : float, optional
        Memory for the table, in bytes; by default a quarter of what is free. A larger file is read in chunks; if its
        labels and scores alone exceed memory, they are counted in several passes.
    on_step : callable, optional
        Called with a short description as each stage begins.

    Returns
    -------
    EvaluateResult
        The intervals, the guarantee, and the hits within the budget.

    Notes
    -----
    Where only some rows have a label, a column ``inclusion`` says with which probability each was to have one, and the
    whole list is estimated; the list that `score` makes with ``explore`` suffices, as its ranks say where all other
    rows stand. Without that column it is tested whether the labeled rows were selected. If so, there are bounds.
    """
    if budget is None and (population is not None or prevalence is not None):
        raise InputError("Population and prevalence describe the list a budget applies to; got no budget.")
    if every is not None and (population is not None or prevalence is not None):
        raise InputError("Several lists tell their length and prevalence; got population or prevalence with every.")
    if time is not None and every is None:
        raise InputError("time tells the period of a row; got no period.", "say how often lists are made: every.")
    columns = [score, *(name for name in (time, per) if name is not None)]
    allowed, found = memory_to_use(memory), None
    aside = [time, *column_of(unlabeled)]
    stream, whole_table, by_several, chances = None, None, False, None
    if is_streamed(table, allowed):
        stream = LabeledStream.of(table, label, [score], positive, on_step, unlabeled, aside)
        found, whole_table = stream.found, stream.whole(allowed, every, time, per)
    if stream is not None and whole_table is None:
        rows, notes, doubts = stream.in_memory(allowed), stream.notes, stream.doubts
        if rows is None:
            counted = stream.counted(score, allowed)
            result = _evaluate_counted(counted, phi, (budget, population, prevalence), confidence_level, notes)
            return _under(doubts, result)
        y, s = rows[0], rows[1][score]
    else:
        table = table if whole_table is None else whole_table
        data = read_labeled(table, label, positive, columns, unlabeled=unlabeled)
        notes = (*data.warnings, *data.notes)
        frame = data.frame if data.others is None else pd.concat([data.frame, data.others])
        list_of = named_lists(frame, time, every, per)
        if (whole := whole_list(data, [score], list_of, aside, found)) is not None:
            on_step("evaluating")
            n_rows = len(data.frame), int(data.is_positive.sum())
            return _evaluate_partly(whole, phi, (budget, population, prevalence), confidence_level, n_rows)
        y, s = data.is_positive, _input.check_scores(data.frame[score], f"the column {score!r}")
        others = [str(name) for name in data.frame if name not in (label, *columns)]
        chances = data.frame.get(CHANCES[0], chances)
        doubts = tuple(never_looked_at(data.frame, y, others))
        by_several = JUDGED_BY in data.frame and data.frame[JUDGED_BY].nunique() > 1
        if list_of is not None:
            of_labeled = np.unique(list_of[: len(y)], return_inverse=True)[1]
            result = _evaluate_lists(Sample(s, y), of_labeled, phi, budget, confidence_level)
            return _under(doubts, replace(result, notes=notes))
    on_step("evaluating")
    turned = _upside_down(inference.interval(y, s, confidence_level=confidence_level), score)
    hits, least = _hits(Sample(s, y), budget, population, prevalence, confidence_level)
    result = EvaluateResult(
        n_rows=len(y),
        n_pos=int(y.sum()),
        intervals=tuple(inference.interval(y, s, spec, confidence_level=confidence_level) for spec in phi),
        certificate=inference.certificate(y, s, phi[0], confidence_level=confidence_level),
        hits=hits,
        hits_guaranteed=least,
        notes=notes,
        calibration=_calibration(y, s if chances is None else chances, confidence_level),
    )
    return _under(doubts, result, turned, by_several)


def _hits(
    sample: Sample, budget: int | None, population: int | None, prevalence: float | None, level: float
) -> tuple[PrecisionInterval | None, int | None]:
    """Hits to expect within the budget, and how many are guaranteed, if the list has the share of positives seen."""
    if budget is None:
        return None, None
    y, s = sample.is_positive, sample.scores
    n_next = population or len(y)
    _check_budget(budget, n_next)
    asked: Any = {"k": budget, "n_next": population, "prevalence": prevalence, "confidence_level": level}
    least = None if prevalence is not None else int(FewestHits.of_any_list(sample, n_next, level).at(budget))
    return inference.precision_at_interval(y, s, **asked), least


def _calibration(is_positive: BoolArray, chances: Any, level: float) -> CalibrationSummary | None:
    """Calibration of what can be probabilities: numbers in [0, 1], not all the same."""
    p = np.asarray(chances)
    if p.dtype.kind != "f" or not (p.min() >= 0 and p.max() <= 1) or np.ptp(p) == 0:
        return None
    return inference.calibration(is_positive, p, confidence_level=level)


def _under(
    doubts: Sequence[Doubt], found: EvaluateResult, more: Sequence[str] = (), by_several: bool = False
) -> EvaluateResult:
    """Without the guarantees that doubts touch, or that no one model gave; the rest was asked for, and remains."""
    gone = removed(doubts) | ({"certificate", "at least"} if by_several else set())
    return replace(
        found,
        certificate=None if "certificate" in gone else found.certificate,
        hits_guaranteed=None if "at least" in gone else found.hits_guaranteed,
        notes=(*found.notes, *([_SEVERAL] if by_several else [])),
        warnings=(*map(str, doubts), *more),
    )


def _evaluate_lists(
    sample: Sample, list_of: Array, phi: Sequence[str], budget: int | None, level: float
) -> EvaluateResult:
    """Rows count by their place in their own list; lists differ, so limits are those of whole lists."""
    y = sample.is_positive
    lists = PeriodLists.of(sample, list_of)
    own, hits = lists.by_place(sample.scores), None
    if budget is not None:
        _check_budget(budget, lists.length)
        hits = inference.hits_per_period(y, sample.scores, list_of, k=budget, confidence_level=level)
    return EvaluateResult(
        n_rows=len(y),
        n_pos=int(y.sum()),
        intervals=tuple(inference.interval(y, own, one, groups=list_of, confidence_level=level) for one in phi),
        certificate=None,
        hits=hits,
        hits_guaranteed=None,
        notes=(),
    )


def _upside_down(of_all: Interval, score: str) -> list[str]:
    """A warning where larger scores clearly go with negatives."""
    if of_all.high >= 0.5:
        return []
    return [
        f"The scores {score!r} rank upside down: the AUC is {of_all.estimate:.3f} ({of_all.low:.3f} to "
        f"{of_all.high:.3f}), where random order has .5. A larger score should be more positive; with the sign of the "
        f"scores changed, the AUC is {1 - of_all.estimate:.3f}."
    ]


def _evaluate_partly(
    whole: WholeList,
    phi: Sequence[str],
    next_list: tuple[int | None, int | None, float | None],
    level: float,
    n_labeled: tuple[int, int],
) -> EvaluateResult:
    """Estimates for the whole list by design, or what holds of it whatever the missing labels are."""
    budget, population, prevalence = next_list
    if prevalence is not None:
        raise InputError(
            f"Where only some rows have a label, the list says its share of positives; got prevalence {prevalence:g}.",
            "leave it out.",
        )
    labels, (scores,) = whole.labels, whole.scores.values()
    hits: PrecisionInterval | HitsPerPeriod | None = None
    note = f"{n_labeled[0]:,} of {len(scores):,} rows of the list have a label."
    if whole.list_of is not None:
        lists = PeriodLists.of(Sample(scores, labels.positives()), whole.list_of)
        own = lists.by_place(scores)
        budget = budget or max(1, n_inspected(labels, own) // lists.n_lists)
        _check_budget(budget, lists.length)
        hits = inference.hits_per_period(labels, scores, whole.list_of, k=budget, confidence_level=level)
        scores, k = own, int(np.minimum(budget, np.bincount(whole.list_of)).sum())
        note += (
            f" They are in {lists.n_lists:,} lists and count by their place in their own: the first {budget:,} of each "
            f"are {k:,} rows."
        )
    else:
        k = n_inspected(labels, scores) if budget is None else budget
        _check_budget(k, population or len(scores))
    asked = [*phi, "prevalence", f"precision-at:{k}", f"recall-at:{k}"]
    if whole.list_of is None and budget is not None and labels.inclusion is not None:
        hits = inference.precision_at_interval(labels, scores, k=k, n_next=population, confidence_level=level)
    return EvaluateResult(
        n_rows=n_labeled[0],
        n_pos=n_labeled[1],
        intervals=tuple(inference.interval(labels, scores, metric=one, confidence_level=level) for one in asked),
        certificate=None,
        hits=hits,
        hits_guaranteed=None,
        notes=(note, *whole.notes),
        warnings=tuple(map(str, whole.doubts)),
    )


def _check_budget(budget: int, n_rows: int) -> None:
    _input.check_integer("budget", budget, 1, n_rows, f"the list has {n_rows:,} rows.")


def _evaluate_counted(
    counted: CountedList,
    phi: Sequence[str],
    next_list: tuple[int | None, int | None, float | None],
    confidence_level: float,
    notes: tuple[str, ...],
) -> EvaluateResult:
    """What counts alone can say."""
    budget, population, prevalence = next_list
    hits = None
    if budget is not None:
        _check_budget(budget, population or int(counted.n_pos + counted.n_neg))
        if not counted.max_error:
            hits = inference.precision_at_interval(
                counted, k=budget, n_next=population, prevalence=prevalence, confidence_level=confidence_level
            )
        notes = (*notes, "Guaranteed hits need labels and scores in memory: allow more memory for them.")
    if counted.max_error:
        notes = (
            *notes,
            f"The AUC has an error of at most {counted.max_error:.1g}, and neither hits nor a guarantee are given: "
            "there is not enough memory for all ranks.",
        )
    return EvaluateResult(
        n_rows=int(counted.n_pos + counted.n_neg),
        n_pos=int(counted.n_pos),
        intervals=tuple(inference.interval(counted, phi=spec, confidence_level=confidence_level) for spec in phi),
        certificate=(
            None if counted.max_error else inference.certificate(counted, phi=phi[0], confidence_level=confidence_level)
        ),
        hits=hits,
        hits_guaranteed=None,
        notes=notes,
    )
