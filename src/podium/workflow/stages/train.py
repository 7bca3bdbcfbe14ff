"""Choose a model on the training rows, and train it on all of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from podium.phi import Phi
from podium.selection.auto.candidates import build
from podium.selection.auto.fitting import fit_candidate
from podium.selection.auto.search import Choice, choose
from podium.tables import TrainingRows


def choose_model(
    rows: TrainingRows,
    phi: Phi,
    *,
    model: str,
    criterion: str | None,
    seed: int,
    time_limit: float,
    on_step: Callable[[str], Any],
) -> Choice:
    """The model named, or with ``"auto"`` the candidate that is best on validation rows."""
    if model != "auto":
        return Choice(model, build(model, phi, criterion, seed))
    return choose(
        rows,
        phi,
        criterion=criterion,
        seed=seed,
        time_limit=time_limit,
        on_start=lambda name: on_step(f"trying {name}"),
    )


def train(choice: Choice, rows: TrainingRows) -> tuple[Any, list[str]]:
    """The ranker, fitted to all training rows, and what it warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ranker = fit_candidate(choice.ranker, rows.X, rows.is_positive, rows.weight, rows.dependence)
    if hasattr(ranker, "oof_scores_"):
        ranker.oof_scores_ = ranker.oof_stack_ = None  # a model file holds no rows
    return ranker, [str(warning.message).splitlines()[0] for warning in caught]
