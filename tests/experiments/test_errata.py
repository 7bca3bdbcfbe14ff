"""Every erratum is a computation that the printed statement fails and the corrected one passes."""

import math
from fractions import Fraction

import pytest
from scipy.stats import norm

from podium import bounds
from podium.experiments.errata import ERRATA
from podium.experiments.errata.erratum import by_density_ratio, by_regression
from podium.phi import resolve

ALL = [(paper, erratum) for paper, errata in ERRATA.items() for erratum in errata]


@pytest.mark.parametrize(("paper", "erratum"), ALL, ids=[f"{paper}, {erratum.place}" for paper, erratum in ALL])
def test_the_printed_statement_fails_and_the_corrected_one_holds(paper, erratum):
    evidence = erratum.check()
    assert not evidence.printed, f"{paper}, {erratum.place}: the printed statement holds"
    assert evidence.corrected
    assert any(digit.isdigit() for digit in evidence.numbers)


def test_lemma_23_follows_from_bounded_differences_and_says_little():
    # CLV21: exp(−p²Nt²/C) where McDiarmid's inequality has exp(−2t²/V), V the squared changes by single rows.
    for name in ("auc", "power:3", "smooth-top:0.9", "early-recognition:20"):
        phi = resolve(name)
        norms = phi.sup_norm, phi.sup_norm_derivative, phi.sup_norm_second_derivative
        c = 6 * (norms[0] ** 2 + 9 * norms[1] ** 2 + 9 * norms[2] ** 2)
        for n_pos, n_neg in ((10, 10), (150, 150), (30, 270), (270, 30)):
            p, n_total = n_pos / (n_pos + n_neg), n_pos + n_neg
            assert bounds.rank_statistic_sensitivity(n_pos, n_neg, name) <= 2 * c / (p**2 * n_total)
    c = 6 * (1 + 9 * 3**2 + 9 * 6**2)  # φ(u) = u³
    assert math.sqrt(c * math.log(1 / 0.05) / (0.25 * 300)) == pytest.approx(9.9, abs=0.05)


def test_the_bias_of_smoothing_must_count_twice_in_4_11():
    # CLV21 (4.11), φ = u, where W = p/2 + (1 − p)·AUC and W̃ the same of P(Y < X + hV). Large samples: Ŵ = W̃. Tight
    # clusters: s₁ is right everywhere, s₂ in a tenth of the positives; h = 1 smears both until s₂ looks better.
    def area(shifts, h):
        return sum(share * norm.cdf(shift / math.hypot(0.01 * math.sqrt(2), h)) for shift, share in shifts)

    best, learned = ((0.05, 1.0),), ((10.0, 0.1), (-0.05, 0.9))
    assert area(learned, 1.0) > area(best, 1.0)  # so it is learned
    deficit = area(best, 0.0) - area(learned, 0.0)
    bias = max(abs(area(s, 1.0) - area(s, 0.0)) for s in (best, learned))
    assert bias < deficit <= 2 * bias


def test_the_bounds_that_replace_remark_3_hold_on_a_grid_of_cells():
    grid = [i / 10 for i in range(1, 10)]
    for g in grid:
        for h in grid:
            for p in grid:
                for bound in (by_density_ratio, by_regression):
                    lost, _, corrected = bound((g, 1 - g), (h, 1 - h), p)
                    assert lost <= corrected + 1e-12


def test_the_printed_number_of_monomials_is_right_by_vandermonde():
    # A05 (23), as in JMLR: the sum over the number of variables used, each to at least the first power.
    for d in range(1, 8):
        for q in range(1, 6):
            printed = sum(
                math.comb(d, i) * sum(math.comb(j - 1, i - 1) for j in range(i, q + 1)) for i in range(1, d + 1)
            )
            assert printed == math.comb(d + q, q) - 1


@pytest.mark.parametrize("n_neg", [1, 2, 5])
def test_the_least_variance_of_the_auc_is_attained_with_one_positive_or_one_negative(n_neg):
    # Negatives independent, the one positive at a point above each of them with probability A: a binomial mean.
    area = Fraction(7, 10)
    mean = sum(Fraction(k, n_neg) * math.comb(n_neg, k) * area**k * (1 - area) ** (n_neg - k) for k in range(n_neg + 1))
    square = sum(
        Fraction(k, n_neg) ** 2 * math.comb(n_neg, k) * area**k * (1 - area) ** (n_neg - k) for k in range(n_neg + 1)
    )
    assert square - mean**2 == area * (1 - area) / n_neg
