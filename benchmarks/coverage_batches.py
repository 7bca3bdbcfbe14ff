"""Monitors by batches against the truth, by simulation: ``make coverage`` writes docs/coverage_batches.rst."""

from __future__ import annotations

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
