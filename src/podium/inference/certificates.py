"""What can be promised of a scorer without knowing anything of the distribution of its scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium import phi as phi_
from podium._input import Sample
from podium.bounds import (
    kl_interval,
    rank_statistic_bias,
    rank_statistic_deviation,
    rank_statistic_sample_size,
    rank_statistic_span,
)
from podium.inference.result import Result
from podium.metrics import auc, rank_statistic
from podium.phi import Mww, Phi

_FRESH = (
    "The rows are independent draws from the population the scorer will meet, and no row had a part in making or "
    "choosing the scorer."
)


@dataclass(frozen=True, repr=False)
class Certificate(Result):
    """A promise with its price: the range, the probability of being wrong, and what must be true for it to hold.

    ``statement`` says it in words, ``assumption`` what it rests on; ``print`` a certificate to read both. ``low`` and
    ``high`` are 0 and 1 where nothing is guaranteed.
    """

    statement: str
    assumption: str
    estimate: float
    low: float
    high: float
    phi: str
    method: str
    delta: float
    held_out: bool
    guaranteed: bool
    n_pos: int
    n_neg: int

    def __str__(self) -> str:
        return f"{self.statement}\nAssumption: {self.assumption}"

    def __repr__(self) -> str:
        promise = f"{self.low:.4f} to {self.high:.4f}, delta={self.delta:g}" if self.guaranteed else "no guarantee"
        return f"Certificate({self.phi}: {self.estimate:.4f} observed, {promise}, {self.method})"


def certificate(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    phi: Phi | str = "mww",
    delta: float = 0.05,
    held_out: bool = True,
    *,
    pos_label: Any = None,
) -> Certificate:
    r"""A range for the AUC or another ω_φ that holds with probability 1 − δ, whatever the distribution.

    - At φ(u) = u, method ``"kl"``: all A with :math:`\mathrm{kl}(\hat A \| A) \le \ln(2/\delta)/\min(n, m)`.
    - Otherwise, method ``"mcdiarmid"``: :math:`\hat W_\phi/n \pm (\sqrt{V_\phi \ln(2/\delta)/2} + \text{bias})`, put on
      the scale of ω_φ; see :func:`podium.bounds.rank_statistic_deviation` and
      :func:`podium.bounds.rank_statistic_bias`. Where the bias has no bound (φ jumps or is unbounded, or scores tie)
      the statement is about the mean of ω̂ over lists of this composition instead, and says so.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores.
    phi : Phi or str
        Which part of the list matters; see `podium.phi`.
    delta : float
        Probability that the statement is wrong, at most.
    held_out : bool
        Whether no row had a part in making or choosing the scorer. If not, nothing is guaranteed, and the certificate
        says so: the scorer may have been fitted to the chance of these very rows.
    pos_label
        The positive label, where labels are not 0/1, −1/1 or booleans.

    Notes
    -----
    Ties count one half at φ(u) = u; otherwise φ is averaged over the ranks of a tie group. Much wider than
    :func:`podium.inference.interval`, which trusts a normal approximation.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 200)
    >>> print(certificate(y, y + rng.normal(size=400)))
    With probability at least 95%, the AUC of this scorer is between 0.6... and 0.8... (0.7... on these rows).
    Assumption: The rows are independent draws from the population the scorer will meet, and no row had a part in ...
    """
    generator = phi_.resolve(phi)
    delta = _input.number("delta", delta, 0, 1, open_low=True, open_high=True)
    _input.choice("held_out", held_out, (True, False))
    sample = _input.sample(y_true, y_score, pos_label=pos_label)
    n_pos = int(sample.is_positive.sum())
    n_neg = len(sample.scores) - n_pos
    if isinstance(generator, Mww):
        name, method, of_what = "the AUC", "kl", ""
        estimate = auc(sample.is_positive, sample.scores)
        low, high = kl_interval(estimate, n_pos, n_neg, delta)
    else:
        name, method = f"ω of {generator}", "mcdiarmid"
        estimate, low, high, of_what = _rank_statistic_range(sample, generator, n_pos, n_neg, delta)
    seen = f"{estimate:.4f} on these rows"
    if not held_out:
        low, high = 0.0, 1.0
        statement = (
            f"Nothing is guaranteed for {name} of this scorer on new rows: it was chosen on these ({seen}). "
            "Score rows that were held out, or use a bound of podium.bounds that holds for all scorers of a class."
        )
    elif (low, high) == (0.0, 1.0):
        statement = (
            f"Nothing follows for {name} of this scorer: {n_pos} positives and {n_neg} negatives are too few ({seen})."
        )
        if method == "mcdiarmid":
            span = rank_statistic_span(n_pos, n_neg, generator)
            needed = rank_statistic_sample_size(span / 2, delta, n_pos / (n_pos + n_neg), generator)
            statement += f" At this share of positives a deviation of half the scale takes about {needed:,} rows."
    else:
        statement = (
            f"With probability at least {100 * (1 - delta):g}%, {name} of this scorer{of_what} is between {low:.4f} "
            f"and {high:.4f} ({seen})."
        )
    return Certificate(
        statement=statement,
        assumption=_FRESH if held_out else "None would help: the rows and the scorer depend on each other.",
        estimate=estimate,
        low=low,
        high=high,
        phi=str(generator),
        method=method,
        delta=delta,
        held_out=held_out,
        guaranteed=held_out,
        n_pos=n_pos,
        n_neg=n_neg,
    )


def _rank_statistic_range(
    sample: Sample, phi: Phi, n_pos: int, n_neg: int, delta: float
) -> tuple[float, float, float, str]:
    """ω̂, its range, and, where it is not the population value, what the range is for."""
    n_total = n_pos + n_neg
    bound = phi.bind(n_total)
    omega = rank_statistic(sample.is_positive, sample.scores, phi=bound, ties="average")
    deviation = rank_statistic_deviation(n_pos, n_neg, bound, delta)
    tied = len(np.unique(sample.scores)) < n_total
    if tied or not np.isfinite(bound.sup_norm_derivative):
        reach = deviation / rank_statistic_span(n_pos, n_neg, bound)
        return omega, max(0.0, omega - reach), min(1.0, omega + reach), ", on average over lists of this composition,"
    mean = rank_statistic(sample.is_positive, sample.scores, phi=bound, scale="mean", ties="average")
    reach = deviation + rank_statistic_bias(n_pos, n_neg, bound)
    share = n_pos / n_total
    area = bound.integral(np.array([0.0, share, 1 - share, 1.0]))
    worst, best = (area[1] - area[0]) / share, (area[3] - area[2]) / share
    low, high = np.clip((mean + np.array([-reach, reach]) - worst) / (best - worst), 0, 1)
    return omega, float(low), float(high), ""
