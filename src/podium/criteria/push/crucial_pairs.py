"""Pushes over some of the pairs only (R09, §7, "Crucial Pairs Formulation")."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from podium import _input
from podium._types import Array, FloatArray, Sample
from podium.criteria.base import ChunkedCriterion
from podium.criteria.push.blocks import Block, BlockPush, Blocks
from podium.criteria.push.criterion import check_loss, pair_loss, power_price
from podium.criteria.push.losses import IntArray, PairLoss
from podium.criteria.push.prices import GeneralPrice, Price, PriceFunction
from podium.exceptions import InputError
from podium.rounds.computation import Finished, Rounds
from podium.sums.frame import Extent, Frame


def _exponential(r: FloatArray) -> tuple[FloatArray, FloatArray]:
    return -r, np.ones_like(r)


def _logistic(r: FloatArray) -> tuple[FloatArray, FloatArray]:
    loss = np.logaddexp(0.0, -r)
    far = r > 40  # log(1 + e^(−r)) is e^(−r) there, and may underflow
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(far, -r, np.log(loss)), np.where(far, 1.0, expit(-r) / loss)


def _hinge(power: int) -> Callable[[FloatArray], tuple[FloatArray, FloatArray]]:
    def loss(r: FloatArray) -> tuple[FloatArray, FloatArray]:
        short = np.maximum(1 - r, 0.0)
        with np.errstate(divide="ignore"):
            return power * np.log(short), np.where(short > 0, power / short, 0.0)

    return loss


# log ℓ(r) and −ℓ'(r)/ℓ(r), zero where ℓ is
_LOSSES: dict[str, Callable[[FloatArray], tuple[FloatArray, FloatArray]]] = {
    "exponential": _exponential,
    "logistic": _logistic,
    "hinge": _hinge(1),
    "squared_hinge": _hinge(2),
}


@dataclass(frozen=True, eq=False)
class CrucialPairs(ChunkedCriterion):
    r"""The P-Norm Push over selected pairs, on the log scale (R09, §7).

    .. math:: -\frac1p \log \sum_k \Bigl(\sum_i \pi(i, k)\, \ell\bigl(f(x_i) - f(x_k)\bigr)\Bigr)^p

    over all rows i and k, with π(i, k) = 1 where row i should stand above row k and 0 elsewhere. Exactly one of
    ``pairs``, ``groups`` and ``relevance`` defines π; each refers to the rows in the order of their scores.

    Parameters
    ----------
    pairs : array-like of shape (n_pairs, 2), optional
        Row numbers, from 0 on: the first of a pair should stand above the second. Labels are ignored.
    groups : array-like of shape (n_rows,), optional
        Positives should stand above the negatives of the same group, such as the documents of one query.
    relevance : array-like of shape (n_rows,), optional
        More relevant rows should stand above less relevant ones. Labels are ignored. With relevance 0 and 1 it is
        :class:`~podium.criteria.PNormPush`. The cost grows with the number of levels.
    p : float
        The power p, at least 1; a larger one concentrates on the top of the list.
    price : PriceFunction, optional
        A convex price g in place of r^p, as in :class:`~podium.criteria.Push`: the value is then −log Σ_k g(Σ_i …),
        and p is ignored.
    loss : {"exponential", "logistic", "hinge", "squared_hinge"}
        The loss ℓ of a pair, as in :class:`~podium.criteria.PNormPush`.
    tol : float
        Relative error allowed in the sums of the logistic loss; the other losses are exact.

    Examples
    --------
    >>> from podium.criteria import CrucialPairs
    >>> criterion = CrucialPairs(relevance=[0, 1, 0, 2], p=1)
    >>> value, gradient = criterion.value_and_gradient([0.5, 1.0, 1.5, 2.0], [False, True, False, True])
    >>> round(value, 3)
    -1.239
    """

    pairs: npt.ArrayLike | None = None
    groups: npt.ArrayLike | None = None
    relevance: npt.ArrayLike | None = None
    p: float = 4.0
    loss: str = "exponential"
    tol: float = 1e-6
    price: PriceFunction | None = None

    def __post_init__(self) -> None:
        if sum(given is not None for given in (self.pairs, self.groups, self.relevance)) != 1:
            raise InputError("CrucialPairs needs exactly one of pairs, groups and relevance.")
        check_loss(self.loss, self.tol)
        _input.check_number("p", self.p, 1)
        if self.pairs is not None:
            pairs = np.asarray(self.pairs)
            if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu" or len(pairs) == 0:
                raise InputError(f"pairs must be whole row numbers of shape (n_pairs, 2); got shape {pairs.shape}.")

    def value_and_gradient(
        self, scores: npt.ArrayLike, is_positive: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> tuple[float, FloatArray]:
        """The value, and its derivative with respect to every score, of scores and labels as they come.

        Rows of weight zero keep their numbers, and labels may be all of one kind where they are not looked at.
        """
        values = _input.check_scores(scores).astype(np.float64, copy=False)
        weight = None
        if sample_weight is not None:
            weight = _input.check_weights(sample_weight, len(values), _input.HEAVIEST_IN_PRODUCTS)
        labels = np.zeros(len(values), dtype=np.bool_) if self.groups is None else _input.check_labels(is_positive)
        return self.evaluate(Sample(values, labels, weight))

    @property
    def _price(self) -> Price:
        return power_price(self.p) if self.price is None else GeneralPrice(self.price)

    def rounds(self) -> Rounds:
        """The extent; then, of pairs, the scores of their rows, or the rounds of a push within blocks."""
        extent = yield Extent.of
        frame = Frame.in_units_of_one(extent.low, extent.high)
        if self.pairs is not None:
            self._check_pairs(extent.n_rows)
            rows = yield partial(_named, self._rows_of_pairs, frame)
            value, gradient = self._over_pairs(rows)
            return Finished(value, partial(_in_rows, self._rows_of_pairs, gradient))
        name, column = ("groups", self.groups) if self.relevance is None else ("relevance", self.relevance)
        shape, n_rows = np.asarray(column).shape, extent.n_rows
        if shape != (n_rows,):
            raise InputError(f"{name} must have one entry per score; got shape {shape} for {n_rows} scores.")
        loss = pair_loss(self.loss, self.tol)
        levels: Blocks = Groups(loss, frame, np.asarray(self.groups))
        if self.relevance is not None:
            levels = Levels(loss, frame, np.asarray(self.relevance), np.unique(np.asarray(self.relevance)))
        return (yield from BlockPush(loss, self._price, levels).rounds())

    @cached_property
    def _rows_of_pairs(self) -> IntArray:
        return np.unique(np.asarray(self.pairs))

    def _check_pairs(self, n_rows: int) -> None:
        low, high = self._rows_of_pairs[[0, -1]]
        if low < 0 or high >= n_rows:
            raise InputError(f"pairs must be row numbers from 0 to {n_rows - 1}; got {low} to {high}.")

    def _over_pairs(self, rows: FloatArray) -> tuple[float, FloatArray]:
        """The value, and the gradient in the scores of the rows that are in a pair, from these scores and weights."""
        scores, weight = rows
        price = self._price
        above, below = np.searchsorted(self._rows_of_pairs, np.asarray(self.pairs)).T
        log_loss, steepness = _LOSSES[self.loss](scores[above] - scores[below])
        with np.errstate(divide="ignore"):
            log_loss = log_loss + np.log(weight[above])
        log_sums = _sums_by_lower_row(log_loss, below, len(scores))
        total = price.summarize(log_sums, weight)
        share = price.elasticity(total, log_sums, weight)
        with np.errstate(invalid="ignore"):
            force = np.where(share[below] > 0, share[below] * np.exp(log_loss - log_sums[below]) * steepness, 0.0)
        gradient = np.zeros(len(scores))
        np.add.at(gradient, above, force)
        np.subtract.at(gradient, below, force)
        return price.value(total), gradient


def _sums_by_lower_row(log_loss: FloatArray, lower: IntArray, n_rows: int) -> FloatArray:
    """Logarithms of Σ e^(log_loss) over the pairs of each lower row; minus infinity where there are none."""
    largest = np.full(n_rows, -np.inf)
    np.maximum.at(largest, lower, log_loss)
    scale = np.where(largest == -np.inf, 0.0, largest)
    with np.errstate(divide="ignore"):
        return scale + np.log(np.bincount(lower, np.exp(log_loss - scale[lower]), n_rows))


def _places(named: IntArray, rows: Sample) -> tuple[slice, IntArray]:
    """Which of the named rows are in a chunk, and where."""
    here = slice(*np.searchsorted(named, [rows.first, rows.first + len(rows.scores)]))
    return here, named[here] - rows.first


def _named(named: IntArray, frame: Frame, rows: Sample, kept: None) -> tuple[FloatArray, None]:
    """Scores and weights of the named rows, zero where these are in another chunk."""
    here, places = _places(named, rows)
    found = np.zeros((2, len(named)))
    found[0, here] = frame.place(rows.scores[places])
    found[1, here] = 1.0 if rows.weight is None else rows.weight[places]
    return found, None


def _in_rows(named: IntArray, gradient: FloatArray, rows: Sample, kept: None) -> FloatArray:
    here, places = _places(named, rows)
    in_rows = np.zeros(len(rows.scores))
    in_rows[places] = gradient[here]
    return in_rows


@dataclass(frozen=True, eq=False)
class Groups(Blocks):
    """Positives above the negatives of the same group."""

    loss: PairLoss
    frame: Frame
    groups: Array

    def of(self, rows: Sample) -> Iterator[Block]:
        groups, scores = self.groups[rows.first : rows.first + len(rows.scores)], self.frame.place(rows.scores)
        order = np.argsort(groups, kind="stable")
        names, starts = np.unique(groups[order], return_index=True)
        for name, places in zip(names.tolist(), np.split(order, starts[1:]), strict=True):
            weight = None if rows.weight is None else rows.weight[places]
            yield Block(name, self.loss.classes(scores[places], rows.is_positive[places], weight), places)


@dataclass(frozen=True, eq=False)
class Levels(Blocks):
    """More relevant rows above those of one level, for every level but the highest."""

    loss: PairLoss
    frame: Frame
    relevance: Array
    levels: Array

    def of(self, rows: Sample) -> Iterator[Block]:
        relevance, scores = self.relevance[rows.first : rows.first + len(rows.scores)], self.frame.place(rows.scores)
        order = np.argsort(relevance, kind="stable")
        starts = np.searchsorted(relevance[order], self.levels)
        for level, start, end in zip(self.levels.tolist(), starts, starts[1:], strict=False):
            places, is_upper = order[start:], np.arange(start, len(order)) >= end
            if len(places):
                weight = None if rows.weight is None else rows.weight[places]
                yield Block(level, self.loss.classes(scores[places], is_upper, weight), places)
