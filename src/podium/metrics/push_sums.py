"""The sums behind the P-Norm Push risk, which add up over negatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from podium import _input
from podium._fast.reductions import hinge_sums
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.ranks.pooled import TieGroups
from podium.sums.frame import Frame
from podium.sums.logistic import FAR_APART, Grid, LogisticCells

LOSSES = ("zero_one", "exponential", "logistic", "hinge", "squared_hinge")


Price = Callable[[FloatArray], npt.ArrayLike]


def check_push(p: float, loss: str, margin: float, normalize: bool = False, price: Price | None = None) -> float:
    """The power, in a combination that there is."""
    if price is not None and (p != 1 or normalize):
        raise InputError(
            "A price takes the place of the power, and has no norm; got "
            + ("normalize." if normalize else f"p={p:g}."),
            "omit p and normalize, or the price.",
        )
    _input.check_choice("loss", loss, LOSSES)
    if _input.check_number("margin", margin, 0, open_high=True) > 0 and loss != "zero_one":
        raise InputError(f"A margin needs the loss 'zero_one'; got {loss!r}.", "the other losses have their own.")
    return _input.check_number("p", p, 1)


@dataclass(frozen=True, kw_only=True)
class PushSums:
    """Sums over negatives of the p-th power of their inner sums; ``a + b`` is that of both."""

    p: float
    total: float | None  # where it is a sum of whole numbers
    log_total: float
    log_largest: float
    n_neg: float

    @classmethod
    def of(cls, ties: TieGroups, p: float, loss: str, margin: float = 0.0, price: Price | None = None) -> PushSums:
        """Of the negatives among all the positives."""
        at = ties.neg > 0
        mass, total = ties.neg[at], None
        if not at.any():
            whole = loss == "zero_one" or price is not None
            return cls(p=p, total=0.0 if whole else None, log_total=-np.inf, log_largest=-np.inf, n_neg=0)
        log_inner = _log_inner_sums(ties, loss, margin)[at]
        if price is not None:
            inner = _counts_within(ties, margin)[at] if loss == "zero_one" else np.exp(log_inner)
            total = float(mass @ _prices(price, inner))
            with np.errstate(divide="ignore"):
                log_total = float(np.log(total))
            return cls(p=p, total=total, log_total=log_total, log_largest=-np.inf, n_neg=ties.n_neg)
        if loss == "zero_one":
            with np.errstate(over="ignore"):
                total = float(mass @ _counts_within(ties, margin)[at] ** p)
        log_total = -np.inf if np.isinf(p) else float(logsumexp(p * log_inner + np.log(mass)))
        return cls(p=p, total=total, log_total=log_total, log_largest=float(log_inner.max()), n_neg=ties.n_neg)

    def __add__(self, other: PushSums) -> PushSums:
        return PushSums(
            p=self.p,
            total=None if self.total is None or other.total is None else self.total + other.total,
            log_total=float(np.logaddexp(self.log_total, other.log_total)),
            log_largest=max(self.log_largest, other.log_largest),
            n_neg=self.n_neg + other.n_neg,
        )

    def risk(self, n_pos: float, *, normalize: bool, log: bool) -> float:
        """:func:`push_risk` of a list with so many positives."""
        if np.isinf(self.p):
            result = self.log_largest - (np.log(n_pos) if normalize else 0.0)
        elif normalize:
            result = (self.log_total - np.log(self.n_neg)) / self.p - np.log(n_pos)
        elif self.total is not None and not log:  # whole numbers stay whole
            return self.total
        else:
            result = self.log_total
        if log:
            return float(result)
        with np.errstate(over="ignore"):
            return float(np.exp(result))


def _prices(price: Price, inner: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        prices = np.asarray(price(inner), dtype=np.float64)
    if prices.shape != inner.shape or not np.isfinite(prices).all() or prices.min() < 0:
        raise InputError(
            f"price must give a finite number of at least zero for each of the {len(inner)} sums of losses, which go "
            f"up to {inner.max():g}.",
            "write it with NumPy functions of r; divide r by the number of positives where it overflows.",
        )
    return prices


def _counts_within(ties: TieGroups, margin: float) -> FloatArray:
    """#{i : f(x_i) − t ≤ margin} at every distinct score t."""
    counts = np.cumsum(ties.pos).astype(np.float64)
    if margin == 0:
        return counts
    values = ties.values.astype(np.float64)
    return counts[np.searchsorted(values, values + margin, side="right") - 1]


def _log_inner_sums(ties: TieGroups, loss: str, margin: float = 0.0) -> FloatArray:
    """Logarithm of Σ_i ℓ(f(x_i) − t) at every distinct score t."""
    if loss == "zero_one":
        with np.errstate(divide="ignore"):
            return np.log(_counts_within(ties, margin))
    points = ties.values.astype(np.float64)
    points = Frame.in_units_of_one(points[0], points[-1]).place(points)
    at = ties.pos > 0
    values, mass = points[at], ties.pos[at] / ties.n_pos  # shares: sums of large weights might overflow
    far_apart = values[0] - points[ties.neg > 0][-1] > FAR_APART
    if loss == "exponential" or (loss == "logistic" and far_apart):
        return points + logsumexp(np.log(ties.pos[at]) - values)  # separates: Σ_i e^(t − s_i) = e^t · Σ_i e^(−s_i)
    if loss == "logistic":
        sums = _logistic_sums(values, mass, points)
    else:
        _, sums = hinge_sums(values, mass, points + 1, 1 if loss == "hinge" else 2)
    with np.errstate(divide="ignore"):
        return np.log(sums) + np.log(ties.n_pos)


def _logistic_sums(values: FloatArray, mass: FloatArray, points: FloatArray) -> FloatArray:
    """Σ_i mass_i log(1 + exp(t − values_i)) at every point t; all values are among the points."""
    grid = Grid.to(1e-12)
    cells = LogisticCells(grid, grid.occupied(points))
    (coefficients,) = cells.sums(cells.moments(values, mass), (0,))
    return cells.weighted_at(points, None, coefficients)


_MOST = 10**8  # pairs: the result holds every one
_FARTHEST = 1e150  # apart: p times that is finite


def pair_contributions(
    y_true: npt.ArrayLike, y_score: npt.ArrayLike, p: float = 1.0, loss: str = "exponential", *, pos_label: Any = None
) -> FloatArray:
    r"""Share of every pair of a positive and a negative in the P-Norm Push risk (R09, §3.3, Figure 1).

    .. math:: c_{ik} = \frac{\ell_{ik}\, S_k^{p - 1}}{\sum_{k'} S_{k'}^p}, \qquad
       S_k = \sum_i \ell_{ik}, \quad \ell_{ik} = \ell\bigl(f(x_i) - f(\tilde x_k)\bigr)

    The term of a negative is shared among the positives as their losses are. As p grows, all moves to the highest
    negatives. Shares sum to one; of a list without any loss all are zero. Tied pairs have equal shares.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores, one of each per row; the shares depend on the scores themselves, not on their order alone.
    p : float
        The power p, finite and at least 1.
    loss : {"zero_one", "exponential", "logistic", "hinge", "squared_hinge"}
        The loss ℓ of a margin, as in :func:`push_risk`.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    ndarray of shape (n_pos, n_neg)
        One share per pair, positives down and negatives across, each from the highest score on.

    Examples
    --------
    >>> from podium.metrics import pair_contributions
    >>> pair_contributions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], loss="zero_one")
    array([[0., 0.],
           [1., 0.]])
    """
    p = _input.check_number("p", p, 1, open_high=True)
    _input.check_choice("loss", loss, LOSSES)
    sample = _input.check_sample(y_true, y_score, pos_label=pos_label)
    scores = sample.scores.astype(np.float64)
    positives, negatives = (np.sort(scores[rows])[::-1] for rows in (sample.is_positive, ~sample.is_positive))
    if len(positives) * len(negatives) > _MOST:
        raise InputError(
            f"Shares of pairs need a list of at most {_MOST:,} pairs; got {len(positives) * len(negatives):,}.",
            "draw some of the rows.",
        )
    with np.errstate(over="ignore"):
        margin = np.clip(positives[:, None] - negatives, -_FARTHEST, _FARTHEST)
    log_loss = _log_loss(margin, loss)
    log_sum = np.asarray(logsumexp(log_loss, axis=0))
    counts = np.isfinite(log_sum)
    shares = np.zeros_like(log_loss)
    if counts.any():
        of_negative = p * (log_sum[counts] - log_sum[counts].max())  # from the largest on: nothing cancels
        within = log_loss[:, counts] - log_sum[counts]
        shares[:, counts] = np.exp(within + of_negative - logsumexp(of_negative))
    return shares


def _log_loss(margin: FloatArray, loss: str) -> FloatArray:
    """Logarithm of ℓ of every margin; minus infinity where there is no loss."""
    if loss == "exponential":
        return -margin
    with np.errstate(divide="ignore"):
        if loss == "zero_one":
            return np.log((margin <= 0).astype(np.float64))
        if loss == "logistic":
            smooth = np.logaddexp(0, -margin)
            return np.where(smooth > 0, np.log(smooth), -margin)  # log(1 + x) is x where it underflows
        return (1 if loss == "hinge" else 2) * np.log(np.maximum(1 - margin, 0.0))
