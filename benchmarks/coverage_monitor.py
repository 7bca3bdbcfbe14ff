"""Monitors against the truth, by simulation: ``make coverage`` writes docs/coverage_monitor.rst.

Scores of negatives are standard normal, those of positives shifted so that the AUC is as given.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.stats import mannwhitneyu, norm

from podium import inference
from podium.monitor import DriftMonitor, PerformanceMonitor

PAGE = Path(__file__).parents[1] / "docs" / "coverage_monitor.rst"
PHIS = ("auc", "power:3", "smooth-top:0.9")
LOOKS = 10_000
ALPHA = 0.05


def shift(auc):
    return np.sqrt(2) * norm.ppf(auc)


def reference(rng, n, auc=0.85):
    """Labels and scores, 30 % positive."""
    y = rng.random(n) < 0.3
    return y, rng.standard_normal(n) + shift(auc) * y


def positives(rng, n, auc):
    return np.ones(n, dtype=bool), rng.standard_normal(n) + shift(auc)


def performance(phi, n, n_draws, seed=0):
    """False alarms ever, misses ever of the confidence sequence, and positives until a fall is seen."""
    rng = np.random.default_rng([seed, n, PHIS.index(phi)])
    alarms = misses = 0
    delays = []
    for _ in range(n_draws):
        y, s = reference(rng, n)
        monitor, negatives = PerformanceMonitor(y, s, phi, alpha=ALPHA), np.sort(s[~y])
        truth = _mean_observation(monitor, negatives)
        missed = False
        for _ in range(100):  # looks at every hundredth observation; the alarm looks at each
            state = monitor.update(*positives(rng, LOOKS // 100, 0.85))
            missed |= not state.low <= truth <= state.high
        alarms += state.alarm
        misses += missed
        state = PerformanceMonitor(y, s, phi, alpha=ALPHA).update(*positives(rng, 3000, 0.75))
        delays.append(state.alarm_after or np.inf)
    return alarms / n_draws, misses / n_draws, np.median(delays)


def _mean_observation(monitor, negatives):
    """The exact mean of observations, given the reference negatives: each gap between two of them has a known share."""
    share = np.diff(np.concatenate([[0.0], norm.cdf(negatives - shift(0.85)), [1.0]]))
    middles = np.concatenate([negatives[:1] - 1, (negatives[1:] + negatives[:-1]) / 2, negatives[-1:] + 1])
    return share @ monitor._observations(np.ones(len(middles), dtype=bool), middles)


def widths(n_draws, seed=0):
    """Mean width at 1,000 positives of the confidence sequence, and of the interval for a sample of that size."""
    rng = np.random.default_rng([seed, 1000])
    found = []
    for _ in range(n_draws):
        y, s = reference(rng, 5000)
        new = positives(rng, 1000, 0.85)[1]
        state = PerformanceMonitor(y, s, alpha=ALPHA).update(np.ones(1000, dtype=bool), new)
        fixed = inference.interval(np.arange(1000 + (~y).sum()) < 1000, np.concatenate([new, s[~y]]))
        found.append((state.high - state.low, fixed.high - fixed.low))
    return np.mean(found, axis=0)


def drift(phi, n, n_draws, seed=0):
    """False alarms ever, scores until a shift by .3 is seen, and those that a test told when to look would need."""
    rng = np.random.default_rng([seed, n, PHIS.index(phi), 7])
    alarms, delays, between = 0, [], []
    for draw in range(n_draws):
        s = rng.standard_normal(n)
        alarms += DriftMonitor(s, phi, alpha=ALPHA, random_state=draw).update(rng.standard_normal(LOOKS)).alarm
        moved = rng.standard_normal(5000) + 0.3
        delays.append(DriftMonitor(s, phi, alpha=ALPHA, random_state=draw).update(moved).alarm_after or np.inf)
        monitor = DriftMonitor(s, phi, average_run_length=1000, random_state=draw)
        between.append(monitor.update(rng.standard_normal(LOOKS)).alarm_after or LOOKS)
    return alarms / n_draws, np.median(delays), np.mean(between)


def told_when_to_look(n, n_draws, seed=0):
    """The least number of scores at which one two-sided rank test, made once, sees the shift in half of the draws."""
    rng = np.random.default_rng([seed, n, 8])
    draws = [(rng.standard_normal(n), rng.standard_normal(400) + 0.3) for _ in range(n_draws)]
    for m in range(10, 400, 5):
        if np.mean([mannwhitneyu(new[:m], s).pvalue <= ALPHA for s, new in draws]) >= 0.5:
            return m
    return 400


def table(header, rows):
    cells = [f"   {'*' if i == 0 else ' '} - {cell}" for row in [header, *rows] for i, cell in enumerate(row)]
    return "\n".join([".. list-table::", "   :header-rows: 1", "", *cells]) + "\n"


PREFACE = """Monitors: do they hold?
=======================

Written by ``make coverage``: {n} streams a cell, α = 5 %, {looks:,} observations each, looked at all the time.
Scores of negatives are standard normal, those of positives shifted to an AUC of .85; 30 % of the reference rows are
positive.

Performance
-----------

Share of streams with a false alarm ever; share of streams whose confidence sequence ever missed the truth, at a look
after every hundredth positive; and the median number of positives until an alarm after the AUC has fallen to .75 at
once.

{performance}
After 1,000 positives the confidence sequence, which holds at all times, has a mean width of {width:.3f}; the interval
for the AUC of a sample whose size was fixed beforehand, {fixed:.3f}.

Drift of scores
---------------

Share of streams with a false alarm ever; the median number of scores until an alarm after all scores have moved up by
.3 standard deviations at once; the number at which a Mann–Whitney test, made once and told when, sees that in half of
the streams; and the mean time to a false alarm in the form for 1,000 scores between false alarms (streams end at
{looks:,}).

{drift}"""


def main(n_draws):
    rows = []
    for n in (300, 3000):
        for phi in PHIS:
            alarm, miss, delay = performance(phi, n, n_draws)
            rows.append([phi, f"{n:,}", f"{alarm:.3f}", f"{miss:.3f}", f"{delay:g}"])
            print(*rows[-1], flush=True)
    moved = []
    for n in (300, 3000):
        told = told_when_to_look(n, n_draws)
        for phi in PHIS:
            alarm, delay, between = drift(phi, n, n_draws)
            moved.append(
                [phi, f"{n:,}", f"{alarm:.3f}", "> 5,000" if np.isinf(delay) else f"{delay:g}", told, f"{between:,.0f}"]
            )
            print(*moved[-1], flush=True)
    width, fixed = widths(20)
    text = PREFACE.format(
        n=n_draws,
        looks=LOOKS,
        width=width,
        fixed=fixed,
        performance=table(["φ", "reference rows", "false alarm", "sequence misses", "positives until alarm"], rows),
        drift=table(["φ", "reference", "false alarm", "until alarm", "told when", "between false alarms"], moved),
    )
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
