"""When the memory of `CriterionLoss` helps: prints the table of docs/networks.rst for so many splits."""

from __future__ import annotations

import sys

import numpy as np
import torch
from quality_protocol import halves, table
from sklearn.preprocessing import StandardScaler
from torch import nn

from podium import metrics
from podium.neural import CriterionLoss

TABLES, BATCHES, MEMORIES = ("german_credit", "mammography"), (32, 128, 512), (0, 1024, 8192)
N_STEPS = 300


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


def main(n_splits: int) -> None:
    torch.set_num_threads(1)
    print("table, batch,", ", ".join(f"memory {memory:,}" for memory in MEMORIES), "and the gains of memory")
    for name in TABLES:
        X, y = table(name)
        for batch in BATCHES:
            values = np.array(
                [[auc(X, y, *halves(y, k), batch, memory, k) for memory in MEMORIES] for k in range(n_splits)]
            )
            gains = values[:, 1:] - values[:, :1]
            error = gains.std(axis=0, ddof=1) / np.sqrt(n_splits)
            means = [f"{value:.4f}" for value in values.mean(axis=0)]
            gained = [f"{g:+.4f} ± {e:.4f}" for g, e in zip(gains.mean(axis=0), error, strict=True)]
            print(name, batch, *means, *gained, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
