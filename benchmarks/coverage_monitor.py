"""Monitors against the truth, by simulation: ``make coverage`` writes docs/coverage_monitor.rst.

Scores of negatives are standard normal, those of positives shifted so that the AUC is as given.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from scipy.stats import mannwhitneyu, norm

from podium import inference, workflow
from podium.monitor import DriftMonitor, PerformanceMonitor
from podium.workflow.monitoring.columns import moved_columns

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
    """False alarms ever, misses ever of the confidence sequence, and positives until a fall is seen, early and late."""
    rng = np.random.default_rng([seed, n, PHIS.index(phi)])
    alarms = misses = 0
    early, late = [], []
    for _ in range(n_draws):
        y, s = reference(rng, n)
        monitor, negatives = PerformanceMonitor(y, s, phi, alpha=ALPHA), np.sort(s[~y])
        rows = positives(rng, LOOKS, 0.85)
        state = monitor.update(*rows)
        alarms += state.alarm
        misses += _ever_missed(monitor, state, rows, _mean_observation(monitor, negatives))
        if not state.alarm:
            late.append((monitor.update(*positives(rng, 3000, 0.75)).alarm_after or np.inf) - LOOKS)
        state = PerformanceMonitor(y, s, phi, alpha=ALPHA).update(*positives(rng, 3000, 0.75))
        early.append(state.alarm_after or np.inf)
    return alarms / n_draws, misses / n_draws, np.median(early), np.median(late)


def precision(n, n_draws, seed=0):
    """The same for the precision of rows that score 1 or more, which falls by .1."""
    rng = np.random.default_rng([seed, n, 5])
    tpr, fpr = norm.sf(1 - shift(0.85)), norm.sf(1)
    truth = 0.3 * tpr / (0.3 * tpr + 0.7 * fpr)
    alarms = misses = 0
    early, late = [], []
    for _ in range(n_draws):
        y, s = reference(rng, n)
        monitor = PerformanceMonitor(y, s, alpha=ALPHA, threshold=1.0)
        rows = rng.random(LOOKS) < truth, np.full(LOOKS, 2.0)
        state = monitor.update(*rows)
        alarms += state.alarm
        misses += _ever_missed(monitor, state, rows, truth)
        fallen = rng.random((2, 3000)) < truth - 0.1
        if not state.alarm:
            late.append((monitor.update(fallen[0], np.full(3000, 2.0)).alarm_after or np.inf) - LOOKS)
        state = PerformanceMonitor(y, s, alpha=ALPHA, threshold=1.0).update(fallen[1], np.full(3000, 2.0))
        early.append(state.alarm_after or np.inf)
    return alarms / n_draws, misses / n_draws, np.median(early), np.median(late)


def _ever_missed(monitor, state, rows, truth):
    """Whether the confidence sequence misses after any of the observations: its definition, for all of them at once."""
    x = monitor._observations(*rows)
    n = np.arange(1, len(x) + 1)
    v = np.cumsum((x - (0.5 + np.cumsum(x) - x) / n) ** 2)
    k = np.arange(1, 17)[:, None]
    rates, shares = 0.5**k, 17 / 16 / (k * (k + 1))
    distance = np.abs(np.cumsum(x) - n * truth)
    wealth = logsumexp(rates * distance + (np.log1p(-rates) + rates) * v, axis=0, b=shares)
    missed = wealth > np.log(2 / ALPHA)
    assert missed[-1] == (not state.low <= truth <= state.high)
    return bool(missed.any())


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
    """False alarms ever, scores until a shift by .3 is seen, early and late, and the time between false alarms."""
    rng = np.random.default_rng([seed, n, PHIS.index(phi), 7])
    alarms, early, late, between = 0, [], [], []
    for draw in range(n_draws):
        s = rng.standard_normal(n)
        monitor = DriftMonitor(s, phi, alpha=ALPHA, random_state=draw)
        alarm = monitor.update(rng.standard_normal(LOOKS)).alarm
        alarms += alarm
        if not alarm:
            late.append((monitor.update(rng.standard_normal(5000) + 0.3).alarm_after or np.inf) - LOOKS)
        moved = rng.standard_normal(5000) + 0.3
        early.append(DriftMonitor(s, phi, alpha=ALPHA, random_state=draw).update(moved).alarm_after or np.inf)
        monitor = DriftMonitor(s, phi, average_run_length=1000, random_state=draw)
        between.append(monitor.update(rng.standard_normal(LOOKS)).alarm_after or LOOKS)
    return alarms / n_draws, np.median(early), np.mean(np.isfinite(early)), np.median(late), np.mean(between)


def told_when_to_look(n, n_draws, seed=0):
    """The least number of scores at which one two-sided rank test, made once, sees the shift in half of the draws."""
    rng = np.random.default_rng([seed, n, 8])
    draws = [(rng.standard_normal(n), rng.standard_normal(400) + 0.3) for _ in range(n_draws)]
    for m in range(10, 400, 5):
        if np.mean([mannwhitneyu(new[:m], s).pvalue <= ALPHA for s, new in draws]) >= 0.5:
            return m
    return 400


def columns(n_draws, seed=0, n_batches=20):
    """How often columns ever raise an alarm over the batches, and how often a shift of one by .3 is seen in the first.

    Six columns, two of them text; batches of 300 rows, all compared with the same 1,000.
    """

    def rows(rng, n, moved=0.0):
        frame = pd.DataFrame({f"x{i}": rng.standard_normal(n) for i in range(4)} | {"y": rng.integers(2, size=n)})
        frame["x0"] += moved
        return frame.assign(town=rng.choice(list("abcd"), n), code=rng.integers(40, size=n).astype(str) + "c")

    rng = np.random.default_rng([seed, 9])
    model = workflow.fit(rows(rng, 400), label="y", model="linear").model
    ever = seen = 0
    for _ in range(n_draws):
        reference = rows(rng, 1000)
        alarms = [
            moved_columns(model, rows(rng, 300), reference, ALPHA, batch).alarm for batch in range(1, n_batches + 1)
        ]
        ever += any(alarms)
        found = moved_columns(model, rows(rng, 300, 0.3), reference, ALPHA, 1)
        seen += found.moved == ("x0",)
    return ever / n_draws, seen / n_draws


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

The columns are the share of streams that ever raised a false alarm; the share whose confidence sequence ever missed the
truth, looking after every observation; and the median number of observations until an alarm after the AUC has fallen to
.75, at the start and after {looks:,} calm ones. Observations are positives, or, for the precision of rows that score 1
or more, which falls by .1, such rows.

{performance}
After 1,000 positives the confidence sequence, which holds at all times, has a mean width of {width:.3f}; the interval
for the AUC of a sample whose size was fixed beforehand, {fixed:.3f}.

Drift of scores
---------------

The columns are the share of streams that ever raised a false alarm; the median number of scores until an alarm after
all scores have moved up by .3 standard deviations, at the start (in parentheses: the share of streams in which it was
seen within 5,000) and after {looks:,} calm ones; the number at which a Mann–Whitney test, made once and told when, sees
the same move in half of the streams; and the mean time to a false alarm when 1,000 scores between false alarms are
asked for (streams end at {looks:,}). With a reference of 300, a move of the best tenth is near the least that can be
seen, which the state gives as ``least_visible``.

{drift}
Columns
-------

``podium monitor --reference``: six columns, two of them text, batches of 300 rows, all compared with the same 1,000. In
{ever:.3f} of {n_columns} streams of 20 batches the columns ever raised an alarm, of 5 % that they may. A shift of one
column by .3 standard deviations in the first batch was seen, and that column alone named, in {seen:.2f}.
"""


def until(delay, horizon):
    return f"> {horizon:,}" if np.isinf(delay) else f"{delay:g}"


def main(n_draws):
    rows = []
    for n in (300, 3000):
        for phi in (*PHIS, "precision"):
            cells = precision(n, n_draws) if phi == "precision" else performance(phi, n, n_draws)
            shown = *(f"{rate:.3f}" for rate in cells[:2]), *(until(delay, 3000) for delay in cells[2:])
            rows.append([phi, f"{n:,}", *shown])
            print(*rows[-1], flush=True)
    moved = []
    for n in (300, 3000):
        told = told_when_to_look(n, n_draws)
        for phi in PHIS:
            alarm, early, seen, late, between = drift(phi, n, n_draws)
            cells = f"{alarm:.3f}", f"{until(early, 5000)} ({seen:.2f})", until(late, 5000), told, f"{between:,.0f}"
            moved.append([phi, f"{n:,}", *cells])
            print(*moved[-1], flush=True)
    width, fixed = widths(20)
    n_columns = n_draws // 2
    ever, seen = columns(n_columns)
    text = PREFACE.format(
        n=n_draws,
        looks=LOOKS,
        width=width,
        fixed=fixed,
        ever=ever,
        seen=seen,
        n_columns=n_columns,
        performance=table(["φ", "reference rows", "false alarm", "sequence misses", "at once", "after calm"], rows),
        drift=table(["φ", "reference", "false alarm", "at once", "after calm", "told when", "between alarms"], moved),
    )
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
