"""Rankers: scikit-learn estimators whose decision function is a score learned to rank."""

from podium.rankers.base import Ranker
from podium.rankers.boosted import BoostedRanker
from podium.rankers.linear import LinearRanker
from podium.rankers.quadratic import QuadraticRanker

__all__ = ["BoostedRanker", "LinearRanker", "QuadraticRanker", "Ranker"]
