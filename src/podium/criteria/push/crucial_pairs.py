"""Pushes over some of the pairs only (R09, §7, "Crucial Pairs Formulation")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._types import Array, BoolArray, FloatArray, Sample
from podium.criteria.base import Criterion
from podium.criteria.push.classes import IntArray
from podium.criteria.push.criterion import check_loss, pair_loss, power_price
from podium.criteria.push.edges import EDGE_LOSSES, sums_by_lower_row
from podium.exceptions import DegenerateSampleError, InputError
from podium.sums.frame import Frame, extent


@dataclass(frozen=True, eq=False)
class CrucialPairs(Criterion):
    r"""The P-Norm Push over the pairs that matter, on the scale of logarithms (R09, §7).

    .. math:: -\frac1p \log \sum_k \Bigl(\sum_i \pi(i, k)\, \ell\bigl(f(x_i) - f(x_k)\bigr)\Bigr)^p

    over all rows i and k, π(i, k) = 1 where row i should stand above row k. Exactly one of three says where; each is
    about the rows in the order in which scores will come.

    Parameters
    ----------
    pairs : array-like of shape (n_pairs, 2), optional
        Row numbers: the first of a pair should stand above the second. Labels are not looked at.
    groups : array-like of shape (n_rows,), optional
        Positives should stand above the negatives of the same group, such as the documents of one query.
    relevance : array-like of shape (n_rows,), optional
        More relevant rows should stand above less relevant ones. Labels are not looked at. With relevance 0 and 1 it is
        :class:`~podium.criteria.PNormPush`. The cost grows with the number of levels.
    p : float
        How hard to push, 1 or more.
    loss : {"exponential", "logistic", "hinge", "squared_hinge"}
        The loss ℓ of a pair, as in :class:`~podium.criteria.PNormPush`.
    tol : float
        The relative error that is allowed in the sums of the logistic loss; the other losses are exact.
    """

    pairs: npt.ArrayLike | None = None
    groups: npt.ArrayLike | None = None
    relevance: npt.ArrayLike | None = None
    p: float = 4.0
    loss: str = "exponential"
    tol: float = 1e-6

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

    def evaluate(self, rows: Sample) -> tuple[float, FloatArray]:
        """The value, and its derivative with respect to every score."""
        scores = Frame.in_units_of_one(*extent([rows])).place(rows.scores)
        if self.pairs is not None:
            return self._over_pairs(scores, np.asarray(self.pairs), rows.weight)
        return self._over_blocks(scores, self._blocks(rows.is_positive, len(scores)), rows.weight)

    def _blocks(self, is_positive: BoolArray, n_rows: int) -> Iterator[tuple[IntArray, BoolArray]]:
        """Row numbers, and which of these rows should stand above the others."""
        name, column = ("groups", self.groups) if self.relevance is None else ("relevance", self.relevance)
        levels = np.asarray(column)
        if levels.shape != (n_rows,):
            raise InputError(f"{name} must have one entry per score; got shape {levels.shape} for {n_rows} scores.")
        order = np.argsort(levels, kind="stable")
        starts = np.append(np.unique(levels[order], return_index=True)[1], n_rows)
        for start, end in pairwise(starts):
            if self.relevance is None:
                yield order[start:end], is_positive[order[start:end]]
            else:
                yield order[start:], np.arange(start, n_rows) >= end

    def _over_blocks(
        self, scores: FloatArray, blocks: Iterator[tuple[IntArray, BoolArray]], weight: FloatArray | None
    ) -> tuple[float, FloatArray]:
        loss, price = pair_loss(self.loss, self.tol), power_price(self.p)
        gradient, steps = np.zeros(len(scores)), []
        for block, is_upper in blocks:
            if is_upper.all() or not is_upper.any():
                continue
            rows = loss.classes(scores[block], is_upper, None if weight is None else weight[block])
            here = loss.agreed(loss.survey(rows))
            summary = here.summarize(rows)
            steps.append((block, rows, here, summary, here.at(summary, rows)))
        if not steps:
            raise DegenerateSampleError("CrucialPairs needs a pair; no group has both a positive and a negative.")
        total = reduce(add, [price.summarize(sums.log, rows.lower_weight) for _, rows, _, _, sums in steps])
        for block, rows, here, summary, sums in steps:
            share = price.elasticity(total, sums.log, rows.lower_weight)
            pull = here.pull(summary, here.tension(sums, rows, share), rows)
            gradient[block] += rows.in_rows(pull, -share * sums.slope)
        return price.value(total), gradient

    def _over_pairs(self, scores: FloatArray, pairs: Array, weight: FloatArray | None) -> tuple[float, FloatArray]:
        if pairs.min() < 0 or pairs.max() >= len(scores):
            raise InputError(
                f"pairs must be row numbers from 0 to {len(scores) - 1}; got {pairs.min()} to {pairs.max()}."
            )
        price = power_price(self.p)
        above, below = pairs.T
        log_loss, steepness = EDGE_LOSSES[self.loss](scores[above] - scores[below])
        if weight is not None:
            with np.errstate(divide="ignore"):
                log_loss = log_loss + np.log(weight[above])
        log_sums = sums_by_lower_row(log_loss, below, len(scores))
        total = price.summarize(log_sums, weight)
        share = price.elasticity(total, log_sums, weight)
        with np.errstate(invalid="ignore"):
            force = np.where(share[below] > 0, share[below] * np.exp(log_loss - log_sums[below]) * steepness, 0.0)
        gradient = np.zeros(len(scores))
        np.add.at(gradient, above, force)
        np.subtract.at(gradient, below, force)
        return price.value(total), gradient
