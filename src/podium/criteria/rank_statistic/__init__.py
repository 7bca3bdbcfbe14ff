"""Kernel-smoothed linear rank statistics (CLV21)."""

from podium.criteria.rank_statistic.criterion import RankStatistic

__all__ = ["RankStatistic"]
