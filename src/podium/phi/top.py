"""Score-generating functions that emphasize the top of the list, discounted cumulative gain among them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.special import expi, spence

from podium import _input
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.phi.classical import INFINITE, Mww, Phi


@dataclass(frozen=True, slots=True)
class Dcg(Phi):
    r"""Discounted cumulative gain of the top k rows, or of all, as a rank statistic (CLV21, §2.3).

    .. math:: \phi_N(u) = \frac{1}{\log_2(2 + N - (N+1)u)}\,\mathbf 1\{u \ge (N - k + 1)/(N + 1)\}

    Rank N is the top. (The printed indicator 1{u ≥ k/(N+1)} keeps the ranks ≥ k instead of the k largest.) It depends
    on N: call ``bind(n_total)`` before use; metrics do so themselves. Beyond rank N, which ranks never pass, φ is 1.

    Parameters
    ----------
    k : int, optional
        Number of positions from the top that count; all by default.
    n_total : float, optional
        The number N of items in the list, which :meth:`bind` fills in.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.phi import Dcg
    >>> Dcg(k=2).bind(4).value(np.array([1, 2, 3, 4]) / 5).round(3)  # the top row has rank 4
    array([0.   , 0.   , 0.631, 1.   ])
    """

    k: int | None = None
    n_total: float | None = None

    def __post_init__(self) -> None:
        if self.k is not None:
            _input.check_integer("k", self.k, 1)

    @property
    def discontinuous(self) -> bool:  # type: ignore[override]  # a constant for every other φ
        """Whether φ jumps: where only the top k count."""
        return self.k is not None

    def bind(self, n_total: float) -> Dcg:
        return replace(self, n_total=float(n_total))

    def value(self, u: FloatArray) -> FloatArray:
        below_top = self._below_top(u)
        return (u >= self._cut) / np.log2(2 + below_top)

    def derivative(self, u: FloatArray) -> FloatArray:
        below_top = self._below_top(u)
        inside = (u >= self._cut) & (below_top > 0)
        x = 2 + below_top
        return inside * (self._size + 1) * np.log(2) / (x * np.log(x) ** 2)

    def integral(self, u: FloatArray) -> FloatArray:
        # ∫ dx/ln x = li(x) = Ei(ln x), with x = 2 + N − (N+1)u running downwards as u grows.
        start = 2 + self._below_top(np.asarray(self._cut))
        x = np.minimum(2 + self._below_top(u), start)
        beyond = np.maximum(np.asarray(u) - self._size / (self._size + 1), 0.0)
        return np.log(2) * (expi(np.log(start)) - expi(np.log(x))) / (self._size + 1) + beyond

    @property
    def sup_norm_derivative(self) -> float:
        if self.discontinuous:
            return INFINITE
        return (self._size + 1) / (2 * float(np.log(2)))

    @property
    def sup_norm_second_derivative(self) -> float:
        return INFINITE  # φ' jumps to 0 at rank N

    def smooth_alternative(self) -> str | None:
        return "dcg" if self.discontinuous else None

    def __str__(self) -> str:
        return "dcg" if self.k is None else f"dcg:{self.k}"

    @property
    def _size(self) -> float:
        if self.n_total is None:
            raise InputError(
                "Dcg depends on the length of the list; got none.", "call Dcg(k).bind(n_total) before evaluating it."
            )
        return self.n_total

    @property
    def _cut(self) -> float:
        return 0.0 if self.k is None or self.k >= self._size else (self._size - self.k + 1) / (self._size + 1)

    def _below_top(self, u: FloatArray) -> FloatArray:
        """How many ranks below the top: N − (N+1)u, not below 0."""
        return np.maximum(self._size - (self._size + 1) * np.asarray(u), 0.0)


@dataclass(frozen=True, slots=True)
class TopShare(Phi):
    """φ(u) = u·1{u ≥ u0}: the local AUC, in which only the top share 1 − u0 of the list counts.

    It jumps at u0, so it serves as a metric and in tests; train with :class:`SmoothTopShare`.

    Parameters
    ----------
    u0 : float
        Where the top begins, in [0, 1): 0.9 for the best tenth of the list.
    """

    u0: float = 0.9
    discontinuous: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _input.check_number("u0", self.u0, 0, 1, open_high=True)

    def value(self, u: FloatArray) -> FloatArray:
        return u * (u >= self.u0)

    def derivative(self, u: FloatArray) -> FloatArray:
        return np.asarray(u >= self.u0, dtype=np.float64)

    def integral(self, u: FloatArray) -> FloatArray:
        return np.maximum(u * u - self.u0**2, 0.0) / 2

    sup_norm_derivative: ClassVar[float] = INFINITE
    sup_norm_second_derivative: ClassVar[float] = INFINITE

    def smooth_alternative(self) -> str:
        return f"smooth-top:{self.u0:g}"

    def __str__(self) -> str:
        return f"top:{self.u0:g}"


@dataclass(frozen=True, slots=True)
class SmoothTopShare(Phi):
    r"""A smooth version of u·1{u ≥ u0} ("RTB" in CLV21, §5.2).

    .. math:: \phi(u) = \tfrac1\beta \log(1 + e^{\beta(u - u_0)}) + u_0\,\sigma(\lambda(u - u_0)),
       \qquad \sigma(t) = 1/(1 + e^{-t}).

    Tends to :class:`TopShare` as ``beta`` and ``lam`` grow. (The caption of CLV21's Figure 3 calls it a smooth
    indicator 1{u ≥ u0}; it is not: φ(1) ≈ 1, and φ grows with slope 1 above u0.)

    Parameters
    ----------
    u0 : float
        Where the top begins, in [0, 1): 0.9 for the best tenth of the list.
    beta : float
        How sharply the slope sets in at u0; larger is sharper.
    lam : float
        How sharply φ rises to u0 there; larger is sharper. The λ of the formula.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.phi import SmoothTopShare
    >>> SmoothTopShare(0.9).value(np.array([0.8, 0.9, 1.0])).round(3)
    array([0.   , 0.457, 1.   ])
    """

    u0: float = 0.9
    beta: float = 100.0
    lam: float = 100.0

    def __post_init__(self) -> None:
        _input.check_number("u0", self.u0, 0, 1, open_high=True)
        _input.check_number("beta", self.beta, 0, open_low=True)
        _input.check_number("lam", self.lam, 0, open_low=True)

    def value(self, u: FloatArray) -> FloatArray:
        t = u - self.u0
        return _softplus(self.beta * t) / self.beta + self.u0 * _sigmoid(self.lam * t)

    def derivative(self, u: FloatArray) -> FloatArray:
        t = u - self.u0
        gate = _sigmoid(self.lam * t)
        return _sigmoid(self.beta * t) + self.u0 * self.lam * gate * (1 - gate)

    def integral(self, u: FloatArray) -> FloatArray:
        def antiderivative(t: FloatArray) -> FloatArray:
            return _softplus_integral(self.beta * t) / self.beta**2 + self.u0 * _softplus(self.lam * t) / self.lam

        return antiderivative(np.asarray(u) - self.u0) - antiderivative(np.asarray(-self.u0))

    @property
    def sup_norm_derivative(self) -> float:
        return float(self.derivative(self._fine_grid()).max())

    @property
    def sup_norm_second_derivative(self) -> float:
        t = self._fine_grid() - self.u0
        slope, gate = _sigmoid(self.beta * t), _sigmoid(self.lam * t)
        curvature = self.beta * slope * (1 - slope) + self.u0 * self.lam**2 * gate * (1 - gate) * (1 - 2 * gate)
        return float(np.abs(curvature).max())

    def _fine_grid(self) -> FloatArray:
        """Everything happens within some 1/beta and 1/lam of u0; the error of a maximum read here is below 1e-8."""
        near = [self.u0 + np.linspace(-12, 12, 100_001) / scale for scale in (self.beta, self.lam)]
        return np.clip(np.concatenate([*near, [0.0, 1.0]]), 0.0, 1.0)

    def __str__(self) -> str:
        if (self.beta, self.lam) == (100.0, 100.0):
            return f"smooth-top:{self.u0:g}"
        return f"smooth-top:{self.u0!r}:{self.beta!r}:{self.lam!r}"


@dataclass(frozen=True, slots=True)
class EarlyRecognition(Phi):
    """φ(u) = exp(−α(1 − u)): early recognition, as chemists want it of virtual screening.

    In a list of N rows ω_φ is the BEDROC of Truchon and Bayly (2007) at α·N/(N + 1).

    Parameters
    ----------
    alpha : float
        How early recognition must be: the weight falls by a factor e every 1/α of the list.

    References
    ----------
    Truchon, J.-F. and Bayly, C. I. (2007). Evaluating virtual screening methods: good and bad metrics for the "early
    recognition" problem. *Journal of Chemical Information and Modeling* 47, 488–508.
    """

    alpha: float = 20.0

    def __post_init__(self) -> None:
        _input.check_number("alpha", self.alpha, 0, 1e100, open_low=True)

    def value(self, u: FloatArray) -> FloatArray:
        return np.exp(-self.alpha * (1 - u))

    def derivative(self, u: FloatArray) -> FloatArray:
        return self.alpha * self.value(u)

    def integral(self, u: FloatArray) -> FloatArray:
        return np.exp(-self.alpha * (1 - u)) * -np.expm1(-self.alpha * u) / self.alpha

    @property
    def sup_norm_derivative(self) -> float:
        return float(self.alpha)

    @property
    def sup_norm_second_derivative(self) -> float:
        return float(self.alpha) ** 2

    def __str__(self) -> str:
        return f"early-recognition:{self.alpha:g}"


def for_budget(k: int, n_total: int) -> Phi:
    """The φ of someone who can inspect ``k`` of ``n_total`` cases: emphasis on that top share, smooth enough to train.

    It is :class:`SmoothTopShare` at u0 = 1 − k/N for N cases, whose soft edge is a tenth of the share wide, or a
    hundredth of the list if that is less.

    Parameters
    ----------
    k : int
        Number of cases that can be inspected.
    n_total : int
        Total number of cases.

    Returns
    -------
    Phi
        A smooth φ, or that of the AUC where everything can be inspected.

    Examples
    --------
    >>> from podium.phi import for_budget
    >>> for_budget(100, 5000)
    SmoothTopShare(u0=0.98, beta=500.0, lam=500.0)
    """
    _input.check_integer("n_total", n_total, 1)
    _input.check_integer("k", k, 1, n_total, "the budget cannot exceed the number of cases.")
    if k == n_total:
        return Mww()
    sharpness = max(100.0, 10.0 * n_total / k)
    return SmoothTopShare(1 - k / n_total, sharpness, sharpness)


def _sigmoid(t: FloatArray) -> FloatArray:
    return 1 / (1 + np.exp(np.minimum(-t, 700.0)))  # NumPy's exp is vectorized, SciPy's expit is not


def _softplus(t: FloatArray) -> FloatArray:
    return np.maximum(t, 0.0) + np.log1p(np.exp(-np.abs(t)))


def _softplus_integral(t: FloatArray) -> FloatArray:
    """−Li₂(−eᵗ), by inversion where eᵗ would overflow; spence(z) = Li₂(1 − z)."""
    tail = -spence(1 + np.exp(-np.abs(t)))
    return np.where(t <= 0, tail, np.pi**2 / 6 + t * t / 2 - tail)
