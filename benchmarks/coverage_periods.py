"""Does the range of hits a day hold on later days? Streams of card payments: ``make coverage``.

Each stream (card_stream.py) has 120 days to learn from and 60 later ones, whose frauds are known seven days later.
`podium.workflow.fit` is called as a user would, every later day's payments are ranked by the model that it delivers,
and the hits among the first are compared with the headline. Writes docs/coverage_periods.rst. ``python
benchmarks/coverage_periods.py 20`` sets the number of streams.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from card_stream import World, card_stream
from machine import processor

from podium import inference, workflow

PAGE = Path(__file__).parents[1] / "docs" / "coverage_periods.rst"
KNOWN, LATER, BUDGET = 127, 60, 30
DESIGNS = [("linear", sd, None) for sd in (0.0, 0.35, 0.7)] + [("trees", 0.35, None), ("linear", 0.35, "branch")]


def held(model: str, sd: float, per: str | None, seed: int) -> tuple[float, float, float, float, float]:
    """Share of later lists within the range; with a range for independent rows; hits expected, found; its width."""
    table = card_stream(World(n_days=KNOWN + LATER, of_frauds=sd), np.random.default_rng([seed, int(100 * sd)]))
    day = (table["time"] - np.datetime64("2025-01-01")).dt.days
    past, later = table[day < KNOWN], table[day >= KNOWN]
    options = {"label": "is_fraud", "time": "time", "label_delay": "7d", "every": "day", "budget": BUDGET}
    fitted = workflow.fit(past, **options, model=model, per=per, exclude=["card", "terminal"])
    row = fitted.metrics["budget"]
    lists = [day[later.index], later["branch"] if per else np.zeros(len(later))]
    ranked = later.assign(score=fitted.model.scores(later)).sort_values("score", ascending=False, kind="stable")
    hits = ranked.groupby([each.loc[ranked.index] if hasattr(each, "loc") else each for each in lists])["is_fraud"]
    found = hits.apply(lambda labels: labels.head(BUDGET).sum()).to_numpy()
    labels, scores = (fitted.scores[name].to_numpy() for name in ("label", "score"))
    length = fitted.metrics["population"]
    alone = inference.precision_at_interval(labels, scores, k=BUDGET, n_next=length)
    inside = np.mean((found >= row["hits_low"]) & (found <= row["hits_high"]))
    width = row["hits_high"] - row["hits_low"]
    without = np.mean((found >= alone.low) & (found <= alone.high))
    return float(inside), float(without), row["hits"], float(found.mean()), width


def main(n_streams: int) -> None:
    rows = [
        (
            "model",
            "days differ by",
            "lists",
            "range holds",
            "worst stream",
            "as independent rows",
            "expected",
            "found",
            "width",
        )
    ]
    for model, sd, per in DESIGNS:
        outcome = np.array([held(model, sd, per, seed) for seed in range(n_streams)])
        inside, alone, expected, found, width = outcome.mean(axis=0)
        error = outcome[:, 0].std(ddof=1) / np.sqrt(n_streams)
        lists = "a day" if per is None else f"a day and {per}"
        shares = (f"{inside:.3f} ± {error:.3f}", f"{outcome[:, 0].min():.3f}", f"{alone:.3f}")
        rows.append((model, f"{sd:g}", lists, *shares, *(f"{mean:.1f}" for mean in (expected, found, width))))
        print(*rows[-1], sep=" | ", flush=True)
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        lines += [f"   {'* -' if i == 0 else '  -'} {cell}" for i, cell in enumerate(row)]
    text = PREFACE.format(n=n_streams, known=KNOWN, later=LATER, k=BUDGET, processor=processor())
    PAGE.write_text(text + "\n".join(lines) + "\n", encoding="utf-8")


PREFACE = """Hits a day: does the range hold on later days?
==============================================

Written by ``make coverage`` ({processor}): {n} streams of card payments for each line (``benchmarks/card_stream.py``),
about 1,150 payments a day, some 2.5 % of them frauds, at terminals and with cards that are compromised for some weeks.
Labels are known after seven days. ``workflow.fit`` learns from {known} days (``every="day"``, ``label_delay="7d"``, a
budget of {k}); the model that it delivers ranks each of the {later} days that follow. "Days differ by" is the standard
deviation of the logarithm of a factor common to all frauds of a day; what is compromised makes days differ, too, and
follow each other. "Range holds" is the share of later lists whose hits are within the 95 % range of the headline, with
the standard error over streams; "as independent rows" is the same for :func:`podium.inference.precision_at_interval`,
which does not know of days. "Expected", "found" and "width" are means of the hits expected, of those found, and of the
width of the range.

"""

if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
