"""Intervals, comparisons, bands and tests for any rank statistic: scores and labels in, a named result out."""

from podium.inference.partial_area import PartialAucInterval, partial_auc_interval
from podium.inference.precision import PrecisionInterval, precision_at_interval
from podium.inference.result import Result
from podium.inference.roc_bands import RocBand, roc_band
from podium.inference.tpr import TprInterval, tpr_interval

__all__ = [
    "PartialAucInterval",
    "PrecisionInterval",
    "Result",
    "RocBand",
    "TprInterval",
    "partial_auc_interval",
    "precision_at_interval",
    "roc_band",
    "tpr_interval",
]
