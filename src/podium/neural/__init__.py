"""Criteria in PyTorch: a loss for any network, and a ranker with one of its own; needs torch, the extra ``torch``."""

from typing import TYPE_CHECKING

from podium import _optional

if TYPE_CHECKING or _optional.is_installed("torch"):
    from podium.neural.loss import CriterionLoss
    from podium.neural.ranker import NeuralRanker
else:
    __getattr__ = _optional.refusal(__name__, "torch")

__all__ = ["CriterionLoss", "NeuralRanker"]
