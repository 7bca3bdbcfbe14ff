"""R09's measures: heights of the negatives, and the P-Norm Push risk of a list."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.metrics.push_sums import Price, PushSums, check_push
from podium.ranks.pooled import TieGroups
from podium.rounds.computation import run
from podium.rounds.counted import CountedList
from podium.rounds.counting import Collected, check_chunk, collect, memory_to_count, n_scores_in
from podium.rounds.rows import RowsLike, elsewhere, ties_of
from podium.rounds.scores import ClassScores


def heights(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> FloatArray:
    r"""Height of every negative, in input order: how many positives do not stand above it (R09, §2).

    .. math:: \mathrm{Height}(k) = \sum_i \mathbf 1\{f(x_i) \le f(\tilde x_k)\}

    Ties count against the list. Without weights, the heights sum to the number of misranked pairs, ties included.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores, one of each per row; larger scores are more positive.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    ndarray
        One height for every negative, in the order of the input.

    Examples
    --------
    >>> from podium.metrics import heights
    >>> heights([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    array([0., 1.])
    """
    return _counts_at(y_true, y_score, sample_weight, pos_label, of_positives=False)


def reverse_heights(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> FloatArray:
    r"""Reverse height of every positive, in input order: how many negatives it does not stand above (R09, §7).

    .. math:: \mathrm{RevHeight}(i) = \sum_k \mathbf 1\{f(x_i) \le f(\tilde x_k)\}

    ``g(reverse_heights(y, s)).sum()`` is R_g^RevHeight for a price or discount g of your own.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores, one of each per row; larger scores are more positive.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    ndarray
        One reverse height for every positive, in the order of the input.

    Examples
    --------
    >>> from podium.metrics import reverse_heights
    >>> reverse_heights([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    array([1., 0.])
    """
    return _counts_at(y_true, y_score, sample_weight, pos_label, of_positives=True)


def max_height(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """The largest height, R_max: how many positives do not stand above the best-placed negative (R09, §2).

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores, one of each per row; larger scores are more positive.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    float
        The largest height.

    Examples
    --------
    >>> from podium.metrics import max_height
    >>> max_height([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    1.0
    """
    return float(heights(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label).max())


def winner_take_all(y_true: npt.ArrayLike, y_score: npt.ArrayLike, *, pos_label: Any = None) -> float:
    r"""One if a negative stands on top of the list or ties for it, else zero: a loss (R09, §2).

    .. math:: \mathbf 1\bigl\{\max_i f(x_i) \le \max_k f(\tilde x_k)\bigr\}

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores, one of each per row; larger scores are more positive.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    float
        The loss, 0 or 1.

    Examples
    --------
    >>> from podium.metrics import winner_take_all
    >>> winner_take_all([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.0
    """
    return float(reverse_heights(y_true, y_score, pos_label=pos_label).min() > 0)


def push_risk(
    y_true: RowsLike,
    y_score: npt.ArrayLike | None = None,
    p: float = 1.0,
    loss: str = "zero_one",
    *,
    margin: float = 0.0,
    price: Price | None = None,
    normalize: bool = False,
    log: bool = False,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    r"""P-Norm Push risk of a list, or the risk with a price of your own; smaller is better (R09, §2).

    .. math:: R_{p,\ell} = \sum_k \Bigl(\sum_i \ell\bigl(f(x_i) - f(\tilde x_k)\bigr)\Bigr)^p, \qquad
       R_{g,\ell} = \sum_k g\Bigl(\sum_i \ell\bigl(f(x_i) - f(\tilde x_k)\bigr)\Bigr)

    over negatives k and positives i. A larger p punishes negatives near the top more; p = 1 with ``"zero_one"``
    counts the misranked pairs, ties included.

    Parameters
    ----------
    y_true, y_score : array-like or Dask collection
        Labels and scores. All losses but ``"zero_one"`` depend on the scores themselves, not on their order alone.
        In place of both, a function that returns chunks of them, or a :class:`podium.rounds.CountedList`.
    p : float
        The power p, at least 1. At ``inf`` the result is the limit of the p-th root: the largest inner sum, R_max,ℓ.
    loss : {"zero_one", "exponential", "logistic", "hinge", "squared_hinge"}
        The loss ℓ of a margin r: 1{r ≤ 0}, e^(−r), log(1 + e^(−r)), (1 − r)₊ or (1 − r)₊². Sums of the logistic loss
        have a relative error of up to 1e-12.
    margin : float
        With ``"zero_one"``, the margin θ that a positive must exceed to stand clearly above a negative: the loss is
        1{r ≤ θ}, as in R_{p,1,θ} of R09, §4.
    price : callable, optional
        A price g of your own in place of the power p: a function that takes the sums of losses of all negatives as an
        array and returns what each costs. A convex price punishes negatives near the top more.
    normalize : bool
        Whether to return the p-norm of averages, ((1/m)·Σ_k ((1/n)·Σ_i ℓ)^p)^(1/p), instead.
    log : bool
        Whether to return the natural logarithm of the result, which cannot overflow; minus infinity for a risk of zero.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    float
        The risk, zero or more; infinite where it exceeds the largest float.

    Examples
    --------
    >>> from podium.metrics import push_risk
    >>> push_risk([0, 1, 0, 1, 0, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8], p=4)  # R09, Table 1
    33.0
    >>> push_risk([0, 1, 0, 1, 0, 0, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8], price=lambda r: r + r**4)
    38.0
    """
    p = check_push(p, loss, margin, normalize, price)
    risk = partial(PushSums.of, p=p, loss=loss, margin=margin, price=price)
    if not isinstance(y_true, CountedList) and (take := elsewhere(y_true, y_score, sample_weight)) is not None:
        n_pos, sums = run(_pushing(risk, pos_label), take)
        return sums.risk(n_pos, normalize=normalize, log=log)
    ties = ties_of(y_true, y_score, sample_weight, pos_label)
    return risk(ties).risk(ties.n_pos, normalize=normalize, log=log)


def _pushing(sums_of: Callable[[TieGroups], PushSums], pos_label: Any) -> Generator[Any, Any, tuple[float, PushSums]]:
    """In two rounds: the positives are held, negatives pass by."""
    limit = n_scores_in(memory_to_count(None))
    collected: Collected = yield partial(collect, pos_label, limit)
    collected.require_both()
    if not collected.pos.is_complete:
        raise InputError(
            f"A push over chunks holds the scores of all positives, {limit:,} of them at most; got "
            f"{collected.pos.n_rows:,}.",
            "take a sample of the rows.",
        )
    positives = collected.pos.distinct()
    sums = yield partial(_sums_of_negatives, sums_of, pos_label, ClassScores((positives,), len(positives[0]), limit))
    return float(positives[1].sum()), sums


def _sums_of_negatives(
    sums_of: Callable[[TieGroups], PushSums],
    pos_label: Any,
    positives: ClassScores,
    y_true: Any,
    y_score: Any,
    sample_weight: Any = None,
    *,
    where: str = "",
) -> PushSums:
    """What the negatives of a chunk add to the risk."""
    rows, _ = check_chunk(y_true, y_score, sample_weight, pos_label, where)
    rows = rows.subset(~rows.is_positive)
    part = ((rows.scores, rows.weight),) if len(rows.scores) else ()
    return sums_of(CountedList.of_scores(positives, ClassScores(part, len(rows.scores), len(rows.scores))))


def _counts_at(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None,
    pos_label: Any,
    *,
    of_positives: bool,
) -> FloatArray:
    """Mass of the other class that counts against each row of one class."""
    sample = _input.check_sample(y_true, y_score, sample_weight, pos_label)
    ties = TieGroups.of(sample)
    own = sample.is_positive if of_positives else ~sample.is_positive
    group = np.searchsorted(ties.values, sample.scores[own])
    against = np.cumsum(ties.neg[::-1])[::-1] if of_positives else np.cumsum(ties.pos)
    return against[group].astype(np.float64)
