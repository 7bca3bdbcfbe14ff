"""Evidence that batches moved, whose means differ from one to the next also while nothing changes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

import numpy as np
from scipy.special import gammaln, ndtri

from podium._types import FloatArray
from podium.monitor.bets import count, damaged, running

_LAMBDAS = np.array([0.25, 0.5, 1.0, 1.5, 2.0, -0.25, -0.5, -1.0, -1.5, -2.0])  # moves in standard deviations of means
_WEIGHTS = np.exp(np.array([0.75, 1.5, 3.0, -0.75, -1.5, -3.0]))[:, None, None]  # of batches that moved: how far
_STARTS = np.array([1, 2, 3, 5, 8, 13, 21])  # batches at which a move may begin; later ones are left to bets on ranks
_STAKES = np.array([0.6, *[0.4 / 6] * 6])  # on each of them
_ON_RANKS = 0.2  # of the capital on the order of batches
_ON_MODEL = 0.65  # of the capital, if the batches of the reference are not known
_MODELED = 30  # batches on which the model bets: later, the order of batches says as much without it
_SQUARE = 6.0  # of the move expected, in standard deviations of the first batch
_LEAST = 0.25  # of the variance that the rows of a batch alone give its mean: less is not believed
_MOST = 1e300


class BatchEvidence:
    r"""The wealth of players who bet that means of batches moved, each batch being one observation.

    Most bets suppose only that batches are exchangeable: the n of the reference, if they are known, and the new ones.
    Then all orders of their means are equally likely, whatever the distribution; ties and places within ranks are drawn
    at random. Against this stands that batches have moved from the j-th new one on, and have the weight
    :math:`w_i = \theta`, all others :math:`w_i = 1`: going from the top down, each next batch is drawn from those left
    with probabilities proportional to their weights (Plackett and Luce). The ratio of the probabilities of the
    order of all :math:`N = n + t` batches seen,

    .. math:: R_{jt} = N! \prod_{k=1}^N \frac{w_{(k)}}{w_{(k)} + w_{(k+1)} + \dots + w_{(N)}} ,

    is a fair bet at every t, as the order of some of the batches does not depend on the others. Twelve such bets, with
    θ from :math:`e^{-3}` to :math:`e^3` and from the top down or from the bottom up, share what is staked on each j.

    For moves that begin late, the rank of each mean among all earlier ones is a share :math:`p_t` that is uniform and
    independent of the earlier ones, so that :math:`z_t = \Phi^{-1}(p_t)` is standard normal, and bets of
    :math:`e^{\lambda z_t - \lambda^2/2}` are fair.

    If the batches of the reference are not known, the order says nothing of a move that all new batches share. Then
    .65 of the capital, for the first 30 batches, supposes a model: means :math:`d_i` less that of the reference vary
    like normal ones with variances :math:`\sigma^2 v_i`, σ unknown, and the reference mean itself with
    :math:`\sigma^2 c`; so they have the covariance :math:`\sigma^2 \Sigma`,
    :math:`\Sigma = \mathrm{diag}(v) + c\, 11^\top`. Against the hypothesis that all expectations are zero stands that
    those from batch j on are one number, drawn with variance :math:`\sigma^2 g`.
    With :math:`a = 1\{i \ge j\}`, :math:`q = a^\top \Sigma^{-1} a`, :math:`b = a^\top \Sigma^{-1} d` and
    :math:`V = d^\top \Sigma^{-1} d`, the ratio of the densities of what does not depend on σ is a fair bet (Lai, 1976),

    .. math:: L_{jt} = (1 + g q)^{-1/2} \Bigl(\frac{V + r}{V - g b^2/(1 + g q) + r}\Bigr)^{t/2} ,

    where :math:`r \ge 0` makes the denominator at least a quarter of what the rows alone would give, and the bet less
    than fair. As v is either 1 (batches differ) or one over the number of rows (rows do), whichever gives less counts;
    with batches of one size both are the same. The evidence is then .35 times that of the order or .65 times that of
    the model, whichever is larger: a bet that is fair to who sees the order alone need not be so to who sees the means,
    and of two games the probabilities of reaching their boundaries add up, whatever ties them.
    """

    def __init__(
        self,
        center: float,
        spread: float,
        n_reference: int,
        boundary: float,
        random_state: int,
        reference: FloatArray | None = None,
    ) -> None:
        self.center, self.spread, self.n_reference = center, spread, n_reference
        self.boundary, self.random_state = boundary, random_state
        self.means: list[float] = []
        self.sizes: list[int] = []
        self.reference: list[float] = [] if reference is None else np.sort(reference).tolist()
        self._ordered = self.reference.copy()
        self._numbers = [0] * len(self._ordered)  # of these batches, from the lowest mean on; 0 in the reference
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
        place = low + within * (high - low + 1)
        self._ordered.insert(int(place), mean)
        self._numbers.insert(int(place), t)
        self.means.append(mean)
        self.sizes.append(size)
        z = ndtri(place / len(self._ordered))
        fresh = _reserve(t - 1) - _reserve(t)
        self._each = np.minimum((self._each + fresh) * np.exp(_LAMBDAS * z - _LAMBDAS**2 / 2), _MOST)
        on_ranks = float(self._each.mean()) + _reserve(t)
        self.value = min(self._value(on_ranks), _MOST)
        self.largest = max(self.largest, self.value)
        if self.alarm_after is None and self.value >= self.boundary:
            self.alarm_after = t

    def _value(self, on_ranks: float) -> float:
        """All bets on the order, or the larger of these and those on the model: they are fair, each to its own eyes."""
        if self.reference:
            return _ON_RANKS * on_ranks + (1 - _ON_RANKS) * _staked(_STAKES, self._by_order())
        among_new = np.where(_STARTS > 1, _STAKES / _STAKES[1:].sum(), 0.0)  # that all of them have moved is no order
        by_order = _ON_RANKS * on_ranks + (1 - _ON_RANKS) * _staked(among_new, self._by_order())
        return max((1 - _ON_MODEL) * by_order, _ON_MODEL * self._by_model())

    def _by_order(self) -> FloatArray:
        """The mean of R over weights and directions, for each start that has come."""
        t, n = len(self.means), len(self._numbers)
        starts = _STARTS[t >= _STARTS]
        has_moved = np.array(self._numbers) >= starts[:, None]
        ratios = []
        for upwards in (has_moved, has_moved[:, ::-1]):  # the last that is drawn is the first
            left = np.arange(1, n + 1) + (_WEIGHTS - 1) * np.cumsum(upwards, axis=1)
            ratios.append(gammaln(n + 1) + (t - starts + 1) * np.log(_WEIGHTS[..., 0]) - np.log(left).sum(axis=2))
        return np.asarray(np.exp(np.minimum(np.concatenate(ratios), 690.0)).mean(axis=0))

    def _by_model(self) -> float:
        """The mean of L over starts."""
        d = np.array(self.means[:_MODELED]) - self.center
        sizes = np.array(self.sizes[:_MODELED], dtype=np.float64)
        by_rows = self._linked(d, 1 / sizes, 1 / self.n_reference)
        by_batches = self._linked(d, np.ones(len(d)), float(sizes[0]) / self.n_reference)
        return min(_staked(_STAKES, by_rows), _staked(_STAKES, by_batches))

    def _linked(self, d: FloatArray, v: FloatArray, c: float) -> FloatArray:
        """L for each start that has come, with these variances; sums from j on give Σ⁻¹ (Sherman and Morrison)."""
        t, g = len(d), _SQUARE * v[0]
        from_start = _STARTS[t >= _STARTS] - 1
        mass, total = (np.cumsum(each[::-1])[::-1] for each in (1 / v, d / v))
        pull = c / (1 + c * mass[0])
        q = (mass - pull * mass**2)[from_start]
        b = (total - pull * mass * total[0])[from_start]
        v_all = float(d**2 @ (1 / v) - pull * total[0] ** 2)
        v_moved = v_all - g * b**2 / (1 + g * q)
        least = _LEAST * self.spread * float((1 / (np.array(self.sizes[:t]) * v)).sum())
        room = np.maximum(least - v_moved, 1e-300)
        log_ratio = t / 2 * np.log((v_all + room) / (v_moved + room)) - np.log1p(g * q) / 2
        return np.asarray(np.exp(np.minimum(log_ratio, 690.0)))

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


def _staked(stakes: FloatArray, ratios: FloatArray) -> float:
    """The mean over starts; bets on those to come have not changed."""
    n = len(ratios)
    return float(stakes[:n] @ ratios + stakes[n:].sum())


def _reserve(t: int) -> float:
    """Of the capital on ranks, what is not yet staked after t batches."""
    return float(0.5 / np.log2(t + 2))
