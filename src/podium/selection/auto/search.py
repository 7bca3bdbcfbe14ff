"""The choice among models by validation, within a time limit."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from podium import metrics
from podium._progress import subtask
from podium._types import BoolArray, FloatArray
from podium.exceptions import InputError, MissingPackageError
from podium.metrics.estimator import estimator_scores
from podium.phi import Phi
from podium.selection.auto.candidates import CANDIDATES, build
from podium.selection.auto.rows import ValidationRows
from podium.selection.split import Rows, Split, split

# Rows on which candidates are compared: a quick look, and a closer one where time allows, as some gain more than others
# from more rows.
_ROUNDS = (20_000, 60_000)
_VALIDATION_ROWS = 30_000
_FEW_ROWS = 5_000
_REPEATS = 4
_VALIDATION = 0.25
_REHEARSAL = 1500  # rows of each class: so many that the same routines are used as for all
_FEWEST = 8  # rows of a class; with fewer the rows to judge by are two, and the choice is left to chance


@dataclass
class Choice:
    """The best candidate, unfitted; ω_φ on the validation rows by name; the candidates as fitted in the search."""

    name: str
    ranker: Any
    validation: dict[str, float] = field(default_factory=dict)
    fitted: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def choose(
    rows: ValidationRows,
    phi: Phi,
    *,
    names: Sequence[str] = tuple(CANDIDATES),
    criterion: str | None = None,
    seed: int,
    time_limit: float,
    on_start: Callable[[str], Any] = lambda name: None,
) -> Choice:
    """Fit the candidates, fastest first, to a part of the rows; the best ω_φ on the other part wins.

    None is begun that is likely to end after the time limit, or that would then need longer for all the rows. Where a
    class has too few rows to judge by, the first candidate is taken unseen.
    """
    n_pos = int(rows.is_positive.sum())
    fewest = min(n_pos, len(rows.is_positive) - n_pos)
    if fewest < _FEWEST or len(names) == 1:
        note = f"{fewest} rows of a class are too few to choose a model by: {names[0]} was taken."
        return Choice(names[0], build(names[0], phi, criterion, seed), notes=[note] if fewest < _FEWEST else [])
    search = _Search(rows, phi, criterion, seed, time_limit, on_start)
    choice = search.round(names, _ROUNDS[0])
    if not choice.name:
        raise InputError("No candidate could be fitted.", " ".join(choice.notes))
    if len(rows.is_positive) * (1 - _VALIDATION) > _ROUNDS[0]:
        best_first = sorted(choice.validation, key=lambda name: -choice.validation[name])
        closer = search.round(best_first, _ROUNDS[1])
        if closer.name:
            closer.notes[:0] = choice.notes
            return closer
    return choice


@dataclass
class _Search:
    rows: ValidationRows
    phi: Phi
    criterion: str | None
    seed: int
    time_limit: float
    on_start: Callable[[str], Any]
    seconds_per_row: dict[str, float] = field(default_factory=dict)
    started: float = field(default_factory=time.monotonic)

    def round(self, names: Sequence[str], most: int) -> Choice:
        """Try these candidates on at most so many rows; all see the same ones."""
        rng = np.random.default_rng(self.seed)
        parts = _parts(self.rows.is_positive, most, rng)
        matrices = [self.rows.parted(part, rng) for part in parts]
        n_rows = sum(len(part.training) for part in parts)
        choice = Choice("", None)
        for name in names:
            if not self._fits(name, n_rows):
                choice.notes.append(
                    f"{name} was not tried on {n_rows:,} rows: it would hardly end within the time limit."
                )
                continue
            self.on_start(name)
            candidate = build(name, self.phi, self.criterion, self.seed)
            try:
                if name not in self.seconds_per_row and name != "stack":
                    self._rehearse(candidate, parts[0], matrices[0])
                begun, fits = time.monotonic(), []
                for done, pair in enumerate(zip(parts, matrices, strict=True)):
                    with subtask(done, len(parts)):
                        fits.append(self._validated(candidate, *pair))
            except (InputError, MissingPackageError) as error:
                choice.notes.append(f"The candidate {name!r} could not be fitted: {str(error).splitlines()[0]}")
                continue
            self.seconds_per_row[name] = (time.monotonic() - begun) / n_rows
            choice.validation[name] = float(np.mean([value for _, value in fits]))
            choice.fitted[name] = fits[0][0]
        self._decide(choice)
        return choice

    def _decide(self, choice: Choice) -> None:
        """The best of those that can be trained on all rows in time; the quickest where none can."""
        if not choice.validation:
            return
        whole = {name: self.seconds_per_row[name] * len(self.rows.is_positive) for name in choice.validation}
        in_time = [name for name in whole if whole[name] <= self.time_limit] or [
            min(whole, key=lambda name: whole[name])
        ]
        choice.name = max(in_time, key=lambda name: choice.validation[name])
        choice.ranker = build(choice.name, self.phi, self.criterion, self.seed)
        choice.notes += [
            f"The candidate {name!r} was not chosen: on all rows it would take about {whole[name]:,.0f} s."
            for name in choice.validation
            if choice.validation[name] > choice.validation[choice.name]
        ]

    def _fits(self, name: str, n_rows: int) -> bool:
        """Whether a candidate is likely to end within the time limit, on these rows and then on all."""
        if not self.seconds_per_row:
            return True  # one is tried in any case
        left = self.time_limit - (time.monotonic() - self.started)
        per_row = self._seconds_per_row(name)
        all_rows = max(len(self.rows.is_positive), n_rows)
        return per_row * n_rows <= left and per_row * all_rows <= self.time_limit

    def _seconds_per_row(self, name: str) -> float:
        """As measured, else as expected; 0 where nothing can be expected."""
        known, expected = self.seconds_per_row, CANDIDATES.get(name)
        if name in known or expected is None:
            return known.get(name, 0.0)
        times, other = expected
        return times * known.get(other, max(known.values()))

    def _rehearse(self, candidate: Any, part: Split, matrices: tuple[FloatArray, FloatArray]) -> None:
        """Fit to a few rows, so that what is compiled on first use counts neither as its time nor against the limit."""
        begun = time.monotonic()
        y = self.rows.is_positive[part.training]
        few = np.concatenate([np.flatnonzero(y)[:_REHEARSAL], np.flatnonzero(~y)[:_REHEARSAL]])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clone(candidate).fit(matrices[0][few], y[few], sample_weight=_at(self.rows.weight, part.training[few]))
        self.started += time.monotonic() - begun

    def _validated(self, candidate: Any, part: Split, matrices: tuple[FloatArray, FloatArray]) -> tuple[Any, float]:
        learned_from, judged_by = matrices
        y = self.rows.is_positive
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of candidates that will hardly be chosen
            weight = self.rows.weight
            fitted = clone(candidate).fit(learned_from, y[part.training], sample_weight=_at(weight, part.training))
        scores = estimator_scores(fitted, judged_by)
        judged_weight = _at(weight, part.held_out)
        return fitted, metrics.rank_statistic(y[part.held_out], scores, phi=self.phi, sample_weight=judged_weight)


def _at(weight: FloatArray | None, rows: Rows) -> FloatArray | None:
    return None if weight is None else weight[rows]


def _parts(is_positive: BoolArray, most: int, rng: np.random.Generator) -> list[Split]:
    """One split of many rows, several of few: there a single one would choose by chance."""
    if len(is_positive) <= _FEW_ROWS:
        return [split(is_positive, _VALIDATION, rng) for _ in range(_REPEATS)]
    part = split(is_positive, _VALIDATION, rng)
    # ω_φ depends on the share of positives, so the rows to judge by keep it: they are in random order.
    return [Split(_some(part.training, is_positive, most), part.held_out[:_VALIDATION_ROWS])]


def _some(rows: Rows, is_positive: BoolArray, most: int) -> Rows:
    """At most so many rows; of a rare class all."""
    if len(rows) <= most:
        return rows
    positives, negatives = rows[is_positive[rows]], rows[~is_positive[rows]]
    rare, common = sorted((positives, negatives), key=len)
    rare = rare[: most // 2]
    kept = np.concatenate([rare, common[: most - len(rare)]])
    return rows[np.isin(rows, kept)]  # in their random order
