"""What can be promised of a scorer without knowing anything of the distribution of its scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from podium import _input
from podium import phi as phi_
from podium._results import wording
from podium._results.result import Result
from podium.inference.certificates.ranges import Range, Seen, for_chosen_scorer, for_fixed_scorer
from podium.phi import Phi

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
    """A promise with its price: the range, the probability of being wrong, and what must be true for it to hold.

    ``statement`` says it in words, ``theorem`` by which right, ``assumption`` on which condition; ``print`` a
    certificate to read all three. ``low`` and ``high`` are 0 and 1 where nothing is guaranteed.

    Attributes
    ----------
    statement : str
        What is guaranteed, in words.
    theorem : str
        The theorem behind it.
    assumption : str
        What must be true for it to hold.
    estimate : float
        The value on these rows.
    low, high : float
        The limits that are guaranteed; 0 and 1 where nothing is.
    phi : str
        The specification of φ; ``"auc"`` for φ(u) = u.
    method : str
        ``"kl"``, ``"mcdiarmid"``, ``"uniform"`` or ``"none"``.
    confidence_level : float
        The probability with which the statement is true, at least.
    held_out : bool
        Whether the rows had no part in making or choosing the scorer.
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
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    phi: Phi | str = "auc",
    *,
    confidence_level: float = 0.95,
    held_out: bool = True,
    dimension: int | None = None,
    pos_label: Any = None,
) -> Certificate:
    r"""A range for the AUC or another ω_φ that holds with probability ``confidence_level`` whatever the distribution.

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
    y_true, y_score : array-like
        Labels and scores, one of each per row; larger scores are more positive.
    phi : Phi or str
        The score-generating function φ, which says which part of the list matters; see `podium.phi`.
    confidence_level : float
        The probability with which the statement is true, at least.
    held_out : bool
        Whether no row had a part in making or choosing the scorer. If not, nothing is guaranteed unless the class is
        known, and the certificate says so: the scorer may have been fitted to the chance of these very rows.
    dimension : int, optional
        The number of features, fixed beforehand, in which the scorer is linear; used with ``held_out=False``.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.

    Returns
    -------
    Certificate
        The range, and in words what is guaranteed, by which theorem and on which assumption; ``print`` it to read them.

    Notes
    -----
    Ties count one half at φ(u) = u; otherwise φ is averaged over the ranks of a tie group. Much wider than
    :func:`podium.inference.interval`, which trusts a normal approximation.

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
    generator = phi_.resolve(phi)
    level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
    _input.check_choice("held_out", held_out, (True, False))
    sample = _input.check_sample(y_true, y_score, pos_label=pos_label)
    if dimension is not None:
        dimension = _input.check_integer("dimension", dimension, 1, hint="the number of features of the linear scorer.")
    return certificate_of(Seen.of(sample, generator), generator, level, held_out=held_out, dimension=dimension)


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
