"""Models with known truth, and real tables."""

from podium.datasets.location import LocationModel
from podium.datasets.scale import ScaleModel

__all__ = ["LocationModel", "ScaleModel"]
