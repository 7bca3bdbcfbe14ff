"""What every criterion offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._types import FloatArray, Sample
from podium.criteria.line import CriterionLine, Line
from podium.exceptions import InputError


class Criterion(ABC):
    """One number from scores and labels, larger is better, with its gradient in the scores.

    It depends on how positives and negatives are ordered, never on what they are. Criteria add up, and take
    positive factors: ``PNormPush(4) + 0.5 * BottomPush(2)``.
    """

    @abstractmethod
    def value_and_gradient(
        self, scores: npt.ArrayLike, is_positive: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> tuple[float, FloatArray]:
        """The value, and its derivative with respect to every score."""

    def along(self, rows: Sample, value: float, gradient: FloatArray, direction: FloatArray) -> Line:
        """The criterion along a line of scores, from its value and gradient at ``rows``."""
        return CriterionLine(self, rows, direction)

    @property
    def rises_with_scale(self) -> bool:
        """Whether larger scores are always better where every pair is ranked right: then there is no maximum."""
        return False

    @property
    def has_curvature(self) -> bool:
        """Whether :meth:`curvature` is known, and never negative."""
        return False

    def curvature(self, gradient: FloatArray, features: FloatArray) -> FloatArray:
        """Minus the second derivative in the weights of features, from the gradient in the scores."""
        raise InputError(
            f"Newton's method needs a criterion whose curvature is known; got {self!r}.", "take solver='lbfgs'."
        )

    def __add__(self, other: Criterion) -> Criterion:
        if not isinstance(other, Criterion):
            return NotImplemented
        return WeightedSum((*_terms(self), *_terms(other)))

    def __mul__(self, factor: float) -> Criterion:
        factor = _input.check_number("the factor of a criterion", factor, 0, np.inf, open_low=True, open_high=True)
        return WeightedSum(tuple((factor * own, criterion) for own, criterion in _terms(self)))

    __rmul__ = __mul__


class ChunkedCriterion(Criterion):
    """A criterion computed in steps over chunks of rows; an array in memory is one chunk."""

    @abstractmethod
    def over_chunks(self, chunks: Sequence[Sample]) -> tuple[float, list[FloatArray]]:
        """The value, and the gradient for each chunk of rows; scores are of type float64."""

    def value_and_gradient(
        self, scores: npt.ArrayLike, is_positive: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> tuple[float, FloatArray]:
        """The value, and its derivative with respect to every score."""
        rows = _input.check_sample(is_positive, scores, sample_weight)
        rows = Sample(rows.scores.astype(np.float64, copy=False), rows.is_positive, rows.weight)
        value, (gradient,) = self.over_chunks([rows])
        if sample_weight is not None:
            kept = np.asarray(sample_weight) > 0
            if not kept.all():  # rows without weight were left out; moving them changes nothing
                everywhere = np.zeros(len(kept))
                everywhere[kept] = gradient
                gradient = everywhere
        return value, gradient


@dataclass(frozen=True)
class WeightedSum(Criterion):
    """Σ factor · criterion, such as one term for the top of the list and one for the bottom (R09, §7)."""

    terms: tuple[tuple[float, Criterion], ...]

    @property
    def rises_with_scale(self) -> bool:
        return any(term.rises_with_scale for _, term in self.terms)

    def value_and_gradient(
        self, scores: npt.ArrayLike, is_positive: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> tuple[float, FloatArray]:
        """The value, and its derivative with respect to every score."""
        parts = [(factor, *term.value_and_gradient(scores, is_positive, sample_weight)) for factor, term in self.terms]
        value = sum(factor * part for factor, part, _ in parts)
        return value, np.sum([factor * gradient for factor, _, gradient in parts], axis=0)


def _terms(criterion: Criterion) -> tuple[tuple[float, Criterion], ...]:
    return criterion.terms if isinstance(criterion, WeightedSum) else ((1.0, criterion),)
