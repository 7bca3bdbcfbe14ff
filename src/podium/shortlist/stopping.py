"""When to stop reading a list: a recall guarantee from a random sample of the unread rows."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy
from scipy.special import betaln

from podium import _input
from podium._results import wording
from podium._results.result import Result
from podium._types import BoolArray
from podium.exceptions import InputError

_AT_RANDOM = (
    "The sample was drawn at random without replacement from the rows below those read, and every label is right"
)


@dataclass(frozen=True, kw_only=True, repr=False)
class RecallClaim(Result):
    """What can be claimed about the share of all positives that were found.

    Attributes
    ----------
    reached : bool
        Whether the target recall is guaranteed.
    recall : float
        The target recall.
    recall_low : float
        The largest recall that is guaranteed.
    missed_high : int
        Upper bound on the positives among the unread rows.
    found : int
        Positives found so far, in the first rows and in the sample.
    n_read, n_sampled, n_left : int
        Rows read from the top, rows sampled from the rest, and unread rows.
    still_to_read : int
        How many further rows to sample from the rest until the target is guaranteed, if none is positive; 0 if it
        already is.
    share_left : float
        The share of the list that is unread.
    work_saved : float
        The share of the list that is unread, less the share of positives that may be missed: work saved over reading in
        random order, at the recall that is guaranteed.
    plan : str
        How to go on.
    guarantee : str
        The guarantee, in a sentence.
    method : str
        The method behind the limit.
    theorem : str
        The theorem behind the guarantee.
    assumption : str
        The assumptions of the guarantee.
    not_covered : str
        What the guarantee does not cover.
    confidence_level : float
        Probability of the guarantee.
    """

    reached: bool
    recall: float
    recall_low: float
    missed_high: int
    found: int
    n_read: int
    n_sampled: int
    n_left: int
    still_to_read: int
    share_left: float
    work_saved: float
    plan: str
    guarantee: str
    method: str
    theorem: str
    assumption: str
    not_covered: str
    confidence_level: float

    def __repr__(self) -> str:
        return self.guarantee


@dataclass(frozen=True)
class _Rest:
    """The rows below those read from the top: how many, how sure to be, and the prior of the test martingale."""

    size: int
    miss: float
    repeated: bool
    border: float  # positives in the rest at which the recall would just be reached without the sample

    def most_positives(self, drawn: int, hits: int) -> int:
        """The most positives of the rest, hits of the sample included, that the sample does not refute."""
        possible = range(self.likeliest(drawn, hits) + 1, self.size - drawn + hits + 1)
        return possible.start - 1 + bisect_left(possible, True, key=lambda d: self.refutes(d, drawn, hits))

    def refutes(self, positives: int, drawn: int, hits: int) -> bool:
        """Whether the sample refutes that the rest has so many positives; then it refutes more, if more than likeliest.

        The likelihood falls on both sides of its largest value, and the martingale is the mean one over it.
        """
        if positives <= self.likeliest(drawn, hits):
            return False
        if self.repeated:
            return bool(self._log_martingale(positives, drawn, hits) >= -np.log(self.miss))
        return bool(scipy.stats.hypergeom.cdf(hits, self.size, positives, drawn) <= self.miss)

    def likeliest(self, drawn: int, hits: int) -> int:
        """The number of positives of the rest of which the sample is most likely; without a sample, any."""
        if not drawn:
            return self.size
        return min(max(hits, hits * (self.size + 1) // drawn), self.size - drawn + hits)

    def _log_martingale(self, positives: Any, drawn: int, hits: int) -> Any:
        """Logarithm of prior over posterior of the number of positives, a martingale under the true number.

        The prior is beta-binomial, and so is the posterior of those not drawn.
        """
        a = 0.5
        b = max(1.0, a * (2 * self.size / max(self.border, 1.0) - 1))  # its mean is half the border
        prior = _log_beta_binomial(positives, self.size, a, b)
        return prior - _log_beta_binomial(positives - hits, self.size - drawn, a + hits, b + drawn - hits)


def _log_beta_binomial(k: Any, n: int, a: float, b: float) -> Any:
    choose = -np.log(n + 1) - betaln(n - k + 1, k + 1)
    return choose + betaln(k + a, n - k + b) - betaln(a, b)


def recall_reached(
    y_read: npt.ArrayLike,
    y_sampled: npt.ArrayLike,
    n_total: int,
    *,
    recall: float = 0.95,
    confidence_level: float = 0.95,
    looks: str = "repeated",
    pos_label: Any = None,
) -> RecallClaim:
    r"""Test whether the share of all positives found so far is at least ``recall``.

    The first rows of a list are read in order; of the M others, n are drawn at random without replacement and read, x
    of them positive. D positives among the M are refuted with one look if

    .. math:: P\bigl(\mathrm{Hypergeometric}(M, D, n) \le x\bigr) \le 1 - \text{confidence level},

    and with a look after every row if :math:`\pi(D) / \pi(D \mid n, x) \ge 1/(1 - \text{confidence level})`, a test
    martingale under D (Waudby-Smith and Ramdas, 2020), where π is beta-binomial with its mean at half of the D with
    which the rows read from the top alone would just reach ``recall``. With R positives among the first rows and
    the largest D not refuted, the recall is at least (R + x)/(R + D).

    Parameters
    ----------
    y_read : array-like
        Labels of the rows read from the top of the list.
    y_sampled : array-like
        Labels of the rows sampled from the rest; may be empty.
    n_total : int
        The length of the whole list.
    recall : float
        The target share of all positives of this list, in (0, 1).
    confidence_level : float
        The probability, over random samples, that no false claim is made.
    looks : {"repeated", "once"}
        ``"repeated"``: the test may be repeated after every row, as often as desired; ``"once"``: the sample size was
        fixed in advance and the test is done once, which needs fewer rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    RecallClaim
        Whether the recall is guaranteed, and how many more rows are needed if not.

    References
    ----------
    Waudby-Smith, I. and Ramdas, A. (2020). Confidence sequences for sampling without replacement. *NeurIPS* 33.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.shortlist import recall_reached
    >>> read = np.repeat([True, False], [190, 810])
    >>> recall_reached(read, np.zeros(400, dtype=bool), 5000, recall=0.9, looks="once")
    At least 87.1 % of all positives were found, with probability 95 %: 190 so far, at most 28 missed. 90 % could be
    claimed after 108 further rows drawn at random, if none is positive.
    """
    target = _input.check_fraction("recall", recall)
    level = _input.check_fraction("confidence_level", confidence_level)
    repeated = _input.check_choice("looks", looks, ("repeated", "once")) == "repeated"
    read, sampled = counted(y_read, pos_label), counted(y_sampled, pos_label)
    n_read, n_sampled = len(read), len(sampled)
    from_top, hits = int(read.sum()), int(sampled.sum())
    n_total = _input.check_integer("n_total", n_total, 1)
    if n_read + n_sampled > n_total:
        raise InputError(
            f"n_total must be at least the number of rows read; got {n_total:,} with {n_read:,} rows read from the top "
            f"and {n_sampled:,} drawn from the rest."
        )
    rest = _Rest(n_total - n_read, 1 - level, repeated, from_top * (1 / target - 1))
    found = from_top + hits
    most = rest.most_positives(n_sampled, hits)
    still = 0
    if from_top + most > most_allowed(found, target):
        border = most_allowed(found, target) - from_top
        drawable = range(1, rest.size - n_sampled)
        still = 1 + bisect_left(drawable, True, key=lambda more: rest.refutes(border + 1, n_sampled + more, hits))
    return recall_claim(
        target=target,
        level=level,
        found=found,
        most=from_top + most,
        sizes=(n_read, n_sampled, n_total),
        still=still,
        plan="Draw further rows at random from those not read." if still else "Stop reading.",
        further="drawn at random",
        method="prior over posterior, a test martingale" if repeated else "hypergeometric test",
        theorem=(
            "Ville's inequality for a test martingale (Waudby-Smith and Ramdas, 2020)."
            if repeated
            else "The exact hypergeometric test, inverted."
        ),
        assumption=_AT_RANDOM + ("." if repeated else ", and its size was fixed beforehand."),
        not_covered="Positives that a reader did not recognize.",
    )


def most_allowed(found: int, target: float) -> int:
    """The most positives of the list of which those found are the target share."""
    total = int(found / target) + 1
    while total and found / total < target:
        total -= 1
    return total


def recall_claim(
    *,
    target: float,
    level: float,
    found: int,
    most: int,
    sizes: tuple[int, int, int],
    still: int,
    plan: str,
    further: str,
    method: str,
    theorem: str,
    assumption: str,
    not_covered: str,
) -> RecallClaim:
    """What can be claimed with so many positives found of at most so many; sizes: rows read, sampled, and in all."""
    n_read, n_sampled, n_total = sizes
    low = found / most if most else 1.0
    n_left = n_total - n_read - n_sampled
    return RecallClaim(
        reached=low >= target,
        recall=target,
        recall_low=low,
        missed_high=most - found,
        found=found,
        n_read=n_read,
        n_sampled=n_sampled,
        n_left=n_left,
        still_to_read=still,
        share_left=n_left / n_total,
        work_saved=n_left / n_total - (1 - low),
        plan=plan,
        guarantee=_sentence(low, target, level, found, most - found, still, further),
        method=method,
        theorem=theorem,
        assumption=assumption,
        not_covered=not_covered,
        confidence_level=level,
    )


def counted(labels: npt.ArrayLike, pos_label: Any) -> BoolArray:
    """Which rows are positive; there may be none at all, and one class alone."""
    if np.size(labels) == 0:
        return np.zeros(0, dtype=np.bool_)
    if pos_label is not None:
        labels = np.asarray(labels) == pos_label  # one class alone may be present
    return np.asarray(_input.check_labels(labels))


def _sentence(low: float, target: float, level: float, found: int, missed: int, still: int, further: str) -> str:
    share = wording.level(np.floor(1000 * low) / 1000)  # never rounded up
    claim = (
        f"At least {share} of all positives were found, with probability {wording.level(level)}: "
        f"{found:,} so far, at most {missed:,} missed."
    )
    if not still:
        return claim
    return (
        f"{claim} {wording.level(target)} could be claimed after {still:,} further rows {further}, if none is positive."
    )
