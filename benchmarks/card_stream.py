"""A stream of card payments with known frauds, day by day: terminals, customers, and periods of being compromised.

Customers pay at a rate and with amounts of their own, at terminals that lie near them. A compromised terminal makes a
part of its payments fraudulent for some weeks; a compromised card is used by a stranger, who pays more at once. Days
differ: a factor common to all payments of a day, another for the frauds of that day, and a weekly cycle. What is known
of a payment is what would be known on its day: sums over the past, and frauds only after the delay of their labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class World:
    """How large the stream is, and how much days differ (standard deviations of logarithms)."""

    n_days: int = 187
    n_customers: int = 600
    n_terminals: int = 300
    delay: int = 7
    of_payments: float = 0.1
    of_frauds: float = 0.35


def card_stream(world: World, rng: np.random.Generator) -> pd.DataFrame:
    """One row per payment: time, card, terminal, branch, what is known of it on its day, and whether it is a fraud."""
    w = world
    rate, typical = rng.gamma(4, 0.5, w.n_customers), rng.lognormal(3.3, 0.5, w.n_customers)
    homes, places = rng.random((w.n_customers, 2)), rng.random((w.n_terminals, 2))
    near = np.argsort(((homes[:, None] - places[None]) ** 2).sum(axis=2), axis=1)[:, :20]
    week = 1 + 0.2 * np.sin(2 * np.pi * np.arange(w.n_days) / 7)
    busy = week * np.exp(rng.normal(0, w.of_payments, w.n_days))
    fierce = np.exp(rng.normal(0, w.of_frauds, w.n_days))
    bad_terminal = _compromised(w.n_terminals, w.n_days, 0.0025, 21, rng)
    bad_card = _compromised(w.n_customers, w.n_days, 0.003, 10, rng)

    counts = rng.poisson(rate[:, None] * busy)
    card, day = (np.repeat(index.ravel(), counts.ravel()) for index in np.indices(counts.shape))
    n = len(card)
    terminal = near[card, rng.integers(0, near.shape[1], n)]
    by_terminal = bad_terminal[terminal, day] & (rng.random(n) < np.minimum(0.35 * fierce[day], 1))
    by_card = bad_card[card, day] & (rng.random(n) < np.minimum(0.4 * fierce[day], 1))
    is_fraud = by_terminal | by_card
    amount = typical[card] * rng.lognormal(0, 0.6, n) * np.where(by_card, rng.lognormal(1.2, 0.4, n), 1)
    hour = np.where(by_card, rng.integers(0, 24, n), rng.normal(14, 4, n).clip(0, 23.9))
    past = _Past(w, day)
    payments, spent = past.mean(card, w.n_customers, np.ones(n), 28), past.mean(card, w.n_customers, amount, 28)
    at_terminal = past.mean(terminal, w.n_terminals, np.ones(n), 28, w.delay)
    table = pd.DataFrame(
        {
            "time": np.datetime64("2025-01-01") + (day * 86_400 + hour * 3_600).astype("timedelta64[s]"),
            "card": card,
            "terminal": terminal,
            "branch": np.where(places[terminal, 0] < 0.5, "west", "east"),
            "amount": amount,
            "hour": hour,
            "to_usual": amount * payments / np.maximum(spent, 1e-9),
            "payments_7": past.mean(card, w.n_customers, np.ones(n), 7),
            "payments_28": payments,
            "card_risk": past.mean(card, w.n_customers, is_fraud, 28, w.delay) / np.maximum(payments, 0.05),
            "terminal_risk": past.mean(terminal, w.n_terminals, is_fraud, 28, w.delay) / np.maximum(at_terminal, 0.05),
            "is_fraud": is_fraud.astype(int),
        }
    )
    return table.sort_values("time", kind="stable", ignore_index=True)


def _compromised(n: int, n_days: int, chance: float, length: int, rng: np.random.Generator) -> np.ndarray:
    """Which unit is compromised on which day: it begins at random and lasts so many days on average."""
    before = 3 * length  # days until as many end as begin
    state = np.zeros((n, before + n_days), bool)
    for unit, day in np.argwhere(rng.random(state.shape) < chance):
        state[unit, day : day + rng.poisson(length)] = True
    return state[:, before:]


@dataclass(frozen=True)
class _Past:
    """Sums over the days before each payment's own day."""

    world: World
    day: np.ndarray

    def mean(self, unit: np.ndarray, n_units: int, value: np.ndarray, n_days: int, delay: int = 0) -> np.ndarray:
        """Per day of the last ``n_days`` that ended ``delay`` days before."""
        daily = np.zeros((n_units, self.world.n_days))
        np.add.at(daily, (unit, self.day), value)
        upto = np.concatenate([np.zeros((n_units, 1)), np.cumsum(daily, axis=1)], axis=1)
        last, first = np.maximum(self.day - delay, 0), np.maximum(self.day - delay - n_days, 0)
        return (upto[unit, last] - upto[unit, first]) / n_days
