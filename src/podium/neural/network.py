"""A small network for tables: several members in one, which share all but their scales and their last layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

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
