"""The rows of all processes as one list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import distributed, nn

from podium import _input, criteria
from podium._types import BoolArray, FloatArray
from podium.criteria import Criterion
from podium.exceptions import InputError
from podium.phi import Phi


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


class CriterionLoss(nn.Module):  # type: ignore[misc]  # torch is not read by mypy
    r"""Minus a ranking criterion of scores and labels, with its exact gradient.

    The scores go to the host, where the criterion is computed in float64 in time linear in their number, and their
    derivatives come back: a million take about as long as ``criterion.value_and_gradient``. Any device and dtype; under
    autocast the value is float32. There is no sampler, no optimizer of its own, and no index of rows to keep.

    Parameters
    ----------
    criterion : Criterion, Phi or str
        What to maximize: ``"auc"``, ``"power:3"``, ``"push:4"``, ``"logloss"``, …; see
        :func:`podium.criteria.resolve`.
    memory : int
        How many scores of the latest batches enter as constants, beside those of the batch: the rank of a score among
        few others is noisy. Scores grow old as the network learns, so the memory should not be much longer than some
        batches. Rows are remembered in training mode only; :meth:`forget` empties it.

    Notes
    -----
    Where ``torch.distributed`` runs, the scores of all processes make one list, and every process gets the derivatives
    of its own, times the number of processes: ``DistributedDataParallel`` takes the mean, and the step is that of one
    process with all rows. Every process must call the loss equally often.

    A batch of one class, memory included, says nothing about an order: its loss and gradient are zero. Ties have the
    gradient of the criterion: with a smoothed rank statistic, tied scores are told apart by their labels.

    Examples
    --------
    >>> import torch
    >>> from podium.neural import CriterionLoss
    >>> scores = torch.tensor([0.3, -0.2, 0.9, 0.1], requires_grad=True)
    >>> loss = CriterionLoss("push:1")(scores, torch.tensor([1, 0, 1, 0]))
    >>> loss.backward()
    >>> scores.grad.sum().abs() < 1e-6
    tensor(True)
    """

    def __init__(self, criterion: Criterion | Phi | str = "auc", *, memory: int = 0) -> None:
        super().__init__()
        self.criterion = criteria.resolve(criterion)
        self.memory = _input.check_integer("memory", memory, 0)
        self.forget()
        _on_host()

    def forget(self) -> None:
        """Empty the memory."""
        self._recent = Gathered(np.zeros(0), np.zeros(0, dtype=np.bool_))

    def forward(self, scores: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor | None = None) -> torch.Tensor:
        """The loss, a tensor without dimensions.

        Parameters
        ----------
        scores : Tensor of shape (n_rows,) or (n_rows, 1)
            The scores; larger is more positive.
        labels : Tensor with one entry for each score
            Positive rows have labels above zero: 0 and 1, −1 and 1, or booleans.
        weights : Tensor with one entry for each score, optional
            How often every row counts.
        """
        if not scores.numel() == labels.numel() == (scores if weights is None else weights).numel():
            raise InputError(
                "A loss needs one label, and one weight if any, for each score; got "
                f"{scores.numel()} scores, {labels.numel()} labels"
                f"{'' if weights is None else f' and {weights.numel()} weights'}."
            )
        return _on_host()(scores, labels, weights, self)[0]

    def _evaluate(self, batch: Gathered) -> tuple[float, FloatArray]:
        """The criterion of a batch and what is remembered, and its derivatives in the scores of the batch."""
        recent, n_rows = self._recent, len(batch.scores)
        rows = batch.followed_by(recent)
        if self.memory and self.training:
            self._recent = rows.first(self.memory)
        if not rows.has_both_classes:
            return 0.0, np.zeros(n_rows)
        value, gradient = self.criterion.value_and_gradient(rows.scores, rows.is_positive, rows.weight)
        return value, gradient[:n_rows]

    def extra_repr(self) -> str:
        """What torch prints in brackets."""
        return f"{self.criterion!r}" + (f", memory={self.memory}" if self.memory else "")


class _Loss(torch.autograd.Function):  # type: ignore[misc]
    """Derivatives are known with the value: the second output, kept until they are asked for."""

    @staticmethod
    def forward(scores: Any, labels: Any, weights: Any, loss: CriterionLoss) -> Any:
        flat = labels.detach().reshape(-1)
        is_positive = (flat if flat.dtype == torch.bool else flat > 0).cpu().numpy()
        mine = Gathered(_host(scores), is_positive, None if weights is None else _host(weights))
        batch, own, n_processes = gather(mine)
        value, gradient = loss._evaluate(batch)
        wide = scores.dtype if scores.dtype in (torch.float32, torch.float64) else torch.float32
        steps = torch.from_numpy(-n_processes * gradient[own]).to(scores).reshape(scores.shape)
        return torch.tensor(-value, dtype=wide, device=scores.device), steps

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:  # apart from forward, as torch.func asks
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(inputs[0], output[1])

    @staticmethod
    def backward(ctx: Any, slope: Any, _: Any) -> Any:
        scores, steps = ctx.saved_tensors
        return _Steps.apply(scores, steps, slope), None, None, None


class _Steps(torch.autograd.Function):  # type: ignore[misc]
    """Derivatives that have none: ``once_differentiable`` would pass as zero under ``torch.func.grad``."""

    @staticmethod
    def forward(scores: Any, steps: Any, slope: Any) -> Any:
        return steps * slope.to(steps.dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Nothing is kept."""

    @staticmethod
    def backward(ctx: Any, _: Any) -> Any:
        raise InputError(
            "CriterionLoss has first derivatives only; got a call for second ones.",
            "leave out create_graph=True, torch.func.hessian or a gradient of the gradient.",
        )


_uncompiled: Any = None


def _on_host() -> Any:
    """The loss as a break in any compiled graph; made late, because compilers take seconds to import."""
    global _uncompiled  # compilers look through a cache, and warn that they do
    if _uncompiled is None:
        _uncompiled = torch.compiler.disable(_Loss.apply)
    return _uncompiled


def _host(values: Any) -> FloatArray:
    return values.detach().reshape(-1).to("cpu", torch.float64).numpy()
