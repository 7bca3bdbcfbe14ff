"""Monitors by batches against the truth, by simulation: ``make coverage`` writes docs/coverage_batches.rst."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.stats import norm

from podium.monitor import DriftMonitor, PerformanceMonitor

PAGE = Path(__file__).parents[1] / "docs" / "coverage_batches.rst"
ALPHA, DAYS, PER_DAY = 0.05, 300, 50
SHARES = (0.0, 0.01, 0.04, 0.09, 0.16)  # of the variance that is between days
KINDS = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "t₃": lambda rng, n: rng.standard_t(3, n) / np.sqrt(3),
    "exponential": lambda rng, n: rng.exponential(size=n) - 1,
}


def day_effects(rng, n, share, kind="normal"):
    return np.sqrt(share) * KINDS[kind](rng, n)


def rows_of(rng, effect, share, n=PER_DAY):
    return effect + np.sqrt(1 - share) * rng.standard_normal(n)


def reference_of(rng, n, share, by_days, kind="normal"):
    """Rows from as many days as they make up, or each from a day of its own."""
    n_days = n // PER_DAY if by_days else n
    return np.concatenate([rows_of(rng, e, share, n // n_days) for e in day_effects(rng, n_days, share, kind)])


def false_alarms(share, n_draws, *, unit="batch", phi="auc", n=3000, by_days=True, kind="normal", days=DAYS):
    """In what share of streams an alarm was ever raised though days were exchangeable."""
    alarms = 0
    for draw in range(n_draws):
        rng = np.random.default_rng([draw, int(1000 * share), n, by_days, len(kind)])
        monitor = DriftMonitor(reference_of(rng, n, share, by_days, kind), phi, alpha=ALPHA, unit=unit)
        for effect in day_effects(rng, days, share, kind):
            state = monitor.update(rows_of(rng, effect, share))
            if state.alarm:
                break
        alarms += state.alarm
    return alarms / n_draws


def delays(calm, n_draws, *, unit, n=3000, per_day=PER_DAY, phi="auc"):
    """The median number of days until an alarm after all scores have moved up by .3, rows being exchangeable."""
    waits = []
    for draw in range(n_draws):
        rng = np.random.default_rng([draw, calm, n, per_day, 1])
        monitor = DriftMonitor(rng.standard_normal(n), phi, alpha=ALPHA, unit=unit)
        if any(monitor.update(rng.standard_normal(per_day)).alarm for _ in range(calm)):
            continue
        wait = next((d for d in range(1, 61) if monitor.update(rng.standard_normal(per_day) + 0.3).alarm), np.inf)
        waits.append(wait)
    return float(np.median(waits))


# A month: 5,000 rows, 9 % positive, the best 400 inspected, and 5 % of the others drawn at random.
MONTH, PREVALENCE, INSPECTED, AUDIT = 5000, 0.09, 400, 0.05


def month(rng, auc, moved=0.0, *, audit=AUDIT):
    """Labels as far as they are known, scores, and inclusion probabilities."""
    y = rng.random(MONTH) < PREVALENCE
    s = rng.standard_normal(MONTH) + np.sqrt(2) * norm.ppf(auc) * y + moved
    inclusion = np.where(s >= np.sort(s)[-INSPECTED], 1.0, audit)
    return np.where(rng.random(MONTH) < inclusion, y, np.nan), s, inclusion


def reference_month(rng):
    y = rng.random(MONTH) < PREVALENCE
    return y, rng.standard_normal(MONTH) + np.sqrt(2) * norm.ppf(0.82) * y


def streams(n_draws, auc, n_months, *, between=0.0, weighted=True):
    """After how many months each stream raised an alarm (infinite: never); scores move from month to month."""
    found = []
    for draw in range(n_draws):
        rng = np.random.default_rng([draw, int(100 * auc), int(100 * between)])
        monitor, seen, state = PerformanceMonitor(*reference_month(rng), alpha=ALPHA), [], None
        for effect in day_effects(rng, n_months, between):
            y, s, inclusion = month(rng, auc, effect)
            seen.append((y, s, inclusion) if weighted else (y, s))
            state = monitor.review(seen)
            if state.alarm:
                break
        found.append(state.alarm_after or np.inf)
    return np.array(found)


def table(header, rows):
    cells = [f"   {'*' if i == 0 else ' '} - {cell}" for row in [header, *rows] for i, cell in enumerate(row)]
    return "\n".join([".. list-table::", "   :header-rows: 1", "", *cells]) + "\n"


PREFACE = """Monitors by batches: do they hold?
==================================

Written by ``make coverage``; α = 5 %, days of {per_day} rows.

Days that differ
----------------

Scores have variance 1, a share of it between days. The first table is the share of {n_false} streams of {days} days in
which ``DriftMonitor(…, unit="batch")`` ever raised an alarm though nothing changed; the standard error of .05 is
{error:.3f}. References have 3,000 or 300 rows, from as many days as these make up or each from a day of its own. The
last column is the same by rows (``unit="row"``), 3,000 reference rows from days, after 100 days and {n_row} streams.

{false}
The same with another φ, or effects of days that are not normal ({n_other} streams each, reference 3,000, from days):

{other}
What is above .05 by more than chance breaks the assumption that means of batches vary like normal ones: those of a
top-heavy φ are skewed if days differ much.

How soon a move is seen
-----------------------

Rows are exchangeable. After calm days all scores move up by .3 standard deviations; the median number of days until the
alarm, {n_delay} streams a cell, by rows and by batches.

{delay}
By batches the wait is about twice that by rows at most, but for moves right at the beginning: how much days differ has
to be learned from the days themselves, and a few days above the reference are nothing unusual if days differ. Constants
of the evidence were chosen by simulations such as these.

Labels of a list that was inspected
-----------------------------------

Months of 5,000 rows, 9 % positive; the best 400 are labeled, and 5 % of the others, drawn at random. The reference is
one such month with all labels, AUC .82. ``PerformanceMonitor.review`` after each month, with the inclusion
probabilities; {n_stream} streams a row, whose standard error is at most {stream_error:.3f}.

{streams}
"""


def cell(value):
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def page(found, n_draws):
    """The page of the figures, by the keys of `measured`."""
    n_false, n_other, n_row, n_delay, n_stream = n_draws
    cases = [(n, by_days) for n in (3000, 300) for by_days in (True, False)]
    false = [
        [f"{100 * share:g} %", *(cell(found["false", share, *case]) for case in cases), cell(found["by rows", share])]
        for share in SHARES
    ]
    other = [[name, f"{100 * share:g} %", cell(found["other", name, share])] for name, share in OTHERS]
    delay = [
        [f"{n:,}", calm, *(f"{found['delay', n, calm, unit]:g}" for unit in ("row", "batch"))]
        for n in (3000, 300)
        for calm in CALM
    ]
    rows = [[name, f"{found['stream', name][0]:.3f}", found["stream", name][1]] for name in STREAMS]
    header = ["between days", "3,000, days", "3,000, rows", "300, days", "300, rows", "by rows"]
    return PREFACE.format(
        per_day=PER_DAY,
        days=DAYS,
        n_false=n_false,
        n_other=n_other,
        n_row=n_row,
        n_delay=n_delay,
        n_stream=n_stream,
        error=(ALPHA * (1 - ALPHA) / n_false) ** 0.5,
        stream_error=0.5 / n_stream**0.5,
        false=table(header, false),
        other=table(["φ or effects", "between days", "false alarm"], other),
        delay=table(["reference", "calm days", "by rows", "by batches"], delay),
        streams=table(["months", "alarm ever", "median months"], rows),
    )


CALM = (0, 5, 10, 20, 40, 100)
OTHERS = [("smooth-top:0.9", share) for share in (0.0, 0.04, 0.16)]
OTHERS += [(kind, share) for kind in ("t₃", "exponential") for share in (0.04, 0.16)]
STREAMS = {
    "AUC .58 from the first of 6 on": {"auc": 0.58, "n_months": 6},
    "the same, labels taken for random": {"auc": 0.58, "n_months": 6, "weighted": False},
    "24 calm months": {"auc": 0.82, "n_months": 24},
    "24 calm months, 16 % of variance between": {"auc": 0.82, "n_months": 24, "between": 0.16},
}


def measured(n_draws):
    """Every figure of the page."""
    n_false, n_other, n_row, n_delay, n_stream = n_draws
    for n in (300, 3000):
        for calm in CALM:
            for unit in ("row", "batch"):
                yield ("delay", n, calm, unit), delays(calm, n_delay, unit=unit, n=n)
    for share in SHARES:
        for n in (3000, 300):
            for by_days in (True, False):
                yield ("false", share, n, by_days), false_alarms(share, n_false, n=n, by_days=by_days)
        yield ("by rows", share), false_alarms(share, n_row, unit="row", days=100)
    for name, share in OTHERS:
        option = {"kind": name} if name in KINDS else {"phi": name}
        yield ("other", name, share), false_alarms(share, n_other, **option)
    for name, options in STREAMS.items():
        waits = streams(n_stream, **options)
        median = np.median(waits)
        yield ("stream", name), (float(np.mean(np.isfinite(waits))), "never" if np.isinf(median) else f"{median:g}")


def main(n_draws):
    sizes = n_draws, n_draws // 2, n_draws // 3, 2 * n_draws // 3, n_draws // 3
    found = {}
    for key, value in measured(sizes):
        found[key] = value
        print(*key, value, flush=True)
    PAGE.write_text(page(found, sizes), encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
