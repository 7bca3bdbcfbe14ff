"""Every erratum is a computation that the printed statement fails and the corrected one passes."""

import math
from fractions import Fraction

import pytest

from podium.experiments.errata import ERRATA
from podium.experiments.errata.plug_in import by_density_ratio, by_regression

ALL = [(paper, erratum) for paper, errata in ERRATA.items() for erratum in errata]


@pytest.mark.parametrize(("paper", "erratum"), ALL, ids=[f"{paper}, {erratum.place}" for paper, erratum in ALL])
def test_the_printed_statement_fails_and_the_corrected_one_holds(paper, erratum):
    evidence = erratum.check()
    assert not evidence.printed, f"{paper}, {erratum.place}: the printed statement holds"
    assert evidence.corrected
    assert any(digit.isdigit() for digit in evidence.numbers)


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
