"""The ROC curve as an exact broken line, everything that can be read off it, and averages of curves."""

from podium.roc.average import RocAverage, average
from podium.roc.curve import RocCurve
from podium.roc.operating_points import RocPoints
from podium.roc.point import RocPoint
from podium.roc.points import points

__all__ = ["RocAverage", "RocCurve", "RocPoint", "RocPoints", "average", "points"]
