"""Criteria: from scores and labels to one number that depends on ranks, with its gradient. Larger is better."""

from podium.criteria.base import Criterion
from podium.criteria.crucial_pairs import CrucialPairs
from podium.criteria.log_loss import LogLoss
from podium.criteria.price_functions import CustomPrice, ExponentialPrice
from podium.criteria.push import BottomPush, IRPush, PNormPush, Push
from podium.criteria.rank_statistic import RankStatistic
from podium.criteria.smooth_partial_auc import SmoothPartialAuc
from podium.criteria.spec import resolve

__all__ = [
    "BottomPush",
    "Criterion",
    "CrucialPairs",
    "CustomPrice",
    "ExponentialPrice",
    "IRPush",
    "LogLoss",
    "PNormPush",
    "Push",
    "RankStatistic",
    "SmoothPartialAuc",
    "resolve",
]
