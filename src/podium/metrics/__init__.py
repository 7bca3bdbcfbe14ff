"""Measures of a list: labels and scores in, one number out, right with ties and weights."""

from podium.metrics.area import auc, partial_auc, tpr_at_fpr
from podium.metrics.discounted import average_reciprocal_rank, dcg, graded_dcg
from podium.metrics.linear import bedroc, rank_statistic
from podium.metrics.named import metric
from podium.metrics.ordered import volume_under_surface
from podium.metrics.push import heights, max_height, push_risk, reverse_heights, winner_take_all
from podium.metrics.push_sums import pair_contributions
from podium.metrics.scorers import scorer, scorers
from podium.metrics.top import average_precision, lift_at, precision_at, recall_at
from podium.metrics.u_statistics import HoeffdingDecomposition, hoeffding_decomposition, u_statistic

__all__ = [
    "HoeffdingDecomposition",
    "auc",
    "average_precision",
    "average_reciprocal_rank",
    "bedroc",
    "dcg",
    "graded_dcg",
    "heights",
    "hoeffding_decomposition",
    "lift_at",
    "max_height",
    "metric",
    "pair_contributions",
    "partial_auc",
    "precision_at",
    "push_risk",
    "rank_statistic",
    "recall_at",
    "reverse_heights",
    "scorer",
    "scorers",
    "tpr_at_fpr",
    "u_statistic",
    "volume_under_surface",
    "winner_take_all",
]
