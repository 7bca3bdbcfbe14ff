"""Coverage of the intervals and size of the tests, by simulation: ``make coverage``.

Prints its tables and writes them to docs/coverage_intervals.rst; some minutes on one core.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pages import table
from populations import Binormal

from podium import phi as phi_
from podium.inference import compare, interval, learned_two_sample_test, rank_test

SIZES = ((50, 50), (150, 150), (30, 270), (1000, 1000))
METHODS = ("jackknife", "pseudo-event", "bca", "percentile", "delong", "hanley-mcneil", "newcombe", "kl")
TARGET = Path(__file__).parent.parent / "docs" / "coverage_intervals.rst"


@dataclass(frozen=True)
class Cell:
    """How often the truth lay below, inside and above the intervals, and how wide they were."""

    truth: float
    coverage: float
    below: float
    above: float
    width: float


def coverage(law, sizes, phi, *, method="auto", level=0.95, n_draws=2000, seed=0) -> Cell:
    """Share of simulated samples whose interval holds the ω_φ of the population."""
    rng = np.random.default_rng([seed, *sizes])
    truth = law.omega(phi_.resolve(phi), sizes[0] / sum(sizes))
    limits = np.empty((n_draws, 2))
    for draw in range(n_draws):
        found = interval(*law.draw(rng, *sizes), phi, method=method, confidence_level=level, rng=rng)
        limits[draw] = found.low, found.high
    below, above = (truth < limits[:, 0]).mean(), (truth > limits[:, 1]).mean()
    return Cell(truth, 1 - below - above, below, above, np.ptp(limits, axis=1).mean())


def paired_size(sizes, phi, n_draws=4000, seed=0) -> float:
    """Share of paired tests at the 5 % level that find a difference between two scorers of equal quality."""
    rng = np.random.default_rng([seed, *sizes])
    rejected = 0
    for _ in range(n_draws):
        y, s = Binormal(0.85).draw(rng, *sizes)
        a, b = s + rng.standard_normal((2, len(s)))
        rejected += compare(y, a, b, phi).pvalue <= 0.05
    return rejected / n_draws


def rank_test_size(sizes, phi, rounding=None, method="auto", n_draws=2000, seed=0) -> float:
    """Share of rank tests at the 5 % level that find a difference between equal distributions."""
    rng = np.random.default_rng([seed, *sizes])
    law = Binormal(0.5, rounding=rounding)
    rejected = 0
    for _ in range(n_draws):
        y, s = law.draw(rng, *sizes)
        rejected += rank_test(s[y], s[~y], phi, method=method, n_resamples=999, rng=rng).pvalue <= 0.05
    return rejected / n_draws


def learned_test_size(sizes, phi, n_draws=500, seed=0) -> float:
    """The same for the learned test, on five features."""
    rng = np.random.default_rng([seed, *sizes])
    rejected = 0
    for _ in range(n_draws):
        X, Y = rng.standard_normal((sizes[0], 5)), rng.standard_normal((sizes[1], 5))
        rejected += learned_two_sample_test(X, Y, phi=phi, rng=rng).pvalue <= 0.05
    return rejected / n_draws


LAWS = [Binormal(auc, spread) for spread in (1, 2) for auc in (0.7, 0.9, 0.97)]
STEEP_LAWS = [Binormal(0.7), Binormal(0.9), Binormal(0.97), Binormal(0.99), Binormal(0.9, 2), Binormal(0.97, 2)]
ROUGH_PHIS = ("van-der-waerden", "logrank", "median", "top:0.9")


def default_table(phis, laws, n_draws) -> Iterator[list[str]]:
    for phi in phis:
        for law in laws:
            for sizes in SIZES:
                cell = coverage(law, sizes, phi, n_draws=n_draws if sizes[0] < 1000 else n_draws // 2)
                yield [phi, str(law), "{}/{}".format(*sizes), *_shown(cell)]


def pseudo_event_table(n_draws) -> Iterator[list[str]]:
    for phi in ("auc", "power:3", "power:8", "smooth-top:0.9"):
        for law in [Binormal(auc, rounding=rounding) for auc in (0.9, 0.97) for rounding in (None, 0.5, 1)]:
            for sizes in SIZES[:3]:
                cells = [
                    coverage(law, sizes, phi, method="pseudo-event", level=level, n_draws=n_draws)
                    for level in (0.9, 0.95, 0.99)
                ]
                shown = [f"{cell.coverage:.3f}" for cell in cells]
                yield [phi, str(law), "{}/{}".format(*sizes), f"{cells[0].truth:.3f}", *shown]


def method_table(n_draws) -> Iterator[list[str]]:
    for law in (Binormal(0.7), Binormal(0.9), Binormal(0.97), Binormal(0.97, 2)):
        for sizes in SIZES[:3]:
            cells = [coverage(law, sizes, "auc", method=method, n_draws=n_draws) for method in METHODS]
            yield [str(law), "{}/{}".format(*sizes), *(f"{cell.coverage:.3f}" for cell in cells)]


def paired_table(n_draws) -> Iterator[list[str]]:
    for phi in ("auc", "power:3", "power:8", "smooth-top:0.9"):
        yield [phi, *(f"{paired_size(sizes, phi, n_draws):.3f}" for sizes in SIZES[:3])]


def rank_test_table(n_draws) -> Iterator[list[str]]:
    for phi in ("auc", "power:3", "power:8", "van-der-waerden", "logrank", "median", "top:0.9"):
        for method in ("auto", "asymptotic"):
            shown = [
                f"{rank_test_size(sizes, phi, rounding, method, n_draws):.3f}"
                for sizes in ((8, 8), (20, 20), (15, 60), (100, 100))
                for rounding in (None, 0.5)
            ]
            yield [phi, method, *shown]


def learned_table(n_draws) -> Iterator[list[str]]:
    for phi in ("auc", "power:3"):
        yield [phi, *(f"{learned_test_size(sizes, phi, n_draws):.3f}" for sizes in ((40, 40), (40, 120)))]


def _shown(cell: Cell) -> list[str]:
    mark = "" if 0.93 <= cell.coverage <= 0.97 else "short" if cell.coverage < 0.93 else "conservative"
    numbers = [f"{v:.3f}" for v in (cell.truth, cell.coverage, cell.below, cell.above, cell.width)]
    return [*numbers, mark]


HEADER = """Coverage of intervals, size of tests
====================================

Written by ``make coverage``. Scores are binormal: negatives N(0, 1), positives with the standard deviation and the AUC
given. What is covered is ω_φ of the population at the sample's share of positives (CLV21, Eq. 3.4), by numerical
integration; where scores are rounded, with φ averaged over the jumps of F. "below" and "above" say how often the truth
lay there. With {n:,} draws a cell the standard error of a coverage of .95 is {error:.3f}; half as many were drawn at
1000/1000, at other levels and for rank tests, a quarter for the table of methods, an eighth for the learned test. All
tests are at the 5 % level.

"conservative" marks a coverage above .97, "short" one below .93. Conservative cells have few losses: there the far
limit of the pseudo-event interval never errs and only the near one misses, in 2 to 3 % of all samples. A limit that
erred a little there would err too often elsewhere: the losses of a short list come one by one, and a rule either
excludes the truth whenever none was seen or never does. Where φ jumps, the jackknife variance comes out too large.

Rows that tie count by the mean of φ over their ranks, in the sample and in the population; :doc:`coverage_laws` has
grades, zeros, few positives and negatives on top.

The paired test is conservative where ten rows decide (smooth-top:0.9, 50/50). The normal approximation of the median
test exceeds its level; there ``method="auto"`` permutes.
"""
CELL = ["coverage", "below", "above", "width", ""]


def tables(n_draws: int) -> Iterator[tuple[str, list[str], Iterator[list[str]]]]:
    names = ["φ", "scores", "sizes", "ω", *CELL]
    yield "The default at φ = u and u³", names, default_table(("auc", "power:3"), LAWS, n_draws)
    yield "The default at steep φ", names, default_table(("power:8", "smooth-top:0.9"), STEEP_LAWS, n_draws)
    yield "The default where φ jumps or is unbounded", names, default_table(ROUGH_PHIS, STEEP_LAWS[:3], n_draws)
    yield (
        "Pseudo-event limits at other levels and with ties",
        ["φ", "scores", "sizes", "ω", "90 %", "95 %", "99 %"],
        pseudo_event_table(n_draws // 2),
    )
    yield (
        "Methods for the AUC (delong-logit is the jackknife)",
        ["scores", "sizes", *METHODS],
        method_table(n_draws // 4),
    )
    yield "Size of the paired test", ["φ", *("{}/{}".format(*sizes) for sizes in SIZES[:3])], paired_table(n_draws)
    yield (
        "Size of rank tests, without ties and rounded to ½",
        ["φ", "method", "8/8", "rounded", "20/20", "rounded", "15/60", "rounded", "100/100", "rounded"],
        rank_test_table(n_draws // 2),
    )
    yield "Size of the learned test", ["φ", "40/40", "40/120"], learned_table(n_draws // 8)


def main(n_draws: int = 2000) -> None:
    header = HEADER.format(n=n_draws, error=np.sqrt(0.05 * 0.95 / n_draws))
    TARGET.write_text(header + "".join(table(*one, TARGET.stem) for one in tables(n_draws)))


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
