"""Numbers of R's pROC 1.18.0 on its aSAH table, kept as constants.

The R session, with s, n, w the curves of s100b, ndka and as.numeric(wfns)::

    r <- function(v, ...) roc(aSAH$outcome, as.numeric(aSAH[[v]]), levels=c("Good", "Poor"), direction="<", ...)
    auc(s); var(s); cov(s, n); ci(s); auc(s, partial.auc=c(1, .9)); roc.test(s, w); coords(s, "best", ...)
"""

import numpy as np
import pytest

from inference.asah import NDKA, POOR, S100B, WFNS
from podium import metrics
from podium.inference import (
    auc_covariance,
    compare,
    compare_partial_auc,
    compare_specificity,
    compare_tpr,
    interval,
    specificity_interval,
    tpr_interval,
    venkatraman_test,
)

SCORES = {"s": S100B, "n": NDKA, "w": WFNS}


# auc(s), var(s), ci(s): DeLong.
@pytest.mark.parametrize(
    ("name", "area", "variance", "low", "high"),
    [
        ("s", 0.731368563685637, 0.00266868245717244, 0.630118211762, 0.832618915610),
        ("n", 0.611957994579946, 0.0031908105493913, 0.501244999272, 0.722670989888),
        ("w", 0.823678861788618, 0.00146991470882363, 0.748534887819, 0.898822835758),
    ],
)
def test_auc_variance_and_delong_interval(name, area, variance, low, high):
    found = interval(POOR, SCORES[name], method="delong")
    assert found.estimate == pytest.approx(area, rel=1e-12)
    assert found.standard_error**2 == pytest.approx(variance, rel=1e-12)
    assert auc_covariance(POOR, SCORES[name], SCORES[name]) == pytest.approx(variance, rel=1e-12)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)


# cov(s, n), cov(s, w), cov(n, w)
@pytest.mark.parametrize(
    ("pair", "wanted"), [("sn", -0.000756164938056579), ("sw", 0.001196155673767545), ("nw", -0.000532967856762438)]
)
def test_covariances(pair, wanted):
    assert auc_covariance(POOR, SCORES[pair[0]], SCORES[pair[1]]) == pytest.approx(wanted, rel=1e-12)


# auc(s, partial.auc=c(1, .9)), also with partial.auc.focus="se"
@pytest.mark.parametrize(
    ("name", "part", "wanted"),
    [
        ("s", {"max_fpr": 0.1}, 0.0327574525745257),
        ("n", {"max_fpr": 0.1}, 0.0107046070460705),
        ("w", {"max_fpr": 0.1}, 0.0334417344173442),
        ("s", {"min_fpr": 0.1, "max_fpr": 0.2}, 0.0478319783197832),
        ("n", {"min_fpr": 0.1, "max_fpr": 0.2}, 0.0277777777777778),
        ("s", {"min_tpr": 0.9}, 0.0137635501355013),
        ("n", {"min_tpr": 0.9}, 0.0037940379403794),
        ("w", {"min_tpr": 0.9}, 0.0400999322493225),
        ("s", {"min_tpr": 0.8, "max_tpr": 0.9}, 0.0350575880758807),
    ],
)
def test_partial_areas(name, part, wanted):
    assert metrics.partial_auc(POOR, SCORES[name], standardize="area", **part) == pytest.approx(wanted, rel=1e-12)


# auc(s, partial.auc=c(1, .9), partial.auc.correct=TRUE)
@pytest.mark.parametrize(
    ("part", "wanted"),
    [
        ({"max_fpr": 0.1}, 0.646091855655399),
        ({"min_fpr": 0.1, "max_fpr": 0.2}, 0.693129284234019),
        ({"min_tpr": 0.9}, 0.546123948081586),
    ],
)
def test_corrected_partial_areas(part, wanted):
    assert metrics.partial_auc(POOR, S100B, standardize="mcclish", **part) == pytest.approx(wanted, rel=1e-12)


# roc.test(s, w), roc.test(s, n): Z, p-value and interval of the difference
@pytest.mark.parametrize(
    ("pair", "z", "pvalue", "low", "high"),
    [
        ("sw", -2.208983591, 0.0271757822, -0.1742144192495, -0.0104061769565),
        ("sn", 1.390770026, 0.164295175, -0.0488706064228, 0.2876917446342),
    ],
)
def test_the_paired_test_of_delong(pair, z, pvalue, low, high):
    a, b = (SCORES[name] for name in pair)
    found = compare_partial_auc(POOR, a, b)
    assert (found.statistic, found.pvalue) == pytest.approx((z, pvalue), rel=1e-8)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-8)
    found = compare(POOR, a, b)  # the same statistic, by Student's law instead of the normal one
    assert found.statistic == pytest.approx(z, rel=1e-8)
    assert pvalue < found.pvalue < 1.15 * pvalue


# roc.test(s, n, paired=FALSE): D = 1.559957434, df = 222.235396, p-value = 0.120192832
def test_the_unpaired_test_of_delong_with_satterthwaites_degrees_of_freedom():
    found = compare_partial_auc(POOR, S100B, NDKA, y_true_b=POOR)
    assert found.statistic == pytest.approx(1.559957434, rel=1e-8)
    assert found.degrees_of_freedom == pytest.approx(222.235396, rel=1e-8)
    assert found.pvalue == pytest.approx(0.120192832, rel=1e-8)


# var, cov and roc.test of the areas for specificity .9 to 1 by bootstrap, boot.n=10000: D = 2.323034911.
# The closed form has no resampling error; R's has 1/sqrt(2 * 10000) on the standard deviation.
def test_the_paired_test_of_partial_areas():
    drawn = compare_partial_auc(POOR, S100B, NDKA, max_fpr=0.1, method="bootstrap", n_resamples=4000, rng=0)
    assert drawn.statistic == pytest.approx(2.323034911, rel=4 * np.sqrt(1 / 8000 + 1 / 20000))
    assert (0.1 * drawn.standard_error) ** 2 == pytest.approx(
        5.69215736294e-05 + 3.4385154408e-05 + 2 * 7.98e-07, rel=0.1
    )
    closed = compare_partial_auc(POOR, S100B, NDKA, max_fpr=0.1)
    assert closed.standard_error == pytest.approx(drawn.standard_error, rel=0.1)


# roc.test(s, n, method="bootstrap"): D = 1.39437546
def test_the_bootstrap_test_of_areas():
    drawn = compare_partial_auc(POOR, S100B, NDKA, method="bootstrap", n_resamples=4000, rng=0)
    assert drawn.statistic == pytest.approx(1.39437546, rel=4 * np.sqrt(1 / 8000 + 1 / 20000))


# roc.test(s, n, method="specificity", specificity=.9): D = 1.400354099; (s, w): −1.300354287
# roc.test(s, n, method="sensitivity", sensitivity=.9): D = 0.3923009316
def test_tests_at_a_point_of_the_curve():
    at = {"n_resamples": 4000, "rng": 0}
    tolerance = 4 * np.sqrt(1 / 8000 + 1 / 20000)
    assert compare_tpr(POOR, S100B, NDKA, fpr=0.1, **at).statistic == pytest.approx(1.400354099, rel=tolerance)
    assert compare_tpr(POOR, S100B, WFNS, fpr=0.1, **at).statistic == pytest.approx(-1.300354287, rel=tolerance)
    found = compare_specificity(POOR, S100B, NDKA, tpr=0.9, **at)
    assert found.statistic == pytest.approx(0.3923009316, rel=tolerance)


# roc.test(s, n, method="venkatraman"): E = 692, p = 0.2113; (s, w): 578, 0.0209; unpaired (s, n): 0.0541154, 0.1562.
# R breaks ties by the order of the rows; so are they here, for the statistics to be equal.
def test_venkatramans_tests():
    def untied(scores):
        return np.argsort(np.argsort(scores, kind="stable"), kind="stable")

    s, n, w = map(untied, (S100B, NDKA, WFNS))
    found = venkatraman_test(POOR, s, n, n_resamples=1000, rng=0)
    assert found.statistic == 692
    assert found.pvalue == pytest.approx(0.2113, abs=0.06)
    assert venkatraman_test(POOR, s, w, n_resamples=1000, rng=0).statistic == 578
    assert venkatraman_test(POOR, s, w, n_resamples=1000, rng=0).pvalue == pytest.approx(0.0209, abs=0.02)
    unpaired = venkatraman_test(POOR, s, n, y_true_b=POOR, n_resamples=1000, rng=0)
    assert unpaired.statistic == pytest.approx(0.05411543582, rel=1e-2)
    assert unpaired.pvalue == pytest.approx(0.1562, abs=0.05)


# coords(s, .9, input="specificity", ret="sensitivity"); coords(s, .9, input="sensitivity", ret="specificity")
def test_points_of_the_curve_at_a_rate():
    assert tpr_interval(POOR, S100B, fpr=0.1).estimate == pytest.approx(0.390243902439)
    assert specificity_interval(POOR, S100B, tpr=0.9).estimate == pytest.approx(0.230555555556)


# ci(s, method="bootstrap", boot.n=10000): 0.62398374 to 0.826388889
def test_the_bootstrap_interval_is_that_of_r_within_its_error():
    found = interval(POOR, S100B, method="percentile", n_resamples=4000, rng=0)
    # A quantile of 4,000 draws has the standard error sqrt(.025 * .975/4000)/density, density φ(1.96)/σ.
    error = np.sqrt(0.025 * 0.975 * (1 / 4000 + 1 / 10000)) / (0.0584 / found.standard_error)
    assert (found.low, found.high) == pytest.approx((0.62398374, 0.826388889), abs=4 * error)
