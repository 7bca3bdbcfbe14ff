"""Penalties for the size of a class of scorers: four of them, one guaranteed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from podium import _input
from podium._types import BoolArray, FloatArray, Sample
from podium.bounds import (
    auc_penalty,
    log_rank_shatter,
    log_sign_patterns,
    paper_penalty,
    rank_statistic_penalty,
    rank_statistic_sensitivity,
    rank_statistic_span,
)
from podium.exceptions import InputError
from podium.metrics.linear import statistic
from podium.phi import Mww, Phi

PENALTIES = ("explicit", "paper", "rademacher", "slope")
_SHUFFLES = 5  # suprema vary little from one shuffle to the next
_FEWEST_DIMENSIONS = 4  # a slope through the larger half of fewer would be drawn through a single point


@dataclass(frozen=True)
class Fits:
    """Rankers of the classes S_1, S_2, …, all fitted on the same rows, and their Ŵ_φ/n there."""

    rankers: Sequence[Any]
    X: FloatArray
    is_positive: BoolArray
    phi: Phi  # bound to the number of rows

    @property
    def n_pos(self) -> int:
        return int(self.is_positive.sum())

    @property
    def n_neg(self) -> int:
        return len(self.is_positive) - self.n_pos

    def values(self) -> FloatArray:
        return np.array([value(ranker, self.X, self.is_positive, self.phi) for ranker in self.rankers])

    def dimensions(self) -> list[int | None]:
        """Coefficients of each class, None where they are not known."""
        return [getattr(_last_step(ranker), "class_dimension_", None) for ranker in self.rankers]

    def known_dimensions(self, penalty: str) -> list[int]:
        known = []
        for ranker, dimension in zip(self.rankers, self.dimensions(), strict=True):
            if dimension is None:
                raise InputError(
                    f"penalty={penalty!r} needs classes of a known number of coefficients; got {ranker}.",
                    "known are LinearRanker and QuadraticRanker without scaling='quantile', also as the last step of "
                    "a pipeline; penalty='rademacher' takes any ranker.",
                )
            known.append(dimension)
        return known


def value(ranker: Any, X: FloatArray, is_positive: BoolArray, phi: Phi) -> float:
    """Ŵ_φ/n, averaged over tied ranks: that is the value which the bounds are about."""
    return statistic(Sample(ranker.decision_function(X), is_positive), phi, scale="mean")


def explicit(fits: Fits) -> list[float]:
    """The bound on the supremum over each class; for φ(u) = u the one by disjoint pairs, which is smaller."""
    n_pos, n_neg, phi = fits.n_pos, fits.n_neg, fits.phi
    dimensions = enumerate(fits.known_dimensions("explicit"), start=1)
    if isinstance(phi, Mww):
        span = rank_statistic_span(n_pos, n_neg, phi)  # from the AUC to W/n
        return [span * auc_penalty(n_pos, n_neg, log_sign_patterns(d, min(n_pos, n_neg)), k) for k, d in dimensions]
    orders = ((k, log_rank_shatter(2 * n_pos, 2 * n_neg, d, method="central")) for k, d in dimensions)
    return [rank_statistic_penalty(n_pos, n_neg, phi, log_shatter, k) for k, log_shatter in orders]


def paper(fits: Fits, b1: float | None) -> list[float]:
    """As printed (CLV21, Equation 4.4), with a constant that the user must supply."""
    if b1 is None:
        raise InputError(
            "penalty='paper' needs the constant b1 of CLV21, Eq. 4.4; got none.",
            "the paper gives no value; penalty='explicit' needs none.",
        )
    n_total = len(fits.is_positive)
    dimensions = enumerate(fits.known_dimensions("paper"), start=1)
    return [paper_penalty(n_total, k, d, fits.n_pos / n_total, fits.phi, b1) for k, d in dimensions]


def rademacher(fits: Fits) -> list[float]:
    """How far each ranker gets above the mean on shuffled labels, where there is nothing to learn, plus √(V_φ ln k).

    An estimate of the mean supremum, for the ranker as it is (with its shrinkage), not for its class.
    """
    rng = np.random.default_rng(0)  # the same shuffles for all classes and in every fit
    shuffled = [rng.permutation(fits.is_positive) for _ in range(_SHUFFLES)]
    n_total = len(fits.is_positive)
    by_chance = float(fits.phi.value(np.arange(1, n_total + 1) / (n_total + 1)).mean())
    sensitivity = rank_statistic_sensitivity(fits.n_pos, fits.n_neg, fits.phi)
    penalties = []
    for k, ranker in enumerate(fits.rankers, start=1):
        reached = [value(clone(ranker).fit(fits.X, labels), fits.X, labels, fits.phi) for labels in shuffled]
        penalties.append(max(float(np.mean(reached)) - by_chance, 0.0) + math.sqrt(sensitivity * math.log(k)))
    return penalties


def slope(fits: Fits) -> list[float]:
    """2κD with κ the slope of Ŵ_φ/n over the number D of coefficients, among the larger half of the classes.

    There, it is supposed, more coefficients fit nothing but noise: each of them gains κ on the sample and loses as much
    on new rows.
    """
    dimensions = np.array(fits.known_dimensions("slope"), dtype=np.float64)
    distinct = np.unique(dimensions)
    if len(distinct) < _FEWEST_DIMENSIONS:
        raise InputError(
            f"penalty='slope' needs classes of at least {_FEWEST_DIMENSIONS} different numbers of coefficients; got "
            f"{', '.join(f'{d:g}' for d in distinct)}.",
            "penalty='rademacher' needs one class only.",
        )
    larger = dimensions >= distinct[len(distinct) // 2]
    kappa = np.polyfit(dimensions[larger], fits.values()[larger], 1)[0]
    return list(2 * max(float(kappa), 0.0) * dimensions)


def penalties(name: str, fits: Fits, b1: float | None) -> FloatArray:
    """The penalty of every class, by name."""
    _input.check_choice("penalty", name, PENALTIES)
    return np.array(
        paper(fits, b1)
        if name == "paper"
        else {"explicit": explicit, "rademacher": rademacher, "slope": slope}[name](fits)
    )


def _last_step(ranker: Any) -> Any:
    return ranker[-1] if hasattr(ranker, "steps") else ranker
