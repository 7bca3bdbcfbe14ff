"""The rows of all processes as one list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import distributed

from podium._types import BoolArray, FloatArray


@dataclass(frozen=True)
class Gathered:
    """Scores, labels and weights of some rows."""

    scores: FloatArray
    is_positive: BoolArray
    weight: FloatArray | None = None  # all one

    @property
    def weights(self) -> FloatArray:
        """The weights as an array."""
        return np.ones(len(self.scores)) if self.weight is None else self.weight

    @property
    def has_both_classes(self) -> bool:
        """Whether there are positives and negatives that count."""
        labels = self.is_positive if self.weight is None else self.is_positive[self.weight > 0]
        return bool(labels.any()) and not labels.all()

    def followed_by(self, others: Gathered) -> Gathered:
        """These rows and others."""
        if not len(others.scores):
            return self
        weight = None
        if self.weight is not None or others.weight is not None:
            weight = np.concatenate([self.weights, others.weights])
        scores, labels = ([getattr(part, name) for part in (self, others)] for name in ("scores", "is_positive"))
        return Gathered(np.concatenate(scores), np.concatenate(labels), weight)

    def first(self, n_rows: int) -> Gathered:
        """Only the first rows."""
        weight = None if self.weight is None else self.weight[:n_rows].copy()
        return Gathered(self.scores[:n_rows].copy(), self.is_positive[:n_rows].copy(), weight)


def gather(own: Gathered) -> tuple[Gathered, slice, int]:
    """The rows of all processes in their order, which of them are this one's, and how many processes there are."""
    if not (distributed.is_available() and distributed.is_initialized()) or distributed.get_world_size() == 1:
        return own, slice(None), 1
    n_processes, number = distributed.get_world_size(), distributed.get_rank()
    device = torch.device("cuda" if distributed.get_backend() == "nccl" else "cpu")
    sizes = [torch.zeros(1, dtype=torch.int64, device=device) for _ in range(n_processes)]
    distributed.all_gather(sizes, torch.tensor([len(own.scores)], device=device))
    n_rows = [int(size) for size in sizes]
    table = torch.zeros((max(n_rows), 3), dtype=torch.float64, device=device)  # all of one size, as NCCL wants them
    table[: len(own.scores)] = torch.as_tensor(np.column_stack([own.scores, own.is_positive, own.weights]))
    tables = [torch.zeros_like(table) for _ in range(n_processes)]
    distributed.all_gather(tables, table)
    rows = np.concatenate([part[:n].cpu().numpy() for part, n in zip(tables, n_rows, strict=True)])
    start = sum(n_rows[:number])
    weight = None if (rows[:, 2] == 1).all() else rows[:, 2].copy()
    mine = slice(start, start + len(own.scores))
    return Gathered(rows[:, 0].copy(), rows[:, 1] > 0, weight), mine, n_processes
