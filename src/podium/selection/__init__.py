"""Selection: which criterion to train with, and which class of scoring rules to train in."""

from podium.selection.criterion_search import CriterionComparison, CriterionSearch
from podium.selection.penalized import PenalizedSelection

__all__ = ["CriterionComparison", "CriterionSearch", "PenalizedSelection"]
