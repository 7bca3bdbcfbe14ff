"""The scale model of CLV21, §5.2: two centred Gaussians that differ in their covariances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.integrate import quad

from podium import _input
from podium._types import BoolArray, FloatArray
from podium.datasets.quadratic_form import survival, upper_quantile
from podium.exceptions import InputError

_FEWEST = 4  # columns, for the exact curve


@dataclass(frozen=True)
class ScaleModel:
    r"""X ~ N(0, Σ_X), Y ~ N(0, I); an optimal score is ⟨z, Θ*z⟩ with Θ* = Σ_Y⁻¹ − Σ_X⁻¹.

    (The paper prints the opposite sign, and its inverse.) Σ_X = I + (ε/d)(A + Aᵀ), A standard normal from seed 0.
    Scale1, Scale2 and Scale3 have ε = 0.7, 0.8 and 0.9 in the text; the captions of Figures 13 and 14 say 0.9 and 1.1.

    Parameters
    ----------
    epsilon : float
        How far the covariance of the positives is from the identity.
    dimension : int
        The number of columns.

    Examples
    --------
    >>> round(ScaleModel(0.7).auc, 4)
    0.7025
    """

    epsilon: float = 0.7
    dimension: int = 15

    def __post_init__(self) -> None:
        _input.check_number("epsilon", self.epsilon, 0, open_low=True)
        _input.check_integer("dimension", self.dimension, 1)

    @cached_property
    def covariance(self) -> FloatArray:
        """Σ_X, of the positives."""
        a = np.random.default_rng(0).standard_normal((self.dimension, self.dimension))
        return np.eye(self.dimension) + self.epsilon / self.dimension * (a + a.T)

    @cached_property
    def theta(self) -> FloatArray:
        """Θ* = I − Σ_X⁻¹."""
        return np.eye(self.dimension) - np.linalg.inv(self.covariance)

    def sample(
        self, n_pos: int, n_neg: int, rng: np.random.Generator | int | None = None
    ) -> tuple[FloatArray, BoolArray]:
        """Rows and labels, the positives first.

        Parameters
        ----------
        n_pos, n_neg : int
            How many positives and how many negatives to draw.
        rng : numpy.random.Generator or int, optional
            A generator or the seed of one.

        Returns
        -------
        tuple of ndarray
            The rows, and for each whether it is positive; the positives come first.
        """
        rows = np.random.default_rng(rng).standard_normal((n_pos + n_neg, self.dimension))
        rows[:n_pos] = rows[:n_pos] @ np.linalg.cholesky(self.covariance).T
        return rows, np.arange(n_pos + n_neg) < n_pos

    def optimal_scores(self, X: FloatArray) -> FloatArray:
        """⟨z, Θ*z⟩ of every row.

        Parameters
        ----------
        X : ndarray
            The rows.

        Returns
        -------
        ndarray
            One score per row.
        """
        return np.einsum("ij,ij->i", X @ self.theta, X)

    @cached_property
    def auc(self) -> float:
        """AUC*, of an optimal score."""
        return self.auc_of(self.theta)

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
        if self.dimension < _FEWEST:
            raise InputError(
                f"The exact curve needs a model of at least {_FEWEST} columns; got {self.dimension}.",
                "with fewer, the characteristic functions fall too slowly; RocCurve.from_scores of a sample will do.",
            )
        rate = np.asarray(fpr, dtype=np.float64)
        root = np.linalg.cholesky(self.covariance)
        thresholds = upper_quantile(np.asarray(np.linalg.eigvalsh(self.theta), dtype=np.float64), rate)
        tpr = survival(np.linalg.eigvalsh(root.T @ self.theta @ root), thresholds)
        tpr = np.where((rate > 0) & (rate < 1), tpr, rate)
        order = np.argsort(rate, axis=None)
        tpr.flat[order] = np.maximum.accumulate(tpr.flat[order])  # rounding must not make a curve fall
        return tpr

    def auc_of(self, matrix: FloatArray, linear: FloatArray | None = None) -> float:
        r"""The exact AUC of ⟨z, Θz⟩ (+ ⟨b, z⟩), by inverting a characteristic function.

        D = s(X) − s(Y) is a quadratic form of Gaussians with characteristic function
        Π_j (1 − 2itλ_j)^(−½) exp(−½ t² β_j² / (1 − 2itλ_j)), λ the eigenvalues of LᵀΘL for X (L Lᵀ = Σ_X) and of −Θ
        for Y, β the linear part in their coordinates; P(D > 0) = ½ + (1/π) ∫₀^∞ Im φ_D(t)/t dt (Gil-Pelaez; Imhof).

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
        linear = np.zeros(self.dimension) if linear is None else np.asarray(linear)
        root = np.linalg.cholesky(self.covariance)
        x_values, x_vectors = np.linalg.eigh(root.T @ matrix @ root)
        y_values, y_vectors = np.linalg.eigh(-np.asarray(matrix))
        values = np.concatenate([x_values, y_values])
        slopes = np.concatenate([x_vectors.T @ (root.T @ linear), y_vectors.T @ -linear])
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
