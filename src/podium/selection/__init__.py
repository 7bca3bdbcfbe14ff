"""Selection: which criterion to train with, which class of scoring rules to train in, which kind of model to take."""

from podium.selection.auto_ranker import AutoRanker
from podium.selection.criterion_search import CriterionComparison, CriterionSearch
from podium.selection.penalized import PenalizedSelection

__all__ = ["AutoRanker", "CriterionComparison", "CriterionSearch", "PenalizedSelection"]
