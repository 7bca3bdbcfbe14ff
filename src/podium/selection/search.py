"""The choice among models by validation, within a budget of work."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from podium import metrics
from podium._progress import subtask
from podium._threads import one_thread
from podium._types import BoolArray, FloatArray
from podium.exceptions import InputError, MissingPackageError
from podium.metrics.scorers import estimator_scores
from podium.phi import Phi
from podium.selection.candidates import CANDIDATES, build, fit_candidate, seconds_of
from podium.selection.dependence import Rows, Split
from podium.selection.training_rows import TrainingRows

# Rows on which candidates are compared: a quick look, and a closer one where time allows, as some gain more than others
# from more rows.
_ROUNDS = (20_000, 60_000)
_VALIDATION_ROWS = 30_000
_FEW_ROWS = 5_000
_REPEATS = 4
_VALIDATION = 0.25
_PATIENCE = 10  # times the limit; a machine that busy is rare, and few people wait longer
_FEWEST = 8  # rows of a class; with fewer the rows to judge by are two, and the choice is left to chance

Matrices = Sequence[tuple[FloatArray, FloatArray]]  # to learn from and to judge by, one pair per split


@dataclass
class Choice:
    """The best candidate, unfitted; ω_φ on the validation rows by name; the candidates as fitted in the search.

    ``by_split`` has ω_φ of every split, whose mean is that of ``validation``.
    """

    name: str
    ranker: Any
    validation: dict[str, float] = field(default_factory=dict)
    by_split: dict[str, list[float]] = field(default_factory=dict)
    fitted: dict[str, Any] = field(default_factory=dict)
    errors: list[Exception] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def n_splits(self) -> int:
        return max(map(len, self.by_split.values()), default=0)

    def without(self, split: int) -> Choice:
        """What would have been chosen by the other splits: no validation row of this one has a part in it."""
        if not self.by_split:
            return self
        means = {name: float(np.mean(np.delete(values, split))) for name, values in self.by_split.items()}
        best = max(means, key=lambda name: means[name])
        return replace(self, name=best, ranker=clone(self.fitted[best]))


def choose(
    rows: TrainingRows,
    phi: Phi,
    *,
    names: Sequence[str] = CANDIDATES,
    criterion: str | None = None,
    seed: int,
    time_limit: float,
    on_start: Callable[[str], Any] = lambda name: None,
) -> Choice:
    """Fit the candidates, fastest first, to a part of the rows; the best ω_φ on the other part wins.

    None is begun whose work, counted in seconds by `seconds_of`, would exceed what is left of the limit, or the limit
    on all the rows: so the same rows and seed give the same choice, whatever else the machine has to do. Only after
    `_PATIENCE` times the limit the clock ends the search, with a warning. Where a class has too few rows to judge by,
    the first candidate is taken unseen.
    """
    n_pos = int(rows.is_positive.sum())
    fewest = min(n_pos, len(rows.is_positive) - n_pos)
    if fewest < _FEWEST or len(names) == 1:
        note = f"{fewest} rows of a class are too few to choose a model by: {names[0]} was taken."
        return Choice(names[0], build(names[0], phi, criterion, seed), notes=[note] if fewest < _FEWEST else [])
    search = _Search(rows, phi, criterion, seed, time_limit, on_start)
    choice = search.round(names, _ROUNDS[0])
    if not choice.name:
        if len({str(error) for error in choice.errors}) == 1:  # one reason for all is said once, with its hint
            raise choice.errors[0]
        raise InputError("No candidate could be fitted.", " ".join(choice.notes))
    if len(rows.is_positive) * (1 - _VALIDATION) > _ROUNDS[0]:
        best_first = sorted(choice.validation, key=lambda name: -choice.validation[name])
        closer = search.round(best_first, _ROUNDS[1])
        if choice.name in closer.validation:  # else the closer look could not afford the best
            closer.notes[:0] = choice.notes
            closer.warnings[:0] = choice.warnings
            return closer
        choice.warnings += closer.warnings
    return choice


@dataclass
class _Search:
    rows: TrainingRows
    phi: Phi
    criterion: str | None
    seed: int
    time_limit: float
    on_start: Callable[[str], Any]
    work: float = 0.0  # done so far
    started: float = field(default_factory=time.monotonic)

    def round(self, names: Sequence[str], most: int) -> Choice:
        """Try these candidates on at most so many rows; all see the same ones."""
        rng = np.random.default_rng(self.seed)
        parts = _parts(self.rows, most, rng)
        matrices = [self.rows.parted(part, rng) for part in parts]
        choice = Choice("", None)
        for name in names:
            if not self._is_affordable(name, matrices, choice):
                continue
            self.on_start(name)
            candidate = build(name, self.phi, self.criterion, self.seed)
            try:
                fits = []
                for done, pair in enumerate(zip(parts, matrices, strict=True)):
                    with subtask(done, len(parts)):
                        fits.append(self._validated(candidate, *pair))
            except (InputError, MissingPackageError) as error:
                choice.notes.append(f"The candidate {name!r} could not be fitted: {str(error).splitlines()[0]}")
                choice.errors.append(error)
                continue
            self.work += _work(name, matrices)
            choice.by_split[name] = [value for _, value in fits]
            choice.validation[name] = float(np.mean(choice.by_split[name]))
            choice.fitted[name] = fits[0][0]
        if choice.validation:
            choice.name = max(choice.validation, key=lambda name: choice.validation[name])
            choice.ranker = build(choice.name, self.phi, self.criterion, self.seed)
        return choice

    def _is_affordable(self, name: str, matrices: Matrices, choice: Choice) -> bool:
        """Whether the limit allows for a candidate on these rows, and then on all; one is tried in any case."""
        if not self.work:
            return True
        if time.monotonic() - self.started > _PATIENCE * self.time_limit:
            choice.warnings.append(
                f"The search for a model took {_PATIENCE} times its time limit of {self.time_limit:g} s, so the clock "
                f"ended it before {name} was tried: another run may choose otherwise. Raise the time limit."
            )
            return False
        n_rows, n_columns = len(self.rows.is_positive), matrices[0][0].shape[1]
        work, of_all = _work(name, matrices), seconds_of(name, n_rows, n_columns)
        if self.work + work <= self.time_limit and of_all <= self.time_limit:
            return True
        cost = f"its {work:,.0f} s" if of_all <= self.time_limit else f"{of_all:,.0f} s on all rows"
        choice.notes.append(f"{name} was not tried: {cost} would exceed the time limit of {self.time_limit:g} s.")
        return False

    def _validated(self, candidate: Any, part: Split, matrices: tuple[FloatArray, FloatArray]) -> tuple[Any, float]:
        learned_from, judged_by = matrices
        y = self.rows.is_positive
        weight = self.rows.weight
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of candidates that will hardly be chosen
            fitted = fit_candidate(
                clone(candidate),
                learned_from,
                y[part.training],
                _at(weight, part.training),
                self.rows.dependence.at(part.training),
            )
        with one_thread():
            scores = estimator_scores(fitted, judged_by)
        judged_weight = _at(weight, part.held_out)
        return fitted, metrics.rank_statistic(y[part.held_out], scores, phi=self.phi, sample_weight=judged_weight)


def _work(name: str, matrices: Matrices) -> float:
    """Of fitting a candidate to the first part of every split."""
    return sum(seconds_of(name, *learned_from.shape) for learned_from, _ in matrices)


def _at(weight: FloatArray | None, rows: Rows) -> FloatArray | None:
    return None if weight is None else weight[rows]


def _parts(rows: TrainingRows, most: int, rng: np.random.Generator) -> list[Split]:
    """One split of many rows, several of few: there a single one would choose by chance; in time always several."""
    is_positive = rows.is_positive
    repeats = _REPEATS if len(is_positive) <= _FEW_ROWS else 1
    # ω_φ depends on the share of positives, so the rows to judge by keep it: they are in random order.
    return [
        Split(_some(part.training, is_positive, most), part.held_out[:_VALIDATION_ROWS])
        for part in rows.splits(_VALIDATION, repeats, rng)
    ]


def _some(rows: Rows, is_positive: BoolArray, most: int) -> Rows:
    """At most so many rows; of a rare class all."""
    if len(rows) <= most:
        return rows
    positives, negatives = rows[is_positive[rows]], rows[~is_positive[rows]]
    rare, common = sorted((positives, negatives), key=len)
    rare = rare[: most // 2]
    kept = np.concatenate([rare, common[: most - len(rare)]])
    return rows[np.isin(rows, kept)]  # in their random order
