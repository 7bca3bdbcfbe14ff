"""Coverage and width where some rows have labels: ``make coverage`` writes docs/coverage_observed.rst.

Cells that stand in coverage_observed.jsonl are not computed again: delete the file for all of them.
"""

from __future__ import annotations

import json
import sys
from itertools import product
from pathlib import Path
from statistics import median

import numpy as np
from observed_further import FEWER, GAMMA, HELPED, N_LABELS, SELECTIONS, SOURCES, bounds_cell, second_source_cell
from observed_worlds import (
    COMPETITORS,
    DESIGNS,
    MEASURES,
    WORLDS,
    List,
    fitted,
    inclusion_of,
    podium_limits,
    wald_limits,
)
from pages import DATA, as_text

PAGE = Path(__file__).parents[1] / "docs" / "coverage_observed.rst"
RECORDS = Path(__file__).with_suffix(".jsonl")
OURS, SCORE_ALONE, VALID = "Podium", "Podium, score alone", 0.93
BY_DESIGN = ("IPW", "AIPW, Wald")  # competitors that hold whatever the form of a regression, with many labels


def of_one_list(world, design, draw):
    """What each method says of one list, and the truth."""
    rng = np.random.default_rng([draw, list(WORLDS).index(world), DESIGNS.index(design)])
    rows = List.draw(world, rng)
    inclusion = inclusion_of(design, rows)
    labeled = rng.random(len(rows.y)) < inclusion
    known = {OURS: {"inclusion": inclusion, "columns": rows.X}, SCORE_ALONE: {"inclusion": inclusion}}
    if design.endswith("learned"):
        known = {OURS: {"columns": rows.X}}
        inclusion = fitted(rows.X, labeled, np.ones(len(labeled), dtype=bool))
    methods = {method: podium_limits(rows, labeled, **options) for method, options in known.items()}
    methods |= {each: wald_limits(each, rows, labeled, inclusion) for each in COMPETITORS}
    return methods, rows.truth()


def cell(world, design, n_draws):
    """Coverage and median width of each method, per measure."""
    found = {}
    for draw in range(n_draws):
        methods, truth = of_one_list(world, design, draw)
        for method, name in product(methods, MEASURES):
            low, high, *_ = methods[method][name]
            held = low - 1e-9 <= truth[name] <= high + 1e-9
            found.setdefault((method, name), []).append((held, high - low))
    for (method, name), draws in found.items():
        held, width = np.array(draws).T
        yield {
            "method": method,
            "measure": name,
            "draws": n_draws,
            "coverage": held.mean(),
            "width": np.median(width),
        }


def records(n_draws):
    """The lines of every cell, kept as they come."""
    cells = [("designs", (world, design), cell) for design, world in product(DESIGNS, WORLDS)]
    cells += [("bounds", (selection,), bounds_cell) for selection in SELECTIONS]
    cells += [("second source", (source,), second_source_cell) for source in SOURCES]
    lines = [json.loads(line) for line in RECORDS.read_text().splitlines()] if RECORDS.exists() else []
    done = {(line["part"], *line["of"]) for line in lines}
    with RECORDS.open("a", encoding="utf-8") as out:
        for part, of, compute in cells:
            if (part, *of) not in done:
                new = [{"part": part, "of": of, **line} for line in compute(*of, n_draws)]
                out.write("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in new))
                out.flush()
                lines += new
    return lines


# The page.


PREFACE = """Observed labels: coverage and width
===================================

Written by ``make coverage``. Every list has 5,000 rows and about 9 % positives; six columns bear on the label, of which
the score knows five at wrong weights (AUC about .8). In a *smooth* world the chance of a positive rises with the
columns alone; in the other a *hidden kind* of positives, 1.5 % of all rows, stands anywhere in the list. What is to be
covered at 95 % is the value of the very list, all of whose labels the simulation knows. Tables say how many *lists* a
cell has: of 500, a coverage of .95 has a standard error of .010, of 150 one of .018.

Designs that are known, or learned
----------------------------------

The best 400 rows are labeled, and 1, 2 or 5 % of the others at random; or 8, 4, 2 and 1 % of lower and lower ones; or
what is above a threshold that drifts by month, and 3 % of the rest; or 1 % at least and more by two of the columns,
known or learned from all six. Measures are AUC, ``power:3``, ``smooth-top:0.9``, recall at 200, 400 and 1,000, and
the share of positives. Podium has the probabilities, if known, and the six columns. Beside it: Begg and Greenes'
correction by tenths of the score and by a logistic regression on it, inverse weighting (Hájek), and augmented weighting
by a regression on the score and all columns, all with Wald limits; counted are the cells, of 14 for each design (two
worlds, seven measures), in which each covers {valid:g}.

Median widths are compared with that of the narrowest valid competitor, by two readings of *valid*. *In the cell*: it
covers {valid:g} there, perhaps because its form happens to be right there. *In both worlds*: it covers {valid:g} of
this measure in either world of the design, which is what a person needs who does not know the world. Of the second
there are two columns, of all competitors and of those by design (IPW, AIPW) alone. A column has the median and the
largest ratio, and of how many cells. The last one is Podium's median width with the columns over that by the score
alone.

{designs}
The largest ratio is {in_cell} where a competitor covers in the cell, {in_both} where it covers in both worlds, and
{by_design} among those by design. No interval by design can be as narrow as a regression that is taken to be right:
Begg and Greenes' logistic covers in the smooth world, where it nearly is, and an audit of 46 rows has little to say
against it; of the AUC in the other world it covers {logistic}. Where it covers a measure in both worlds, it errs about
another of the same list. All cells: :download:`coverage_observed_designs.csv <data/coverage_observed_designs.csv>`.

Bounds, where no design is known
--------------------------------

The same lists, the inclusion withheld, and the best 400 rows alone; rows without a label have {gamma:g} times the
odds of a positive that labeled rows of the same score have, or a half of them, or one above and the other below the
middle, in turn. Bounds are for certain; or under the statement ``odds_ratio={gamma:g}``, on what labels at the score
lead one to expect, or on predictions. The lowest coverage is over the seven measures.

{bounds}
A second source
---------------

{n_labels} of 4,000 rows, drawn at random, have labels; a second source predicts those of all rows with the given
sensitivity and specificity. Coverage is the lowest of four measures; width is the median with the source over that
without, and *with fewer labels* the width with the source and {n_labels}/{fewer} labels over that without it and
{n_labels}: below 1, it spares that many. *Wald* is the coverage for the share of positives of the mean prediction
plus mean error, with Wald limits.

{sources}
"""


def main(n_draws):
    lines = records(n_draws)
    parts = {part: [line for line in lines if line["part"] == part] for part in ("designs", "bounds", "second source")}
    text = PREFACE.format(
        valid=VALID,
        **designs_table(parts["designs"]),
        logistic=logistic_auc(parts["designs"]),
        gamma=GAMMA,
        bounds=bounds_table(parts["bounds"]),
        n_labels=N_LABELS,
        fewer=FEWER,
        sources=sources_table(parts["second source"]),
    )
    PAGE.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


def designs_table(lines):
    """A row for each design and the largest ratios; every cell goes to the file."""
    names = ("world", "design", "method", "measure", "coverage", "width")
    found = {(*line["of"], line["method"], line["measure"]): line for line in lines}
    text = [",".join(names)]
    text += [
        ",".join(['"' + part + '"' if "," in part else part for part in key])
        + "".join(f",{line[name]:.4g}" for name in names[4:])
        for key, line in found.items()
    ]
    (DATA / "coverage_observed_designs.csv").write_text("\n".join(text) + "\n", encoding="utf-8")
    rows, by_reading = [], []
    for design in DESIGNS:
        cells = list(product(WORLDS, MEASURES))
        ours = [found[world, design, OURS, name] for world, name in cells]
        alone = [found.get((world, design, SCORE_ALONE, name)) for world, name in cells]
        covered = [
            sum(found[world, design, each, name]["coverage"] >= VALID for world, name in cells) for each in COMPETITORS
        ]
        readings = [ratios(found, design, *reading) for reading in READINGS]
        by_reading.append(readings)
        helped = [one["width"] / other["width"] for one, other in zip(ours, alone, strict=True) if other]
        rows.append(
            [
                design,
                str(min(line["draws"] for line in ours)),
                f"{min(line['coverage'] for line in ours):.3f}",
                f"{median(line['coverage'] for line in ours):.3f}",
                *map(str, covered),
                *map(in_words, readings),
                f"{median(helped):.2f}" if helped else "",
            ]
        )
    header = ["design", "lists", "lowest coverage", "median", *COMPETITORS, "width, valid in the cell"]
    header += ["valid in both worlds", "the same, by design", "by columns"]
    largest = [f"{np.nanmax(np.concatenate(each)):.2f}" for each in zip(*by_reading, strict=True)]
    return {"designs": as_text(header, rows)} | dict(zip(("in_cell", "in_both", "by_design"), largest, strict=True))


READINGS = (  # whose widths are compared, and in which worlds they have to cover
    (tuple(COMPETITORS), False),
    (tuple(COMPETITORS), True),
    (BY_DESIGN, True),
)


def ratios(found, design, methods, in_both):
    """Of the width to the narrowest of those that cover, of every cell; NaN where none does."""
    of_cells = []
    for world, name in product(WORLDS, MEASURES):
        worlds = tuple(WORLDS) if in_both else (world,)
        widths = [
            found[world, design, each, name]["width"]
            for each in methods
            if min(found[at, design, each, name]["coverage"] for at in worlds) >= VALID
        ]
        of_cells.append(found[world, design, OURS, name]["width"] / min(widths) if widths else np.nan)
    return of_cells


def in_words(ratios):
    """Median and largest, and of how many cells."""
    known = [each for each in ratios if not np.isnan(each)]
    return f"{median(known):.2f} to {max(known):.2f} ({len(known)} cells)" if known else "none covers"


def logistic_auc(lines):
    shares = [
        line["coverage"]
        for line in lines
        if line["of"][0] == "hidden kind" and line["method"] == "Begg–Greenes, logistic" and line["measure"] == "auc"
    ]
    return f"{min(shares):.2f} to {max(shares):.2f}"


def bounds_table(lines):
    kinds = list(dict.fromkeys(line["kind"] for line in lines))
    rows = []
    for selection in SELECTIONS:
        of = [line for line in lines if line["of"] == [selection] or line["of"] == (selection,)]
        cells = [selection, str(of[0]["draws"])]
        for kind in kinds:
            here = [line for line in of if line["kind"] == kind]
            auc = next(line["width"] for line in here if line["measure"] == "auc")
            cells += [f"{min(line['coverage'] for line in here):.3f}", f"{auc:.3f}"]
        rows.append(cells)
    return as_text(
        ["labels of", "lists", *(f"{kind}: {what}" for kind in kinds for what in ("lowest coverage", "AUC, width"))],
        rows,
    )


def sources_table(lines):
    rows = []
    for source in SOURCES:
        of = {(line["way"], line["measure"]): line for line in lines if source in line["of"]}
        narrower, fewer = (
            ", ".join(f"{of[way, name]['width'] / of['without', name]['width']:.2f}" for name in HELPED)
            for way in ("with", "fewer")
        )
        lowest = min(of["with", name]["coverage"] for name in HELPED)
        without = min(of["without", name]["coverage"] for name in HELPED)
        wald = of["Wald", "prevalence"]["coverage"]
        rows.append(
            [source, str(of["with", "auc"]["draws"]), f"{without:.3f}", f"{lowest:.3f}", f"{wald:.3f}", narrower, fewer]
        )
    which = "AUC, power:3, recall at 400, positives"
    names = ["source", "lists", "lowest coverage without", "with", "Wald", f"width ({which})", "with fewer labels"]
    return as_text(names, rows)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
