"""Displays: they store computed results and draw them; ``plot()`` returns the display, ``frame()`` the data.

matplotlib is imported only by ``plot()``.
"""

from podium.plots.band import BandDisplay
from podium.plots.comparison import ComparisonDisplay
from podium.plots.contributions import ContributionDisplay
from podium.plots.curve import RocDisplay
from podium.plots.decision import DecisionDisplay
from podium.plots.over_time import MonitorDisplay, RecallDisplay
from podium.plots.points import PointsDisplay
from podium.plots.power import PowerDisplay
from podium.plots.precision_recall import PrDisplay
from podium.plots.scores import ScoreDisplay
from podium.plots.selection import SelectionDisplay
from podium.plots.shortlist import ProfitDisplay, ShortlistDisplay
from podium.plots.trees import SegmentsDisplay, TreeDisplay

__all__ = [
    "BandDisplay",
    "ComparisonDisplay",
    "ContributionDisplay",
    "DecisionDisplay",
    "MonitorDisplay",
    "PointsDisplay",
    "PowerDisplay",
    "PrDisplay",
    "ProfitDisplay",
    "RecallDisplay",
    "RocDisplay",
    "ScoreDisplay",
    "SegmentsDisplay",
    "SelectionDisplay",
    "ShortlistDisplay",
    "TreeDisplay",
]
