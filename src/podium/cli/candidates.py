"""The models that ``--model`` names, and the choice among them."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from podium import metrics
from podium._input import BoolArray, FloatArray
from podium.exceptions import InputError
from podium.phi import Phi
from podium.rankers import BoostedRanker, LinearRanker, QuadraticRanker
from podium.tables import split
from podium.tables.model import ranker_scores

MODELS = ("auto", "linear", "quadratic", "boosted", "trees", "stack")
_SEARCH_ROWS = 20_000  # on which candidates are compared: enough to see which is better, quick on tables of any size
_VALIDATION = 0.25
_STACK_EFFORT = 10.0  # times what all other candidates took together

Report = Callable[[str], Any]


@dataclass
class Choice:
    """The best candidate, unfitted; ω_φ on the validation rows by name; the candidates as fitted in the search."""

    name: str
    ranker: Any
    validation: dict[str, float] = field(default_factory=dict)
    fitted: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def build(model: str, phi: Phi, criterion: str | None, seed: int) -> Any:
    """An unfitted ranker by name."""
    smooth: Any = phi.smooth_alternative() or phi
    if model == "linear":
        return LinearRanker(criterion or smooth, random_state=seed)
    if model == "linear-quantile":
        return LinearRanker(criterion or smooth, transform="quantile", random_state=seed)
    if model == "quadratic":
        return QuadraticRanker(criterion or smooth, random_state=seed)
    if model == "boosted":
        return BoostedRanker(criterion or "push:4", weak="stumps", early_stopping=phi, random_state=seed)
    if model == "trees":
        return _trees(criterion, seed)
    raise InputError(f"--model must be one of {', '.join(MODELS)}; got {model!r}.")


def choose(
    X: FloatArray,
    is_positive: BoolArray,
    phi: Phi,
    criterion: str | None,
    seed: int,
    time_limit: float,
    on_start: Report = lambda name: None,
) -> Choice:
    """Fit the candidates, fastest first, to a part of the rows; the best ω_φ on the other part wins.

    None is begun that is likely to end after the time limit, or that would then need longer for all the rows.
    """
    rng = np.random.default_rng(seed)
    parts = split(is_positive, _VALIDATION, rng, "the validation share")
    training, validation = parts.training[:_SEARCH_ROWS], parts.held_out[:_SEARCH_ROWS]
    if min(is_positive[training].sum(), is_positive[validation].sum()) < 1:
        training, validation = parts.training, parts.held_out  # positives so rare that every row counts
    growth = len(is_positive) / len(training)
    choice = Choice("", None)
    started = time.monotonic()
    for name, effort in _auto(phi, criterion):
        elapsed = time.monotonic() - started
        if choice.name and elapsed * max(effort, 1.0) * max(growth, 1.0) > time_limit:
            choice.notes.append(f"The candidate {name!r} was not tried: it would not end within the time limit.")
            continue
        on_start(name)
        candidate = build(name, phi, criterion, seed)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fitted = clone(candidate).fit(X[training], is_positive[training])
                value = metrics.rank_statistic(is_positive[validation], ranker_scores(fitted, X[validation]), phi=phi)
        except InputError as error:
            choice.notes.append(f"The candidate {name!r} could not be fitted: {str(error).splitlines()[0]}")
            continue
        choice.validation[name], choice.fitted[name] = value, fitted
        if value >= max(choice.validation.values()):
            choice.name, choice.ranker = name, candidate
    if not choice.name:
        raise InputError("No candidate could be fitted.", " ".join(choice.notes))
    return choice


def _auto(phi: Phi, criterion: str | None) -> list[tuple[str, float]]:
    return [("linear", 1.0), ("linear-quantile", 1.0), ("trees", 1.0), ("boosted", 1.0)]


def _trees(criterion: str | None, seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=seed)
