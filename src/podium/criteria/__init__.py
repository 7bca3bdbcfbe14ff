"""Criteria: from scores and labels to one number that depends on ranks, with its gradient. Larger is better."""

from podium.criteria.base import Criterion
from podium.criteria.both_ends import BothEndsPush
from podium.criteria.likelihood import DensityRatio, LogLoss
from podium.criteria.push.criterion import BottomPush, IRPush, PNormPush, Push
from podium.criteria.push.crucial_pairs import CrucialPairs
from podium.criteria.push.duality import push_distance, push_potential, push_projection
from podium.criteria.push.partial_auc import SmoothPartialAuc
from podium.criteria.push.prices import CustomPrice, ExponentialPrice
from podium.criteria.rank_statistic.criterion import RankStatistic
from podium.criteria.spec import resolve

__all__ = [
    "BothEndsPush",
    "BottomPush",
    "Criterion",
    "CrucialPairs",
    "CustomPrice",
    "DensityRatio",
    "ExponentialPrice",
    "IRPush",
    "LogLoss",
    "PNormPush",
    "Push",
    "RankStatistic",
    "SmoothPartialAuc",
    "push_distance",
    "push_potential",
    "push_projection",
    "resolve",
]
