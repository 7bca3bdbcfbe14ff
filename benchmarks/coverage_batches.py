"""Monitors by batches against the truth, by simulation: ``make coverage`` writes docs/coverage_batches.rst."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from podium.monitor import DriftMonitor

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


def table(header, rows):
    cells = [f"   {'*' if i == 0 else ' '} - {cell}" for row in [header, *rows] for i, cell in enumerate(row)]
    return "\n".join([".. list-table::", "   :header-rows: 1", "", *cells]) + "\n"
