"""Coverage of the default interval on lists as people meet them: ties, few positives, negatives on top, clusters.

Part of ``make coverage``: prints its tables and writes them to docs/coverage_laws.rst; some minutes on one core.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from laws import LAWS, normal, ordinal
from pages import table

from podium import phi as phi_
from podium.inference import compare, interval, power_two_aucs
from podium.metrics import rank_statistic

PHIS = ("auc", "power:3", "power:8", "early-recognition:20", "smooth-top:0.95", "dcg")
SIZES = ((8, 20), (100, 20), (100, 100), (30, 270), (40, 4000), (12, 2000), (8, 2000), (5, 5000))
COMPETITORS = ("delong", "delong-logit", "newcombe")
COMPARED = ((12, 200), (20, 200), (100, 100), (30, 270), (40, 4000))
PLANNED = (
    (100, 100, 0.8, 0.7, 0.07),
    (60, 600, 0.85, 0.5, 0.08),
    (40, 160, 0.9, 0.6, 0.06),
    (200, 200, 0.75, 0.3, 0.1),
    (30, 300, 0.9, 0.8, 0.05),
)  # positives, negatives, AUC, correlation, margin
TARGET = Path(__file__).parent.parent / "docs" / "coverage_laws.rst"
KNOWN = "φ depends on the length of the list: ω is that of lists this long"  # says nothing on coverage


def truth(draw, phi, n_pos, n_neg, law=None) -> float:
    """ω_φ of the population; for a φ that depends on the length of the list, the mean of lists this long."""
    if law is not None and phi != "dcg":
        return law.omega(phi_.resolve(phi), n_pos / (n_pos + n_neg))
    rng = np.random.default_rng(99)
    return float(np.mean([rank_statistic(*draw(rng)[:2], phi=phi) for _ in range(3000)]))


def cell(draw, phi, expected, n_draws) -> list[str]:
    """ω, coverage, how often it lay below and above, width and how it compares, share with a note, mark.

    The median width, over the narrowest of DeLong's, logit DeLong's and Newcombe's that covers .93 in the cell (AUC).
    """
    rng = np.random.default_rng(0)
    methods = ("auto", *(COMPETITORS if phi == "auc" else ()))
    all_limits, noted = np.empty((n_draws, len(methods), 2)), np.zeros(n_draws, bool)
    for i in range(n_draws):
        y, s, *rest = draw(rng)
        options = rest[0] if rest else {}
        for j, method in enumerate(methods if "groups" not in options else methods[:1]):
            found = interval(y, s, phi, method=method, **options)
            all_limits[i, j] = found.low, found.high
            if j == 0:
                noted[i] = found.note.removesuffix(KNOWN) != ""
    limits = all_limits[:, 0]
    widths = np.median(np.ptp(all_limits, axis=2), axis=0)
    covers = ((all_limits[..., 0] <= expected) & (expected <= all_limits[..., 1])).mean(axis=0) >= 0.93
    valid = widths[1:][covers[1:]] if "groups" not in options else []
    ratio = f"{widths[0] / min(valid):.2f}" if len(valid) else ""
    below, above = expected < limits[:, 0], expected > limits[:, 1]
    covered, without_note = 1 - (below | above).mean(), 1 - (below | above)[~noted].mean() if not noted.all() else 1.0
    mark = "" if covered >= 0.93 else "short" if without_note < 0.93 else f"short; without a note {without_note:.3f}"
    numbers = [f"{v:.3f}" for v in (expected, covered, below.mean(), above.mean(), widths[0])]
    return [*numbers, ratio, f"{100 * noted.mean():.0f} %", mark]


def law_table(sizes, n_draws) -> Iterator[list[str]]:
    for law in LAWS:
        for phi in PHIS:

            def draw(rng, law=law):
                return law.draw(rng, *sizes)

            yield [str(law), phi, *cell(draw, phi, truth(draw, phi, *sizes, law), n_draws)]


def clustered(rng, n_clusters, size, constant):
    """Normal scores with an AUC of .9 of which clusters share a part: intraclass correlation .3."""
    cluster = np.repeat(np.arange(n_clusters), size)
    y = cluster % 2 == 0 if constant else np.arange(n_clusters * size) % 2 == 0
    shared = np.sqrt(0.3) * rng.standard_normal(n_clusters)[cluster]
    noise = shared + np.sqrt(0.7) * rng.standard_normal(n_clusters * size)
    return y, noise + y * normal(0.9).pos(np.array([0.5]))[0], {"groups": cluster}


def counted(rng):
    """Grades as a table of counts: a row for every grade and class, weighted."""
    y, s = ordinal([0.05, 0.1, 0.2, 0.3, 0.35], [0.4, 0.3, 0.15, 0.1, 0.05]).draw(rng, 100, 100)
    rows, counts = np.unique(np.column_stack([y, s]), axis=0, return_counts=True)
    return rows[:, 0] == 1, rows[:, 1], {"sample_weight": counts}


def clustered_table(n_draws) -> Iterator[list[str]]:
    designs = {
        "20 clusters of 10, label constant": lambda rng: clustered(rng, 20, 10, True),
        "20 clusters of 10, label varying": lambda rng: clustered(rng, 20, 10, False),
        "60 clusters of 5, label constant": lambda rng: clustered(rng, 60, 5, True),
        "5 grades as weights": counted,
    }
    for name, draw in designs.items():
        law = LAWS[-1] if "grades" in name else normal(0.9)
        n_pos = 150 if "60" in name else 100

        def unweighted(rng, law=law, n_pos=n_pos):
            return law.draw(rng, n_pos, n_pos)

        for phi in PHIS:
            yield [name, phi, *cell(draw, phi, truth(unweighted, phi, n_pos, n_pos, law), n_draws)]


def size_table(n_draws) -> Iterator[list[str]]:
    """Share of paired tests at the 5 % level that find a difference between two scorers of equal quality."""
    for phi in PHIS:
        row = [phi]
        for n_pos, n_neg in COMPARED:
            for rounding in (None, 1.0):
                rng, rejected = np.random.default_rng([1, n_pos, n_neg]), 0
                for _ in range(n_draws):
                    y, s = normal(0.8).draw(rng, n_pos, n_neg)
                    a, b = s + 0.7 * rng.standard_normal((2, len(s)))
                    if rounding:
                        a, b = np.round(a / rounding), np.round(b / rounding)
                    rejected += compare(y, a, b, phi).pvalue <= 0.05
                row.append(f"{rejected / n_draws:.3f}")
        yield row


def margin_table(n_draws) -> Iterator[list[str]]:
    """Non-inferiority by a margin: size where a is worse by just that, and power where both are equal, as planned."""
    for n_pos, n_neg, auc, correlation, margin in PLANNED:
        worse, equal = rivals(auc - margin, auc, correlation), rivals(auc, auc, correlation)
        rng, found = np.random.default_rng([2, n_pos, n_neg]), []
        for draw, level in ((worse, 0.05), (equal, 0.025)):
            pvalues = [
                compare(*draw(rng, n_pos, n_neg), margin=margin, alternative="greater").pvalue for _ in range(n_draws)
            ]
            found.append(np.mean(np.array(pvalues) <= level))
        planned = power_two_aucs(auc, auc, n_pos, n_neg, correlation=correlation, margin=margin)
        design = [f"{n_pos}/{n_neg}", f"{auc:g}", f"{correlation:g}", f"{margin:g}"]
        yield [*design, *(f"{share:.3f}" for share in (found[0], planned, found[1]))]


def rivals(auc_a, auc_b, correlation):
    """Labels and two normal scores of the same rows with these AUCs and this correlation within the classes."""
    shifts = [normal(auc).pos(np.array([0.5]))[0] for auc in (auc_a, auc_b)]

    def draw(rng, n_pos, n_neg):
        y = np.arange(n_pos + n_neg) < n_pos
        shared = np.sqrt(correlation) * rng.standard_normal(len(y))
        return y, *(shared + np.sqrt(1 - correlation) * rng.standard_normal(len(y)) + y * shift for shift in shifts)

    return draw


HEADER = """Coverage on lists as people meet them
=====================================

Written by ``make coverage``. Coverage of ``interval(y, s, phi)`` at 95 % where scores are far from normal, tie, have a
few negatives on top, few positives, or clusters. What is covered is ω_φ of the population at the sample's share of
positives; for dcg, which depends on the length of the list, the mean over lists this long. "noted" is the share of
intervals with a note on coverage; "short" marks a coverage below .93, with that of the intervals without a note where
that holds. With {n} draws a cell the standard error of a
coverage of .95 is {error:.3f}; half as many were drawn of lists of 2,000 rows and more.

"to the narrowest" is the median width over that of the narrowest of DeLong's, logit DeLong's and Newcombe's intervals
that cover .93 in the cell, where one does (AUC alone). None of them does at all laws: with 8 positives and 2,000
negatives logit DeLong covers .66 to .97, Newcombe .85 to 1.

Limits hold where losses that were not seen cost much because they allow for a part of one more loss. Parts and powers
(see ``interval``) were chosen by these laws. For a steep φ three quarters of a loss, in which losses weigh by their
squares, is what lists with 2 % of negatives on top need: one in eight shows none of them and looks like a clean list.
At 100 positives and 100 negatives dcg was covered there in .951 of 1,000 lists; with .6 of a loss in .863, and with a
whole one in which losses weigh by themselves in .854.

The paired test of a φ other than u errs on the side of zero: the scorer that looks better may owe it to losses that
it was spared, so its error is the distance to its own lower limit, with .45 of the loss that limits allow for, and
the other's that to its upper limit. With the jackknife's standard error alone a large difference comes with a large
one, and equal scorers were told apart by smooth-top:0.95 in .011 of 4,000 lists of 100 positives and 100 negatives at
a level of 5 %, now in .03; on the scale of logits it would be .31. There is no part that suits all: beside an
independent normal scorer of the same mean, one with 1 or 2 % of the negatives on top is told apart in .052 and .070
of 3,000 lists (.020 and .054 before), by early-recognition:20 in .092 and .095 (.076 and .099); five grades in .03
(.12). With .5 of a loss equal scorers were told apart in .024 and the contaminated ones in .042 to .086, with .4 in
.039 and .063 to .112. The more two scorers agree, the more cautious the test is. Exchanging the scorers of rows at
random would be exact for equal laws, but where laws differ it finds a difference in up to .18 of lists.

Tests of non-inferiority of AUCs have the power that ``power_two_aucs`` plans, and reject a scorer that is worse by just
the margin in 5 to 7 % of lists at the 5 % level, with 30 positives and a correlation of .8 in 9 %: where a is found
high, its standard error is small. Errors on the side of the margin (with a whole event) bring the 9 % down to 6.5, but
cost up to a tenth of the power; a correction for the skewness of the influence values leaves the sizes as they are.
"""


def tables(n: int) -> Iterator[tuple[str, list[str], Iterator[list[str]]]]:
    names = ["scores", "φ", "ω", "coverage", "below", "above", "median width", "to the narrowest", "noted", ""]
    for sizes in SIZES:
        yield "{} positives, {} negatives".format(*sizes), names, law_table(sizes, n if sum(sizes) < 1000 else n // 2)
    yield "Clusters and weights", names, clustered_table(n)
    sized = [f"{n_pos}/{n_neg}{kind}" for n_pos, n_neg in COMPARED for kind in ("", ", tied")]
    yield "Size of the paired test at 5 %, without ties and rounded to whole numbers", ["φ", *sized], size_table(n)
    names = ["n/m", "AUC", "correlation", "margin", "size at 5 %", "power as planned", "power found"]
    yield "Not worse by a margin: ``compare(margin=, alternative='greater')``", names, margin_table(n)


def main(n_draws: int = 1000) -> None:
    text = HEADER.format(n=f"{n_draws:,}", error=np.sqrt(0.05 * 0.95 / n_draws))
    for title, names, rows in tables(n_draws):
        text += table(title, names, rows, TARGET.stem)
    TARGET.write_text(text)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
