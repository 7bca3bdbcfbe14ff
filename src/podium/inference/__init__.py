"""Intervals, comparisons, bands and tests for any rank statistic: scores and labels in, a named result out."""

from podium.inference.interval import Interval, interval
from podium.inference.result import Result

__all__ = [
    "Interval",
    "Result",
    "interval",
]
