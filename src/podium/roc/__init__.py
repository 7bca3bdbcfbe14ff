"""The ROC curve as an exact broken line, everything that can be read off it, and averages of curves."""

from podium.roc.curve import RocAverage, RocCurve, average
from podium.roc.operating_points import RocPoint, RocPoints
from podium.roc.points import points

__all__ = ["RocAverage", "RocCurve", "RocPoint", "RocPoints", "average", "points"]
