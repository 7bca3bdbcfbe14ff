"""Do the limits beside probabilities hold the chance of a row with this score? ``make coverage``.

Scores are places in the list, from 0 to 1, and the chance of a positive rises with them in a known way. Every draw
makes rows that judge a model, and looks at the limits that ``podium score`` would print at eight places of the list.
Writes docs/coverage_probabilities.rst. ``python benchmarks/coverage_probabilities.py 400`` sets the number of draws.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtri

from podium.rankers.calibration.curves import Calibration

PAGE = Path(__file__).parents[1] / "docs" / "coverage_probabilities.rst"
PLACES = np.array([0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999])
SHARES = (0.02, 0.1, 0.5)
SIZES = (200, 2_000, 20_000)
RISES = {
    "nothing": lambda u: np.zeros_like(u),
    "weak": lambda u: 0.5 * ndtri(u),
    "strong": lambda u: 2.5 * ndtri(u),
    "a step": lambda u: 2.0 * (u > 0.8),
}


def chance_of(rise, share):
    """The chance at a place of the list, with this share of positives in all."""
    places = (np.arange(4000) + 0.5) / 4000
    log_odds = brentq(lambda a: expit(a + rise(places)).mean() - share, -20, 20)
    return lambda u: expit(log_odds + rise(u))


def one_draw(chance, n_rows, kind, rng):
    """Whether the limits held the chance at each of the places, and their widths."""
    u = rng.random(n_rows)
    if kind == "ties":
        u = np.ceil(20 * u) / 20 - 0.025
    y = rng.random(n_rows) < chance(u)
    weight = None
    if kind == "weights":  # positives were drawn half as often, and count twice
        keep = ~y | (rng.random(n_rows) < 0.5)
        u, y = u[keep], y[keep]
        weight = np.where(y, 2.0, 1.0)
    if not y.any() or y.all():
        return None
    places = np.ceil(20 * PLACES) / 20 - 0.025 if kind == "ties" else PLACES
    low, high = Calibration.fit(u, y, weight).limits(places)
    truth = chance(places)
    return (low <= truth) & (truth <= high), high - low


def cell(rise, share, n_rows, kind, n_draws, rng):
    chance = chance_of(RISES[rise], share)
    draws = [d for _ in range(n_draws) if (d := one_draw(chance, n_rows, kind, rng)) is not None]
    held, width = (np.mean(part, axis=0) for part in zip(*draws, strict=True))
    print(rise, share, n_rows, kind, len(draws), np.round(held, 3), np.round(width, 3), flush=True)
    return held, width


def main(n_draws: int) -> None:
    kinds = [("", SIZES), ("ties", (2_000,)), ("weights", (2_000,))]
    header = ("rows", "positives", "scores tell", "variant", "lowest coverage", *(f"{100 * u:g} %" for u in PLACES))
    rows = [header]
    for kind, sizes in kinds:
        for n_rows in sizes:
            draws = n_draws if n_rows <= 2_000 else max(n_draws // 2, 50)
            for share in SHARES:
                for rise in RISES:
                    rng = np.random.default_rng([n_rows, int(100 * share), len(rise), len(kind)])
                    held, width = cell(rise, share, n_rows, kind, draws, rng)
                    lowest = f"{held.min():.3f} at {100 * PLACES[held.argmin()]:g} %"
                    rows.append((f"{n_rows:,}", f"{100 * share:g} %", rise, kind, lowest, *(f"{w:.3f}" for w in width)))
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        lines += [f"   {'* -' if i == 0 else '  -'} {text}".rstrip() for i, text in enumerate(row)]
    PAGE.write_text(PREFACE.format(n=n_draws) + "\n".join(lines) + "\n", encoding="utf-8")


PREFACE = """Limits of probabilities: do they hold?
======================================

Written by ``make coverage``: rows that judge a model, drawn {n} times (half as often with 20,000 rows). Their chance of
being positive depends on the place in the list in a known way: not at all, weakly or strongly (log-odds of 0.5 and 2.5
times the place's normal score), or by one step of 2 at 80 % of the list. The table has the lowest share of draws, over
eight places of the list, in which the 95 % limits that ``podium score`` prints contained the chance, and the mean width
of the limits at these places. *Ties*: twenty different scores. *Weights*: half of the positives were left out, and the
others count twice.

The limits assume only that a higher score never means a lower chance: the last rows up to a score give the lower limit,
the rows from it on the upper one. The limits that they replaced did not hold: those of a block of equal isotonic chance
contained 77 to 100 % of chances with 2,000 rows, those of a logistic curve 0 to 98 % with 200 where its shape was
wrong. These are wider: with 2,000 rows 1.1 to 2 times where the chance rises smoothly or not at all, up to 4 times
beside a step. At the very top there are no rows above to say how high the chance may be, so the upper limit goes to 100
%.

"""

if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
