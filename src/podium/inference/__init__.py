"""Intervals, comparisons, bands and tests for any rank statistic: scores and labels in, a named result out."""

from podium.inference.comparison import compare
from podium.inference.comparison_result import Comparison, Comparisons
from podium.inference.cross_validation import cross_validated_interval
from podium.inference.interval import Interval, interval
from podium.inference.jackknife import influence_values
from podium.inference.learned_test import LearnedTest, learned_two_sample_test
from podium.inference.rank_tests import RankTest, rank_test
from podium.inference.result import Result

__all__ = [
    "Comparison",
    "Comparisons",
    "Interval",
    "LearnedTest",
    "RankTest",
    "Result",
    "compare",
    "cross_validated_interval",
    "influence_values",
    "interval",
    "learned_two_sample_test",
    "rank_test",
]
