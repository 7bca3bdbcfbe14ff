"""Rankers: scikit-learn estimators whose decision function is a score learned to rank."""

from typing import TYPE_CHECKING

from podium._lazy import load_on_first_use

if TYPE_CHECKING:
    from podium.rankers.base import Ranker
    from podium.rankers.boosted import BoostedRanker
    from podium.rankers.criterion_ranker import CriterionRanker
    from podium.rankers.graded import GradedRanker
    from podium.rankers.judging import FeatureEffects
    from podium.rankers.lines.linear import LinearRanker
    from podium.rankers.lines.quadratic import QuadraticRanker
    from podium.rankers.stack.stacked import StackedRanker
    from podium.rankers.treerank.forest import ForestRanker
    from podium.rankers.treerank.rules import Segments
    from podium.rankers.treerank.tree import TreeRanker
    from podium.rankers.trees.gradient_boosted import GradientBoostedRanker
else:
    load_on_first_use(__name__)

__all__ = [
    "BoostedRanker",
    "CriterionRanker",
    "FeatureEffects",
    "ForestRanker",
    "GradedRanker",
    "GradientBoostedRanker",
    "LinearRanker",
    "QuadraticRanker",
    "Ranker",
    "Segments",
    "StackedRanker",
    "TreeRanker",
]
