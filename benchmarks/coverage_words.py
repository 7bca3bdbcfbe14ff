"""Coverage of the limits of every measure in the table of words, and size of its paired comparison.

Part of ``make coverage``: prints its tables and writes them to docs/coverage_words.rst; some minutes on one core.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from laws import LAWS, normal
from pages import table
from scipy.special import expit
from scipy.stats import norm

from podium import metrics
from podium._words import words
from podium.inference import compare, interval, stability_index
from podium.inference.stability import Divergence
from podium.metrics.named import named

TARGET = Path(__file__).parent.parent / "docs" / "coverage_words.rst"
SIZES = ((100, 100), (30, 270), (20, 2000))
CHOSEN = (LAWS[0], LAWS[1], LAWS[-1])
GRID = (np.arange(20_000) + 0.5) / 20_000
SHORT = 0.93
NO_LIMITS = ("average-reciprocal-rank", "push-risk")
OTHERS = {  # numbers that ask something of lists this short
    "iv": "iv:5",
    "enrichment": "enrichment:0.05",
    "relative-enrichment": "relative-enrichment:0.05",
    "roc-enrichment": "roc-enrichment:0.1",
    "log-auc": "log-auc:0.01:0.2",
    "tpr-at-fpr": "tpr-at-fpr:0.1",
    "specificity-at-tpr": "specificity-at-tpr:0.8",
    "partial-auc": "partial-auc:0.1",
    "wss": "wss@80",
    "bedroc": "bedroc:5",
    "rie": "rie:5",
}


def forms(n_rows: int) -> list[str]:
    """Every measure with numbers for a list of this length: a tenth of the rows where some are inspected."""
    chosen = []
    for word in words().values():
        form = OTHERS.get(word.name, word.form)
        if word.name not in NO_LIMITS:
            chosen.append(form.replace("@100", f"@{n_rows // 10}"))
    return chosen


def true_value(law, form: str, n_pos: int, n_neg: int) -> float:
    """The measure of a list as the population is, each class spread evenly and weighted to its number of rows."""
    scores = expit(np.concatenate([law.pos(GRID), law.neg(GRID)]))
    is_positive = np.arange(2 * len(GRID)) < len(GRID)
    weight = np.where(is_positive, n_pos, n_neg) / len(GRID)
    return metrics.metric(form)(is_positive, scores, sample_weight=weight)


def label(name: str) -> str:
    """The measure without its numbers."""
    return words()[name].shown.partition("{")[0].partition("(")[0].removesuffix("at ").strip()


def coverage_table(n_draws: int, sizes=SIZES, laws=CHOSEN) -> Iterator[list[str]]:
    """Of every measure: its least coverage over the cells and where, the mean, the mean width there, the method."""
    found: dict[str, list[tuple[float, float, float, str, bool]]] = {}
    for n_pos, n_neg in sizes:
        for law in laws:
            rng, asked = np.random.default_rng([n_pos, n_neg]), forms(n_pos + n_neg)
            truth = {form: true_value(law, form, n_pos, n_neg) for form in asked}
            missed = {form: np.zeros(2) for form in asked}
            noted = dict.fromkeys(asked, 0)
            for _ in range(n_draws):
                y, s = law.draw(rng, n_pos, n_neg)
                s = expit(s)
                for form in asked:
                    one = interval(y, s, form)
                    missed[form] += [truth[form] < one.low - 1e-9, truth[form] > one.high + 1e-9]
                    noted[form] += bool(one.note)
            for form in asked:
                below, above = missed[form] / n_draws
                cell = f"{law}, {n_pos}/{n_neg}"
                found.setdefault(named(form).name, []).append(
                    (1 - below - above, below, above, cell, noted[form] > n_draws / 2)
                )
    for name, cells in found.items():
        least = min(cells)
        short = [cell for cell in cells if cell[0] < SHORT]
        mark = "" if not short else "noted" if all(cell[4] for cell in short) else f"short in {len(short)}"
        numbers = [f"{value:.3f}" for value in (least[0], least[1], least[2], np.mean([cell[0] for cell in cells]))]
        yield [label(name), str(len(cells)), *numbers, least[3], mark]


def size_table(n_draws: int) -> Iterator[list[str]]:
    """Share of paired tests at the 5 % level that find a difference between two scorers of equal quality."""
    for name in words():
        if name in NO_LIMITS:
            continue
        row = [label(name)]
        for sizes in ((100, 100), (30, 270), (100, 900)):
            form = next(form for form in forms(sum(sizes)) if named(form).name == name)
            rng, rejected = np.random.default_rng([1, *sizes]), 0
            for _ in range(n_draws):
                y, s = normal(0.8).draw(rng, *sizes)
                a, b = expit(s + 0.7 * rng.standard_normal((2, len(s))))
                rejected += compare(y, a, b, metric=form).pvalue <= 0.05
            row.append(f"{rejected / n_draws:.3f}")
        yield row


def stability_table(n_draws: int) -> Iterator[list[str]]:
    """Stability indices of normal scores that have moved by so much, in ten bins."""
    edges = norm.ppf(np.arange(1, 10) / 10)
    for sizes in ((300, 300), (1000, 1000), (5000, 500)):
        for shift in (0.0, 0.15, 0.5):
            shares = [np.diff([0.0, *norm.cdf(edges - by), 1.0]) for by in (shift, 0.0)]
            truth, missed = Divergence(*shares, 1.0, 1.0).value, np.zeros(2)
            rng = np.random.default_rng(sizes)
            for _ in range(n_draws):
                one = stability_index(rng.normal(size=sizes[0]), rng.normal(shift, size=sizes[1]))
                missed += [truth < one.low - 1e-12, truth > one.high]
            below, above = missed / n_draws
            numbers = [f"{value:.3f}" for value in (truth, one.by_chance, 1 - below - above, below, above)]
            yield ["{}/{}".format(*sizes), f"{shift:g}", *numbers]


HEADER = """Coverage of the measures of the fields
======================================

Written by ``make coverage``: {n} samples a cell, nominal level 95 %; near .95 the standard error of a figure is
{error:.1f} points. Cells are {sizes} positives and negatives, with normal scores of AUC .7 and .9 and with five
grades. The names are those of :doc:`words`. For every measure the least coverage over the cells is shown, with how
often the truth was below and above the limits there, and the mean of all cells. "noted" marks a measure whose result
carries a note in every cell below .93, "short in k" one that falls below in k cells without one.

Cuts are at a tenth of the rows, enrichment at 5 %, rates of the curve at FPR .1 or sensitivity .8, BEDROC and RIE at
α = 5, rates at a cut at 0.5 of the scores as probabilities. What a measure is in the population is that of a list of
this length and share of positives without chance. Limits of PPV, NPV and net benefit are for rows drawn at random,
whose share of positives varies; here it is fixed, so that they hold more often than they say.
"""


def main(n_draws: int = 400) -> None:
    warnings.simplefilter("error")
    sizes = ", ".join("{}/{:,}".format(*each) for each in SIZES)
    text = HEADER.format(n=n_draws, error=100 * np.sqrt(0.05 * 0.95 / n_draws), sizes=sizes)
    names = ["measure", "cells", "least", "below", "above", "mean", "where least", ""]
    text += table("Intervals: interval(y, s, word)", names, coverage_table(n_draws))
    names = ["measure", "100/100", "30/270", "100/900"]
    text += table("Size of compare(y, a, b, metric=word) at 5 %", names, size_table(n_draws))
    names = ["then/now", "shift", "index", "by chance", "coverage", "below", "above"]
    text += table("Population stability index: stability_index(expected, actual)", names, stability_table(n_draws))
    TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
