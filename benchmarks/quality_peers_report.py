"""From the lines of `quality_peers.py` to a page of the documentation."""

from __future__ import annotations

import json
from importlib.metadata import Distribution
from pathlib import Path

import numpy as np
import pandas as pd
from quality_protocol import METRICS
from quality_report import (
    PACKAGES,
    STACK,
    all_values,
    counts,
    mean_ranks,
    ran_before,
    ran_here,
    refused,
    rst,
    section,
    share_of_partial_area,
)
from scipy.stats import t

COMMAND = "make bench-quality-peers"
LIBRARIES = ("pandas", "torch", "catboost", "interpret-core", "pytabkit", "flaml", "autogluon.tabular")
SHOWN = ("partial AUC", "average precision", "AUC")  # the others, differences by table, are in the data
FAR = 2  # standard errors beyond which the text calls a difference one

HOW = """\
Tables, splits and metrics are those of :doc:`quality`: one half of a table to fit, one to judge, numbers only. Every
library has its defaults and one thread on one core. FLAML and AutoGluon get the seconds in their names, look for the
best AUC, and stop sooner if they have done all they plan. AutoGluon has its boosted trees (LightGBM, XGBoost,
CatBoost), forests and networks (torch, fastai), but neither its pretrained models nor Ray. RealMLP by default keeps the
epoch with the fewest wrong classes; *for AUC* it keeps the one with the best AUC and does not smooth labels, as its
manual recommends. FLAML 2.7 asks for XGBoost before 3, and ran with the version named above. The stack weighs its
members by log-loss.

Three things favor the stack. It was developed on these tables, and the others were not (:doc:`quality` says what was
decided on which). The time limits are short for AutoGluon, which is made for longer ones, and the clock runs on while
other work has the core (`Seconds`_ says which share of the core each had). And AUC, which FLAML and AutoGluon look for,
is only one of the five metrics."""


def write_page(results: Path, page: Path, only_rewritten: bool = False) -> None:
    """Rewrite the page from what is there: a scorer is compared with the stack on every split that both have."""
    there = [name for name in LIBRARIES if any(Distribution.discover(name=name))]
    ran = ran_before(page) if only_rewritten else ran_here(COMMAND, (*PACKAGES, *there))
    lines = share_of_partial_area(pd.DataFrame([json.loads(line) for line in results.read_text().splitlines()]))
    splits = lines.groupby("table")["split"].nunique()
    differences = {metric: to_stack(lines, metric) for metric in METRICS}
    title = "Other libraries beside the stack"
    parts = [
        title,
        "=" * len(title),
        "",
        ran,
        f"{len(splits)} tables, {counts(splits)}; ``benchmarks/{results.name}`` has every value.",
        "",
        HOW,
        *late(lines),
        "",
        *section("What it shows", reading(differences)),
        *section(
            "Differences",
            "The stack less the other, mean over tables ± its standard error; positive where the stack is better, "
            f"**bold** beyond {FAR} standard errors. The partial AUC is the area up to a false positive rate of 5 %, "
            "divided by .05.",
        ),
        *rst(summary(differences)),
        *section(
            "Mean ranks", "Rank 1 is the best of those that have all tables, by the mean over splits that all have."
        ),
        *rst(mean_ranks(everywhere(lines))),
        *section("Table by table", "The stack less the other; **bold** where the other is better."),
    ]
    for metric in SHOWN:
        shown = differences[metric].map(lambda d: "–" if np.isnan(d) else f"**{d:+.3f}**" if d < 0 else f"{d:+.3f}")
        parts += [f"**{metric}**", "", *rst(shown)]
    parts += section(
        "Seconds",
        "Seconds of a fit by the clock, and processor seconds as a share of them; most of the rest went to other work.",
    )
    parts += [*rst(seconds(lines)), *models(lines)]
    data = page.parent / "data" / f"{page.stem}.csv"
    data.parent.mkdir(exist_ok=True)
    all_values(lines).to_csv(data, index=False, float_format="%.5g")
    parts += [f"Every metric on every table: :download:`{data.name} <data/{data.name}>`."]
    page.write_text("\n".join([*parts, "", *refused(lines)]).rstrip() + "\n", encoding="utf-8")


def late(lines: pd.DataFrame) -> list[str]:
    """Which scorers have not all tables, if any."""
    n_tables = lines.groupby("scorer")["table"].nunique()
    names = n_tables.index[n_tables < n_tables.max()]
    return (
        [
            "",
            f"{' and '.join(names)} came last and ran out of time: the tables they lack were left out by cost, "
            "not by result.",
        ]
        if len(names)
        else []
    )


def models(lines: pd.DataFrame) -> list[str]:
    """How many models the libraries that say so had trained in time."""
    if "models" not in lines:
        return []
    known = lines.dropna(subset="models")
    ranges = known["models"].map(len).groupby(known["scorer"]).agg(["min", "max"])
    said = ", ".join(f"{name}: {low}" + f" to {high}" * (high > low) for name, (low, high) in ranges.T.items())
    return [f"Models trained in time, ensembles of them included: {said}.", ""]


def everywhere(lines: pd.DataFrame) -> pd.DataFrame:
    """Scorers that have all tables, on the splits that all of them have."""
    kept = lines[lines.groupby("scorer")["table"].transform("nunique") == lines["table"].nunique()]
    return kept[kept.groupby(["table", "split"])["scorer"].transform("nunique") == kept["scorer"].nunique()]


def to_stack(lines: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The stack less every other scorer: a row for each table, a mean over the splits that both have."""
    by_split = lines.pivot_table(index=["table", "split"], columns="scorer", values=metric, sort=False)
    others = [name for name in lines["scorer"].unique() if name != STACK]
    return by_split[others].rsub(by_split[STACK], axis=0).groupby("table", sort=False).mean()


def summary(differences: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """One row for each scorer: its number of tables, and the mean difference of every metric ± its standard error."""
    columns: dict[str, pd.Series] = {"tables": differences["AUC"].count()}
    for metric, table in differences.items():
        columns[metric] = table.agg(lambda column: _pm(column.mean(), column.sem()))
    return pd.DataFrame(columns).rename_axis("scorer").loc[differences["AUC"].mean().sort_values().index]


def reading(differences: dict[str, pd.DataFrame]) -> str:
    """In words: which differences are beyond their standard errors, in which direction, and how many are not."""
    ratios = pd.DataFrame({metric: table.mean() / table.sem() for metric, table in differences.items()})
    n_known, n_within = int(ratios.count().sum()), int((ratios.abs() <= FAR).sum().sum())
    alike = " and ".join(f"*{name}*" for name in ratios.index[(ratios.abs() <= FAR).all(axis=1)]) or "none"
    by_chance = sum(float(2 * t.sf(FAR, table.count() - 1)[table.count() > 1].sum()) for table in differences.values())
    return (
        f"Beyond {FAR} standard errors the stack is better than {_named(ratios > FAR)}, and worse than "
        f"{_named(ratios < -FAR)}. The other {n_within} of {n_known} comparisons are within {FAR} standard errors, "
        f"those with {alike} by every metric: they show neither that the stack is better nor that it is not. If there "
        f"were no differences at all, about {by_chance:.0f} of {n_known} would be beyond {FAR} standard errors."
    )


def _named(marked: pd.DataFrame) -> str:
    """Scorers, each with the metrics that are marked."""
    names = [f"*{name}* ({', '.join(row.index[row])})" for name, row in marked.iterrows() if row.any()]
    return "; ".join(names) or "none"


def seconds(lines: pd.DataFrame) -> pd.DataFrame:
    by = lines.groupby("scorer", sort=False)
    spent, share = by["clock"].agg(["mean", "max"]), by["seconds"].sum() / by["clock"].sum()
    frame = spent.map("{:.0f}".format).assign(share=share.map("{:.0%}".format))
    return frame.set_axis(["mean", "longest", "share of a core"], axis=1)


def _pm(mean: float, error: float) -> str:
    text = f"{mean:+.4f} ± {error:.4f}"
    return f"**{text}**" if abs(mean) > FAR * error else text
