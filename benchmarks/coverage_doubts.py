"""How often doubts about time and copies are raised, and by the right column: ``make coverage``.

Writes docs/coverage_doubts.rst. Shuffled tables have a mostly-zero column named like a time, and no order. Ordered
tables have one true date or time, with ties, late entries, gaps, and decoys: a delivery date that follows it, dates of
birth, a year, months, mostly-zero days. Random dates have nothing to do with the rows; changing tables are in random
order, and their share of positives rises over a date. Tables of copies are lists of businesses, some inspected again.
"""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from pages import as_text

from podium._results.doubts import KINDS, OPTIONS, STATEMENTS
from podium.workflow.stages.in_time import change_over_dates, order_in_time
from podium.workflow.stages.repeated import copies

PAGE = Path(__file__).parents[1] / "docs" / "coverage_doubts.rst"
STATEMENTS_PAGE = PAGE.parent / "data" / "doubts.csv"
MOSTLY_ZERO = ("days_past_due", "days_in_waiting_list", "waiting_time", "down_time", "overtime_days", "delay_time")
START = pd.Timestamp("2019-03-01")


def shuffled(rng):
    """No order; a column that is 0 in most rows, and other numbers named like times."""
    n = int(rng.integers(60, 4000))
    late = np.where(rng.random(n) < rng.choice([0.003, 0.02, 0.1, 0.3, 0.45]), rng.integers(1, 90, n), 0)
    frame = pd.DataFrame({rng.choice(MOSTLY_ZERO): late, "amount": rng.lognormal(size=n)})
    return frame.assign(weekday=rng.integers(1, 8, n), year=rng.integers(2015, 2021, n))


def ordered(rng):
    """The table and the name of the column by which it is ordered."""
    n = int(rng.integers(200, 4000))
    kind = rng.integers(4)
    span = rng.choice([90, 700, 2000] if kind == 3 else [20, 90, 700, 2000])  # days
    moment = np.sort(rng.random(n)) * span
    entered = np.where(rng.random(n) < rng.choice([0, 0.01, 0.03]), moment - rng.exponential(5, n), moment)
    unit = rng.choice([1 / 1440, 1] if span == 20 else [1 / 1440, 1, 7])
    name = ["opened", "arrival_date", "created_at", "week"][kind]
    days = np.floor(entered / unit) * unit
    own = np.floor(entered / 7) if name == "week" else START + pd.to_timedelta(days, "D")
    own = pd.Series(own).mask(rng.random(n) < rng.choice([0, 0.05]))
    date = START + pd.to_timedelta(moment, "D")
    frame = pd.DataFrame(
        {name: own, "amount": rng.lognormal(size=n), "month": date.month, "hour": rng.integers(24, size=n)}
    )
    if name != "week":
        frame["delivered"] = own + pd.to_timedelta(rng.integers(0, 15, n), "D")
        frame["birth_date"] = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 18_000, n), "D")
        frame["year"] = date.year
    for zero in rng.choice(MOSTLY_ZERO, 2, replace=False):
        frame[zero] = np.where(rng.random(n) < 0.1, rng.integers(1, 90, n), 0)
    frame = frame[rng.permutation(frame.columns)]
    return (frame[::-1] if rng.random() < 0.3 else frame).reset_index(drop=True), name


def features(rng, n):
    kinds = [rng.standard_normal(n), rng.integers(0, 5, n), rng.choice(list("aaabcd"), n), rng.lognormal(size=n)]
    return pd.DataFrame({f"x{j}": rng.permutation(kinds[j % 4]) for j in range(int(rng.integers(2, 25)))})


def dates(rng, n):
    return START + pd.to_timedelta(rng.integers(0, rng.choice([6, 30, 900]), n), "D")


def random_dates(rng):
    n, share = int(rng.integers(100, 3000)), rng.choice([0.03, 0.1, 0.3, 0.5])
    frame = features(rng, n)
    for j in range(int(rng.integers(1, 4))):
        frame[f"date{j}"] = dates(rng, n)
    return frame, rng.random(n) < share


def changing(rng, n, rise):
    """Positives rise from one share to another over a date, in rows that are in no order."""
    frame = features(rng, n).assign(noted=dates(rng, n))
    place = frame["noted"].rank(pct=True).to_numpy()
    return frame, rng.random(n) < 0.2 + rise * place


def inspected(rng):
    """Businesses, some of which were inspected again with the same result."""
    n = int(rng.integers(300, 3000))
    frame = pd.DataFrame({"business_name": [f"Shop {j}" for j in range(n)], "area": rng.choice(list("abcdefgh"), n)})
    frame = frame.assign(risk=rng.integers(1, 4, n), size=rng.lognormal(size=n).round(2))
    rows = np.repeat(np.arange(n), 1 + rng.poisson(rng.choice([0.1, 0.5, 2]), n))
    return frame.iloc[rng.permutation(rows)].reset_index(drop=True), (rng.random(n) < 0.3)[rows]


def first_named(found):
    """The column that the option of a doubt names; empty without a doubt."""
    return found[0].sentence.rpartition("(option ")[2].partition(": ")[2].partition(")")[0] if found else ""


def counted(n_draws):
    """What was asked, of how many tables, how many were as they should be."""
    rng = np.random.default_rng(0)
    alarms = sum(bool(order_in_time(frame, list(frame))) for frame in (shuffled(rng) for _ in range(2 * n_draws)))
    yield "shuffled tables: order in time reported", alarms, 2 * n_draws
    tables = [ordered(rng) for _ in range(n_draws)]
    named = [first_named(order_in_time(frame, list(frame))) for frame, _ in tables]
    right = sum(one == name for one, (_, name) in zip(named, tables, strict=True))
    yield "ordered tables: the right column named first", right, n_draws
    wrong = sum(one in MOSTLY_ZERO for one in named)
    yield "ordered tables: a mostly-zero column named", wrong, n_draws
    raised = (
        bool(change_over_dates(frame, y, list(frame), None, rng))
        for frame, y in map(random_dates, [rng] * 10 * n_draws)
    )
    yield "random dates: change over a date reported", sum(raised), 10 * n_draws
    for n, rise in ((1000, 0.1), (1000, 0.2), (5000, 0.1), (5000, 0.2)):
        seen = [
            first_named(change_over_dates(f, y, list(f), None, rng)) == "noted"
            for f, y in (changing(rng, n, rise) for _ in range(n_draws))
        ]
        yield f"{n:,} rows, positives from 20 % to {20 + 100 * rise:.0f} %: change reported", sum(seen), n_draws
    proposed = [copies(f, y, list(f), None, rng) for f, y in (inspected(rng) for _ in range(n_draws))]
    yield (
        "copies of businesses: their name proposed as unit",
        sum(first_named(each) == "business_name" for each in proposed),
        n_draws,
    )


def statements():
    """Which statements each doubt removes, and each option: the table on the page of the report, from what is used."""
    rows = [("doubt, or option", *STATEMENTS.values())]
    removed = dict(KINDS.values())
    removed |= {f"none; option {name}": touched for name, touched in OPTIONS.items()}
    rows += [
        (what, *("removed" if name in touched else "" for name in STATEMENTS)) for what, touched in removed.items()
    ]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def main(n_draws):
    STATEMENTS_PAGE.write_text(statements(), encoding="utf-8")
    rows = []
    for what, hits, n in counted(n_draws):
        share = hits / n
        error = 100 * np.sqrt(max(share * (1 - share), 0.5 / n * (1 - 0.5 / n)) / n)
        rows.append((what, f"{hits:,} of {n:,}", f"{100 * share:.3g} %", f"{error:.2g}"))
        print(*rows[-1], sep=" | ", flush=True)
    table = as_text(("tables: what was counted", "tables", "share", "standard error (points)"), rows)
    PAGE.write_text(PREFACE + table, encoding="utf-8")


PREFACE = """Doubts about time and copies: how often, and by which column
==============================================================

Written by ``make coverage``. A doubt removes ranges and guarantees (:doc:`report`), so it must be rare where there is
no reason, and name the right column where there is one. *Shuffled tables* have no order and a column such as
``days_past_due`` that is 0 in most rows. *Ordered tables* have one true date or time, with ties, late entries, gaps and
falling as well as rising order, among decoys: a delivery date up to two weeks later, dates of birth, year, month, hour,
and mostly-zero days. *Random dates* have nothing to do with the rows; there are one to three of them, beside 2 to 24
other columns. In *changing* tables rows are in no order, and the share of positives rises over a date. *Copies* are
lists of businesses, some of which were inspected again.

"""

if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
