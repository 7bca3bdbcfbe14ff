"""Models with known truth, and real tables."""

from podium.datasets.location import LocationModel
from podium.datasets.mixture import MixtureModel
from podium.datasets.scale import ScaleModel
from podium.datasets.smoothed import smoothed_distribution, smoothed_rank_statistic
from podium.datasets.tables import TABLES, load_table

__all__ = [
    "TABLES",
    "LocationModel",
    "MixtureModel",
    "ScaleModel",
    "load_table",
    "smoothed_distribution",
    "smoothed_rank_statistic",
]
