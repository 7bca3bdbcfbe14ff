"""Distribution-free guarantees for a scorer, stated in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._results import wording
from podium._results.result import Result
from podium._types import Sample
from podium.bounds import (
    auc_uniform_deviation,
    auc_uniform_sample_size,
    kl_interval,
    log_rank_shatter,
    log_sign_patterns,
    rank_statistic_bias,
    rank_statistic_deviation,
    rank_statistic_sample_size,
    rank_statistic_sensitivity,
    rank_statistic_span,
    rank_statistic_uniform_sample_size,
)
from podium.bounds.rank_statistic import uniform_deviation
from podium.exceptions import InputError
from podium.metrics.linear import statistic, statistic_of_counts
from podium.phi import Mww, Phi, resolve
from podium.ranks.pooled import share_won
from podium.rounds.counted import CountedList
from podium.rounds.rows import RowsLike, whole_rows_of

# The ranges that certificates state: for a scorer that never saw the rows, and for one chosen on them from a class.


_HALF = 0.5  # of the scale: with such a deviation a bound begins to say something


class Range(NamedTuple):
    """ω̂ and its limits, by which theorem, and what they are limits for where that is not the population value."""

    estimate: float
    low: float
    high: float
    method: str
    theorem: str
    of_what: str = ""
    needed: int | None = None  # rows for a deviation of half the scale, where nothing follows

    @property
    def vacuous(self) -> bool:
        """Every value is allowed."""
        return (self.low, self.high) == (0.0, 1.0)


class Seen(NamedTuple):
    """What limits are taken from: how many rows there are of each class, ω̂, Ŵ_φ/n, and whether scores tie."""

    n_pos: int
    n_neg: int
    omega: float
    mean: float
    tied: bool

    @classmethod
    def of_counts(cls, counted: CountedList, phi: Phi) -> Seen:
        """Rows of one class that follow each other are taken to tie, which makes the statement the weaker one."""
        omega, mean = statistic_of_counts(counted, phi), statistic_of_counts(counted, phi, "mean")
        return cls(int(counted.n_pos), int(counted.n_neg), omega, mean, len(counted.pos) < counted.n_total)

    @classmethod
    def of(cls, sample: Sample, phi: Phi) -> Seen:
        n_total, n_pos = len(sample.scores), int(sample.is_positive.sum())
        if isinstance(phi, Mww):
            area = share_won(sample)
            return cls(n_pos, n_total - n_pos, area, area, False)
        bound = phi.bind(n_total)
        omega, mean = statistic(sample, bound), statistic(sample, bound, scale="mean")
        return cls(n_pos, n_total - n_pos, omega, mean, len(np.unique(sample.scores)) < n_total)


def for_fixed_scorer(seen: Seen, phi: Phi, confidence_level: float) -> Range:
    """Limits for a scorer that no row had a part in making or choosing."""
    n_pos, n_neg, area, *_ = seen
    if isinstance(phi, Mww):
        theorem = "Chernoff's inequality over min(n, m) disjoint pairs (podium.bounds.kl_interval)."
        return Range(area, *kl_interval(area, n_pos, n_neg, confidence_level=confidence_level), "kl", theorem)
    theorem = "McDiarmid's inequality (podium.bounds.rank_statistic_deviation)."
    reach = rank_statistic_deviation(n_pos, n_neg, phi, confidence_level=confidence_level)
    limits = _around(seen, phi, reach, "mcdiarmid", theorem)
    half, share = _HALF * rank_statistic_span(n_pos, n_neg, phi), n_pos / (n_pos + n_neg)
    return _with_needed(limits, lambda: rank_statistic_sample_size(half, share, phi, confidence_level=confidence_level))


def for_chosen_scorer(seen: Seen, phi: Phi, confidence_level: float, dimension: int) -> Range:
    """Limits for a scorer chosen on these rows, in whatever way, among the linear ones of so many features."""
    n_pos, n_neg, area, *_ = seen
    share = n_pos / (n_pos + n_neg)
    if isinstance(phi, Mww):

        def patterns(n: int, m: int) -> float:
            return log_sign_patterns(dimension, min(n, m))

        reach = auc_uniform_deviation(
            n_pos, n_neg, patterns(n_pos, n_neg), confidence_level=confidence_level, method="sharp"
        )
        theorem = "Uniform over all linear scorers (podium.bounds.auc_uniform_deviation, method 'sharp')."
        limits = Range(area, max(0.0, area - reach), min(1.0, area + reach), "uniform", theorem)
        return _with_needed(
            limits,
            lambda: auc_uniform_sample_size(_HALF, share, patterns, confidence_level=confidence_level, method="sharp"),
        )

    def orders(n: int, m: int) -> float:
        return log_rank_shatter(2 * n, 2 * m, dimension, method="central")

    sensitivity = rank_statistic_sensitivity(n_pos, n_neg, phi)
    theorem = "Uniform over all linear scorers (podium.bounds.rank_statistic_uniform_deviation)."
    limits = _around(
        seen, phi, uniform_deviation(sensitivity, orders(n_pos, n_neg), confidence_level), "uniform", theorem
    )
    half = _HALF * rank_statistic_span(n_pos, n_neg, phi)
    return _with_needed(
        limits, lambda: rank_statistic_uniform_sample_size(half, share, phi, orders, confidence_level=confidence_level)
    )


def _around(seen: Seen, phi: Phi, deviation: float, method: str, theorem: str) -> Range:
    """From Ŵ_φ/n ± deviation from its mean to limits for ω, with the bias where it is known."""
    n_pos, n_neg, omega, mean, tied = seen
    n_total = n_pos + n_neg
    phi = phi.bind(n_total)
    if tied or not np.isfinite(phi.sup_norm_derivative):
        reach = deviation / rank_statistic_span(n_pos, n_neg, phi)
        of_what = ", on average over lists of this composition,"
        return Range(omega, max(0.0, omega - reach), min(1.0, omega + reach), method, theorem, of_what)
    reach = deviation + rank_statistic_bias(n_pos, n_neg, phi)
    share = n_pos / n_total
    area = phi.integral(np.array([0.0, share, 1 - share, 1.0]))
    worst, best = (area[1] - area[0]) / share, (area[3] - area[2]) / share
    low, high = np.clip((mean + np.array([-reach, reach]) - worst) / (best - worst), 0, 1)
    return Range(omega, float(low), float(high), method, theorem, f" at {100 * share:.3g} % positives")


def _with_needed(limits: Range, search: Callable[[], int]) -> Range:
    if not limits.vacuous:
        return limits
    try:
        return limits._replace(needed=search())
    except InputError:  # more rows than the search goes up to
        return limits


# What can be promised of a scorer without knowing anything of the distribution of its scores.


_FRESH = (
    "The rows are independent draws from the population the scorer will meet, and no row had a part in making or "
    "choosing the scorer."
)
_OF_A_CLASS = (
    "The rows are independent draws from the population the scorer will meet, and the scorer was chosen, in whatever "
    "way, among the linear scores of {} features that were fixed beforehand."
)
_NONE = "None would help: the rows and the scorer depend on each other."


@dataclass(frozen=True, kw_only=True, repr=False)
class Certificate(Result):
    """A guarantee: a range, its probability, the theorem behind it and its assumptions.

    ``print`` a certificate to read ``statement``, ``theorem`` and ``assumption``. ``low`` and ``high`` are 0 and 1 if
    nothing is guaranteed.

    Attributes
    ----------
    statement : str
        The guarantee, in words.
    theorem : str
        The theorem behind it.
    assumption : str
        The assumptions behind it.
    estimate : float
        The value on these rows.
    low, high : float
        The guaranteed limits; 0 and 1 if nothing is guaranteed.
    phi : str
        The specification of φ; ``"auc"`` for φ(u) = u.
    method : str
        ``"kl"``, ``"mcdiarmid"``, ``"uniform"`` or ``"none"``.
    confidence_level : float
        The probability with which the statement holds, at least.
    held_out : bool
        Whether the rows were not used to train or choose the scorer.
    guaranteed : bool
        Whether anything is guaranteed.
    n_pos, n_neg : int
        The numbers of positives and of negatives.
    """

    statement: str
    theorem: str
    assumption: str
    estimate: float
    low: float
    high: float
    phi: str
    method: str
    confidence_level: float
    held_out: bool
    guaranteed: bool
    n_pos: int
    n_neg: int

    def __str__(self) -> str:
        return f"{self.statement}\nTheorem: {self.theorem}\nAssumption: {self.assumption}"

    def __repr__(self) -> str:
        name = wording.statistic(self.phi)
        if not self.guaranteed:
            return f"{name} {self.estimate:.3f} on these rows, nothing guaranteed for others"
        level = wording.level(self.confidence_level)
        return (
            f"{name} {self.estimate:.3f}, guaranteed {level} interval {self.low:.3f} to {self.high:.3f} "
            f"({self.method}), {wording.rows(self.n_pos, self.n_neg)}"
        )


def certificate(
    y_true: RowsLike,
    y_score: npt.ArrayLike | None = None,
    phi: Phi | str = "auc",
    *,
    confidence_level: float = 0.95,
    held_out: bool = True,
    dimension: int | None = None,
    pos_label: Any = None,
) -> Certificate:
    r"""A range for the AUC or another ω_φ that holds with probability ``confidence_level`` for every distribution.

    In the formulas δ = 1 − ``confidence_level``.

    - At φ(u) = u, method ``"kl"``: all A with :math:`\mathrm{kl}(\hat A \| A) \le \ln(2/\delta)/\min(n, m)`.
    - Otherwise, method ``"mcdiarmid"``: :math:`\hat W_\phi/n \pm (\sqrt{V_\phi \ln(2/\delta)/2} + \text{bias})`, put on
      the scale of ω_φ; see :func:`podium.bounds.rank_statistic_deviation` and
      :func:`podium.bounds.rank_statistic_bias`. Where the bias has no bound (φ jumps or is unbounded, or scores tie)
      the statement is about the mean of ω̂ over lists of this composition instead, and says so.
    - For a scorer chosen on these rows among the linear ones of ``dimension`` features, method ``"uniform"``: the AUC
      ± :func:`podium.bounds.auc_uniform_deviation` (``"sharp"``), or Ŵ_φ/n ±
      :func:`podium.bounds.rank_statistic_uniform_deviation`. Vacuous with some hundreds of rows.

    Parameters
    ----------
    y_true, y_score : array-like or Dask collection
        Labels and scores, one of each per row; larger scores are more positive. In place of both, a function
        that returns chunks of them, or a :class:`podium.rounds.CountedList`.
    phi : Phi or str
        The score-generating function φ, which says which part of the list matters; see `podium.phi`.
    confidence_level : float
        The probability with which the statement holds, at least.
    held_out : bool
        Whether no row was used to train or choose the scorer. If not, nothing is guaranteed unless the class is known,
        and the certificate says so: the scorer may be overfitted to these rows.
    dimension : int, optional
        The number of features, fixed in advance, in which the scorer is linear; used with ``held_out=False``.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    Certificate
        The range, the guarantee in words, its theorem and its assumption; ``print`` it to read them.

    Notes
    -----
    Ties count one half for φ(u) = u; otherwise φ is averaged over the ranks of a tie group. The range is much wider
    than that of :func:`podium.inference.interval`, which uses a normal approximation.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import certificate
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 200)
    >>> print(certificate(y, y + rng.normal(size=400)))
    With probability at least 95 %, the AUC of this scorer is between 0.6... and 0.8... (0.7... on these rows).
    Theorem: Chernoff's inequality over min(n, m) disjoint pairs (podium.bounds.kl_interval).
    Assumption: The rows are independent draws from the population the scorer will meet, and no row had a part in ...
    """
    generator = resolve(phi)
    level = _input.check_fraction("confidence_level", confidence_level)
    _input.check_choice("held_out", held_out, (True, False))
    if dimension is not None:
        dimension = _input.check_integer("dimension", dimension, 1, hint="the number of features of the linear scorer.")
    rows = whole_rows_of(y_true, y_score, pos_label)
    seen = Seen.of_counts(rows, generator) if isinstance(rows, CountedList) else Seen.of(rows, generator)
    return certificate_of(seen, generator, level, held_out=held_out, dimension=dimension)


def certificate_of(
    seen: Seen, generator: Phi, level: float, *, held_out: bool = True, dimension: int | None = None
) -> Certificate:
    """The same from what was seen of the rows."""
    if held_out or dimension is None:
        limits, assumption = for_fixed_scorer(seen, generator, level), _FRESH
    else:
        limits, assumption = for_chosen_scorer(seen, generator, level, dimension), _OF_A_CLASS.format(dimension)
    n_pos, n_neg = seen.n_pos, seen.n_neg
    name = f"the {wording.statistic(str(generator))}"
    guaranteed = held_out or dimension is not None
    if not guaranteed:
        limits = limits._replace(low=0.0, high=1.0, method="none", theorem="None.")
        assumption = _NONE
    return Certificate(
        statement=_statement(limits, name, n_pos, n_neg, level, guaranteed),
        theorem=limits.theorem,
        assumption=assumption,
        estimate=limits.estimate,
        low=limits.low,
        high=limits.high,
        phi=str(generator),
        method=limits.method,
        confidence_level=level,
        held_out=held_out,
        guaranteed=guaranteed,
        n_pos=n_pos,
        n_neg=n_neg,
    )


def _statement(limits: Range, name: str, n_pos: int, n_neg: int, level: float, guaranteed: bool) -> str:
    seen = f"{limits.estimate:.4f} on these rows"
    if not guaranteed:
        return (
            f"Nothing is guaranteed for {name} of this scorer on new rows: it was chosen on these ({seen}). "
            "Score rows that were held out, or pass dimension if it is a linear scorer."
        )
    if limits.vacuous:
        few = (
            f"{n_pos} positives and {n_neg} negatives are too few to guarantee a range for {name} of this scorer "
            f"({seen})."
        )
        if limits.needed is None:
            return few
        return f"{few} At this share of positives a deviation of half the scale takes about {limits.needed:,} rows."
    return (
        f"With probability at least {wording.level(level)}, {name} of this scorer{limits.of_what} is between "
        f"{limits.low:.4f} and {limits.high:.4f} ({seen})."
    )
