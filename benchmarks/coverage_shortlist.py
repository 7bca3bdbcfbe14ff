"""Shortlists against the truth, by simulation and on real tables: ``make coverage`` writes docs/coverage_shortlist.rst.

Real tables are those of the folder that PODIUM_DATA names; without it, their part of the page is kept.
"""

from __future__ import annotations

import os
import sys
from itertools import product
from pathlib import Path

import numpy as np
from shortlist_draws import (
    FDR,
    FPR,
    LISTS,
    POPULATIONS,
    PRECISION,
    RECALL,
    SIZES,
    Population,
    failures,
    false_claims,
    false_discoveries,
)
from sklearn.ensemble import HistGradientBoostingClassifier

from podium import shortlist
from podium.datasets import TABLES, load_table
from podium.exceptions import DegenerateSampleError

PAGE = Path(__file__).parents[1] / "docs" / "coverage_shortlist.rst"
TABLES_MARK = ".. The tables."


def real_table(name, n_splits, seed=0):
    """Realized FDR, recall, FPR and precision of cuts found on one half and used on the other, over random halves."""
    frame, y = load_table(name)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(y))[:15_000]
    X = np.column_stack(
        [column if column.dtype.kind in "biuf" else column.factorize()[0] for _, column in frame.items()]
    )
    trained, rest = np.split(rows, [len(rows) // 3])
    model = HistGradientBoostingClassifier(max_iter=50, random_state=0).fit(X[trained], y[trained])
    s, y = model.decision_function(X[rest]), y[rest]
    sums, count = np.zeros(4), np.zeros(4)
    met = np.zeros(4)
    for _ in range(n_splits):
        cal, new = np.array_split(rng.permutation(len(y)), 2)
        chosen = shortlist.by_fdr(y[cal], s[cal], s[new], fdr=FDR).chosen
        values = [(chosen & ~y[new]).sum() / max(1, chosen.sum())]
        for find, options in (
            (shortlist.by_recall, {"recall": RECALL}),
            (shortlist.by_fpr, {"fpr": FPR}),
            (shortlist.by_precision, {"precision": PRECISION}),
        ):
            try:
                found = find(y[cal], s[cal], s[new], **options)
            except DegenerateSampleError:
                values.append(np.nan)
                continue
            of = {shortlist.by_recall: y[new], shortlist.by_fpr: ~y[new]}.get(find)
            hits, total = (found.chosen & y[new], found.chosen) if of is None else (found.chosen & of, of)
            values.append(hits.sum() / total.sum() if total.any() else np.nan)
        values = np.array(values)
        known = ~np.isnan(values)
        kept = values >= [0, RECALL, 0, PRECISION]
        kept &= values <= [1, 1, FPR, 1]
        sums[known] += values[known]
        met += kept | ~known
        count += known
    with np.errstate(invalid="ignore"):
        return len(cal), y.mean(), sums / count, met / n_splits


def table(header, rows):
    lines = [".. list-table::", "   :header-rows: 1", ""]
    return (
        "\n".join(
            [
                *lines,
                *(f"   {'*' if i == 0 else ' '} - {cell}" for row in [header, *rows] for i, cell in enumerate(row)),
            ]
        )
        + "\n"
    )


PREFACE = """Shortlists: do they hold?
=========================

Written by ``make coverage``. Scores are normal in both classes, or rounded to halves ("ties"); labels are
independent, so that the number of positives varies from sample to sample. Every figure is a share of simulated
samples.

False discoveries
-----------------

``by_fdr`` at {fdr:.0%} over {n_fdr} pairs of calibration sample and list, and eight times as many with short lists: the
mean share of negatives among the chosen rows (with its standard error), and the mean share of positives chosen, beside
that of the best cut if the population were known. {worst}

{false}
Rates
-----

How often, of {n_rates} calibration samples, a cut broke its promise: ``by_recall`` ({recall:.0%}) and ``by_fpr``
({fpr:.0%}), at 95 % confidence. In parentheses: the exact probability, the mean of one less ``attained_level``, which
falls short of 5 % because order statistics are whole numbers. "–": too few rows for any claim. ``by_precision`` with
negatives on top, and ``by_cost``: :doc:`coverage_cuts`.

{rates}

With ``randomize=True``, where scores do not tie: how often, of all samples, a cut broke its promise. That is exactly
5 % of the samples with enough positives or negatives for a claim; of samples of 200 with 10 % positive, and of 2,000
with 1 %, few have enough.

{exact}

``by_precision`` fails most where nothing distinguishes the cuts: scores that say nothing, {precision:.0%} of rows
positive, where every claim is false. There it fails in {flat_200:.3f} of samples of 200
and {flat_2000:.3f} of 2,000; randomized, in {exact_200:.3f} and {exact_2000:.3f}.

When to stop
------------

``recall_reached`` for a list of 2,000 rows of which 400 were read from the top with 90 positives among them,
and as many missed as given: how often the recall was claimed to be more than it was, with one look after a
quarter of the rest, and ever with a look after every 25 rows ({n_stop} lists); and the median number of rows
drawn until a recall of {recall:.0%} was claimed.

{stopping}
"""

TABLES_PREFACE = """Real tables
-----------

A gradient boosting model is trained on a third of at most 15,000 rows; the others are split at random into halves,
one to calibrate, one as the list, {n} times. Means over the splits in which something was claimed; in parentheses the
share of all splits where no promise was broken in the list. The list is itself a sample, so that a cut which keeps its
promise in the population may miss it there. The FDR ({fdr:.0%}) is promised on average only. "–": no claim.

"""


def share(value, exact=None):
    return f"{value:.3f}" if exact is None else f"{value:.3f} ({exact:.3f})"


def simulated(n_draws):
    false, worst = [], -np.inf
    for population, n, m in product(POPULATIONS, SIZES, LISTS):
        rate, error, power = false_discoveries(population, n, m, n_draws * (8 if m == LISTS[0] else 1))
        worst = max(worst, (rate - FDR) / max(error, 1e-9)) if rate > FDR else worst
        false.append([population, f"{n:,}", f"{m:,}", share(rate, error), share(power), share(population.oracle_tpr())])
        print(*false[-1], flush=True)
    rates = []
    for population, n in product(POPULATIONS, SIZES):
        broken, silent, exact = failures(population, n, 4 * n_draws)
        cells = ["–" if silent[k] == 1 else share(broken[k], exact[k]) for k in exact]
        rates.append([population, f"{n:,}", *cells])
        print(*rates[-1], flush=True)
    exact = []
    for population, n in product([each for each in POPULATIONS if not each.ties], SIZES):
        broken, silent, _ = failures(population, n, 4 * n_draws, randomize=True)
        names = ("recall", "fpr")
        exact.append([population, f"{n:,}", *("–" if silent[k] == 1 else share(broken[k]) for k in names)])
        print(*exact[-1], flush=True)
    flat = Population(PRECISION, 0.5, False)
    levels = {f"flat_{n}": failures(flat, n, 4 * n_draws)[0]["precision"] for n in SIZES}
    levels |= {f"exact_{n}": failures(flat, n, 4 * n_draws, randomize=True)[0]["precision"] for n in SIZES}
    n_stop = max(20, n_draws // 5)
    stopping = [
        [missed, *map(share, c[:2]), f"{c[2]:g}"]
        for missed in (2, 10, 30)
        for c in [false_claims(2000, 400, 90, missed, n_stop)]
    ]
    print(levels, stopping, flush=True)
    text = (
        "No cell is above the nominal level."
        if worst < 0
        else f"The cell furthest above the nominal level exceeds it by {worst:.1f} standard errors."
    )
    return PREFACE.format(
        fdr=FDR,
        recall=RECALL,
        fpr=FPR,
        precision=PRECISION,
        n_fdr=n_draws,
        n_rates=4 * n_draws,
        n_stop=n_stop,
        worst=text,
        false=table(["population", "calibration", "list", "FDR (s.e.)", "positives chosen", "best cut"], false),
        rates=table(["population", "calibration", "recall", "FPR"], rates),
        exact=table(["population", "calibration", "recall", "FPR"], exact),
        stopping=table(["missed", "one look", "every 25 rows", "rows drawn"], stopping),
        **levels,
    )


def tables(n_splits):
    rows = []
    for name in TABLES:
        n, positive, means, kept = real_table(name, n_splits)
        cells = ["–" if np.isnan(mean) else share(mean, k) for mean, k in zip(means[1:], kept[1:], strict=True)]
        rows.append([name, f"{n:,}", f"{positive:.1%}".replace("%", " %"), share(means[0]), *cells])
        print(*rows[-1], flush=True)
    header = ["table", "rows each", "positive", "FDR", "recall", "FPR", "precision"]
    return TABLES_PREFACE.format(n=n_splits, fdr=FDR) + table(header, rows)


def main(n_draws):
    old = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    real = old.partition(TABLES_MARK)[2].lstrip("\n")
    text = simulated(n_draws).replace("%", " %").replace("  %", " %")
    if "PODIUM_DATA" in os.environ:
        real = tables(200).replace("0%", "0 %")
    PAGE.write_text(f"{text}\n{TABLES_MARK}\n\n{real}", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
