"""The models that ``--model`` names, and the choice among them."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from podium import metrics
from podium._input import BoolArray, FloatArray
from podium.exceptions import InputError
from podium.phi import Phi
from podium.rankers import BoostedRanker, GradientBoostedRanker, LinearRanker, QuadraticRanker, StackedRanker
from podium.tables import Split, split
from podium.tables.model import ranker_scores
from podium.tables.split import Rows

MODELS = ("auto", "linear", "quadratic", "boosted", "trees", "stack")
_SEARCH_ROWS = 20_000  # on which candidates are compared: enough to see which is better, quick on tables of any size
_FEW_ROWS = 5_000
_REPEATS = 4
_VALIDATION = 0.25
# Fastest first, with about the time that each takes, in units of the slowest before it.
_AUTO = {"linear": 1.0, "linear-quantile": 2.0, "trees": 2.0, "boosted": 2.0, "stack": 30.0}


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
        return GradientBoostedRanker(criterion or "logloss", random_state=seed)
    return StackedRanker(_stack_members(), criterion=criterion or "logloss", random_state=seed)


def _stack_members() -> list[tuple[str, Any]]:
    """Scorers that err differently; forests of trees small enough for a model file to be sent around."""
    return [
        ("linear", LinearRanker("logloss", transform="quantile")),
        ("forest", RandomForestClassifier(50, max_leaf_nodes=256)),
        ("extra-trees", ExtraTreesClassifier(50, max_leaf_nodes=256)),
        ("trees", GradientBoostedRanker()),
    ]


def choose(
    X: FloatArray,
    is_positive: BoolArray,
    phi: Phi,
    criterion: str | None,
    seed: int,
    time_limit: float,
    on_start: Callable[[str], Any] = lambda name: None,
) -> Choice:
    """Fit the candidates, fastest first, to a part of the rows; the best ω_φ on the other part wins.

    None is begun that is likely to end after the time limit, or that would then need longer for all the rows.
    """
    parts = _parts(is_positive, seed)
    growth = max(len(is_positive) / sum(len(part.training) for part in parts), 1.0)
    choice = Choice("", None)
    started, slowest = time.monotonic(), 0.0
    for name, effort in _AUTO.items():
        begun = time.monotonic()
        if slowest and max(begun - started + effort * slowest, effort * slowest * growth) > time_limit:
            choice.notes.append(f"The candidate {name!r} was not tried: it would hardly end within the time limit.")
            continue
        on_start(name)
        candidate = build(name, phi, criterion, seed)
        try:
            fits = [_validated(candidate, X, is_positive, part, phi) for part in parts]
        except InputError as error:
            choice.notes.append(f"The candidate {name!r} could not be fitted: {str(error).splitlines()[0]}")
            continue
        slowest = max(slowest, time.monotonic() - begun)
        value = float(np.mean([value for _, value in fits]))
        if value > max(choice.validation.values(), default=-np.inf):
            choice.name, choice.ranker = name, candidate
        choice.validation[name], choice.fitted[name] = value, fits[0][0]
    if not choice.name:
        raise InputError("No candidate could be fitted.", " ".join(choice.notes))
    return choice


def _parts(is_positive: BoolArray, seed: int) -> list[Split]:
    """One split of many rows, several of few: there a single one would choose by chance."""
    rng = np.random.default_rng(seed)
    if len(is_positive) <= _FEW_ROWS:
        return [split(is_positive, _VALIDATION, rng) for _ in range(_REPEATS)]
    part = split(is_positive, _VALIDATION, rng)
    return [Split(_some(part.training, is_positive), _some(part.held_out, is_positive))]


def _some(rows: Rows, is_positive: BoolArray) -> Rows:
    """At most so many rows; of a rare class all."""
    if len(rows) <= _SEARCH_ROWS:
        return rows
    positives, negatives = rows[is_positive[rows]], rows[~is_positive[rows]]
    rare, common = sorted((positives, negatives), key=len)
    rare = rare[: _SEARCH_ROWS // 2]
    kept = np.concatenate([rare, common[: _SEARCH_ROWS - len(rare)]])
    return rows[np.isin(rows, kept)]  # in their random order


def _validated(candidate: Any, X: FloatArray, is_positive: BoolArray, part: Split, phi: Phi) -> tuple[Any, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of candidates that will hardly be chosen
        fitted = clone(candidate).fit(X[part.training], is_positive[part.training])
    scores = ranker_scores(fitted, X[part.held_out])
    return fitted, metrics.rank_statistic(is_positive[part.held_out], scores, phi=phi)
