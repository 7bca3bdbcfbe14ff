"""What each pair of a positive and a negative contributes to the P-Norm Push."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from podium import _input
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.metrics.push_sums import LOSSES

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
