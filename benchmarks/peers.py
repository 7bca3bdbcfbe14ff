"""Peers on the same tables: ``make bench-peers`` writes docs/peers.rst.

Scorers of other libraries and rankers of ours are read from ``quality.jsonl``, which ``make bench-quality`` fills.
Beside them one small network is trained by five losses: those of LibAUC with their own optimizers, ours, and log-loss;
each run is a line of ``peers.jsonl``, and one that is there is not repeated.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from libauc.losses import AUCMLoss, pAUC_CVaR_Loss
from libauc.optimizers import PESG, SOPA
from machine import processor
from quality_protocol import METRICS, halves, table
from sklearn.preprocessing import StandardScaler
from torch import nn

from podium.neural import CriterionLoss

HERE = Path(__file__).parent
RUNS, PAGE = HERE / "peers.jsonl", HERE.parent / "docs" / "peers.rst"
DATA = HERE.parent / "docs" / "data" / "peers.csv"
TABLES, N_SPLITS = ("ionosphere", "breast_cancer", "german_credit", "digits_8", "mammography"), 3
N_EPOCHS, BATCH = 30, 128
SHOWN = ("AUC", "average precision", "partial AUC")
SCORERS = {
    "logistic regression": "logistic regression",
    "linear": '``LinearRanker("auc")``',
    "hist-boosting": "HistGradientBoosting",
    "xgboost rank:pairwise": "XGBoost rank:pairwise",
    "lightgbm lambdarank": "LightGBM lambdarank",
    "lightgbm": "GradientBoostedRanker",
    "ForestRanker": "ForestRanker",
    "NeuralRanker": "NeuralRanker",
    "StackedRanker": "StackedRanker",
}
LOSSES = {
    "log-loss": "log-loss",
    "CriterionLoss auc": '``CriterionLoss("auc")``',
    "LibAUC AUCM": "LibAUC AUCMLoss, PESG",
    "CriterionLoss partial-auc": '``CriterionLoss("partial-auc:0.05")``',
    "LibAUC pAUC_CVaR": "LibAUC pAUC_CVaR_Loss, SOPA",
}

PREFACE = """\
Written by ``make bench-peers``. The protocol is that of :doc:`quality`: half of a table to fit, half to judge, nothing
tuned. Figures are means over splits and tables; **bold** is the best of a column. The partial AUC is the area up to a
false positive rate of 5 %, divided by .05; *seconds* are processor seconds of a fit.
"""
OF_SCORERS = """\
Twelve tables, five splits. In ``rank:pairwise`` and ``lambdarank`` all rows are one query. Every table, with its
standard deviation over splits, is in :download:`quality.csv <data/quality.csv>`; :doc:`quality` says where and when
they were run.
"""
NETWORK = f"""\
{len(TABLES)} tables, {N_SPLITS} splits. A network with two hidden layers of 64 and 32 units on standardized columns,
{N_EPOCHS} passes of batches of {BATCH}: by the losses of LibAUC 2.0.1 with their own optimizers at default settings and
batches of which half is positive, by ours with AdamW (step .003), a memory of four batches and no sampler, and by
log-loss with AdamW. Our partial AUC, started at random and in batches, fails on mammography, on a split of digits_8 and
on one of ionosphere. Standard errors are in :download:`peers.csv <data/peers.csv>`.
"""


def _steps_of_libauc(name: str, network: nn.Module, y: torch.Tensor) -> tuple[Any, Any]:
    """The loss of a batch by its rows, and the optimizer made for it; scores go through a sigmoid, as LibAUC has it."""
    if name == "LibAUC AUCM":
        loss = AUCMLoss()
        return lambda scores, rows: loss(torch.sigmoid(scores), y[rows]), PESG(
            network.parameters(), loss_fn=loss, verbose=False
        )
    loss = pAUC_CVaR_Loss(data_len=len(y), pos_len=int(y.sum()), beta=0.05)
    return lambda scores, rows: loss(torch.sigmoid(scores), y[rows], rows), SOPA(network.parameters())


def _steps_of_ours(name: str, network: nn.Module, y: torch.Tensor) -> tuple[Any, Any]:
    optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3)
    if name == "log-loss":
        bce = nn.BCEWithLogitsLoss()
        return lambda scores, rows: bce(scores[:, 0], y[rows]), optimizer
    loss = CriterionLoss("auc" if name.endswith(" auc") else "partial-auc:0.05", memory=4 * BATCH)
    return lambda scores, rows: loss(scores, y[rows]), optimizer


def half_positive(y: torch.Tensor, size: int) -> list[torch.Tensor]:
    """A pass over the negatives in batches of which half is positive, as LibAUC's sampler draws them."""
    positives, negatives = torch.nonzero(y)[:, 0], torch.nonzero(y == 0)[:, 0]
    n_batches = max(1, len(negatives) // (size // 2))
    parts = []
    for rows in (positives, negatives):
        passes = -(-n_batches * (size // 2) // len(rows))
        parts.append(torch.cat([rows[torch.randperm(len(rows))] for _ in range(passes)]).split(size // 2))
    return [torch.cat([up, down]) for up, down, _ in zip(*parts, range(n_batches), strict=False)]


def trained(name: str, X: np.ndarray, is_positive: np.ndarray, seed: int) -> nn.Module:
    """A network with two hidden layers, after the same number of steps for every loss."""
    torch.manual_seed(seed)
    order = np.argsort(~is_positive, kind="stable")  # positives first: LibAUC keeps a number for each by its index
    rows, y = torch.tensor(X[order], dtype=torch.float32), torch.tensor(is_positive[order], dtype=torch.float32)
    network = nn.Sequential(nn.Linear(X.shape[1], 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
    of_libauc = name.startswith("LibAUC")
    loss, optimizer = (_steps_of_libauc if of_libauc else _steps_of_ours)(name, network, y)
    size = min(BATCH, len(y) // 2)
    left = N_EPOCHS * -(-len(y) // size)
    while left:
        drawn = half_positive(y, size) if of_libauc else torch.randperm(len(y)).split(size)
        for batch in drawn[:left]:
            optimizer.zero_grad()
            loss(network(rows[batch]), batch).backward()
            optimizer.step()
            left -= 1
    return network


def line_of(name: str, split: int, scorer: str) -> dict[str, Any]:
    X, y = table(name)
    fit, judge = halves(y, split)
    scaler = StandardScaler().fit(X[fit])
    start = time.process_time()
    network = trained(scorer, scaler.transform(X[fit]), y[fit], split)
    seconds = time.process_time() - start
    with torch.no_grad():
        scores = network(torch.tensor(scaler.transform(X[judge]), dtype=torch.float32))[:, 0].double().numpy()
    values = {metric: METRICS[metric](y[judge], scores) for metric in SHOWN}
    where = {"processor": processor(), "date": date.today().isoformat()}
    return {"table": name, "split": split, "scorer": scorer, "seconds": round(seconds, 3)} | values | where


def run() -> None:
    torch.set_num_threads(1)
    RUNS.touch()
    done = {(r["table"], r["split"], r["scorer"]) for r in map(json.loads, RUNS.read_text().splitlines())}
    for split in range(N_SPLITS):
        for name in TABLES:
            for scorer in LOSSES:
                if (name, split, scorer) not in done:
                    line = line_of(name, split, scorer)
                    print(line, flush=True)
                    with RUNS.open("a") as file:
                        file.write(json.dumps(line) + "\n")


def by_table(lines: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The mean over splits: scorers in rows, tables in columns."""
    return lines.groupby(["scorer", "table"], sort=False)[metric].mean().unstack()


def list_table(head: list[str], rows: list[list[str]]) -> list[str]:
    out = [".. list-table::", "   :header-rows: 1", ""]
    for row in [head, *rows]:
        out += [f"   {'*' if place == 0 else ' '} - {cell}" for place, cell in enumerate(row)]
    return [*out, ""]


def bold(values: pd.Series) -> list[str]:
    return [f"**{value:.3f}**" if value == values.max() else f"{value:.3f}" for value in values]


def over_tables(lines: pd.DataFrame, names: dict[str, str], what: str) -> list[str]:
    """Means over all tables, a scorer in each row, and the processor seconds of a fit."""
    means = {metric: by_table(lines, metric).mean(axis=1)[[*names]] for metric in SHOWN}
    took = lines.groupby("scorer")["seconds"].mean()[[*names]]
    cells = [[*names.values()], *(bold(values) for values in means.values()), [f"{value:.2g}" for value in took]]
    return list_table([what, *SHOWN, "seconds"], [list(row) for row in zip(*cells, strict=True)])


def table_by_table(lines: pd.DataFrame, names: dict[str, str], metric: str) -> list[str]:
    means = by_table(lines, metric).loc[[*names]]
    columns = [bold(means[name]) for name in means]
    rows = [[title, *cells] for title, *cells in zip(names.values(), *columns, strict=True)]
    return [f"**{metric}**", "", *list_table(["loss", *means], rows)]


def write_page() -> None:
    quality = pd.read_json(HERE / "quality.jsonl", lines=True)
    quality = quality[quality["scorer"].isin(SCORERS)]
    networks = pd.read_json(RUNS, lines=True)
    for lines in (quality, networks):
        lines["partial AUC"] /= 0.05
    values = networks.groupby(["table", "scorer"], sort=False)[[*SHOWN]].agg(["mean", "sem"]).round(5)
    values.columns = [f"{metric}, {'mean' if kind == 'mean' else 'standard error'}" for metric, kind in values]
    values.to_csv(DATA)
    title = "Peers on the same tables"
    parts = [title, "=" * len(title), "", PREFACE, "Scorers", "-------", "", OF_SCORERS]
    parts += over_tables(quality, SCORERS, "scorer")
    where = " and ".join(networks["processor"].unique())
    parts += [
        "Losses for one network",
        "----------------------",
        "",
        NETWORK,
        f"Run on {where}, {networks['date'].max():%d %B %Y}.",
        "",
    ]
    parts += over_tables(networks, LOSSES, "loss")
    for metric in ("AUC", "partial AUC"):
        parts += table_by_table(networks, LOSSES, metric)
    PAGE.write_text("\n".join(parts).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    if "--report" not in sys.argv:
        run()
    write_page()
