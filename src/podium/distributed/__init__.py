"""Metrics and inference on Dask collections: each partition is summarized, summaries are merged, the answer is global.

The functions of the same names in `podium.metrics` and `podium.inference` hand Dask collections to these.
"""

from podium.distributed.inference import compare, interval, roc_band
from podium.distributed.lists import count_list
from podium.distributed.metrics import auc, partial_auc, precision_at, push_risk, rank_statistic, roc_curve

__all__ = [
    "auc",
    "compare",
    "count_list",
    "interval",
    "partial_auc",
    "precision_at",
    "push_risk",
    "rank_statistic",
    "roc_band",
    "roc_curve",
]
