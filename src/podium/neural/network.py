"""A small network for tables: how columns become its input, and several members in one that share most weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from podium._types import BoolArray, FloatArray

_PIECES = 8  # of the broken line of a column


@dataclass(frozen=True)
class Encoding:
    """What was learned of each column: for numbers center, scale and knots, for categories the codes that were seen."""

    numbers: tuple[int, ...]
    categories: tuple[int, ...]
    center: FloatArray
    scale: FloatArray
    knots: tuple[FloatArray, ...]
    codes: tuple[FloatArray, ...]
    has_missing: BoolArray

    @classmethod
    def of(cls, X: FloatArray, categorical: Sequence[int]) -> Encoding:
        """Learned from training rows."""
        numbers = tuple(j for j in range(X.shape[1]) if j not in categorical)
        values = [X[~np.isnan(X[:, j]), j] for j in numbers]
        values = [column if len(column) else np.zeros(1) for column in values]
        quartiles = np.array([np.quantile(column, [0.25, 0.5, 0.75]) for column in values]).reshape(-1, 3)
        spread = (quartiles[:, 2] - quartiles[:, 0]) / 1.349  # 1 for a normal column of standard deviation 1
        spread = np.where(spread > 0, spread, [column.std() for column in values])
        quantiles = np.linspace(0, 1, _PIECES + 1)
        return cls(
            numbers,
            tuple(categorical),
            quartiles[:, 1],
            np.where(spread > 0, spread, 1.0),
            tuple(np.unique(np.quantile(column, quantiles)) for column in values),
            tuple(np.unique(X[~np.isnan(X[:, j]), j]) for j in categorical),
            np.array([bool(np.isnan(X[:, j]).any()) for j in numbers], dtype=np.bool_),
        )

    def scaled(self, X: FloatArray) -> FloatArray:
        """Columns of numbers in units of their spread, drawn in beyond three of them; zero where missing."""
        z = (X[:, list(self.numbers)] - self.center) / self.scale
        return np.nan_to_num(z / np.sqrt(1 + (z / 3) ** 2))

    def features(self, X: FloatArray) -> npt.NDArray[np.float32]:
        """Scaled columns, then for each the parts of its pieces that lie below the value, and marks of missing ones."""
        parts = [self.scaled(X)]
        for j, knots, has_missing in zip(self.numbers, self.knots, self.has_missing, strict=True):
            column, missing = np.nan_to_num(X[:, [j]]), np.isnan(X[:, [j]])
            if len(knots) > 2:
                parts.append(np.where(missing, 0.0, np.clip((column - knots[:-1]) / np.diff(knots), 0.0, 1.0)))
            if has_missing:
                parts.append(missing.astype(np.float64))
        return np.concatenate(parts, axis=1).astype(np.float32)

    def coded(self, X: FloatArray) -> npt.NDArray[np.int64]:
        """Categories as numbers from 1 on; 0 is for those that were not seen, and missing ones."""
        out = np.zeros((len(X), len(self.categories)), dtype=np.int64)
        for k, (j, codes) in enumerate(zip(self.categories, self.codes, strict=True)):
            place = np.minimum(np.searchsorted(codes, X[:, j]), max(len(codes) - 1, 0))
            if len(codes):
                out[:, k] = np.where(codes[place] == X[:, j], place + 1, 0)
        return out


_WIDEST_EMBEDDING = 8


class TableNetwork(nn.Module):  # type: ignore[misc]  # torch is not read by mypy
    """Scores of shape (n_rows, n_members) from features and codes of categories.

    The first layer, the wide one, is computed once for all members; each then has its own scales (drawn at random, so
    that members differ) and its own last layer (Gorishniy et al. 2024, "TabM", after BatchEnsemble).
    """

    def __init__(self, n_features: int, n_codes: Sequence[int], n_members: int, width: int, dropout: float) -> None:
        super().__init__()
        sizes = [(n + 1, min(_WIDEST_EMBEDDING, n // 2 + 1)) for n in n_codes]
        self.embeddings = nn.ModuleList(nn.Embedding(*size) for size in sizes)
        self.first = nn.Linear(n_features + sum(size for _, size in sizes), width)
        self.scale = nn.Parameter(torch.randn(n_members, width).sign() * (0.5 + torch.rand(n_members, width)))
        self.shift = nn.Parameter(torch.zeros(n_members, width))
        self.second = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)
        self.last = nn.Parameter(torch.randn(n_members, width) / width**0.5)
        self.offset = nn.Parameter(torch.zeros(n_members))

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, Any], n_codes: Sequence[int]) -> TableNetwork:
        """A network from its parameters by name."""
        width, n_inputs = arrays["first.weight"].shape
        n_embedded = sum(arrays[f"embeddings.{k}.weight"].shape[1] for k in range(len(n_codes)))
        with torch.device("meta"):  # without numbers: sizes that do not fit the arrays take no memory
            network = cls(n_inputs - n_embedded, n_codes, len(arrays["offset"]), width, dropout=0.0)
        network.load_state_dict({name: torch.as_tensor(value) for name, value in arrays.items()}, assign=True)
        return network

    def forward(self, features: torch.Tensor, codes: torch.Tensor) -> torch.Tensor:
        """The scores by every member."""
        parts = [features, *(table(codes[:, k]) for k, table in enumerate(self.embeddings))]
        hidden = self.first(torch.cat(parts, dim=1))[:, None, :] * self.scale + self.shift
        hidden = self.dropout(torch.relu(hidden))
        hidden = self.dropout(torch.relu(self.second(hidden)))
        return (hidden * self.last).sum(dim=2) + self.offset


class OwnNetwork(nn.Module):  # type: ignore[misc]
    """A user's module as a network of one member; it gets the scaled columns."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, features: torch.Tensor, codes: torch.Tensor) -> torch.Tensor:
        """The scores, one column."""
        return self.module(features).reshape(len(features), 1)
