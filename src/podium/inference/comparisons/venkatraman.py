"""Venkatraman's permutation tests of equal ROC curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._results import wording
from podium._results.result import Result
from podium._types import Array, BoolArray, FloatArray
from podium.inference.comparisons.two_lists import TwoLists
from podium.ranks import mid_ranks


@dataclass(frozen=True, kw_only=True, repr=False)
class VenkatramanTest(Result):
    """A permutation test of the equality of two ROC curves.

    Attributes
    ----------
    statistic : float
        The area between the two curves of errors over the cuts of the list.
    pvalue : float
        The p-value of equal curves.
    paired : bool
        Whether both scorers rated the same rows.
    n_resamples : int
        Number of permutations.
    """

    statistic: float
    pvalue: float
    paired: bool
    n_resamples: int

    def __repr__(self) -> str:
        pairing = "paired" if self.paired else "unpaired"
        return (
            f"Venkatraman's test of equal ROC curves: E = {self.statistic:.4g}, {wording.pvalue(self.pvalue)} "
            f"({pairing}, {self.n_resamples:,} permutations)"
        )


def venkatraman_test(
    y_true: npt.ArrayLike,
    score_a: npt.ArrayLike,
    score_b: npt.ArrayLike,
    *,
    y_true_b: npt.ArrayLike | None = None,
    n_resamples: int = 2000,
    rng: Any = None,
    pos_label: Any = None,
) -> VenkatramanTest:
    r"""Test whether two ROC curves are equal at every point, not only in their area.

    Paired (Venkatraman and Begg 1996): with e(k) the number of errors when the k lowest rows are called negative,
    :math:`E = \sum_k |e_a(k) - e_b(k)|`; under the null hypothesis the two ranks of a row may be exchanged. Unpaired
    (Venkatraman 2000): the area between the shares of errors as functions of the share of the population called
    negative; under the null hypothesis rows of a class may be exchanged between the lists by their relative ranks. The
    p-value is (1 + the number of permutations with E no smaller)/(1 + their number).

    Parameters
    ----------
    y_true : array-like
        Labels; those of the rows of ``score_a`` if the lists differ.
    score_a, score_b : array-like
        Scores of the two scorers, which were fixed before these rows were seen.
    y_true_b : array-like, optional
        Labels of the rows of ``score_b`` if these are other, independent rows; the test is then unpaired.
    n_resamples : int
        Number of permutations.
    rng : int or numpy.random.Generator, optional
        Seed or generator of the permutations.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    VenkatramanTest
        The statistic and its p-value.

    Notes
    -----
    Tied rows count by their mean over random orders, so the result does not depend on the order of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import venkatraman_test
    >>> y, s = np.arange(100) % 4 == 0, np.arange(100) % 17
    >>> venkatraman_test(y, s + 9 * y, s + 5 * y, rng=0)
    Venkatraman's test of equal ROC curves: E = ..., p ... (paired, 2,000 permutations)
    """
    draws = _input.check_integer("n_resamples", n_resamples, 1)
    lists = TwoLists.of(y_true, score_a, score_b, y_true_b, pos_label)
    generator = np.random.default_rng(rng)
    ranks = mid_ranks(lists.a.scores), mid_ranks(lists.b.scores)
    if lists.paired:
        observed = _paired_statistic(lists.a.is_positive, *ranks)
        drawn = [_paired_statistic(lists.a.is_positive, *_exchanged(*ranks, generator)) for _ in range(draws)]
    else:
        shares = tuple(rank / (len(rank) + 1) for rank in ranks)
        labels = lists.a.is_positive, lists.b.is_positive
        prevalence = float(np.concatenate(labels).mean())
        observed = _unpaired_statistic(labels, shares, prevalence)
        drawn = [_unpaired_statistic(labels, _shuffled(labels, shares, generator), prevalence) for _ in range(draws)]
    as_large = int(np.count_nonzero(np.array(drawn) >= observed * (1 - 1e-9)))
    return VenkatramanTest(
        statistic=observed, pvalue=(1 + as_large) / (1 + draws), paired=lists.paired, n_resamples=draws
    )


def _positives_below(is_positive: BoolArray, ranks: FloatArray) -> tuple[FloatArray, FloatArray]:
    """All rows, and the positives, up to the end of each tie group, from the bottom; both begin with 0."""
    group = np.unique(ranks, return_inverse=True)[1]
    zero = np.zeros(1)
    return (
        np.concatenate([zero, np.cumsum(np.bincount(group))]),
        np.concatenate([zero, np.cumsum(np.bincount(group, is_positive))]),
    )


def _paired_statistic(is_positive: BoolArray, ranks_a: FloatArray, ranks_b: FloatArray) -> float:
    # Errors of the k lowest called negative: P(k) positives among them, and m − (k − P(k)) negatives not among them.
    cuts = np.arange(1, len(ranks_a) + 1)
    below = [np.interp(cuts, *_positives_below(is_positive, ranks)) for ranks in (ranks_a, ranks_b)]
    return float(2 * np.abs(below[0] - below[1]).sum())


def _exchanged(ranks_a: FloatArray, ranks_b: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    swap = rng.random(len(ranks_a)) < 0.5
    return np.where(swap, ranks_b, ranks_a), np.where(swap, ranks_a, ranks_b)


def _unpaired_statistic(
    labels: tuple[BoolArray, BoolArray], shares: tuple[FloatArray, ...], prevalence: float
) -> float:
    curves = []
    for is_positive, share in zip(labels, shares, strict=True):
        rows, positives = _positives_below(is_positive, share)
        missed, refused = positives / positives[-1], (rows - positives) / (rows - positives)[-1]
        called = prevalence * missed + (1 - prevalence) * refused
        curves.append((called, prevalence * missed + (1 - prevalence) * (1 - refused)))
    cuts = np.union1d(curves[0][0], curves[1][0])
    gap = np.abs(np.interp(cuts, *curves[0]) - np.interp(cuts, *curves[1]))
    return float(np.trapezoid(gap, cuts))


def _shuffled(
    labels: tuple[BoolArray, BoolArray], shares: tuple[FloatArray, ...], rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Relative ranks exchanged between the lists within each class."""
    pooled = np.concatenate(shares)
    in_class: Array = np.concatenate(labels)
    for rows in (np.flatnonzero(in_class), np.flatnonzero(~in_class)):
        pooled[rows] = pooled[rng.permutation(rows)]
    return pooled[: len(shares[0])], pooled[len(shares[0]) :]
