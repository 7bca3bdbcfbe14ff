"""Evidence that batches moved, whose means differ from one to the next also while nothing changes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from typing import Any

import numpy as np
from scipy.special import ndtri

from podium._types import FloatArray
from podium.monitor.bets import count, damaged, running

_LAMBDAS = np.array([0.25, 0.5, 1.0, 1.5, 2.0, -0.25, -0.5, -1.0, -1.5, -2.0])  # moves in standard deviations of means
_STARTS = 30  # batches at which a move away from the reference may begin; for later ones, earlier batches say more
_SQUARE = 6.0  # of the move expected, in standard deviations of the first batch
_LEAST = 0.25  # of the variance that the rows of a batch alone give its mean: less is not believed
_SHARE = 0.8  # of the capital on moves away from the reference
_AT_ONCE = 0.75  # of it on moves from the first batch on
_MOST = 1e300


class BatchEvidence:
    r"""The wealth of players who bet that means of batches moved, each batch being one observation.

    A fifth of the capital supposes only that batches are exchangeable. The mean of batch t has a rank among those of
    all earlier batches, with ties and the place within it drawn at random: a share :math:`p_t` that is uniform and
    independent of the earlier ones, so that :math:`z_t = \Phi^{-1}(p_t)` is standard normal, and bets of
    :math:`e^{\lambda z_t - \lambda^2/2}` are fair.

    Four fifths compare batches with the reference, for which there must be a model: means
    :math:`d_i` less that of the reference vary like normal ones with variances :math:`\sigma^2 v_i`, σ unknown, and the
    reference mean itself with :math:`\sigma^2 c`; so they have the covariance :math:`\sigma^2 \Sigma`,
    :math:`\Sigma = \mathrm{diag}(v) + c\, 11^\top`. Against the hypothesis that all expectations are zero stands that
    those from batch j on are one number, drawn with variance :math:`\sigma^2 g`. With :math:`a = 1\{i \ge j\}`,
    :math:`q = a^\top \Sigma^{-1} a`, :math:`b = a^\top \Sigma^{-1} d` and :math:`V = d^\top \Sigma^{-1} d`, the ratio
    of the densities of what does not depend on σ is a fair bet (Lai, 1976),

    .. math:: L_{jt} = (1 + g q)^{-1/2} \Bigl(\frac{V + r}{V - g b^2/(1 + g q) + r}\Bigr)^{t/2} ,

    where :math:`r \ge 0` makes the denominator at least a quarter of what the rows alone would give, and the bet less
    than fair. Three quarters are on j = 1, one on j = 2 to 30. As v is either 1 (batches differ) or one over the number
    of rows (rows do), whichever gives less counts; with batches of one size both are the same.
    """

    def __init__(self, center: float, spread: float, n_reference: int, boundary: float, random_state: int) -> None:
        self.center, self.spread, self.n_reference = center, spread, n_reference
        self.boundary, self.random_state = boundary, random_state
        self.means: list[float] = []
        self.sizes: list[int] = []
        self._ordered: list[float] = []
        self._each = np.full(len(_LAMBDAS), 0.5)
        self.value = self.largest = 1.0
        self.alarm_after: int | None = None

    @property
    def n(self) -> int:
        """Rows so far."""
        return sum(self.sizes)

    def play(self, mean: float, size: int) -> None:
        """Bet on one more batch."""
        t = len(self.means) + 1
        low, high = bisect_left(self._ordered, mean), bisect_right(self._ordered, mean)
        # A stream with a number for every batch: interruptions change nothing.
        within = np.random.Generator(np.random.PCG64([self.random_state, 3]).advance(t)).random()
        z = ndtri((low + within * (high - low + 1)) / t)
        insort(self._ordered, mean)
        self.means.append(mean)
        self.sizes.append(size)
        fresh = _reserve(t - 1) - _reserve(t)
        self._each = np.minimum((self._each + fresh) * np.exp(_LAMBDAS * z - _LAMBDAS**2 / 2), _MOST)
        among = float(self._each.mean()) + _reserve(t)
        self.value = min((1 - _SHARE) * among + _SHARE * self._against_reference(), _MOST)
        self.largest = max(self.largest, self.value)
        if self.alarm_after is None and self.value >= self.boundary:
            self.alarm_after = t

    def _against_reference(self) -> float:
        d, sizes = np.array(self.means) - self.center, np.array(self.sizes, dtype=np.float64)
        by_rows = self._linked(d, 1 / sizes, 1 / self.n_reference)
        by_batches = self._linked(d, np.ones(len(d)), float(sizes[0]) / self.n_reference)
        return min(by_rows, by_batches)

    def _linked(self, d: FloatArray, v: FloatArray, c: float) -> float:
        """The mean of L over starts, those to come counting 1; sums from j on give Σ⁻¹ (Sherman and Morrison)."""
        t, g = len(d), _SQUARE * v[0]
        starts = min(t, _STARTS)
        mass, total = (np.cumsum(each[::-1])[::-1] for each in (1 / v, d / v))
        pull = c / (1 + c * mass[0])
        q = (mass - pull * mass**2)[:starts]
        b = (total - pull * mass * total[0])[:starts]
        v_all = float(d**2 @ (1 / v) - pull * total[0] ** 2)
        v_moved = v_all - g * b**2 / (1 + g * q)
        least = _LEAST * self.spread * float((1 / (np.array(self.sizes) * v)).sum())
        room = np.maximum(least - v_moved, 1e-300)
        log_ratio = t / 2 * np.log((v_all + room) / (v_moved + room)) - np.log1p(g * q) / 2
        shares = np.concatenate([[_AT_ONCE], np.full(_STARTS - 1, (1 - _AT_ONCE) / (_STARTS - 1))])
        return float(shares[:starts] @ np.exp(np.minimum(log_ratio, 690.0)) + shares[starts:].sum())

    def to_dict(self) -> dict[str, Any]:
        """The state needed to resume."""
        return {"means": self.means, "sizes": self.sizes}

    def resume(self, saved: Any) -> None:
        """Resume from a saved state: the evidence, and whether there was an alarm, follow from the means."""
        sizes = saved.get("sizes") if isinstance(saved, dict) else None
        if not isinstance(sizes, list):
            raise damaged("sizes")
        means = running(saved, "means", len(sizes)) if sizes else np.zeros(0)
        numbers = [count({"sizes": size}, "sizes") for size in sizes]
        if 0 in numbers or (means > 1).any():
            raise damaged("means")
        for mean, size in zip(means, numbers, strict=True):
            self.play(float(mean), size)


def _reserve(t: int) -> float:
    """Of the capital on ranks, what is not yet staked after t batches."""
    return float(0.5 / np.log2(t + 2))
