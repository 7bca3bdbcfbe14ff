"""Displays: they store computed results and draw them; ``plot()`` returns the display, ``frame()`` the data.

matplotlib is imported only by ``plot()``.
"""

from typing import TYPE_CHECKING

from podium._lazy import load_on_first_use

if TYPE_CHECKING:
    from podium.plots.bands import BandDisplay, PrDisplay
    from podium.plots.comparison import ComparisonDisplay
    from podium.plots.curve import PointsDisplay, RocDisplay
    from podium.plots.decisions import DecisionDisplay, PathDisplay, ProfitDisplay, ShortlistDisplay
    from podium.plots.over_time import MonitorDisplay, RecallDisplay
    from podium.plots.power import PowerDisplay
    from podium.plots.scores import ContributionDisplay, ScoreDisplay
    from podium.plots.selection import SelectionDisplay
    from podium.plots.trees import SegmentsDisplay, TreeDisplay
else:
    load_on_first_use(__name__)

__all__ = [
    "BandDisplay",
    "ComparisonDisplay",
    "ContributionDisplay",
    "DecisionDisplay",
    "MonitorDisplay",
    "PathDisplay",
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
