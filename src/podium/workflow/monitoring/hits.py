"""Hits among the best rows of a batch, as far as labels show them, beside those that the model promised."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from podium._results.result import Result
from podium._results.wording import percent
from podium._types import BoolArray, Sample
from podium.inference.hits.new_draw import NewDraw, Prediction
from podium.inference.hits.per_period import PeriodLists
from podium.report.budgets import budget_of
from podium.report.wording import count
from podium.tables import TableModel
from podium.workflow.monitoring.rows import KeptRows

_FEWEST = 2  # rows of a class; with fewer the uncertainty cannot be estimated


@dataclass(frozen=True, kw_only=True, repr=False)
class BatchHits(Result):
    """Hits among the rows of a batch that were to be inspected.

    Attributes
    ----------
    batch : int
        The number of the call that brought the batch.
    name : str
        The name of the table it came in, or its number.
    n_rows : int
        How many rows the batch has.
    listed : int
        How many of them were to be inspected: those of inclusion 1, or else the best by the budget of the model.
    labeled : int
        How many of these have a label.
    found : int
        How many of these are hits.
    hits : float or None
        Hits among all that were listed: those found, once each has a label; before, where inclusion is known, each
        counting one over it; None where only those found are known.
    expected : float or None
        Hits that the rows held out promise for such a list; None where they promise none.
    low, high : int or None
        The range of the hits in one such list; None where rows are not independent draws.
    """

    batch: int
    name: str
    n_rows: int
    listed: int
    labeled: int
    found: int
    hits: float | None
    expected: float | None
    low: int | None
    high: int | None

    @property
    def verdict(self) -> str:
        """How they compare with the promise, in words."""
        if not self.labeled:
            return "no labels yet"
        if self.low is None or self.high is None:
            return "" if self.labeled == self.listed else "labels incomplete"
        least, most = float(self.found), float(self.found + self.listed - self.labeled)
        if self.hits is not None:
            least = most = self.hits
        if most < self.low:
            return "fewer than promised"
        if least > self.high:
            return "more than promised"
        return "labels incomplete" if self.hits is None else "as promised"

    @property
    def found_in_words(self) -> str:
        """Hits found; of how many rows, if not of all."""
        if self.labeled == self.listed:
            return f"{self.found:,}"
        of_labeled = f"{self.found:,} of {self.labeled:,} labeled"
        return of_labeled if self.hits is None else f"about {count(self.hits)} ({of_labeled})"

    @property
    def promise_in_words(self) -> str:
        """Hits promised, with their range."""
        if self.expected is None:
            return "–"
        return count(self.expected) + ("" if self.low is None else f" ({self.low:,}–{self.high:,})")

    def __repr__(self) -> str:
        hits = f"{self.found:,} hit{'' if self.found == 1 else 's'}, "
        if self.labeled < self.listed:
            hits = f"hits {self.found_in_words}, " if self.labeled else ""
        words = f"{hits}{self.promise_in_words} promised" + (f"; {self.verdict}" if self.verdict else "")
        return f"{self.name}, best {self.listed:,} of {self.n_rows:,} rows: {words}"


class Promises:
    """What the rows held out promise for lists of any length."""

    def __init__(self, model: TableModel, confidence_level: float) -> None:
        self.model, self.level = model, confidence_level
        self._lists: PeriodLists | None = None
        self._draw: NewDraw | None = None
        assert model.calibration is not None
        is_positive, scores = model.calibration
        if min(is_positive.sum(), (~is_positive).sum()) < _FEWEST:
            return
        weight = model.calibration_weight
        if weight is not None:
            weight = weight * (weight.sum() / (weight @ weight))  # as many rows as those are worth
        sample = Sample(scores, is_positive, weight)
        if model.calibration_list is None:
            self._draw = NewDraw.of(sample)
        elif "per" not in model.facts and model.calibration_list.any():  # two lists or more
            self._lists = PeriodLists.of(sample, model.calibration_list)

    def about(self, number: int, name: str, rows: KeptRows) -> BatchHits:
        """Hits in a batch beside what was promised for it."""
        is_listed = self._listed(rows)
        n_rows, n_listed = len(rows.scores), int(is_listed.sum())
        labeled, positive = rows.is_labeled[is_listed], rows.labels[is_listed] == 1
        hits: float | None = None
        if labeled.all():
            hits = float(positive.sum())
        elif rows.has_design and labeled[rows.inclusion[is_listed] == 1].all() and labeled.any():
            hits = float((1 / rows.inclusion[is_listed][positive]).sum())
        promise = self._promise(n_listed, n_rows)
        has_range = promise is not None and (self.model.holds("list") or self._lists is not None)
        return BatchHits(
            batch=number,
            name=name,
            n_rows=n_rows,
            listed=n_listed,
            labeled=int(labeled.sum()),
            found=int(positive.sum()),
            hits=hits,
            expected=None if promise is None else promise.estimate,
            low=promise.low if promise is not None and has_range else None,
            high=promise.high if promise is not None and has_range else None,
        )

    def _listed(self, rows: KeptRows) -> BoolArray:
        """Rows that were certain to be labeled, if not all were; else the best by the budget."""
        is_certain = rows.inclusion == 1
        if is_certain.any() and not is_certain.all():
            return is_certain
        n = len(rows.scores)
        is_best = np.zeros(n, dtype=np.bool_)
        is_best[np.argsort(-rows.scores, kind="stable")[: budget_of(self.model.budget_of(n), n)]] = True
        return is_best

    def _promise(self, k: int, n_rows: int) -> Prediction | None:
        if self._draw is not None:
            return self._draw.prediction(k, n_rows, self.level)
        if self._lists is None or not self._lists.length / 2 <= n_rows <= 2 * self._lists.length:
            return None
        return self._lists.prediction(k, self.level)


def next_steps(alarmed: Collection[str], hits: Sequence[BatchHits], by_chance: float) -> list[str]:
    """What to do now, in sentences; ``alarmed`` names the monitors that ever raised an alarm."""
    steps = []
    if "performance" in alarmed or "inspected" in alarmed:
        steps.append(
            "Positives no longer rank as high as they did: train again with recent rows, compare both models on rows "
            "that neither has seen, and start a new monitor for the one you choose."
        )
    if "drift" in alarmed:
        steps.append(
            "The mix of rows has changed: do not rely on cuts by score or on promised hits until you know why. "
            "Compare columns with those of the training (give a reference table), and look at labels as they come."
        )
    if "columns" in alarmed:
        steps.append("Find out why the columns named below changed: a new source, a new coding, or new customers.")
    n_known = sum(one.verdict.endswith(" promised") for one in hits)
    n_short = sum(one.verdict == "fewer than promised" for one in hits)
    if n_short and not {"performance", "inspected"} & set(alarmed):
        steps.append(
            f"{n_short:,} of {n_known:,} lists with labels had fewer hits than promised; chance alone leaves about "
            f"{percent(by_chance)} so. Compare columns with those of the training, and train again with recent rows if "
            "the next list falls short, too."
        )
    is_waiting = [one for one in hits if one.labeled < one.listed and one.hits is None]
    if is_waiting:
        steps.append(
            f"Give the batch again when more labels are known: {is_waiting[-1].name} has {is_waiting[-1].labeled:,} of "
            f"the {is_waiting[-1].listed:,} of its best rows."
        )
    return steps or ["Nothing to do: give the next batch when it is there."]
