"""Permutation importance of the features of a ranker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from podium import inference
from podium._results import wording
from podium._results.result import Result, Table
from podium._shares import normal_quantile
from podium._types import BoolArray, FloatArray, Sample
from podium.inference.lists.influence import variance_of_rows
from podium.metrics.linear import statistic
from podium.phi import Phi
from podium.rankers.door import is_frame, with_column_in_order


@dataclass(frozen=True, kw_only=True, repr=False)
class FeatureEffects(Result):
    """How much ω_φ falls when a feature is permuted, one entry per feature, with intervals.

    Attributes
    ----------
    names : sequence of str
        The names of the features.
    effect : array
        The fall of ω_φ, one entry per feature.
    low, high : array
        Limits of the intervals.
    standard_error : array
        The standard error of each effect.
    omega : float
        ω_φ of the original rows.
    confidence_level : float
        The confidence level of each interval separately.
    phi : str
        The specification of φ.
    """

    names: tuple[str, ...]
    effect: FloatArray
    low: FloatArray
    high: FloatArray
    standard_error: FloatArray
    omega: float
    confidence_level: float
    phi: str

    def __repr__(self) -> str:
        largest = np.argsort(-self.effect)[:5]
        falls = ", ".join(
            wording.minus(f"{self.effect[j]:z.3f} ({self.low[j]:z.3f} to {self.high[j]:z.3f})")
            + f" without {self.names[j]}"
            for j in largest
        )
        more = "" if len(self.names) <= 5 else f", and {len(self.names) - 5} more features"
        name, level = wording.statistic(self.phi), wording.level(self.confidence_level)
        return f"{name} {self.omega:.3f}; it falls by {falls}{more} ({level} intervals)"

    def _table(self) -> Table:
        heading = ("shuffled feature", f"fall of the {wording.statistic(self.phi)}", "low", "high", "standard error")
        order = np.argsort(-self.effect)
        return heading, [
            (self.names[j], self.effect[j], self.low[j], self.high[j], self.standard_error[j]) for j in order
        ]


def shuffled_effects(
    score: Callable[[Any], FloatArray],
    X: Any,
    is_positive: BoolArray,
    weight: FloatArray | None,
    names: tuple[str, ...],
    phi: Phi,
    n_repeats: int,
    level: float,
    random_state: Any,
) -> FeatureEffects:
    r"""Permutation importance of every feature, measured on ω_φ.

    .. math:: \mathrm{effect}_j = \hat\omega_\phi(s(X)) - \frac1R \sum_{r \le R} \hat\omega_\phi(s(X^{(j, r)}))

    with column j shuffled anew in each of the R repeats. Rows are the same on both sides, so the variance is that of
    the difference of their influence values, and shuffling adds the variance of its mean.
    """
    rng = check_random_state(random_state)
    omega, influence = _omega_and_influence(score(X), is_positive, weight, phi)
    effect, error = np.empty(len(names)), np.empty(len(names))
    for j in range(len(names)):
        shuffled = [
            _omega_and_influence(score(_with_column_shuffled(X, j, rng)), is_positive, weight, phi)
            for _ in range(n_repeats)
        ]
        omegas = np.array([value for value, _ in shuffled])
        difference = influence - np.mean([values for _, values in shuffled], axis=0)
        variance = variance_of_rows(difference, Sample(difference, is_positive, weight))
        if n_repeats > 1:
            variance += float(omegas.var(ddof=1)) / n_repeats
        effect[j], error[j] = omega - omegas.mean(), np.sqrt(variance)
    reach = normal_quantile(level) * error
    return FeatureEffects(
        names=names,
        effect=effect,
        low=effect - reach,
        high=effect + reach,
        standard_error=error,
        omega=omega,
        confidence_level=level,
        phi=str(phi),
    )


def _omega_and_influence(
    scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None, phi: Phi
) -> tuple[float, FloatArray]:
    values = inference.influence_values(is_positive, scores, phi, sample_weight=weight)
    return statistic(Sample(scores, is_positive, weight), phi), values


def _with_column_shuffled(X: Any, j: int, rng: np.random.RandomState) -> Any:
    order = rng.permutation(X.shape[0])
    if is_frame(X):
        return with_column_in_order(X, j, order)
    if not isinstance(X, np.ndarray):
        parts: list[Any] = [X[:, :j], X[order][:, [j]], X[:, j + 1 :]]
        return sparse.hstack(parts, format="csr")
    shuffled = X.copy()
    shuffled[:, j] = X[order, j]
    return shuffled
