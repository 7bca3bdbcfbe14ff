"""Scale models: Gaussians of one mean and two covariances (CLV21, §5.2)."""

from __future__ import annotations

from functools import cached_property, partial

import numpy as np
import numpy.typing as npt
from scipy.integrate import quad
from scipy.interpolate import PchipInterpolator
from scipy.special import ndtri

from podium import _input
from podium._types import BoolArray, FloatArray
from podium.datasets.two_sample import (
    TwoSampleModel,
    check_array,
    check_covariance,
    check_dimension,
    check_symmetric,
    push_risk,
)
from podium.exceptions import InputError

# The distribution of Σ_j (λ_j Z_j² + β_j Z_j), Z_j independent standard normal, off its characteristic function.


_FARTHEST = 40.0  # standard deviations from the mean: beyond lies less than 1e-12, whatever the λ
_STEP = 2 * np.pi / 110  # between frequencies: what lies more than 110 − 40 deviations away is folded back
_HIGHEST = 2_000.0  # frequency: reached only where a few λ carry the variance
_NEGLIGIBLE = 1e-9  # of a characteristic function
_BLOCK = 1 << 21  # entries of the table of thresholds × frequencies
_RAREST = 1e-9  # probability that quantiles are tabulated for


def survival(weights: FloatArray, thresholds: FloatArray, slopes: FloatArray | float = 0.0) -> FloatArray:
    r"""P(Q > t) of Q = Σ_j (λ_j Z_j² + β_j Z_j), λ the weights and β the slopes, to about 1e-9.

    .. math:: P(Q > t) = \frac12 + \frac1\pi \sum_{k \ge 0} \frac{\mathrm{Im}\,[\varphi(u_k) e^{-i u_k t}]}{k + 1/2},
       \qquad \varphi(u) = \prod_j (1 - 2iu\lambda_j)^{-1/2}
       \exp\Bigl(-\frac{u^2 \beta_j^2}{2(1 - 2iu\lambda_j)}\Bigr),

    at u_k = (k + ½)Δ (Gil-Pelaez's integral by the midpoint rule, which Davies, 1973, shows to err by no more than the
    probability far out in the tails); to 1e-6 where only four λ matter. Weights and slopes must not all be zero.
    """
    linear = np.broadcast_to(np.asarray(slopes, dtype=np.float64), weights.shape)
    deviation = _deviation(weights, linear)
    scaled = np.asarray(weights, dtype=np.float64) / deviation
    at = np.clip((np.asarray(thresholds, dtype=np.float64) - weights.sum()) / deviation, -_FARTHEST, _FARTHEST).ravel()
    frequencies = (np.arange(_count(scaled)) + 0.5) * _STEP
    # Summed as logarithms, column by column: the principal branch of each factor is the right one.
    log_phi = -1j * frequencies * scaled.sum()
    for w, b in zip(scaled, linear / deviation, strict=True):
        factor = 1 - 2j * frequencies * w
        log_phi -= 0.5 * (np.log(factor) + (frequencies * b) ** 2 / factor)
    phi = np.exp(log_phi) / (frequencies / _STEP * np.pi)
    upper = np.empty(len(at))
    size = max(_BLOCK // len(frequencies), 1)
    for start in range(0, len(at), size):
        turn = np.exp(-1j * np.outer(at[start : start + size], frequencies))
        upper[start : start + size] = 0.5 + (turn @ phi).imag
    return np.clip(upper, 0.0, 1.0).reshape(np.shape(thresholds))


def upper_quantile(weights: FloatArray, probability: FloatArray, slopes: FloatArray | float = 0.0) -> FloatArray:
    """The threshold that Q exceeds with this probability, from a table of 1,001; probabilities are cut at 1e-9."""
    deviation = _deviation(weights, np.broadcast_to(np.asarray(slopes, dtype=np.float64), weights.shape))
    table = weights.sum() + deviation * np.sinh(np.linspace(-np.arcsinh(_FARTHEST), np.arcsinh(_FARTHEST), 1_001))
    upper = survival(weights, table, slopes)
    # In normal scores the table is nearly straight, in the tails too. Flat ends are noise: keep what falls.
    inside = (upper >= _RAREST) & (upper <= 1 - _RAREST)
    falls = inside & (upper < np.concatenate([[2.0], np.minimum.accumulate(upper)[:-1]]))
    quantile = PchipInterpolator(-ndtri(upper[falls]), table[falls])
    cut = np.clip(probability, upper[falls].min(), upper[falls].max())
    return np.asarray(quantile(-ndtri(cut)), dtype=np.float64)


def _deviation(weights: FloatArray, slopes: FloatArray) -> float:
    return float(np.sqrt(2 * np.sum(weights**2) + np.sum(slopes**2)))


def _count(scaled: FloatArray) -> int:
    """How many frequencies, until the characteristic function is negligible."""
    tried = np.geomspace(1.0, _HIGHEST, 200)
    size = np.exp(-0.25 * np.log1p(4 * np.outer(tried, scaled) ** 2).sum(axis=1))
    small = np.flatnonzero(size <= _NEGLIGIBLE)
    return int(np.ceil((tried[small[0]] if len(small) else _HIGHEST) / _STEP))


# The scale model of CLV21, §5.2: two centered Gaussians that differ in their covariances.


_FEWEST = 4  # columns, for the exact curve


class ScaleModel(TwoSampleModel):
    r"""X ~ N(μ, Σ_X), Y ~ N(μ, Σ_Y); an optimal score is ⟨z − μ, Θ*(z − μ)⟩ with Θ* = Σ_Y⁻¹ − Σ_X⁻¹.

    (The paper prints the opposite sign, and its inverse.) Unless they are given, μ = 0, Σ_Y = I, Σ_X = I + (ε/d)·H and
    H = A + Aᵀ, A standard normal. Scale1, Scale2 and Scale3 have ε = 0.7, 0.8 and 0.9 in the text; the captions of
    Figures 13 and 14 say 0.9 and 1.1.

    Parameters
    ----------
    epsilon : float
        How far the covariance of the positives is from the identity.
    dimension : int, optional
        The number of columns; that of an array that is given, else 15.
    mean : array-like, optional
        The mean μ of both classes, by column; 0 by default.
    perturbation : array-like, optional
        The symmetric matrix H of Σ_X = I + (ε/d)·H.
    covariance : array-like, optional
        The covariance Σ_X of the positives, in the place of I + (ε/d)·H.
    negative_covariance : array-like, optional
        The covariance Σ_Y of the negatives; the identity by default.
    seed : int
        The seed from which H is drawn.

    Examples
    --------
    >>> from podium.datasets import ScaleModel
    >>> round(ScaleModel(0.7).auc, 4)
    0.7025
    >>> round(ScaleModel(covariance=[[2.0, 0.0], [0.0, 2.0]]).auc, 4)
    0.6667
    """

    def __init__(
        self,
        epsilon: float = 0.7,
        dimension: int | None = None,
        *,
        mean: npt.ArrayLike | None = None,
        perturbation: npt.ArrayLike | None = None,
        covariance: npt.ArrayLike | None = None,
        negative_covariance: npt.ArrayLike | None = None,
        seed: int = 0,
    ) -> None:
        self.epsilon = _input.check_number("epsilon", epsilon, 0, open_low=True)
        self.dimension = d = check_dimension(dimension, 15, mean, perturbation, covariance, negative_covariance)
        self.mean = np.zeros(d) if mean is None else check_array("mean", mean, (d,))
        a = np.random.default_rng(_input.check_integer("seed", seed, 0)).standard_normal((d, d))
        if covariance is not None and perturbation is not None:
            raise InputError("covariance and perturbation both give Σ_X; one of them must be left out.")
        if covariance is None:
            h = a + a.T if perturbation is None else check_symmetric("perturbation", perturbation, d)
            covariance = np.eye(d) + self.epsilon / d * h
        self.covariance = check_covariance("covariance", covariance, d)
        self.negative_covariance = (
            np.eye(d)
            if negative_covariance is None
            else check_covariance("negative_covariance", negative_covariance, d)
        )

    def __repr__(self) -> str:
        return f"ScaleModel(epsilon={self.epsilon:g}, dimension={self.dimension})"

    @cached_property
    def theta(self) -> FloatArray:
        """Θ* = Σ_Y⁻¹ − Σ_X⁻¹."""
        return np.linalg.inv(self.negative_covariance) - np.linalg.inv(self.covariance)

    @cached_property
    def _roots(self) -> tuple[FloatArray, FloatArray]:
        """L with L Lᵀ = Σ, of the positives and of the negatives."""
        covariances = (self.covariance, self.negative_covariance)
        positive, negative = (np.asarray(np.linalg.cholesky(c), dtype=np.float64) for c in covariances)
        return positive, negative

    def sample(
        self, n_pos: int, n_neg: int, rng: np.random.Generator | int | None = None
    ) -> tuple[FloatArray, BoolArray]:
        rows = np.random.default_rng(rng).standard_normal((n_pos + n_neg, self.dimension))
        for part, root in zip((slice(n_pos), slice(n_pos, None)), self._roots, strict=True):
            rows[part] = rows[part] @ root.T
        return rows + self.mean, np.arange(n_pos + n_neg) < n_pos

    def optimal_scores(self, X: FloatArray) -> FloatArray:
        """⟨z − μ, Θ*(z − μ)⟩ of every row.

        Parameters
        ----------
        X : ndarray
            The rows to score.

        Returns
        -------
        ndarray
            One score per row.
        """
        centered = X - self.mean
        return np.einsum("ij,ij->i", centered @ self.theta, centered)

    @cached_property
    def auc(self) -> float:
        """AUC*, of an optimal score."""
        return self.auc_of(self.theta, -2 * self.theta @ self.mean)

    def roc(self, fpr: FloatArray) -> FloatArray:
        """ROC*(α) = P(s*(X) > t) where P(s*(Y) > t) = α, both by inverting characteristic functions, to 1e-6.

        Parameters
        ----------
        fpr : ndarray
            False positive rates, in [0, 1].

        Returns
        -------
        ndarray
            The true positive rates of an optimal score.
        """
        return self.roc_of(self.theta, fpr, -2 * self.theta @ self.mean)

    def roc_of(self, matrix: FloatArray, fpr: FloatArray, linear: FloatArray | None = None) -> FloatArray:
        """The exact ROC curve of ⟨z, Θz⟩ (+ ⟨b, z⟩), by inverting characteristic functions, to 1e-6.

        Parameters
        ----------
        matrix : ndarray
            The symmetric matrix Θ of the score.
        fpr : ndarray
            False positive rates, in [0, 1].
        linear : ndarray, optional
            The weights b of its linear part.

        Returns
        -------
        ndarray
            The true positive rates.
        """
        if self.dimension < _FEWEST:
            raise InputError(
                f"The exact curve needs a model of at least {_FEWEST} columns; got {self.dimension}.",
                "with fewer, the characteristic functions fall too slowly; RocCurve.from_scores of a sample will do.",
            )
        rate = np.asarray(fpr, dtype=np.float64)
        (x_values, x_slopes), (y_values, y_slopes) = self._forms(matrix, linear)
        tpr = survival(x_values, upper_quantile(y_values, rate, y_slopes), x_slopes)
        tpr = np.where((rate > 0) & (rate < 1), tpr, rate)
        order = np.argsort(rate, axis=None)
        tpr.flat[order] = np.maximum.accumulate(tpr.flat[order])  # rounding must not make a curve fall
        return tpr

    def auc_of(self, matrix: FloatArray, linear: FloatArray | None = None) -> float:
        r"""The exact AUC of ⟨z, Θz⟩ (+ ⟨b, z⟩), by inverting a characteristic function.

        D = s(X) − s(Y) is a quadratic form of Gaussians with characteristic function
        Π_j (1 − 2itλ_j)^(−½) exp(−½ t² β_j² / (1 − 2itλ_j)), λ the eigenvalues of LᵀΘL for X (L Lᵀ = Σ_X) and of
        −MᵀΘM for Y (M Mᵀ = Σ_Y), β the linear part in their coordinates, 2Θμ + b about μ;
        P(D > 0) = ½ + (1/π) ∫₀^∞ Im φ_D(t)/t dt (Gil-Pelaez; Imhof).

        Parameters
        ----------
        matrix : ndarray
            The symmetric matrix Θ of the score.
        linear : ndarray, optional
            The weights b of its linear part.

        Returns
        -------
        float
            The AUC in the population.
        """
        (x_values, x_slopes), (y_values, y_slopes) = self._forms(matrix, linear)
        values, slopes = np.concatenate([x_values, -y_values]), np.concatenate([x_slopes, -y_slopes])
        size = float(np.sqrt(np.sum(2 * values**2) + np.sum(slopes**2)))
        if size == 0:
            return 0.5
        values, slopes = values / size, slopes / size  # D to unit standard deviation: the integrand lives on t ~ 1

        def integrand(t: float) -> float:
            factor = 1 - 2j * t * values
            log_phi = -0.5 * np.sum(np.log(factor)) - 0.5 * t * t * np.sum(slopes**2 / factor)
            return float(np.exp(log_phi).imag / t)

        area = quad(integrand, 0, 1, epsabs=1e-10)[0] + quad(integrand, 1, np.inf, epsabs=1e-10, limit=500)[0]
        return 0.5 + area / float(np.pi)

    def _forms(self, matrix: FloatArray, linear: FloatArray | None) -> list[tuple[FloatArray, FloatArray]]:
        """Eigenvalues, and the linear part in their coordinates, of the score of a positive and of a negative."""
        about_mean = 2 * matrix @ self.mean + (0.0 if linear is None else np.asarray(linear))
        forms = []
        for root in self._roots:
            values, vectors = np.linalg.eigh(root.T @ matrix @ root)
            forms.append((values, vectors.T @ (root.T @ about_mean)))
        return forms

    def push_risk(self, p: float, matrix: FloatArray | None = None, linear: FloatArray | None = None) -> float:
        """R_p of a quadratic score in the population, (∫(1 − ROC)^p)^(1/p): R09's measure, from 0 to 1.

        Parameters
        ----------
        p : float
            The power p, at least 1; at 1 the risk is 1 − AUC.
        matrix : ndarray, optional
            The symmetric matrix Θ of the score; without it the score is an optimal one.
        linear : ndarray, optional
            The weights b of its linear part.

        Returns
        -------
        float
            The limit of ``metrics.push_risk(..., p, normalize=True)`` as samples grow, to 1e-6.
        """
        return push_risk(self.roc if matrix is None else partial(self.roc_of, matrix, linear=linear), p)
