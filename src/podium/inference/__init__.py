"""Intervals, comparisons, bands and tests for any rank statistic: scores and labels in, a named result out."""

from podium.inference.certificates import Certificate, certificate
from podium.inference.comparison import compare
from podium.inference.comparison_result import Comparison, Comparisons
from podium.inference.cross_validation import cross_validated_interval
from podium.inference.interval import Interval, interval
from podium.inference.jackknife import influence_values
from podium.inference.learned_test import LearnedTest, learned_two_sample_test
from podium.inference.partial_area import PartialAucInterval, partial_auc_interval
from podium.inference.planning import SampleSize, power, sample_size_for_width
from podium.inference.precision import PrecisionInterval, precision_at_interval
from podium.inference.push_certificates import PushCertificate, push_certificate
from podium.inference.rank_tests import RankTest, rank_test
from podium.inference.result import Result
from podium.inference.roc_bands import RocBand, roc_band
from podium.inference.tpr import TprInterval, tpr_interval

__all__ = [
    "Certificate",
    "Comparison",
    "Comparisons",
    "Interval",
    "LearnedTest",
    "PartialAucInterval",
    "PrecisionInterval",
    "PushCertificate",
    "RankTest",
    "Result",
    "RocBand",
    "SampleSize",
    "TprInterval",
    "certificate",
    "compare",
    "cross_validated_interval",
    "influence_values",
    "interval",
    "learned_two_sample_test",
    "partial_auc_interval",
    "power",
    "precision_at_interval",
    "push_certificate",
    "rank_test",
    "roc_band",
    "sample_size_for_width",
    "tpr_interval",
]
