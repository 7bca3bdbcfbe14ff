"""Rankers: scikit-learn estimators whose decision function is a score learned to rank."""

from podium.rankers.base import Ranker
from podium.rankers.boosted import BoostedRanker
from podium.rankers.gradient_boosted import GradientBoostedRanker
from podium.rankers.linear import LinearRanker
from podium.rankers.quadratic import QuadraticRanker
from podium.rankers.stacked import StackedRanker

__all__ = [
    "BoostedRanker",
    "GradientBoostedRanker",
    "LinearRanker",
    "QuadraticRanker",
    "Ranker",
    "StackedRanker",
]
