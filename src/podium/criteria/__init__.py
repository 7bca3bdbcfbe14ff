"""Criteria: from scores and labels to one number that depends on ranks, with its gradient. Larger is better."""

from podium.criteria.base import Criterion
from podium.criteria.log_loss import LogLoss
from podium.criteria.rank_statistic import RankStatistic
from podium.criteria.spec import resolve

__all__ = ["Criterion", "LogLoss", "RankStatistic", "resolve"]
