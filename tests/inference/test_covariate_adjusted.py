"""The AUC among rows that are alike in their covariates."""

import numpy as np
import pytest
from scipy.stats import norm

import naive
from podium import DegenerateSampleError, InputError
from podium.inference import covariate_adjusted_interval, interval

SHIFT = 1.2


def confounded(rng, n_pos, n_neg, n_covariates=1):
    """Covariates that move the scores; the positives are a standard deviation apart in the first of them."""
    y = np.arange(n_pos + n_neg) < n_pos
    x = rng.normal(size=(len(y), n_covariates))
    x[:, 0] += y
    return y, x @ np.ones(n_covariates) + SHIFT * y + rng.normal(size=len(y)), x


@pytest.mark.parametrize("rounding", [None, 2])
def test_the_estimate_is_the_mean_share_of_negatives_with_a_smaller_residual(rounding):
    y, s, x = confounded(np.random.default_rng(0), 20, 30, 2)
    s = s if rounding is None else np.round(s * rounding) / rounding
    design = np.column_stack([np.ones(50), x])
    beta = np.linalg.lstsq(design[~y], s[~y], rcond=None)[0]
    residual = s - design @ beta
    wanted = np.mean([[naive.wins(a, b) for b in residual[~y]] for a in residual[y]])
    assert covariate_adjusted_interval(y, s, x).estimate == pytest.approx(wanted)


def test_a_column_is_a_table_and_its_unit_and_origin_do_not_matter():
    y, s, x = confounded(np.random.default_rng(1), 40, 60)
    found, other = covariate_adjusted_interval(y, s, x[:, 0]), covariate_adjusted_interval(y, s + 7, 1000 * x - 3)
    assert (found.low, found.high) == pytest.approx((other.low, other.high))
    assert found.estimate < interval(y, s).estimate  # part of the AUC was the covariate


@pytest.mark.parametrize(("n_pos", "n_neg", "n_covariates"), [(100, 100, 1), (100, 60, 3)])
def test_the_level_holds_and_would_not_if_the_regression_were_taken_as_known(n_pos, n_neg, n_covariates):
    rng, truth, held, known = np.random.default_rng(2), norm.cdf(SHIFT / np.sqrt(2)), 0, 0
    for _ in range(200):
        y, s, x = confounded(rng, n_pos, n_neg, n_covariates)
        found = covariate_adjusted_interval(y, s, x)
        held += found.low <= truth <= found.high
        design = np.column_stack([np.ones(len(y)), x])
        beta = np.linalg.lstsq(design[~y], s[~y], rcond=None)[0]
        plain = interval(y, s - design @ beta)
        known += plain.low <= truth <= plain.high
    assert held / 200 > 0.95 - 3 * np.sqrt(0.05 * 0.95 / 200)
    assert known < held


def test_what_cannot_be_adjusted_gets_a_sentence():
    y, s, x = confounded(np.random.default_rng(0), 20, 30)
    with pytest.raises(InputError, match="a row for every score"):
        covariate_adjusted_interval(y, s, x[:-1])
    with pytest.raises(DegenerateSampleError, match="covariates that vary"):
        covariate_adjusted_interval(y, s, np.ones(50))
    with pytest.raises(InputError, match="covariates"):
        covariate_adjusted_interval(y, s, np.where(np.arange(50) == 3, np.nan, 1.0))
