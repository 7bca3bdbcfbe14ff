"""Discounted cumulative gain as a score-generating function."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expi

from podium import _input
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.phi.classical import INFINITE, Phi


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
