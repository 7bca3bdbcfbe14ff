"""When the memory of `CriterionLoss` helps: ``python benchmarks/loss_memory.py 4`` writes docs/data/loss_memory.csv."""

from __future__ import annotations

import csv
import sys
from itertools import product
from pathlib import Path

import numpy as np
import torch
from quality_protocol import halves, table
from sklearn.preprocessing import StandardScaler
from torch import nn

from podium import metrics
from podium.neural import CriterionLoss

TABLES, BATCHES, MEMORIES = ("german_credit", "mammography"), (32, 128, 512), (0, 1024, 8192)
N_STEPS = 300
TARGET = Path(__file__).parents[1] / "docs" / "data" / "loss_memory.csv"


def auc(X, y, fit, judge, batch, memory, seed):
    """The AUC of the rows to judge, after the same number of steps whatever the size of a batch."""
    torch.manual_seed(seed)
    scaler = StandardScaler().fit(X[fit])
    rows, labels = torch.tensor(scaler.transform(X[fit]), dtype=torch.float32), torch.tensor(y[fit])
    network = nn.Sequential(nn.Linear(X.shape[1], 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
    loss, optimizer = CriterionLoss("auc", memory=memory), torch.optim.AdamW(network.parameters(), lr=1e-3)
    for _ in range(N_STEPS):
        drawn = torch.randint(len(labels), (batch,))
        optimizer.zero_grad()
        loss(network(rows[drawn]), labels[drawn]).backward()
        optimizer.step()
    with torch.no_grad():
        new = torch.tensor(scaler.transform(X[judge]), dtype=torch.float32)
        return metrics.auc(y[judge], network(new)[:, 0].double().numpy())


def gained(gains: np.ndarray) -> str:
    """The mean over splits ± its standard error."""
    return f"{gains.mean():+.4f} ± {gains.std(ddof=1) / np.sqrt(len(gains)):.4f}"


def main(n_splits: int) -> None:
    torch.set_num_threads(1)
    sizes = [f"{memory:,}" for memory in MEMORIES[1:]]
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["table", "batch", "no memory", *sizes, *(f"gain of {size}" for size in sizes)])
        for name, batch in product(TABLES, BATCHES):
            X, y = table(name)
            values = np.array(
                [[auc(X, y, *halves(y, k), batch, memory, k) for memory in MEMORIES] for k in range(n_splits)]
            )
            means = [f"{value:.4f}" for value in values.mean(axis=0)]
            row = [name, batch, *means, *(gained(values[:, i] - values[:, 0]) for i in range(1, len(MEMORIES)))]
            lines.writerow(row)
            print(*row, sep=", ", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
