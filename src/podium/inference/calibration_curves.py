"""The calibration curve of probabilities with a band that holds for every curve that rises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import isotonic_regression

from podium import _input
from podium._results import wording
from podium._results.result import Result
from podium._shares import least_share
from podium._types import Array, BoolArray, FloatArray
from podium.inference.calibration import check_probabilities

_MOST_POINTS = 200  # of the curve
_STEPS = 4  # starts of windows per length
_REACHES = (0.5, 1.0, 2.0)  # lengths of windows for one point, in units of n^(2/3) rows


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class CalibrationBand(Result):
    """What share of rows is positive where a probability is said, with limits.

    Attributes
    ----------
    probability : ndarray
        Probabilities that were said, ascending; at most 200 of them.
    chance : ndarray
        The share of positives there, by isotonic regression.
    low, high : ndarray
        Its limits.
    simultaneous : bool
        Whether the limits hold for the whole curve at once, or each for its own point.
    confidence_level : float
        The confidence level of the band, or of each pair of limits.
    n_pos, n_neg : int
        The numbers of positives and of negatives.
    """

    probability: FloatArray
    chance: FloatArray
    low: FloatArray
    high: FloatArray
    simultaneous: bool
    confidence_level: float
    n_pos: int
    n_neg: int

    @property
    def label(self) -> str:
        """A short description of the band, used as its label in plots."""
        return f"{wording.level(self.confidence_level)} {'simultaneous band' if self.simultaneous else 'limits'}"

    def __repr__(self) -> str:
        found = [
            f"surely {word} positives than said at probabilities from {where[0]:.3g} to {where[-1]:.3g}"
            for word, where in (
                ("more", self.probability[self.low > self.probability]),
                ("fewer", self.probability[self.high < self.probability]),
            )
            if len(where)
        ]
        says = " and ".join(found) or "nowhere surely more or fewer positives than said"
        return f"Calibration curve, {self.label}: {says}, {wording.rows(self.n_pos, self.n_neg)}"


def calibration_band(
    y_true: npt.ArrayLike,
    y_prob: npt.ArrayLike,
    *,
    confidence_level: float = 0.95,
    simultaneous: bool = True,
    pos_label: Any = None,
) -> CalibrationBand:
    r"""The share of positives among rows with the same probability, and limits that hold wherever it rises with it.

    A row with the probability p is positive with the chance c(p), of which it is only assumed that it does not fall. So
    rows below p have no larger chance than c(p), and of S positives among n of them

    .. math:: c(p) \ge \mathrm{BetaInv}(\varepsilon;\, S,\, n - S + 1)

    but with probability ε (Clopper and Pearson); rows above p give upper limits in the same way. The band takes the
    best of all windows of :math:`\sqrt{n}, 2\sqrt{n}, 4\sqrt{n}, \dots` rows, four starts to a length, each at
    ε = (1 − ``confidence_level``)/2 over their number (Dimitriadis and others 2023). The limits of one point take the
    best of three windows that end at it, of :math:`\tfrac12 n^{2/3}`, :math:`n^{2/3}` and :math:`2 n^{2/3}` rows. Both
    hold for samples of any size, and are somewhat wide for it. Rows with the same probability are never parted.

    Rows must be independent, and must not have been used to make the probabilities.

    Parameters
    ----------
    y_true, y_prob : array-like
        Labels and probabilities of the positive class.
    confidence_level : float
        The probability with which the whole curve lies in the band, or its value at any one point within the limits.
    simultaneous : bool
        Whether the limits hold for the whole curve at once, or each for its own point.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    CalibrationBand
        The curve and its limits.

    References
    ----------
    Dimitriadis, T., Dümbgen, L., Henzi, A., Puke, M. and Ziegel, J. (2023). Honest calibration assessment for binary
    outcome predictions. *Biometrika* 110, 663–680.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.inference import calibration_band
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> calibration_band(rng.random(2000) < p**2, p)
    Calibration curve, 95 % simultaneous band: surely fewer positives than said at probabilities from ... to ..., ...
    """
    level = _input.check_fraction("confidence_level", confidence_level)
    _input.check_choice("simultaneous", simultaneous, (True, False))
    sample = check_probabilities(y_true, y_prob, pos_label)
    return band_of(sample.scores, sample.is_positive, level, simultaneous=simultaneous)


def band_of(p: Array, is_positive: BoolArray, level: float, *, simultaneous: bool = True) -> CalibrationBand:
    """The band of checked rows."""
    said, place = np.unique(p.astype(np.float64), return_inverse=True)
    known, positives = np.bincount(place), np.bincount(place, is_positive)
    rows, hits = (np.concatenate([[0], np.cumsum(each)]) for each in (known, positives))
    shown = np.unique(np.searchsorted(rows[1:], np.linspace(0, len(p) - 1, _MOST_POINTS), side="right"))
    limits = (_of_all if simultaneous else _of_each)(rows, hits, shown, (1 - level) / 2)
    chance = isotonic_regression(positives / known, weights=known).x[shown]
    n_pos = int(hits[-1])
    return CalibrationBand(
        probability=said[shown],
        chance=chance,
        low=np.minimum(limits[0], chance),
        high=np.maximum(limits[1], chance),
        simultaneous=simultaneous,
        confidence_level=level,
        n_pos=n_pos,
        n_neg=len(p) - n_pos,
    )


def _of_all(rows: Array, hits: Array, shown: Array, tail: float) -> tuple[FloatArray, FloatArray]:
    """Limits at some of the places of distinct probabilities, all at once; ``rows`` and ``hits`` stand before each."""
    n, n_places = int(rows[-1]), len(rows) - 1
    lengths = np.sqrt(n) * 2.0 ** np.arange(max(int(np.log2(n) / 2), 0) + 1)
    pairs: list[npt.ArrayLike] = []
    for length in lengths:
        starts = np.searchsorted(rows, np.arange(0.0, n, length / _STEPS))
        starts = starts[rows[np.minimum(starts, n_places)] + length <= n]
        pairs.append(np.column_stack([starts, np.searchsorted(rows, rows[starts] + length)]))
        pairs.append([[np.searchsorted(rows, n - length, side="right") - 1, n_places]])  # the last rows
    first, last = np.unique(np.vstack(pairs), axis=0).T
    low, high = _share_limits(hits[last] - hits[first], rows[last] - rows[first], tail / len(first))
    lower, upper = np.zeros(n_places), np.ones(n_places)
    np.maximum.at(lower, last - 1, low)  # a window is of use from its last row on, and up to its first one
    np.minimum.at(upper, first, high)
    return np.maximum.accumulate(lower)[shown], np.minimum.accumulate(upper[::-1])[::-1][shown]


def _of_each(rows: Array, hits: Array, shown: Array, tail: float) -> tuple[FloatArray, FloatArray]:
    n, lower, upper = int(rows[-1]), np.zeros(len(shown)), np.ones(len(shown))
    for reach in _REACHES:
        length = reach * n ** (2 / 3)
        before = np.searchsorted(rows, np.maximum(rows[shown + 1] - length, 0.0), side="right") - 1
        after = np.searchsorted(rows, np.minimum(rows[shown] + length, n))
        for first, last, which in ((before, shown + 1, 0), (shown, after, 1)):
            limits = _share_limits(hits[last] - hits[first], rows[last] - rows[first], tail / len(_REACHES))
            if which:
                np.minimum(upper, limits[1], out=upper)
            else:
                np.maximum(lower, limits[0], out=lower)
    return lower, upper


def _share_limits(hits: Array, rows: Array, tail: float) -> tuple[FloatArray, FloatArray]:
    return least_share(hits, rows, tail), 1 - least_share(rows - hits, rows, tail)
