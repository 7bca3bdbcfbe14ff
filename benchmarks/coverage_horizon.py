"""Coverage of intervals at a horizon: ``python benchmarks/coverage_horizon.py`` writes the table of a page."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import numpy as np
from pages import table
from scipy.optimize import brentq
from scipy.stats import norm

from podium.inference import compare, interval
from podium.labels import Observed
from podium.phi import resolve

PAGE = Path(__file__).parents[1] / "docs" / "coverage_horizon.rst"
SHARE = 0.2  # of the rows have the event by the horizon, 1
GRID = np.linspace(-9, 9, 60_001)
SCORES = norm.pdf(GRID) / norm.pdf(GRID).sum()  # standard normal
UPTO = np.cumsum(SCORES) - SCORES / 2


def chances(slope, rate):
    """Of the event by the horizon, at every score of the grid: its hazard is rate · exp(slope · score)."""
    return -np.expm1(-rate * np.exp(slope * GRID))


def rate_of(slope):
    return np.exp(brentq(lambda log: SCORES @ chances(slope, np.exp(log)) - SHARE, -60, 5))


def true_omega(phi, chance):
    """Of the population: E φ(F(s)) of the rows with the event, between its least and its largest value."""
    phi, cases = resolve(phi).bind(1e6), SCORES * chance
    share = cases.sum()
    upto, rest, whole = phi.integral(np.array([share, 1 - share, 1.0]))
    low, high = upto / share, (whole - rest) / share
    return float((cases @ phi.value(UPTO) / share - low) / (high - low))


@cache
def world(auc):
    """Slope and rate of the hazard at which scores have this AUC."""
    slope = brentq(lambda each: true_omega("auc", chances(each, rate_of(each))) - auc, 0.01, 15, xtol=1e-6)
    return slope, rate_of(slope)


@cache
def censoring_rate(auc, censored):
    """At which this share of the rows is censored before the horizon and before its event."""
    slope, rate = world(auc)
    hazard = rate * np.exp(np.minimum(slope * GRID, 50))
    share = lambda c: SCORES @ (c / (c + hazard) * -np.expm1(-(c + hazard)))  # noqa: E731
    return brentq(lambda c: share(c) - censored, 1e-6, 50)


def draw(rng, auc, n_events, censored, spread=0.0):
    """Rows of which so many are expected to be seen to have the event; scores with noise as spread apart twice."""
    slope, rate = world(auc)
    by_censoring = censoring_rate(auc, censored)
    hazard = rate * np.exp(np.minimum(slope * GRID, 50))
    seen = SCORES @ (hazard / (hazard + by_censoring) * -np.expm1(-(hazard + by_censoring)))
    n_rows = round(n_events / seen)
    score = rng.normal(size=n_rows)
    time = rng.exponential(size=n_rows) / (rate * np.exp(slope * score))
    end = rng.exponential(1 / by_censoring, n_rows)
    scores = [score + spread * rng.normal(size=n_rows) for _ in range(2)] if spread else score
    return time <= end, np.minimum(np.minimum(time, end), 1.5), scores


def coverage(phi, auc, n_events, censored, n_draws):
    """Shares of draws that cover, and mean errors: here, without censored rows, with these as negatives; mean width."""
    rng = np.random.default_rng([n_events, round(100 * auc), round(10 * censored), len(phi)])
    truth, held, error, width = true_omega(phi, chances(*world(auc))), np.zeros(3), np.zeros(3), 0.0
    for _ in range(n_draws):
        event, follow_up, score = draw(rng, auc, n_events, censored)
        labels = Observed.at_horizon(event, follow_up, 1.0)
        known, is_positive = labels.is_labeled, event & (follow_up <= 1)
        found = [
            interval(labels, score, phi),
            interval(is_positive[known], score[known], phi),
            interval(is_positive, score, phi),
        ]
        held += [each.low <= truth <= each.high for each in found]
        error += [each.estimate - truth for each in found]
        width += found[0].high - found[0].low
    return held / n_draws, error / n_draws, width / n_draws


def rejections(phi, n_events, censored, n_draws):
    """How often two scores that are equally good are told apart at the 5 % level."""
    rng = np.random.default_rng([n_events, round(10 * censored), len(phi)])
    found = 0
    for _ in range(n_draws):
        event, follow_up, (one, other) = draw(rng, 0.85, n_events, censored, spread=0.7)
        found += compare(Observed.at_horizon(event, follow_up, 1.0), one, other, phi).pvalue < 0.05
    return found / n_draws


def with_competing(phi, n_rows, rate, n_draws):
    """Coverage where a competing event comes at this rate, whatever the score, and about 30 % are censored."""
    slope, hazard_at_zero = world(0.7)
    hazard = hazard_at_zero * np.exp(slope * GRID)
    truth = true_omega(phi, hazard / (hazard + rate) * -np.expm1(-(hazard + rate)))
    rng, held, wrong = np.random.default_rng([n_rows, len(phi)]), 0, 0
    for _ in range(n_draws):
        score = rng.normal(size=n_rows)
        time = rng.exponential(size=n_rows) / (hazard_at_zero * np.exp(slope * score))
        other, end = rng.exponential(1 / rate, n_rows), rng.exponential(1.5, n_rows)
        follow_up = np.minimum(np.minimum(time, other), end)
        event, competing = time == follow_up, other == follow_up
        found = interval(Observed.at_horizon(event, follow_up, 1.0, competing=competing), score, phi)
        as_censored = interval(Observed.at_horizon(event, follow_up, 1.0), score, phi)
        held += found.low <= truth <= found.high
        wrong += as_censored.low <= truth <= as_censored.high
    return held / n_draws, wrong / n_draws


PREFACE = """Coverage of intervals at a horizon
==================================

{n} lists a cell, nominal level 95 %; the standard error of a figure near .95 is {error:.1f} points. The event comes
with the hazard :math:`\\lambda e^{{\\beta s}}` of standard normal scores s, by the horizon for 20 % of the rows; rows
are censored at a constant rate, before the horizon and their event for the share in the second column; so many events
are expected to be seen. *Dropped* are the intervals of :func:`podium.inference.interval` without the censored rows, *as
negatives* those that take them for rows without the event. Numbers in parentheses are mean errors of the estimates.
Early events have higher scores, and are seen more often; and dropping rows changes the share of positives, on which ω
of a φ other than u depends. :doc:`time_to_event` has the method.
"""


def main(n_draws: int) -> None:
    def rows():
        for auc in (0.7, 0.95):
            for phi in ("auc", "power:3"):
                for censored in (0.2, 0.6):
                    for n_events in (30, 100):
                        held, error, width = coverage(phi, auc, n_events, censored, n_draws)
                        both = (f"{share:.3f} ({off:+.3f})" for share, off in zip(held, error, strict=True))
                        yield f"{auc:g}", f"{censored:g}", f"{n_events}", phi, f"{width:.3f}", *both

    def tests():
        for phi in ("auc", "power:3"):
            for censored in (0.2, 0.6):
                for n_events in (30, 100):
                    share = rejections(phi, n_events, censored, 2 * n_draws)
                    yield f"{censored:g}", f"{n_events}", phi, f"{share:.3f}"

    def kinds():
        for phi in ("auc", "power:3"):
            for n_rows in (300, 1000):
                held, wrong = with_competing(phi, n_rows, 1.0, n_draws)
                yield f"{n_rows:,}", phi, f"{held:.3f}", f"{wrong:.3f}"

    text = PREFACE.format(n=n_draws, error=100 * np.sqrt(0.95 * 0.05 / n_draws))
    names = ("AUC", "censored", "events", "φ", "width", "coverage", "dropped", "as negatives")
    text += table("Intervals", names, rows())
    text += table(
        "Rejections of two equally good scores at the 5 % level", ("censored", "events", "φ", "rejected"), tests()
    )
    text += table("Competing events at a rate of 1", ("rows", "φ", "coverage", "taken as censored"), kinds())
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
