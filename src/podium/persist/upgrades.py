"""The current state of a class, from that in a file of an earlier version.

A parameter that is new needs no line here, for its default is in the signature, and nothing that a fit learns does if
its class has a value for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

State = dict[str, Any]


def upgraded(kind: type, state: State) -> State:
    """A state as the class has it now; the same where it is one already."""
    names = _RENAMED.get(kind.__name__, {})
    if names.keys() & state.keys():
        state = {names.get(name, name): value for name, value in state.items()}
    upgrade = _UPGRADES.get(kind.__name__)
    return state if upgrade is None else upgrade(state)


def _ranking_tree(state: State) -> State:
    """How much purer a split makes its sides was not kept: importances of columns are not known."""
    return {"decrease": np.full(len(state["column"]), np.nan)} | state


def _platt(state: State) -> State:
    """A line in the score itself; then, for a while, with its covariance."""
    curve = vars(state["scale"].curve) if "scale" in state else state
    return {name: value for name, value in curve.items() if name != "covariance"}


def _platt_scale(state: State) -> State:
    from podium.rankers.calibration.shapes import Platt

    line = (float(state["intercept"]), float(state["slope"])) if "slope" in state else None
    return state if line is None else {"curve": Platt(0.0, 1.0, *line)}


def _isotonic(state: State) -> State:
    """For a while with limits."""
    return {name: value for name, value in state.items() if name not in ("low", "high")}


def _before_frames(state: State) -> State:
    """A ranker that was fitted before rankers took data frames: its scores keep the order of their sums."""
    is_old = "_training_fingerprints" in state and "_categories" not in state
    return {"_predates_frames": True} | state if is_old else state


def _search(state: State) -> State:
    """It had neither threshold nor fingerprints of its own, but those of the best ranker."""
    if "best_estimator_" in state and "threshold_" not in state:
        known = state["best_estimator_"]._training_fingerprints
        state = {"threshold_": 0.0, "_training_fingerprints": known} | state
    return _before_frames(state)


# Parameters and results that were called otherwise before they had scikit-learn's names.
_RENAMED: dict[str, dict[str, str]] = {
    "AutoRanker": {"best_ranker_": "best_estimator_"},
    "BoostedRanker": {"patience": "n_iter_no_change"},
    "CriterionRanker": {"penalty": "alpha"},
    "CriterionSearch": {"ranker": "estimator", "best_ranker_": "best_estimator_"},
    "GradedRanker": {"ranker": "estimator", "ranker_": "estimator_"},
    "GradientBoostedRanker": {"patience": "n_iter_no_change"},
    "NeuralRanker": {"patience": "n_iter_no_change"},
    "PenalizedSelection": {"rankers": "estimators", "ranker_": "best_estimator_"},
    "StackedRanker": {"rankers": "estimators"},
}
_UPGRADES: dict[str, Callable[[State], State]] = {
    "CriterionSearch": _search,
    "Isotonic": _isotonic,
    "KernelLogistic": _before_frames,
    "Platt": _platt,
    "PlattScale": _platt_scale,
    "RankingTree": _ranking_tree,
    "StackedRanker": _before_frames,
}
