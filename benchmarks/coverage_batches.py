"""Monitors by batches against the truth, by simulation: ``make coverage`` writes docs/coverage_batches.rst."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.stats import norm

from podium.monitor import DriftMonitor, PerformanceMonitor
from podium.workflow.monitoring.batch import UNKNOWN
from podium.workflow.monitoring.rows import KeptRows, settled

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


def watched(reference, phi, unit, known):
    batches = {"reference_batches": np.arange(len(reference)) // PER_DAY} if known else {}
    return DriftMonitor(reference, phi, alpha=ALPHA, unit=unit, **batches)


def false_alarms(
    share, n_draws, *, unit="batch", phi="auc", n=3000, by_days=True, kind="normal", days=DAYS, known=False
):
    """In what share of streams an alarm was ever raised though days were exchangeable."""
    alarms = 0
    for draw in range(n_draws):
        rng = np.random.default_rng([draw, int(1000 * share), n, by_days, len(kind)])
        monitor = watched(reference_of(rng, n, share, by_days, kind), phi, unit, known)
        for effect in day_effects(rng, days, share, kind):
            state = monitor.update(rows_of(rng, effect, share))
            if state.alarm:
                break
        alarms += state.alarm
    return alarms / n_draws


def delays(calm, n_draws, *, unit, n=3000, known=False):
    """The median number of days until an alarm after all scores have moved up by .3, rows being exchangeable."""
    waits = []
    for draw in range(n_draws):
        rng = np.random.default_rng([draw, calm, n, PER_DAY, 1])
        monitor = watched(rng.standard_normal(n), "auc", unit, known)
        if any(monitor.update(rng.standard_normal(PER_DAY)).alarm for _ in range(calm)):
            continue
        wait = next((d for d in range(1, 61) if monitor.update(rng.standard_normal(PER_DAY) + 0.3).alarm), np.inf)
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


def late_labels(n_draws, auc, days_of_low, days_of_high, *, reads_when, n_months=12):
    """After how many months an alarm came; labels of positives of low scores take other times than those of high ones.

    Every second row gets a label, drawn at random; labels are looked at once a month.
    """
    found = []
    for draw in range(n_draws):
        rng = np.random.default_rng([draw, int(100 * auc), days_of_low])
        monitor, months, state = PerformanceMonitor(*reference_month(rng), alpha=ALPHA), [], None
        for look in range(1, n_months + 1):
            y = rng.random(MONTH) < PREVALENCE
            s = rng.standard_normal(MONTH) + np.sqrt(2) * norm.ppf(auc) * y
            takes = np.where(y, np.where(s < np.median(s[y]), days_of_low, days_of_high), 20)
            comes = np.where(rng.random(MONTH) < 0.5, 30 * look + rng.exponential(takes), np.inf)
            months.append((y, s, comes))
            batches = [kept(*month, now=30 * (look + 1)) for month in months]
            state = monitor.review([(rows.y, rows.scores) for rows in (settled(batches) if reads_when else batches)])
            if state.alarm:
                break
        found.append(look if state.alarm else np.inf)
    return np.array(found)


def kept(y, s, comes, now):
    """A batch as it is known then."""
    labels = np.where(comes <= now, y, UNKNOWN).astype(np.int8)
    return KeptRows(np.arange(len(y)), s, labels, np.full(len(y), np.nan), np.where(comes <= now, comes, np.nan))


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
{error:.3f}. References have 3,000 or 300 rows, from as many days as these make up, with ``reference_batches`` or
without, or each row from a day of its own. The last column is the same by rows (``unit="row"``), 3,000 reference rows
from days, after 100 days and {n_row} streams.

{false}
The same with another φ, or effects of days that are not normal ({n_other} streams each, standard error of .05
{other_error:.3f}; references from days):

{other}
With ``reference_batches`` the order of the days decides, and all orders are equally likely whatever their distribution;
so both columns of a reference tell of one probability: {known_3000} with 60 known days,
{known_300} with 6.
Without, most of the capital supposes for 30 batches that their means vary like normal ones; what is above .05 by more
than chance breaks this.

How soon a move is seen
-----------------------

Rows are exchangeable. After calm days all scores move up by .3 standard deviations; the median number of days until the
alarm, {n_delay} streams a cell, by rows, by batches whose reference has known batches, and by batches without.

{delay}
With ``reference_batches`` the wait is about twice that by rows at most (2.3 times at the start with a reference of six
days). Without, a move that is there from the first day on takes a week or more: how much days differ has to be learned
from the days themselves, and a few days above the reference are nothing unusual if days differ. Constants of the
evidence were chosen by simulations such as these.

Labels of a list that was inspected
-----------------------------------

Months of 5,000 rows, 9 % positive; the best 400 are labeled, and 5 % of the others, drawn at random. The reference is
one such month with all labels, AUC .82. ``PerformanceMonitor.review`` after each month, with the inclusion
probabilities; {n_stream} streams a row, whose standard error is at most {stream_error:.3f}.

{streams}
Early labels
------------

The same months; every second row gets a label, drawn at random, but some labels come sooner: those of positives below
the median score of positives after 5 days on average and those above after 60, or the other way round; those of
negatives after 20. They are looked at once a month, for a year, each month first when it is over. Either every label
counts as it comes, or, as ``podium monitor`` does with a column ``when``, a month counts once few of its labels come
any more; {n_late} streams a row, whose standard error is at most {late_error:.3f}.

{late}
"""


def cell(value):
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def is_known(key, n):
    """Whether a figure is of a reference of so many rows whose batches are known."""
    return key[0] in ("false", "other") and n in key and key[-1] is True


def pooled(shares):
    """Of shares with their numbers of streams."""
    values, numbers = np.array(shares).T
    return f"{np.average(values, weights=numbers):.3f} of {int(numbers.sum()):,} streams"


def page(found, n_draws):
    """The page of the figures, by the keys of `measured`."""
    n_false, n_other, n_row, n_delay, n_stream, n_late = n_draws
    false = [
        [f"{100 * share:g} %", *(cell(found["false", share, *case]) for case in CASES), cell(found["by rows", share])]
        for share in SHARES
    ]
    other = [
        [
            name,
            f"{100 * share:g} %",
            f"{n:,}",
            *(cell(found["other", name, share, n, known]) for known in (True, False)),
        ]
        for name, share, n in OTHERS
    ]
    delay = [
        [f"{n:,}", calm, *(f"{found['delay', n, calm, way]:g}" for way in WAYS)] for n in (3000, 300) for calm in CALM
    ]
    known = {
        n: pooled([(v, n_false if key[0] == "false" else n_other) for key, v in found.items() if is_known(key, n)])
        for n in (3000, 300)
    }
    rows, late = (
        [[name, f"{found[kind, name][0]:.3f}", found[kind, name][1]] for name in named]
        for kind, named in (("stream", STREAMS), ("late", LATE))
    )
    return PREFACE.format(
        per_day=PER_DAY,
        days=DAYS,
        n_false=n_false,
        n_other=n_other,
        n_row=n_row,
        n_delay=n_delay,
        n_stream=n_stream,
        error=(ALPHA * (1 - ALPHA) / n_false) ** 0.5,
        other_error=(ALPHA * (1 - ALPHA) / n_other) ** 0.5,
        n_late=n_late,
        stream_error=0.5 / n_stream**0.5,
        late_error=0.5 / n_late**0.5,
        false=table(
            ["between days", "3,000, known", "300, known", "3,000", "300", "3,000, own days", "by rows"], false
        ),
        other=table(["φ or effects", "between days", "reference", "known", "not known"], other),
        known_3000=known[3000],
        known_300=known[300],
        delay=table(["reference", "calm days", "by rows", "by batches, known", "not known"], delay),
        streams=table(["months", "alarm ever", "median months"], rows),
        late=table(["months", "alarm ever", "median months"], late),
    )


# Rows of the reference, whether they are from days, and whether these are known.
CASES = [(3000, True, True), (300, True, True), (3000, True, False), (300, True, False), (3000, False, False)]
WAYS = {"row": {"unit": "row"}, "known": {"unit": "batch", "known": True}, "batch": {"unit": "batch"}}
CALM = (0, 5, 10, 20, 40, 100)
OTHERS = [("smooth-top:0.9", share, 3000) for share in (0.0, 0.04, 0.16)] + [("smooth-top:0.9", 0.16, 300)]
OTHERS += [(kind, share, 3000) for kind in ("t₃", "exponential") for share in (0.04, 0.16)] + [
    ("exponential", 0.16, 300)
]
STREAMS = {
    "AUC .58 from the first of 6 on": {"auc": 0.58, "n_months": 6},
    "the same, labels taken for random": {"auc": 0.58, "n_months": 6, "weighted": False},
    "24 calm months": {"auc": 0.82, "n_months": 24},
    "24 calm months, 16 % of variance between": {"auc": 0.82, "n_months": 24, "between": 0.16},
}


LATE = {
    f"{world}, {way}": {"auc": auc, "days_of_low": low, "days_of_high": high, "reads_when": reads}
    for world, auc, low, high in (
        ("nothing changed, low ones first", 0.82, 5, 60),
        ("AUC .7 from the first month on, high ones first", 0.7, 60, 5),
    )
    for way, reads in (("each label as it comes", False), ("by the column when", True))
}


def measured(n_draws):
    """Every figure of the page."""
    n_false, n_other, n_row, n_delay, n_stream, n_late = n_draws
    for n in (300, 3000):
        for calm in CALM:
            for name, way in WAYS.items():
                yield ("delay", n, calm, name), delays(calm, n_delay, n=n, **way)
    for kind, named, simulate, n in (("late", LATE, late_labels, n_late), ("stream", STREAMS, streams, n_stream)):
        for name, options in named.items():
            waits = simulate(n, **options)
            median = np.median(waits)
            yield (kind, name), (float(np.mean(np.isfinite(waits))), "never" if np.isinf(median) else f"{median:g}")
    for name, share, n in OTHERS:
        option = {"kind": name} if name in KINDS else {"phi": name}
        for known in (True, False):
            yield ("other", name, share, n, known), false_alarms(share, n_other, n=n, known=known, **option)
    for share in SHARES:
        for n, by_days, known in CASES:
            yield ("false", share, n, by_days, known), false_alarms(share, n_false, n=n, by_days=by_days, known=known)
        yield ("by rows", share), false_alarms(share, n_row, unit="row", days=100)


def main(n_draws):
    sizes = n_draws, n_draws, n_draws // 4, n_draws, n_draws // 4, n_draws // 4
    found = {}
    for key, value in measured(sizes):
        found[key] = value
        print(*key, value, flush=True)
    PAGE.write_text(page(found, sizes), encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
