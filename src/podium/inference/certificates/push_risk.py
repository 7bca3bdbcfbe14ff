"""From the push risk of rows that were not trained on, or of a class, to that of the population."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt
from scipy.optimize import brentq

from podium import _input
from podium._results.result import Result
from podium.bounds import push_log_tail
from podium.metrics import push_risk


@dataclass(frozen=True, kw_only=True, repr=False)
class PushRiskCertificate(Result):
    """The p-norm risk of the population is at most ``bound``, with the stated confidence.

    Attributes
    ----------
    risk : float
        R̂_{p,θ}: the p-norm risk of the rows, pairs within the margin of each other counted as wrong.
    epsilon : float
        What the theorem adds; infinite where no deviation below 1 has the confidence.
    bound : float
        The sum of ``risk`` and ``epsilon``, at most 1; a bound of 1 says nothing.
    p : float
        The power of the push.
    margin : float
        The margin θ within which a positive does not stand clearly above a negative.
    confidence_level : float
        The probability with which the bound holds, at least.
    n_pos, n_neg : int
        The numbers of positives and of negatives.
    """

    risk: float
    epsilon: float
    bound: float
    p: float
    margin: float
    confidence_level: float
    n_pos: int
    n_neg: int

    def __repr__(self) -> str:
        added = f"{self.risk:.4f} + {self.epsilon:.4f}" if self.bound < 1 else "vacuous at this size"
        return (
            f"R_{self.p:g} of the population at most {self.bound:.4f} ({added}), confidence "
            f"{100 * self.confidence_level:g} %"
        )


def push_risk_certificate(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    p: float,
    *,
    margin: float = 0.0,
    log_covering: Callable[[float], float] | None = None,
    r_min: float = 0.0,
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> PushRiskCertificate:
    r"""An upper limit of the p-norm risk of the population (R09, Theorem 3, with its margin).

    .. math:: R_p(f) \le \hat R_{p,\theta}(f) + \varepsilon

    with ε the least deviation at which :func:`podium.bounds.push_log_tail` (``method="sharp"``) is at most ln δ. For a
    scorer that was fixed before these rows were seen no covering is needed and the margin may be 0; for one that was
    chosen on them, the class must be covered, and then θ > 0 is needed: the radius of the balls is εθ/8.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores, one of each per row; larger scores are more positive.
    p : float
        The power p of the push, at least 1.
    margin : float
        The margin θ within which a positive does not stand clearly above a negative, in units of the scores.
    log_covering : callable, optional
        The natural logarithm of the covering number of the class, given a radius, such as
        :func:`podium.bounds.log_covering_linear`; None for a scorer that was fixed before.
    r_min : float
        The least p-norm risk that any scorer can have, in [0, 1]; 0 where it is not known.
    confidence_level : float
        The probability 1 − δ with which the limit holds, at least.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.

    Returns
    -------
    PushRiskCertificate
        The risk of the rows, what is added, and their sum.

    Examples
    --------
    >>> from podium.datasets import LocationModel
    >>> from podium.inference import push_risk_certificate
    >>> model = LocationModel(0.3)
    >>> X, y = model.sample(20_000, 20_000, rng=0)
    >>> push_risk_certificate(y, model.optimal_scores(X), p=1)
    R_1 of the population at most 0.2333 (0.1949 + 0.0384), confidence 95 %
    """
    risk = push_risk(y_true, y_score, p, margin=margin, normalize=True, pos_label=pos_label)
    if log_covering is not None:
        _input.check_number("margin", margin, 0, open_low=True)
    is_positive = _input.check_labels(y_true, pos_label)
    n_pos = int(is_positive.sum())
    n_neg = len(is_positive) - n_pos
    delta = 1 - _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)

    def excess(epsilon: float) -> float:
        covering = 0.0 if log_covering is None else log_covering(epsilon * margin / 8)
        tail = push_log_tail(n_pos, n_neg, epsilon, p, log_covering=covering, r_min=r_min, method="sharp")
        return tail - math.log(delta)

    epsilon = float(brentq(excess, 1e-9, 1.0, xtol=1e-12)) if excess(1.0) < 0 else math.inf
    return PushRiskCertificate(
        risk=risk,
        epsilon=epsilon,
        bound=min(risk + epsilon, 1.0),
        p=float(p),
        margin=float(margin),
        confidence_level=confidence_level,
        n_pos=n_pos,
        n_neg=n_neg,
    )
