"""The interface of all criteria: value and gradient, along a line, and curvature."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast.reductions import class_ranges, shares_by_side, tilted, tilted_moments
from podium._types import FloatArray, Sample
from podium.exceptions import InputError
from podium.phi import Phi
from podium.rounds.computation import Finished, Kept, Rounds, rounds_within, values_and_gradients

_BLOCK = 1 << 12  # rows that stay in the cache
_NOTHING = 1e-18  # of the largest share


@dataclass(frozen=True, eq=False, slots=True)
class Scatter:
    """Shares of rows, the mean of their features, and Σ share·(f − mean)(f − mean)ᵀ. ``a + b`` is that of both."""

    share: float
    mean: FloatArray
    matrix: FloatArray

    @classmethod
    def of(cls, shares: FloatArray, features: FloatArray) -> Scatter:
        """Of rows with a positive share."""
        counts = np.flatnonzero(shares > _NOTHING * shares.max())
        blocks = [counts[start : start + _BLOCK] for start in range(0, len(counts), _BLOCK)]
        total = float(shares[counts].sum())
        matrix = np.zeros((features.shape[1], features.shape[1]))
        mean = sum((shares[block] @ features[block] for block in blocks), np.zeros(len(matrix))) / (total or 1.0)
        for block in blocks:
            centered = features[block] - mean
            matrix += (centered.T * shares[block]) @ centered
        return cls(total, mean, matrix)

    def __add__(self, other: Scatter) -> Scatter:
        share, shift = self.share + other.share, other.mean - self.mean
        part = other.share / share if share else 0.0
        between = self.share * part * np.outer(shift, shift)
        return Scatter(share, self.mean + part * shift, self.matrix + other.matrix + between)


@dataclass(frozen=True, eq=False, slots=True)
class CurvatureTerms:
    """Factors and scatters whose sum is the curvature. ``a + b`` is that of both chunks."""

    terms: tuple[tuple[float, Scatter], ...]

    def __add__(self, other: CurvatureTerms) -> CurvatureTerms:
        pairs = zip(self.terms, other.terms, strict=True)
        return CurvatureTerms(tuple((factor, mine + its) for (factor, mine), (_, its) in pairs))

    def matrix(self) -> FloatArray:
        """The curvature, from the terms of all rows."""
        return np.asarray(sum(factor * part.matrix for factor, part in self.terms))


class ScoreLine(ABC):
    """The criterion at scores + step · direction, as a function of the step."""

    @abstractmethod
    def derivatives(self, step: float) -> tuple[float, float]:
        """Slope and curvature; the latter may be NaN where it is not known."""

    @abstractmethod
    def at(self, step: float) -> tuple[float, FloatArray]:
        """The criterion and its gradient in the scores."""

    def exact_step(self) -> float | None:
        """The best step if there is a formula for it; it may be infinite."""
        return None


class CriterionLine(ScoreLine):
    """Of any criterion: every point asked for costs a gradient."""

    def __init__(self, criterion: Criterion, rows: Sample, direction: FloatArray) -> None:
        self.criterion, self.rows, self.direction = criterion, rows, direction

    def derivatives(self, step: float) -> tuple[float, float]:
        return float(self.at(step)[1] @ self.direction), np.nan

    def at(self, step: float) -> tuple[float, FloatArray]:
        return self.criterion.evaluate(replace(self.rows, scores=self.rows.scores + step * self.direction))


class ExponentialLine(ScoreLine):
    r"""Of the push with exponential loss, from value and gradient where the line starts (R09, Equation 1 and Figure 2).

    .. math:: V(\alpha) = V - \log\sum_i g_i e^{-\alpha h_i} - \tfrac1p \log\sum_k |g_k| e^{p \alpha h_k}

    Its slope is a difference of two tilted means of h. For a direction of zeros and ones, with A and C the shares of
    positives and of negatives where it is one, the best step is log(A(1 − C)/((1 − A)C)) / (p + 1); at p = 1 this is
    RankBoost's.
    """

    def __init__(self, p: float, value: float, gradient: FloatArray, direction: FloatArray) -> None:
        self.p, self.value, self.gradient, self.direction = p, value, gradient, direction
        self.ranges = class_ranges(gradient, direction)

    def derivatives(self, step: float) -> tuple[float, float]:
        a0, a1, a2, b0, b1, b2 = tilted_moments(self.gradient, self.direction, *self._tilt(step))
        up, down = a1 / a0, b1 / b0
        return up - down, -(a2 / a0 - up * up) - self.p * (b2 / b0 - down * down)

    def at(self, step: float) -> tuple[float, FloatArray]:
        gradient, log_up, log_down = tilted(self.gradient, self.direction, *self._tilt(step))
        return self.value - log_up - log_down / self.p, gradient

    def exact_step(self) -> float | None:
        if not np.all((self.direction == 0) | (self.direction == 1)):
            return None
        # Infinite, or no number, where the direction separates all positives or negatives that still count.
        with np.errstate(divide="ignore", invalid="ignore"):
            a, not_a, c, not_c = np.log(shares_by_side(self.gradient, self.direction))
            return float((a - not_a) - (c - not_c)) / (self.p + 1)

    def _tilt(self, step: float) -> tuple[float, float, float, float]:
        up, down = -step, self.p * step
        low_up, high_up, low_down, high_down = self.ranges
        # Shifted by the largest exponent of each class, no sum can overflow or vanish.
        return up, down, max(up * low_up, up * high_up), max(down * low_down, down * high_down)


class Criterion(ABC):
    """What training maximizes: one number from scores and labels, with its gradient in the scores.

    To define your own, implement :meth:`evaluate` and set those of the attributes below that hold; the default is
    False. Criteria can be added, and multiplied by positive numbers: ``PNormPush(4) + 0.5 * BottomPush(2)``.

    Attributes
    ----------
    phi : Phi or None
        The score-generating function of a rank statistic. Rankers then use it as their φ, and search directions of unit
        length.
    is_scale_free : bool
        Whether the value is invariant under positive scaling of the scores. Such a criterion is flat where all scores
        are equal, so optimization cannot start there.
    knows_intercept : bool
        Whether adding a constant to all scores changes the value; for criteria that depend on ranks it does not.
    rises_with_scale : bool
        Whether scaling up the scores always raises the value once every pair is ranked correctly: there is then no
        maximum.
    has_curvature : bool
        Whether :meth:`curvature` is known, and positive semidefinite.
    is_local : bool
        Whether only rows near the part of the list that matters have a gradient. Trees then start with rounds of
        log-loss.
    is_chunked : bool
        Whether :meth:`rounds` is implemented, so that rows may be in chunks, in several places.
    """

    phi: Phi | None = None
    is_scale_free: bool = False
    knows_intercept: bool = False
    rises_with_scale: bool = False
    has_curvature: bool = False
    is_local: bool = False
    is_chunked: bool = False

    @abstractmethod
    def evaluate(self, rows: Sample) -> tuple[float, FloatArray]:
        """The value, and its derivative with respect to every score.

        ``rows`` have been checked: ``rows.scores`` are finite numbers of type float64,
        ``rows.is_positive`` are booleans of which some are true and some false, and ``rows.weight`` are positive
        numbers, or None where every row counts once. A weight of 3 must be equivalent to three equal rows.

        Parameters
        ----------
        rows : Sample
            Checked scores, labels and weights.

        Returns
        -------
        tuple of float and ndarray
            The value, and one derivative per row.
        """

    def value_and_gradient(
        self, scores: npt.ArrayLike, is_positive: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> tuple[float, FloatArray]:
        """Value and derivatives with respect to every score, for scores and labels that have not been checked.

        Parameters
        ----------
        scores : array-like of shape (n_rows,)
            The score of every row, a finite number.
        is_positive : array-like of shape (n_rows,)
            The labels: booleans, 0 and 1, or −1 and 1.
        sample_weight : array-like of shape (n_rows,), optional
            One weight per row. Rows of weight zero are ignored, and their derivative is zero.

        Returns
        -------
        tuple of float and ndarray
            The value, and one derivative per row, in the order of the input.
        """
        heaviest = _input.HEAVIEST_IN_PRODUCTS
        rows = _input.check_sample(is_positive, scores, sample_weight, largest_weight=heaviest)
        rows = Sample(rows.scores.astype(np.float64, copy=False), rows.is_positive, rows.weight)
        value, gradient = self.evaluate(rows)
        if sample_weight is not None:
            counts = np.asarray(sample_weight) > 0
            if not counts.all():  # rows without weight were left out; moving them changes nothing
                everywhere = np.zeros(len(counts))
                everywhere[counts] = gradient
                gradient = everywhere
        return value, gradient

    def rounds(self) -> Rounds:
        """The computation over chunks of rows: a generator of steps that is sent their sums."""
        raise InputError(
            f"Rows in chunks need a criterion that is computed in rounds; {self!r} is not.",
            "use a rank statistic, a push, their sums, or implement rounds().",
        )

    def over_chunks(self, chunks: Sequence[Sample]) -> tuple[float, list[FloatArray]]:
        """The value, and the gradient for each chunk of rows that were checked; scores are of type float64.

        Parameters
        ----------
        chunks : sequence of Sample
            The rows in chunks, each with checked scores, labels and weights.

        Returns
        -------
        tuple of float and list of ndarray
            The value, and for each chunk one derivative per row.
        """
        return values_and_gradients(self.rounds(), chunks)

    def along(self, rows: Sample, value: float, gradient: FloatArray, direction: FloatArray) -> ScoreLine:
        """The criterion along a line of scores, from its value and gradient at ``rows``.

        Parameters
        ----------
        rows : Sample
            Checked scores, labels and weights.
        value : float
            The criterion at these scores.
        gradient : array
            The derivative of the criterion with respect to every score.
        direction : array
            The change of every score for a step of one.
        """
        return CriterionLine(self, rows, direction)

    def curvature(self, gradient: FloatArray, features: FloatArray) -> FloatArray:
        """Minus the second derivative with respect to the weights of features, from the gradient in the scores.

        Parameters
        ----------
        gradient : array
            The derivative of the criterion with respect to every score.
        features : array of shape (n_rows, n_features)
            The features in which the scores are linear.
        """
        return self.curvature_terms(gradient, features).matrix()

    def curvature_terms(self, gradient: FloatArray, features: FloatArray) -> CurvatureTerms:
        """The contribution of a chunk of rows to the curvature.

        Parameters
        ----------
        gradient : ndarray of shape (n_rows,)
            The derivative in every score of the chunk.
        features : ndarray of shape (n_rows, n_features)
            The features in which the scores are linear.
        """
        raise InputError(f"The method needs a criterion with known curvature; got {self!r}.", "use solver='lbfgs'.")

    def row_curvature(self, rows: Sample, gradient: FloatArray) -> FloatArray:
        """Bound on the absolute second derivative with respect to every score, from the gradient.

        Trees use it as their second derivative. By default it is the absolute gradient, which suits scores on the scale
        of log-odds.

        Parameters
        ----------
        rows : Sample
            Checked scores, labels and weights.
        gradient : array
            The derivative of the criterion with respect to every score.
        """
        return np.abs(gradient)

    def gradient_and_row_curvature(self, rows: Sample) -> tuple[FloatArray, FloatArray]:
        """The derivative with respect to every score, and the bound on the second derivative.

        Parameters
        ----------
        rows : Sample
            Checked scores, labels and weights.
        """
        _, gradient = self.evaluate(rows)
        return gradient, self.row_curvature(rows, gradient)

    def relative_bandwidth(self, rows: Sample) -> float | None:
        """The bandwidth in units of the standard deviation of the scores; None without smoothing.

        Parameters
        ----------
        rows : Sample
            Checked scores, labels and weights.
        """
        return None

    def __add__(self, other: Criterion) -> Criterion:
        if not isinstance(other, Criterion):
            return NotImplemented
        return WeightedSum((*self._terms(), *other._terms()))

    def __mul__(self, factor: float) -> Criterion:
        factor = _input.check_number("the factor of a criterion", factor, 0, np.inf, open_low=True, open_high=True)
        return WeightedSum(tuple((factor * own, criterion) for own, criterion in self._terms()))

    __rmul__ = __mul__

    def _terms(self) -> tuple[tuple[float, Criterion], ...]:
        return ((1.0, self),)


class ChunkedCriterion(Criterion):
    """A criterion computed in rounds over chunks of rows; an array in memory is one chunk."""

    is_chunked = True

    @abstractmethod
    def rounds(self) -> Rounds:
        """The rounds; rows are checked, and scores are of type float64."""

    def evaluate(self, rows: Sample) -> tuple[float, FloatArray]:
        """The value, and its derivative with respect to every score."""
        rounds, total, kept = self.rounds(), None, None
        while True:
            try:
                step = rounds.send(total)
            except StopIteration as end:
                finished: Finished = end.value
                return finished.value, finished.gradient(rows, kept)
            total, kept = step(rows, kept)


@dataclass(frozen=True)
class WeightedSum(Criterion):
    """Σ factor · criterion, such as one term for the top of the list and one for the bottom (R09, §7)."""

    terms: tuple[tuple[float, Criterion], ...]

    @property
    def is_scale_free(self) -> bool:  # type: ignore[override]  # declared by its terms
        return all(term.is_scale_free for _, term in self.terms)

    @property
    def is_local(self) -> bool:  # type: ignore[override]  # declared by its terms
        return all(term.is_local for _, term in self.terms)

    @property
    def knows_intercept(self) -> bool:  # type: ignore[override]
        return any(term.knows_intercept for _, term in self.terms)

    @property
    def rises_with_scale(self) -> bool:  # type: ignore[override]
        return any(term.rises_with_scale for _, term in self.terms)

    @property
    def is_chunked(self) -> bool:  # type: ignore[override]
        return all(term.is_chunked for _, term in self.terms)

    def rounds(self) -> Rounds:
        """The rounds of each term, one term after the other."""
        parts = []
        for place, (factor, term) in enumerate(self.terms):
            part = yield from rounds_within(term.rounds(), place)
            parts.append((factor, part))
        return Finished(sum(factor * part.value for factor, part in parts), WeightedGradient(tuple(parts)))

    def evaluate(self, rows: Sample) -> tuple[float, FloatArray]:
        """The value, and its derivative with respect to every score."""
        parts = [(factor, *term.evaluate(rows)) for factor, term in self.terms]
        value = sum(factor * part for factor, part, _ in parts)
        return value, np.sum([factor * gradient for factor, _, gradient in parts], axis=0)

    def gradient_and_row_curvature(self, rows: Sample) -> tuple[FloatArray, FloatArray]:
        """The derivative in every score, and the sum of the bounds of the terms."""
        parts = [(factor, *term.gradient_and_row_curvature(rows)) for factor, term in self.terms]
        gradient = np.sum([factor * part for factor, part, _ in parts], axis=0)
        return gradient, np.sum([factor * bound for factor, _, bound in parts], axis=0)

    def _terms(self) -> tuple[tuple[float, Criterion], ...]:
        return self.terms


@dataclass(frozen=True, eq=False)
class WeightedGradient:
    """The gradient of a sum of criteria in a chunk, from what the terms have come to."""

    parts: tuple[tuple[float, Finished], ...]

    def __call__(self, rows: Sample, kept: Kept) -> FloatArray:
        gradients = [factor * part.gradient(rows, own) for (factor, part), own in zip(self.parts, kept, strict=True)]
        return np.asarray(np.sum(gradients, axis=0))
