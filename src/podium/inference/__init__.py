"""Intervals, comparisons, bands and tests for any rank statistic: scores and labels in, a named result out."""

from podium.inference.certificates import Certificate, certificate
from podium.inference.partial_area import PartialAucInterval, partial_auc_interval
from podium.inference.planning import SampleSize, power, sample_size_for_width
from podium.inference.precision import PrecisionInterval, precision_at_interval
from podium.inference.push_certificates import PushCertificate, push_certificate
from podium.inference.result import Result
from podium.inference.roc_bands import RocBand, roc_band
from podium.inference.tpr import TprInterval, tpr_interval

__all__ = [
    "Certificate",
    "PartialAucInterval",
    "PrecisionInterval",
    "PushCertificate",
    "Result",
    "RocBand",
    "SampleSize",
    "TprInterval",
    "certificate",
    "partial_auc_interval",
    "power",
    "precision_at_interval",
    "push_certificate",
    "roc_band",
    "sample_size_for_width",
    "tpr_interval",
]
