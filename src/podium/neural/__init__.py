"""Criteria in PyTorch: a loss for any network, and a ranker with one of its own; needs torch, the extra ``torch``."""

from typing import TYPE_CHECKING

from podium._lazy import load_on_first_use

if TYPE_CHECKING:
    from podium.neural.loss import CriterionLoss
    from podium.neural.ranker import NeuralRanker
else:
    load_on_first_use(__name__, "torch")

__all__ = ["CriterionLoss", "NeuralRanker"]
