"""From the lines of `quality.py` to its parts of the page ``docs/quality.rst``."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from machine import processor
from quality_protocol import METRICS, default_members

STACK, MEMBERS = "StackedRanker", [name for name, _ in default_members()]
PEERS = [
    "logistic regression",
    "LDA",
    "qda",
    "random-forest",
    "extra-trees",
    "hist-boosting",
    "xgboost defaults",
    "xgboost rank:pairwise",
    "xgboost rank:ndcg",
    "lightgbm",
    "lightgbm lambdarank",
]
# Members of the stack that are neither a scorer of another library nor a ranker of ours under their own name.
WITHIN = ["logistic", "kernel", "network", "xgboost"]
OBJECTIVES = ("auc", "push:4")
SHOWN = "partial AUC"  # where the tables of a page are about one metric
PACKAGES = ("podium", "numpy", "scikit-learn", "lightgbm", "xgboost-cpu")


def write_report(results: Path, part: Path, command: str, ran: str | None = None) -> None:
    """Rewrite a set's part of the page, and the long tables as data, from all table × split pairs that are complete.

    ``ran`` says when and where; without it, now and here.
    """
    lines = pd.DataFrame([json.loads(line) for line in results.read_text().splitlines()])
    n_scorers = lines["scorer"].nunique()
    complete = lines.groupby(["table", "split"])["scorer"].transform("nunique") == n_scorers
    lines = share_of_partial_area(lines[complete])
    splits = lines.groupby("table")["split"].nunique()
    parts = [
        ran or ran_here(command),
        f"{len(splits)} tables, {counts(splits)}; ``benchmarks/{results.name}`` has every value.",
        "",
        "**Mean ranks** of scorers of other libraries and of our rankers. Rank 1 is the best scorer, by the mean over "
        "splits, averaged over tables.",
        "",
        *rst(mean_ranks(lines[~lines["scorer"].isin(WITHIN)])),
        f"**The stack against single scorers**, by {SHOWN}. Differences of the means over splits, positive where the "
        "stack is better. *Picked* is the member of the library with the best metric out of fold, *hindsight* the one "
        "with the best metric on the evaluation rows.",
        "",
        *rst(_against_singles(lines, SHOWN)),
        "**Other objectives inside the same trees**: mean over tables of the difference from LightGBM's binary "
        "objective, and on how many tables the criterion loses more than .02.",
        "",
        *rst(_objectives(lines)),
        "Every value: " + ", ".join(_write_data(lines, part)) + ".",
        "",
    ]
    part.write_text("\n".join(parts + refused(lines)))


def _write_data(lines: pd.DataFrame, part: Path) -> list[str]:
    """The long tables as files beside a part of the page, and links to them."""
    ranks = {
        "scorers of other libraries and rankers": mean_ranks(lines[~lines["scorer"].isin(WITHIN)]),
        "with the members inside the stack": mean_ranks(lines),
        "the stack and scorers of other libraries": mean_ranks(lines[lines["scorer"].isin([STACK, *PEERS])]),
    }
    singles = {name: _against_singles(lines, name) for name in METRICS}
    objectives = {name: _against_lightgbm(lines, f"GradientBoosted {name}") for name in OBJECTIVES}
    all_values(lines).to_csv(part.with_suffix(".csv"), index=False, float_format="%.5g")
    pd.concat(singles, names=["metric"]).to_csv(part.with_name(f"{part.stem}_singles.csv"))
    pd.concat(ranks, names=["among"]).to_csv(part.with_name(f"{part.stem}_ranks.csv"))
    pd.concat(objectives, names=["criterion"]).to_csv(
        part.with_name(f"{part.stem}_objectives.csv"), float_format="%.5g"
    )
    data = {
        "mean, standard deviation and seconds of a fit": part.stem,
        "the stack against single scorers": f"{part.stem}_singles",
        "ranks among other sets of scorers": f"{part.stem}_ranks",
        "other objectives by table": f"{part.stem}_objectives",
    }
    return [f":download:`{words} <data/{name}.csv>`" for words, name in data.items()]


def refused(lines: pd.DataFrame) -> list[str]:
    """Scorers that failed, with what they said."""
    if "error" not in lines:
        return []
    shown = lines.dropna(subset="error").groupby(["scorer", "table"])["error"].first().reset_index()
    shown["error"] = shown["error"].str.partition(". ")[0]  # the first sentence says what
    return ["**Refused**: scorers that failed on a table rank last there.", "", *rst(shown.set_index("scorer"))]


def share_of_partial_area(lines: pd.DataFrame) -> pd.DataFrame:
    """Partial areas divided by their largest value, so that 1 is perfect as in every other column."""
    name, largest = "partial AUC", 0.05
    lines = lines.assign(**{name: lines[name] / largest})
    for members in lines["out of fold"].dropna():
        for values in members.values():
            values[name] /= largest
    return lines


def by_table(lines: pd.DataFrame, name: str) -> pd.DataFrame:
    """Mean over splits: one row per scorer, one column per table."""
    return lines.pivot_table(index="scorer", columns="table", values=name, aggfunc="mean", dropna=False)


def mean_ranks(lines: pd.DataFrame) -> pd.DataFrame:
    columns, wins = {}, {}
    for name in METRICS:
        ranks = by_table(lines, name).rank(ascending=False, method="average", na_option="bottom")
        columns[name], wins[name] = ranks.mean(axis=1), (ranks.eq(ranks.min())).sum(axis=1)
    ranks, first = pd.DataFrame(columns), pd.DataFrame(wins)
    shown = ranks.round(2).astype(str) + " (" + first.astype(str) + ")"
    return shown.loc[ranks.mean(axis=1).sort_values().index].rename_axis("scorer (mean rank, tables won or shared)")


def _against_singles(lines: pd.DataFrame, name: str) -> pd.DataFrame:
    stacks = lines[lines["scorer"] == STACK].set_index(["table", "split"])
    singles = lines[lines["scorer"].isin(MEMBERS)].set_index(["table", "split", "scorer"])[name]
    rows = {}
    for table, group in stacks.groupby(level="table", sort=False):
        to_picked, to_best, picks = [], [], []
        for (_, split), line in group.iterrows():
            held = {member: values[name] for member, values in line["out of fold"].items()}
            picks.append(max(held, key=held.__getitem__))
            to_picked.append(line[name] - singles[table, split, picks[-1]])
        best = singles[table].groupby("scorer").mean().idxmax()
        to_best = [line[name] - singles[table, split, best] for (_, split), line in group.iterrows()]
        rows[table] = {
            "picked (most often)": max(sorted(set(picks)), key=picks.count),
            "stack − picked": _pm(to_picked),
            "splits won": f"{sum(d > 0 for d in to_picked)}/{len(to_picked)}",
            "hindsight": best,
            "stack − hindsight": _pm(to_best),
        }
    return pd.DataFrame(rows).T.rename_axis("table")


def _against_lightgbm(lines: pd.DataFrame, scorer: str) -> pd.DataFrame:
    by_metric = {name: by_table(lines, name) for name in METRICS}
    return pd.DataFrame({name: means.loc[scorer] - means.loc["lightgbm"] for name, means in by_metric.items()})


def _objectives(lines: pd.DataFrame) -> pd.DataFrame:
    rows = {}
    for criterion in OBJECTIVES:
        differences = _against_lightgbm(lines, f"GradientBoosted {criterion}")
        lost = (differences < -0.02).sum()
        rows[criterion] = {name: f"{differences[name].mean():+.3f} ({lost[name]})" for name in METRICS}
    return pd.DataFrame(rows).T.rename_axis("criterion")


def all_values(lines: pd.DataFrame) -> pd.DataFrame:
    """One row for every table, scorer and metric."""
    long = lines.melt(["table", "scorer", "split"], [*METRICS, "seconds"], "metric")
    return long.groupby(["table", "metric", "scorer"])["value"].agg(["mean", "std", "count"]).reset_index()


def _pm(values: list[float]) -> str:
    return f"{np.mean(values):+.4f} ± {np.std(values, ddof=1) if len(values) > 1 else np.nan:.4f}"


def rst(frame: pd.DataFrame) -> list[str]:
    rows = [[frame.index.name or "", *map(str, frame.columns)]]
    rows += [[str(index), *map(str, row)] for index, row in zip(frame.index, frame.to_numpy(), strict=True)]
    table = [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        table += [f"   {'*' if i == 0 else ' '} - {cell}" for i, cell in enumerate(row)]
    return [*table, ""]


def section(title: str, text: str) -> list[str]:
    return [title, "-" * len(title), "", text, ""]


def ran_here(command: str, packages: Sequence[str] = PACKAGES) -> str:
    """When, where and with which versions, for a run that has just ended."""
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"Run on {date.today():%-d %B %Y} with {versions}, on {machine()}. Rewrite it by ``{command}``."


def ran_before(page: Path) -> str:
    """What the page or part says about the run it is from: when its values were measured, not when it was written."""
    return next(line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("Run on "))


def machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores of an {processor()} and {memory:.0f} GB of memory, shared with other work"


def counts(splits: pd.Series) -> str:
    tables = splits.value_counts()
    return " and ".join(f"{n} with {k} split{'s'[: k > 1]}" for k, n in sorted(tables.items(), reverse=True))
