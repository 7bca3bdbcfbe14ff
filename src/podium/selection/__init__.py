"""Selection: which criterion to train with, judged by what one wants in the end."""

from podium.selection.criterion_search import CriterionComparison, CriterionSearch

__all__ = ["CriterionComparison", "CriterionSearch"]
