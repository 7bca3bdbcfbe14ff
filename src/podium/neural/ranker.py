"""NeuralRanker: a network for tables that maximizes a criterion."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from sklearn.utils import check_random_state
from torch import nn

from podium import _input, criteria
from podium._progress import Progress
from podium._types import BoolArray, FloatArray, Sometimes
from podium.criteria import Criterion, LogLoss
from podium.metrics.named import gain
from podium.neural.loss import CriterionLoss
from podium.neural.network import Encoding, OwnNetwork, TableNetwork
from podium.phi import Phi
from podium.rankers import folds
from podium.rankers.base import Ranker
from podium.rankers.folds import Groups

_STEPS_PER_EPOCH = 40  # so that the time of a fit hardly depends on the rows
_SMALLEST_BATCH, _LARGEST_BATCH = 32, 512
_FEWEST_TO_WATCH = 10  # rows of a class; with fewer, nothing is left out for early stopping
_BATCHES_REMEMBERED = 4
_BLOCK = 10_000  # rows scored at a time
_ONE_AT_A_TIME = threading.RLock()


class NeuralRanker(Ranker):
    r"""s(x) by a small network for tables, trained for a criterion; needs torch.

    Numeric columns are scaled by median and quartiles, compressed beyond three standard deviations, and also encoded as
    piecewise linear functions with eight pieces between quantiles; categories are embedded. Several members share all
    layers but the last, and the score is their mean (TabM). Each is trained for the criterion by
    :class:`CriterionLoss`, on batches with a short memory; training stops when ω_φ on left-out rows no longer improves.

    Parameters
    ----------
    criterion : Criterion, Phi or str
        The criterion to maximize: ``"logloss"``, ``"auc"``, ``"power:3"``, ``"push:4"``, ….
    module : torch.nn.Module, optional
        Your own network instead: from the scaled columns, of shape (n_rows, n_features), to a score for each row. A
        copy of it is trained.
    n_members : int
        Number of members of the network.
    width : int
        Number of units in each of the two hidden layers.
    dropout : float
        The dropout rate in training.
    n_epochs : int
        Maximum number of epochs.
    learning_rate : float
        The learning rate of the optimizer (AdamW).
    weight_decay : float
        The weight decay of the optimizer.
    early_stopping : str, Phi or None
        A metric of :func:`podium.metrics.metric`, computed on left-out rows: training stops after ``n_iter_no_change``
        epochs without improvement and keeps the best network. With None all epochs are run. No rows are left out if a
        class has too few.
    validation_fraction : float
        The share of rows left out for ``early_stopping``.
    n_iter_no_change : int
        Number of epochs without improvement after which to stop.
    categorical_features : sequence of int or str
        Columns with categories coded as numbers, by position or name. Categorical and text columns of a data frame are
        always included.
    class_weight : dict, "balanced" or None
        Class weights, as in scikit-learn. Criteria that compare ranks of pairs hardly change; ``predict`` and
        probabilities refer to the weighted classes.
    pos_label : object, optional
        The positive label; by default the last of the two in sorted order.
    calibrate : {"isotonic", "platt"}, optional
        How scores are mapped to probabilities for ``predict_proba``, in five-fold cross-validation; not by default.
    verbose : int
        1 shows a progress line with the time.
    random_state : int, RandomState or None
        The seed of the initial weights, the batches and the left-out rows.

    Attributes
    ----------
    network_ : torch.nn.Module
        The network.
    n_iter_ : int
        Number of epochs run.
    validation_path_ : ndarray
        The metric on the left-out rows after every epoch, with ``early_stopping``.
    threshold_ : float
        ``predict`` returns the positive class for scores above it.
    calibration_ : object
        The map from scores to probabilities, with ``calibrate``.
    classes_ : ndarray
        The two labels; the second is positive.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from podium import metrics
    >>> from podium.neural import NeuralRanker
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> ranker = NeuralRanker("auc", n_epochs=10, random_state=0).fit(X[::2], y[::2])
    >>> metrics.auc(y[1::2], ranker.decision_function(X[1::2])) > 0.97
    True
    """

    encoding_: Encoding
    network_: Any
    n_iter_: int
    validation_path_: Sometimes[FloatArray]

    def __init__(
        self,
        criterion: Criterion | Phi | str = "logloss",
        *,
        module: nn.Module | None = None,
        n_members: int = 8,
        width: int = 64,
        dropout: float = 0.1,
        n_epochs: int = 40,
        learning_rate: float = 0.003,
        weight_decay: float = 0.03,
        early_stopping: Phi | str | None = "auc",
        validation_fraction: float = 0.2,
        n_iter_no_change: int = 8,
        categorical_features: Sequence[int | str] = (),
        class_weight: dict[Any, float] | str | None = None,
        pos_label: Any = None,
        calibrate: str | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.module = module
        self.n_members = n_members
        self.width = width
        self.dropout = dropout
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.calibrate = calibrate
        self.verbose = verbose
        self.random_state = random_state

    def _accepts_missing(self) -> bool:
        return True

    def _by_row(self, X: Any, y: Any, groups: Groups | None) -> dict[str, Any]:
        return {} if groups is None else {"groups": groups}

    def _fit(
        self, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None, groups: Groups | None = None
    ) -> None:
        seed = int(check_random_state(self.random_state).randint(2**31))
        kept, left_out = self._split(is_positive, seed, groups)
        self.encoding_ = Encoding.of(X[kept], self._categorical_columns(X.shape[1]))
        labels, weights = torch.tensor(is_positive), torch.tensor(np.ones(len(X)) if weight is None else weight)
        with _one_thread(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            rows = self._tensors(X)
            self.network_ = self._untrained(rows)
            watch = self._watch(rows, is_positive, weight, left_out) if len(left_out) else None
            self._train(tuple(part[kept] for part in rows), labels[kept], weights[kept], watch)

    def _split(self, is_positive: BoolArray, seed: int, groups: Groups | None) -> tuple[Any, Any]:
        """Rows to learn from and rows to watch; none of these without early stopping."""
        fewest = min(is_positive.sum(), (~is_positive).sum())
        if self.early_stopping is None or fewest * self.validation_fraction < _FEWEST_TO_WATCH:
            return np.arange(len(is_positive)), np.arange(0)
        return folds.split(is_positive, self.validation_fraction, seed, groups)

    def _untrained(self, rows: tuple[torch.Tensor, torch.Tensor]) -> nn.Module:
        if self.module is not None:
            return OwnNetwork(copy.deepcopy(self.module))
        return TableNetwork(
            rows[0].shape[1],
            [len(codes) for codes in self.encoding_.codes],
            _input.check_integer("n_members", self.n_members, 1),
            _input.check_integer("width", self.width, 1),
            _input.check_number("dropout", self.dropout, 0, 1, open_high=True),
        )

    def _watch(
        self, rows: tuple[torch.Tensor, torch.Tensor], is_positive: BoolArray, weight: FloatArray | None, left_out: Any
    ) -> Callable[[], float]:
        """What gives the metric of the rows left out."""
        metric, labels = gain(self.early_stopping or "auc"), is_positive[left_out]
        watched, weights = tuple(part[left_out] for part in rows), None if weight is None else weight[left_out]
        return lambda: metric(labels, self._network_scores(watched), sample_weight=weights)

    def _train(self, rows: tuple[torch.Tensor, ...], labels: torch.Tensor, weights: torch.Tensor, watch: Any) -> None:
        n_rows, n_epochs = len(labels), _input.check_integer("n_epochs", self.n_epochs, 1)
        size = int(np.clip(n_rows // _STEPS_PER_EPOCH, min(_SMALLEST_BATCH, n_rows), _LARGEST_BATCH))
        optimizer = torch.optim.AdamW(
            self.network_.parameters(),
            _input.check_number("learning_rate", self.learning_rate, 0, open_low=True),
            weight_decay=_input.check_number("weight_decay", self.weight_decay, 0),
        )
        loss, n_iter_no_change = self._loss(size), _input.check_integer("n_iter_no_change", self.n_iter_no_change, 1)
        path, best = list[float](), copy.deepcopy(self.network_.state_dict())
        progress = Progress(type(self).__name__, n_epochs, enabled=bool(self.verbose))
        for epoch in range(1, n_epochs + 1):
            self.network_.train()
            for batch in torch.randperm(n_rows).split(size):
                optimizer.zero_grad()
                loss(self.network_(*(part[batch] for part in rows)), labels[batch], weights[batch]).backward()
                optimizer.step()
            progress.update(epoch)
            if watch is not None:
                path.append(watch())
                if path[-1] > max([-np.inf, *path[:-1]]):
                    best = copy.deepcopy(self.network_.state_dict())
                elif epoch - 1 - int(np.argmax(path)) >= n_iter_no_change:
                    break
        progress.close()
        self.n_iter_ = epoch
        if watch is not None:
            self.network_.load_state_dict(best)
            self.validation_path_ = np.array(path)

    def _loss(self, size: int) -> Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]:
        """The mean over the members of the loss of each."""
        criterion = criteria.resolve(self.criterion)
        if criterion == LogLoss():  # the same, without the way to the host

            def log_loss(scores: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
                targets = labels.to(scores)[:, None].expand_as(scores)
                rows = nn.functional.binary_cross_entropy_with_logits(scores, targets, reduction="none").mean(dim=1)
                return (rows * weights.to(rows)).sum() / weights.to(rows).sum()

            return log_loss
        n_members = 1 if self.module is not None else self.n_members
        losses = [CriterionLoss(criterion, memory=_BATCHES_REMEMBERED * size) for _ in range(n_members)]
        return lambda scores, labels, weights: torch.stack(
            [loss(scores[:, k], labels, weights) for k, loss in enumerate(losses)]
        ).mean()

    def __getstate__(self) -> dict[str, Any]:
        """Without torch's objects, but for a module of one's own: a model file then holds arrays."""
        state = super().__getstate__()
        if "network_" in state and self.module is None:
            arrays = {name: value.numpy() for name, value in state["network_"].state_dict().items()}
            state = {**state, "network_": arrays}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        arrays = state.get("network_")
        if isinstance(arrays, dict):
            sizes = [len(codes) for codes in state["encoding_"].codes]
            state = {**state, "network_": TableNetwork.of_arrays(arrays, sizes)}
        super().__setstate__(state)

    def _tensors(self, X: FloatArray) -> tuple[torch.Tensor, torch.Tensor]:
        features = self.encoding_.features(X) if self.module is None else self.encoding_.scaled(X).astype(np.float32)
        return torch.as_tensor(features), torch.as_tensor(self.encoding_.coded(X))

    def _network_scores(self, rows: tuple[torch.Tensor, ...]) -> FloatArray:
        self.network_.eval()
        with torch.no_grad():
            return self.network_(*rows).double().mean(dim=1).numpy()

    def _scores(self, X: FloatArray) -> FloatArray:
        with _one_thread():
            blocks = (X[start : start + _BLOCK] for start in range(0, len(X), _BLOCK))
            return np.concatenate([self._network_scores(self._tensors(block)) for block in blocks])


@contextmanager
def _one_thread() -> Any:
    """Batches are small, and sums, hence the network, must not depend on the number of threads.

    That number, and the generator of random numbers, are one for all threads of a process: one fit at a time.
    """
    with _ONE_AT_A_TIME:
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(before)
