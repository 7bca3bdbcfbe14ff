"""Cuts and stops as they are used: bad rows on top, profits, choices after looking, lists read in order.

``make coverage`` writes docs/coverage_cuts.rst. One argument: the number of draws, of which each part has its share.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from coverage_shortlist import table
from scipy.stats import norm
from shortlist_draws import Population
from stopping_draws import SHAPES, reviewed

from podium import shortlist
from podium._shares import normal_quantile
from podium.shortlist.cost import _Profits

PAGE = Path(__file__).parents[1] / "docs" / "coverage_cuts.rst"
SHIFT = float(np.sqrt(2) * norm.ppf(0.95))

PREFACE = """Cuts and stops in use: do they hold?
====================================

Written by ``make coverage``. Scores are normal with an AUC of .95 unless stated; standard errors in parentheses.

Precision with negatives on top
-------------------------------

``by_precision`` ({precision:.0%} at 95 % confidence), 2,000 calibration rows, {share:.0%} positive, and the given share
of the negatives above all other rows: how often a cut broke its promise, how often none was found, the mean share of
positives above the cut, and that share at the best cut if the population were known. {n_precision:,} draws. The last
row has positives of which half are hopeless (scores as of negatives).

{by_precision}

Profits of all cuts
-------------------

``by_cost`` with a gain of 5 and a cost of 1 at 95 %: how often the profits of all cuts were inside their limits, and
that of the chosen one; and the median width at the chosen cut, relative to limits of that cut alone by the same method,
and to ±1.96 standard errors. {n_cost:,} draws.

{by_cost}

Chosen after looking
--------------------

``path``: the mean of true over stated share of negatives, over {n_path:,} pairs of calibration sample and list, when
the cut is chosen after looking. Five rules: the longest with a stated share of at most 20 %; the one behind which the
stated share rises most; the one whose stated share is furthest below a straight line along the path; and, with the
labels of the list in sight, the one with the largest ratio, and that among those of 50 rows or more. Where there is
nothing to choose the ratio is 0. Then, for the first rule, the share stated (0 where there is none), the share of the
positives found, and that found by ``by_fdr`` at 20 %, which must be told beforehand.

{path}

Read in order
-------------

``recall_in_order`` (a recall of .95 with 95 % confidence) on {n_stop:,} lists of 2,000 rows of each shape, asked after
every 40 rows: how often .95 of the positives had been found when that was claimed, and the mean share of the list read.
In order, without chances; with its plan, which switches to drawing at random when it says so; in order with the chances
that a perfect model gives, except where they are said to be wrong. Beside it ``recall_reached``, which draws at random
below the first 20, 30, …, 70 % of the list: the best of these for each shape, which a user cannot know; and the least
share of the list that holds .95 of the positives. In the first ten shapes the assumption holds ("too even": odds to the
power ½, which it allows). In the last four it is broken: a tenth of the positives scores as if drawn below all others,
from the negatives, or in a cluster at −0.8; and odds to the power 1.5. Where positives stand last or in a cluster,
nearly all claims made in order are false; where they stand anywhere, about half of those made with chances. The chances
of the last shape are contradicted by the rows read, so that nothing is claimed until nearly all is read. The plan,
which draws before it claims, hardly suffers.

{stopping}

Mean share read of the four lists that are shaped as a good classifier's, chances calibrated:
{gains}
"""


def pct(x):
    return f"{x:.3f}"


def with_error(values):
    return f"{np.mean(values):.3f} ({np.std(values) / np.sqrt(len(values)):.3f})"


def precision_under(top, hopeless, n_draws, seed=0):
    """Broken, empty, share of positives found, and the best there is."""
    rng = np.random.default_rng([seed, int(1e4 * top), int(10 * hopeless)])
    share, target, n = 0.2, 0.8, 2000

    def rates(t):
        tpr = (1 - hopeless) * norm.sf(t - SHIFT) + hopeless * norm.sf(t)
        return tpr, top + (1 - top) * norm.sf(t)

    def precise(t):
        tpr, fpr = rates(t)
        return share * tpr / (share * tpr + (1 - share) * fpr)

    grid = np.linspace(-3, 6, 20_001)
    best = np.max(rates(grid)[0][precise(grid) > target], initial=0.0)
    broken, empty, found = np.zeros(n_draws), np.zeros(n_draws), np.zeros(n_draws)
    for i in range(n_draws):
        y = rng.random(n) < share
        known = y & (rng.random(n) >= hopeless)
        s = rng.normal(size=n) + SHIFT * known
        above = ~y & (rng.random(n) < top)
        s[above] = 20 + rng.random(above.sum())
        t = shortlist.by_precision(y, s, precision=target).threshold
        empty[i] = np.isposinf(t)
        if not empty[i]:
            found[i], broken[i] = rates(t)[0], precise(t) <= target
    return with_error(broken), pct(empty.mean()), with_error(found), pct(best)


def profit(population, t):
    tpr, fpr = population.rates(t)
    return 4 * population.share * tpr - (1 - population.share) * fpr


def profits_of(population, n, n_draws, seed=0):
    rng = np.random.default_rng([seed, n, int(100 * population.share)])
    every, chosen, widths, normal = [], [], [], []
    for _ in range(n_draws):
        y, s = population.calibration(rng, n)
        cut = shortlist.by_cost(y, s, gain=5, cost=1)
        truth = profit(population, cut.thresholds)
        inside = (cut.lows <= truth + 1e-12) & (truth <= cut.highs + 1e-12)
        best = int(np.argmax(cut.profits))
        every.append(inside.all())
        chosen.append(inside[best])
        if best:
            hits, false = (
                np.array([np.sum((y == label) & (s >= cut.threshold)), np.sum(y == label)]) for label in (1, 0)
            )
            low, high = _Profits(hits, false, 4.0, 1.0).limits(np.full(2, normal_quantile(0.95)))
            error = np.sqrt((16 * hits[0] + false[0]) / n - cut.profit**2) / np.sqrt(n)
            widths.append((cut.high - cut.low) / (high[0] - low[0]))
            normal.append((cut.high - cut.low) / (2 * 1.96 * error))
    return with_error(every), with_error(chosen), pct(np.median(widths)), pct(np.median(normal))


RULES = (
    "stated at most 20 %",
    "largest rise",
    "furthest below the line",
    "most false over stated",
    "largest from 50 rows",
)


def ratios_after_looking(cuts, y_new, s_new):
    """True over stated share of the cut that each rule chooses."""
    if not len(cuts.shares):
        return [0.0] * len(RULES)
    ordered = np.sort(s_new[~y_new])
    false = len(ordered) - np.searchsorted(ordered, cuts.thresholds)
    ratios = false / cuts.n_rows / cuts.shares
    allowed = np.flatnonzero(cuts.shares <= 0.2)
    line = np.interp(cuts.n_rows, cuts.n_rows[[0, -1]], cuts.shares[[0, -1]])
    long = np.flatnonzero(cuts.n_rows >= 50)
    return [
        ratios[allowed[-1]] if len(allowed) else 0.0,
        ratios[np.argmax(np.diff(np.append(cuts.shares, 1.0)))],
        ratios[np.argmin(cuts.shares - line)],
        ratios.max(),
        ratios[long].max() if len(long) else 0.0,
    ]


def after_looking(population, n, m, n_draws, seed=0):
    rng = np.random.default_rng([seed, n, m, int(100 * population.share), population.ties])
    ratios, stated, found, usual = [], [], [], []
    for i in range(n_draws):
        y, s = population.calibration(rng, n)
        y_new, s_new = population.draw(rng, m)
        cuts = shortlist.path(y, s, s_new)
        ratios.append(ratios_after_looking(cuts, y_new, s_new))
        if i < 500 and y_new.any():
            chosen = cuts.choose(share=0.2).chosen
            stated.append(np.max(cuts.shares[cuts.shares <= 0.2], initial=0.0))
            found.append((chosen & y_new).sum() / y_new.sum())
            usual.append((shortlist.by_fdr(y, s, s_new, fdr=0.2).chosen & y_new).sum() / y_new.sum())
    means = [with_error(each) for each in np.array(ratios).T]
    return *means, pct(np.mean(stated)), pct(np.mean(found)), pct(np.mean(usual))


def main(n_draws):
    precision = []
    for top, hopeless in ((0, 0), (0.002, 0), (0.005, 0), (0.01, 0), (0, 0.5)):
        name = "half hopeless" if hopeless else f"{100 * top:g} %"
        precision.append([name, *precision_under(top, hopeless, n_draws)])
        print(*precision[-1], flush=True)
    cost = []
    populations = [Population(*each) for each in
                   ((0.01, 0.8, False), (0.1, 0.8, False), (0.1, 0.95, False), (0.1, 0.8, True), (0.5, 0.6, False),
                    (0.5, 0.8, False), (0.5, 0.95, False))]  # fmt: skip
    for population in populations:
        for n in (200, 2000):
            cost.append([population, f"{n:,}", *profits_of(population, n, 3 * n_draws // 10)])
            print(*cost[-1], flush=True)
    paths = []
    for population, n, m in (
        (Population(0.1, 0.95, False), 1000, 1000),
        (Population(0.5, 0.8, False), 200, 500),
        (Population(0.5, 0.8, True), 200, 500),
        (Population(0.1, 0.8, False), 2000, 200),
        (Population(0.01, 0.6, False), 500, 500),
    ):
        paths.append([population, f"{n:,} / {m:,}", *after_looking(population, n, m, 5 * n_draws)])
        print(*paths[-1], flush=True)
    stops, gains = [], []
    for name, shape in SHAPES.items():
        cells, shares = reviewed(shape, n_draws // 10)
        stops.append([name, *cells])
        if name.startswith("AUC .95") and "even" not in name:
            gains.append(shares)
        print(*stops[-1], flush=True)
    gains = np.mean(gains, axis=0)
    names = ("in order", "with the plan", "with chances")
    text = PREFACE.format(
        precision=0.8,
        share=0.2,
        n_precision=n_draws,
        n_cost=3 * n_draws // 10,
        n_path=5 * n_draws,
        n_stop=n_draws // 10,
        by_precision=table(["on top", "broken", "none found", "found", "best"], precision),
        by_cost=table(["population", "rows", "all cuts", "chosen cut", "width", "normal width"], cost),
        path=table(["population", "rows", *RULES, "stated", "found", "found by_fdr"], paths),
        stopping=table(
            [
                "shape",
                "right: in order",
                "plan",
                "chances",
                "read: in order",
                "plan",
                "chances",
                "recall_reached",
                "least",
            ],
            stops,
        ),
        gains="; ".join(f"{name} {gains[i]:.3f}" for i, name in enumerate(names)) + f"; recall_reached {gains[3]:.3f}.",
    )
    PAGE.write_text(text.replace("%", " %").replace("  %", " %"), encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
