"""Intervals, comparisons, bands and tests for any rank statistic: scores and labels in, a named result out."""

from podium._results.result import Result
from podium.inference.calibration import CalibrationSummary, calibration
from podium.inference.calibration_curves import CalibrationBand, calibration_band
from podium.inference.certificates import Certificate, certificate
from podium.inference.comparisons.comparison import compare
from podium.inference.comparisons.curves import auc_covariance, compare_partial_auc, compare_specificity, compare_tpr
from podium.inference.comparisons.results import Comparison, Comparisons, CurveComparison
from podium.inference.comparisons.venkatraman import VenkatramanTest, venkatraman_test
from podium.inference.curves.bands import RocBand, roc_band
from podium.inference.curves.partial_area import PartialAucInterval, partial_auc_interval
from podium.inference.curves.precision_recall import PrBand, pr_band
from podium.inference.curves.rates import SpecificityInterval, TprInterval, specificity_interval, tpr_interval
from podium.inference.curves.surface import SurfaceInterval, surface_interval
from podium.inference.decision_curves import DecisionCurve, decision_curve
from podium.inference.groups.by_group import ByGroup, GroupInterval, by_group
from podium.inference.groups.calibration import CalibrationByGroup, GroupCalibration, calibration_by_group
from podium.inference.groups.covariate_adjusted import covariate_adjusted_interval
from podium.inference.groups.stratified import stratified_interval
from podium.inference.hits.lower_bound import HitsLowerBound, hits_lower_bound
from podium.inference.hits.per_period import HitsPerPeriod, HitsPerPeriodBounds, hits_per_period
from podium.inference.hits.precision import PrecisionInterval, precision_at_interval
from podium.inference.intervals.cross_validated import cross_validated_interval
from podium.inference.intervals.influence import influence_values
from podium.inference.intervals.interval import Interval, interval
from podium.inference.intervals.unmixed import unmixed_interval
from podium.inference.learned_test import LearnedTest, learned_two_sample_test
from podium.inference.observed import Bounds
from podium.inference.planning.hits import HitsSampleSize, sample_size_for_hits
from podium.inference.planning.power import (
    PowerPlan,
    power_one_auc,
    power_two_aucs,
    sample_size_one_auc,
    sample_size_two_aucs,
)
from podium.inference.planning.width import SampleSize, sample_size_for_width
from podium.inference.push_certificates import (
    PushCertificate,
    PushRiskCertificate,
    push_certificate,
    push_risk_certificate,
)
from podium.inference.rank_tests import RankTest, rank_test

__all__ = [
    "Bounds",
    "ByGroup",
    "CalibrationBand",
    "CalibrationByGroup",
    "CalibrationSummary",
    "Certificate",
    "Comparison",
    "Comparisons",
    "CurveComparison",
    "DecisionCurve",
    "GroupCalibration",
    "GroupInterval",
    "HitsLowerBound",
    "HitsPerPeriod",
    "HitsPerPeriodBounds",
    "HitsSampleSize",
    "Interval",
    "LearnedTest",
    "PartialAucInterval",
    "PowerPlan",
    "PrBand",
    "PrecisionInterval",
    "PushCertificate",
    "PushRiskCertificate",
    "RankTest",
    "Result",
    "RocBand",
    "SampleSize",
    "SpecificityInterval",
    "SurfaceInterval",
    "TprInterval",
    "VenkatramanTest",
    "auc_covariance",
    "by_group",
    "calibration",
    "calibration_band",
    "calibration_by_group",
    "certificate",
    "compare",
    "compare_partial_auc",
    "compare_specificity",
    "compare_tpr",
    "covariate_adjusted_interval",
    "cross_validated_interval",
    "decision_curve",
    "hits_lower_bound",
    "hits_per_period",
    "influence_values",
    "interval",
    "learned_two_sample_test",
    "partial_auc_interval",
    "power_one_auc",
    "power_two_aucs",
    "pr_band",
    "precision_at_interval",
    "push_certificate",
    "push_risk_certificate",
    "rank_test",
    "roc_band",
    "sample_size_for_hits",
    "sample_size_for_width",
    "sample_size_one_auc",
    "sample_size_two_aucs",
    "specificity_interval",
    "stratified_interval",
    "surface_interval",
    "tpr_interval",
    "unmixed_interval",
    "venkatraman_test",
]
