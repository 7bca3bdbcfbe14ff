"""The models that ``--model`` names."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from podium.phi import Phi
from podium.rankers import BoostedRanker, GradientBoostedRanker, LinearRanker, QuadraticRanker, StackedRanker

MODELS = ("auto", "linear", "quadratic", "boosted", "trees", "stack")
# The rows from which LightGBM takes its bins: a quarter of its default is as good, and of its memory a third.
_TREES = {"bin_construct_sample_cnt": 50_000}


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
        return GradientBoostedRanker(criterion or "logloss", params=_TREES, random_state=seed)
    return StackedRanker(_stack_members(), criterion=criterion or "logloss", random_state=seed)


def _stack_members() -> list[tuple[str, Any]]:
    """Scorers that err differently; forests of trees small enough for a model file to be sent around."""
    return [
        ("linear", LinearRanker("logloss", transform="quantile")),
        ("forest", RandomForestClassifier(50, max_leaf_nodes=256)),
        ("extra-trees", ExtraTreesClassifier(50, max_leaf_nodes=256)),
        ("trees", GradientBoostedRanker(params=_TREES)),
    ]
