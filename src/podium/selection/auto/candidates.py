"""Models by name, and those among which the choice is made."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from podium.phi import Phi
from podium.rankers import (
    BoostedRanker,
    ForestRanker,
    GradientBoostedRanker,
    LinearRanker,
    QuadraticRanker,
    StackedRanker,
    TreeRanker,
)
from podium.rankers.stack.kernel_logistic import KernelLogistic
from podium.rankers.stack.small_network import SmallNetwork

CANDIDATES = ("linear", "linear-quantile", "trees", "boosted", "stack")  # the cheapest first
MODELS = ("linear", "linear-quantile", "quadratic", "boosted", "trees", "ranking-tree", "ranking-forest", "stack")
# LightGBM takes its bins from 50,000 rows: as good as from its default of 200,000, at a third of the memory. And where
# positives are rare its trees run away without a ridge: one positive among rows of next to no curvature moves a leaf by
# millions. (XGBoost has a ridge of 1 by default.)
_TREES = {"bin_construct_sample_cnt": 50_000, "lambda_l2": 1.0}


def build(model: str, phi: Phi, criterion: str | None, seed: int) -> Any:
    """An unfitted ranker by name, for the φ that matters; ``criterion`` is what it maximizes where not that."""
    smooth: Any = phi.smooth_alternative() or phi
    if model == "linear":
        return LinearRanker(criterion or smooth, random_state=seed)
    if model == "linear-quantile":
        return LinearRanker(criterion or smooth, scaling="quantile", random_state=seed)
    if model == "quadratic":
        return QuadraticRanker(criterion or smooth, random_state=seed)
    if model == "boosted":
        return BoostedRanker(criterion or "push:4", weak="stumps", early_stopping=phi, random_state=seed)
    if model == "trees":
        return GradientBoostedRanker(criterion or "logloss", params=_TREES, random_state=seed)
    if model == "ranking-tree":
        return TreeRanker(criterion or phi)
    if model == "ranking-forest":
        return ForestRanker(criterion or phi, random_state=seed)
    return StackedRanker(_stack_members(), criterion=criterion or "logloss", random_state=seed)


def _stack_members() -> list[tuple[str, Any]]:
    """Scorers that err differently; forests of trees small enough for a model file to be sent around."""
    return [
        ("logistic", LinearRanker("logloss", scaling="quantile")),
        ("linear", LinearRanker("auc")),
        ("kernel", KernelLogistic()),
        ("network", SmallNetwork()),
        ("forest", RandomForestClassifier(50, max_leaf_nodes=256)),
        ("extra-trees", ExtraTreesClassifier(50, max_leaf_nodes=256)),
        ("trees", GradientBoostedRanker(params=_TREES)),
    ]
