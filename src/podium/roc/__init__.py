"""The ROC curve as an exact broken line, everything that can be read off it, and averages of curves."""

from podium.roc.average import RocAverage, average
from podium.roc.curve import RocCurve

__all__ = ["RocAverage", "RocCurve", "average"]
