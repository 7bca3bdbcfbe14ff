"""Pushes: criteria from losses of pairs and a price that grows faster where they add up (R09)."""

from podium.criteria.push.criterion import BottomPush, IRPush, PNormPush, Push
from podium.criteria.push.crucial_pairs import CrucialPairs
from podium.criteria.push.partial_auc import SmoothPartialAuc
from podium.criteria.push.prices import CustomPrice, ExponentialPrice

__all__ = [
    "BottomPush",
    "CrucialPairs",
    "CustomPrice",
    "ExponentialPrice",
    "IRPush",
    "PNormPush",
    "Push",
    "SmoothPartialAuc",
]
