"""Guarantees for the height of the highest negative and for the P-Norm Push risk."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt
import scipy

from podium import _input
from podium._results.result import Result
from podium.bounds import push_log_tail
from podium.metrics import max_height, push_risk

# What the push risk that was minimized says about the very top of the same rows.


@dataclass(frozen=True, kw_only=True, repr=False)
class PushCertificate(Result):
    """At most ``bound`` positives stand at or below the best-placed negative of these rows; ``max_height`` do.

    Attributes
    ----------
    statement, theorem : str
        The guarantee in words, and its theorem.
    bound : int
        The most positives that can stand at or below the best-placed negative.
    max_height : float
        How many do.
    p : float
        The power of the push.
    loss : str
        The loss of the push.
    n_pos, n_neg : int
        The numbers of positives and of negatives.
    """

    statement: str
    theorem: str
    bound: int
    max_height: float
    p: float
    loss: str
    n_pos: int
    n_neg: int

    def __str__(self) -> str:
        return f"{self.statement}\nTheorem: {self.theorem}"

    def __repr__(self) -> str:
        return (
            f"at most {self.bound:,} of {self.n_pos:,} positives at or below the best-placed negative (in fact "
            f"{self.max_height:g}), by the {self.loss.replace('_', '-')} push with p = {self.p:g}"
        )


def push_certificate(
    y_true: npt.ArrayLike, y_score: npt.ArrayLike, p: float, loss: str = "exponential", *, pos_label: Any = None
) -> PushCertificate:
    r"""From the risk of the P-Norm Push to the worst negative of the same rows (after R09, Theorem 1).

    .. math:: R_{\max} \le R_{p,1}^{1/p} \le R_{p,\ell}^{1/p} / \ell(0), \qquad
       R_{\max} = \max_k \#\{i : f(x_i) \le f(\tilde x_k)\}

    The first step holds because a sum of p-th powers is at least its largest term; R09 has the looser R_max ≤ K^(1 −
    1/p)·R_{p,1}^{1/p} for K negatives. The second holds for every decreasing loss, since 1{r ≤ 0} ≤ ℓ(r)/ℓ(0). For the
    logistic loss ℓ(0) = ln 2, so that R_max ≤ R^(1/p) alone would be false; for the others ℓ(0) = 1. This is a fact
    about these rows, with no probability in it: it promises nothing for new ones. A bound of as many as there are
    positives is vacuous.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores of the rows trained on.
    p : float
        The power p, at least 1; the larger, the tighter the first step.
    loss : {"zero_one", "exponential", "logistic", "hinge", "squared_hinge"}
        The loss ℓ, as in :func:`podium.metrics.push_risk`.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    PushCertificate
        The bound, the number that it bounds, and both in words.

    Examples
    --------
    >>> from podium.inference import push_certificate
    >>> print(push_certificate([0, 0, 0, 1, 1, 1], [1, 2, 6, 5, 9, 9], p=4))
    At most 2 of the 3 positives stand at or below the best-placed negative of these rows (in fact 1).
    Theorem: R_max ≤ R^(1/p) for the exponential loss, p = 4 (after R09, Theorem 1).
    """
    log_risk = push_risk(y_true, y_score, p=p, loss=loss, log=True, pos_label=pos_label)
    highest = max_height(y_true, y_score, pos_label=pos_label)
    is_positive = _input.check_labels(y_true, pos_label)
    n_pos = int(is_positive.sum())
    n_neg = len(is_positive) - n_pos
    root = log_risk if math.isinf(p) else log_risk / p  # at p = ∞ the risk is its own root already
    log_bound = root - (math.log(math.log(2)) if loss == "logistic" else 0.0)
    # A count, so its whole part; the allowance keeps a whole number that rounding made a little smaller.
    bound = math.floor(math.exp(log_bound) * (1 + 1e-9)) if log_bound < math.log(n_pos) else n_pos
    where = f"of the {n_pos} positives stand at or below the best-placed negative of these rows (in fact {highest:g})"
    if bound < n_pos:
        statement = f"At most {bound} {where}."
    else:
        statement = f"The push risk of these rows is too large to limit how many {where}."
    root_name = "R^(1/p)/ln 2" if loss == "logistic" else "R^(1/p)"
    return PushCertificate(
        statement=statement,
        theorem=f"R_max ≤ {root_name} for the {loss.replace('_', '-')} loss, p = {p:g} (after R09, Theorem 1).",
        bound=bound,
        max_height=highest,
        p=float(p),
        loss=loss,
        n_pos=n_pos,
        n_neg=n_neg,
    )


# From the push risk of rows that were not trained on, or of a class, to that of the population.


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
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

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
    delta = 1 - _input.check_fraction("confidence_level", confidence_level)

    def excess(epsilon: float) -> float:
        covering = 0.0 if log_covering is None else log_covering(epsilon * margin / 8)
        tail = push_log_tail(n_pos, n_neg, epsilon, p, log_covering=covering, r_min=r_min, method="sharp")
        return tail - math.log(delta)

    epsilon = float(scipy.optimize.brentq(excess, 1e-9, 1.0, xtol=1e-12)) if excess(1.0) < 0 else math.inf
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
