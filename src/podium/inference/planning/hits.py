"""How many labeled rows a range of hits of a wanted width needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from scipy.special import ndtr, ndtri

from podium import _input
from podium._results import wording
from podium._results.result import Result
from podium._shares import normal_quantile
from podium.exceptions import InputError
from podium.inference.planning.width import LARGEST


@dataclass(frozen=True, kw_only=True, repr=False)
class HitsSampleSize(Result):
    """Labeled rows that a range of hits of some width needs.

    Attributes
    ----------
    n_rows : int
        How many labeled rows are needed.
    n_pos : int
        How many positives so many rows are expected to hold.
    width : float
        The expected width of the range of hits.
    least_width : float
        The width that no number of labeled rows goes below: the hits of the next list are themselves random.
    hits : float
        The hits to expect among the first k.
    k, n_next : int
        How many rows are looked at, and the length of the next list.
    auc, prevalence : float
        The assumed AUC and share of positives.
    confidence_level : float
        The confidence level of the range.
    """

    n_rows: int
    n_pos: int
    width: float
    least_width: float
    hits: float
    k: int
    n_next: int
    auc: float
    prevalence: float
    confidence_level: float

    def __repr__(self) -> str:
        return (
            f"{self.n_rows:,} labeled rows, about {self.n_pos:,} of them positive, for a "
            f"{wording.level(self.confidence_level)} range of width {self.width:.3g} around {self.hits:.3g} hits in "
            f"the first {self.k:,} of {self.n_next:,} rows (never below {self.least_width:.3g}), at AUC {self.auc:g} "
            f"and {wording.percent(self.prevalence)} positive"
        )


def sample_size_for_hits(
    width: float, *, k: int, n_next: int, auc: float, prevalence: float, confidence_level: float = 0.95
) -> HitsSampleSize:
    r"""The fewest labeled rows with which the hits of the next list are known to within a range of this width.

    The range is that of `precision_at_interval` for a new draw. With N labeled rows it is expected to be

    .. math:: 1 + 2 z \sqrt{\Bigl(1 + \frac{N'}{N}\Bigr) k \sigma^2}, \qquad
       \sigma^2 = p(1 - p) + \Bigl(1 - \frac{k}{N'}\Bigr)(p - c)^2,

    wide, where p is the share of positives among the first k of N′ rows and c that at the cut. Both follow from the
    AUC and the share of positives if scores are normal in both classes with equal variances. However many rows are
    labeled, what the next list leaves to chance remains: :math:`1 + 2z\sqrt{k\sigma^2}`.

    Parameters
    ----------
    width : float
        The distance from the fewest to the most hits that is asked for.
    k : int
        How many rows of the next list are inspected.
    n_next : int
        The length of the next list.
    auc : float
        The assumed AUC, in (0, 1).
    prevalence : float
        The assumed share of positives, in (0, 1), of the labeled rows as of the next list.
    confidence_level : float
        The probability that the range holds the hits of the next list.

    Returns
    -------
    HitsSampleSize
        The rows that are needed, and the width that no number of them goes below.

    Examples
    --------
    >>> from podium.inference import sample_size_for_hits
    >>> sample_size_for_hits(30, k=100, n_next=5000, auc=0.85, prevalence=0.1)
    3,168 labeled rows, about 317 of them positive, for a 95 % range of width 30 around 73.3 hits in the first ...
    """
    wanted = _input.check_number("width", width, 0, open_low=True)
    n_next = _input.check_integer("n_next", n_next, 2)
    k = _input.check_integer("k", k, 1, n_next - 1, f"the list has {n_next} rows.")
    auc = _input.check_fraction("auc", auc)
    prevalence = _input.check_fraction("prevalence", prevalence)
    level = _input.check_fraction("confidence_level", confidence_level)
    precision, at_cut = binormal_top(auc, prevalence, k / n_next)
    variance = k * (precision * (1 - precision) + (1 - k / n_next) * (precision - at_cut) ** 2)
    z = normal_quantile(level)
    least = 1 + 2 * z * math.sqrt(variance)
    if wanted <= least:
        raise InputError(
            f"A range of hits is wider than {least:.3g} however many rows are labeled, since the next list is itself "
            f"a draw; got width {wanted:g}.",
            "ask for a wider range, or look at fewer rows.",
        )
    n_rows = max(math.ceil(n_next / (((wanted - 1) / (2 * z)) ** 2 / variance - 1)), 2)
    if n_rows > LARGEST:
        raise InputError(f"What is wanted must be within reach of {LARGEST:,} rows; got width {wanted:g}.")
    return HitsSampleSize(
        n_rows=n_rows,
        n_pos=round(prevalence * n_rows),
        width=1 + 2 * z * math.sqrt((1 + n_next / n_rows) * variance),
        least_width=least,
        hits=k * precision,
        k=k,
        n_next=n_next,
        auc=auc,
        prevalence=prevalence,
        confidence_level=level,
    )


def binormal_top(auc: float, prevalence: float, share: float) -> tuple[float, float]:
    """The share of positives among the first share of a list, and at the cut, of normal scores with this AUC."""
    shift = math.sqrt(2) * float(ndtri(auc))

    def above(cut: float) -> float:
        return prevalence * float(ndtr(shift - cut)) + (1 - prevalence) * float(ndtr(-cut))

    cut = scipy.optimize.brentq(lambda x: above(x) - share, -40 - abs(shift), 40 + abs(shift), xtol=1e-12)
    odds = prevalence / (1 - prevalence) * np.exp(shift * cut - shift**2 / 2)
    return prevalence * float(ndtr(shift - cut)) / share, float(odds / (1 + odds))
