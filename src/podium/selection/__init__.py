"""Selection: which criterion to train with, which class of scoring rules to train in, which kind of model to take."""

from typing import TYPE_CHECKING

from podium._lazy import load_on_first_use

if TYPE_CHECKING:
    from podium.selection.auto_ranker import AutoRanker
    from podium.selection.criterion_search import CriterionComparison, CriterionSearch
    from podium.selection.penalized import PenalizedSelection
else:
    load_on_first_use(__name__)

__all__ = ["AutoRanker", "CriterionComparison", "CriterionSearch", "PenalizedSelection"]
