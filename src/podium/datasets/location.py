"""The location model of CLV21, §5.2: two Gaussians that differ in their means."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import expm
from scipy.special import ndtr, ndtri

from podium import _input
from podium._types import BoolArray, FloatArray


@dataclass(frozen=True)
class LocationModel:
    r"""X ~ N(μ_X, Σ), Y ~ N(μ_Y, Σ); an optimal score is ⟨θ*, z⟩ with θ* = Σ⁻¹(μ_X − μ_Y).

    Loc1, Loc2 and Loc3 of the paper have ε = 0.1, 0.2 and 0.3. The paper gives neither μ_Y nor Σ, only eigenvalues in
    [0.5, 1.5] and "nearly diagonal"; here μ_Y = 1, μ_X = (1 + ε)·1, Σ = Q diag(linspace(0.5, 1.5, d)) Qᵀ with
    Q = exp(0.05(R − Rᵀ)), R standard normal from seed 0.

    With ``ill_conditioned`` the design of the authors' published script: means ε·1 apart, Σ = S/√‖S‖_F, S = AᵀA, A
    uniform from seed 0; here the positives are those with mean ε·1.

    Parameters
    ----------
    epsilon : float
        How far the two means are apart in every column.
    dimension : int
        The number of columns.
    ill_conditioned : bool
        Whether to take the covariance of the authors' script instead.

    Examples
    --------
    >>> round(LocationModel(0.2).auc, 4)
    0.7179
    """

    epsilon: float = 0.2
    dimension: int = 15
    ill_conditioned: bool = False

    def __post_init__(self) -> None:
        _input.check_number("epsilon", self.epsilon, 0, open_low=True)
        _input.check_integer("dimension", self.dimension, 1)

    @cached_property
    def covariance(self) -> FloatArray:
        d, rng = self.dimension, np.random.default_rng(0)
        if self.ill_conditioned:
            a = rng.random((d, d))
            s = a.T @ a
            return s / np.sqrt(np.linalg.norm(s))
        r = rng.standard_normal((d, d))
        q = expm(0.05 * (r - r.T))
        return q @ np.diag(np.linspace(0.5, 1.5, d)) @ q.T

    @property
    def means(self) -> tuple[FloatArray, FloatArray]:
        """Of the positives and of the negatives."""
        ones = np.ones(self.dimension)
        if self.ill_conditioned:
            return self.epsilon * ones, 0 * ones
        return (1 + self.epsilon) * ones, ones

    @cached_property
    def theta(self) -> FloatArray:
        """θ* = Σ⁻¹(μ_X − μ_Y)."""
        positive, negative = self.means
        return np.asarray(np.linalg.solve(self.covariance, positive - negative), dtype=np.float64)

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
        rng = np.random.default_rng(rng)
        noise = rng.standard_normal((n_pos + n_neg, self.dimension)) @ np.linalg.cholesky(self.covariance).T
        is_positive = np.arange(n_pos + n_neg) < n_pos
        positive, negative = self.means
        return noise + np.where(is_positive[:, None], positive, negative), is_positive

    def optimal_scores(self, X: FloatArray) -> FloatArray:
        """⟨θ*, z⟩ of every row.

        Parameters
        ----------
        X : ndarray
            The rows.

        Returns
        -------
        ndarray
            One score per row.
        """
        return X @ self.theta

    @property
    def separation(self) -> float:
        """√((μ_X − μ_Y)ᵀ Σ⁻¹ (μ_X − μ_Y))."""
        positive, negative = self.means
        return float(np.sqrt((positive - negative) @ self.theta))

    @property
    def auc(self) -> float:
        """AUC*, of an optimal score."""
        return float(ndtr(self.separation / np.sqrt(2)))

    def auc_of(self, weights: FloatArray) -> float:
        """The exact AUC of the score ⟨weights, z⟩.

        Parameters
        ----------
        weights : ndarray
            One weight per column.

        Returns
        -------
        float
            The AUC in the population.
        """
        positive, negative = self.means
        return float(ndtr(weights @ (positive - negative) / np.sqrt(2 * weights @ self.covariance @ weights)))

    def roc(self, fpr: FloatArray) -> FloatArray:
        """ROC*(α) = 1 − Δ(Δ⁻¹(1 − α) − separation), Δ the normal distribution function; the paper prints a plus.

        Parameters
        ----------
        fpr : ndarray
            False positive rates, in [0, 1].

        Returns
        -------
        ndarray
            The true positive rates of an optimal score.
        """
        return self.roc_of(self.theta, fpr)

    def roc_of(self, weights: FloatArray, fpr: FloatArray) -> FloatArray:
        """The exact ROC curve of the score ⟨weights, z⟩, binormal like the optimal one.

        Parameters
        ----------
        weights : ndarray
            One weight per column.
        fpr : ndarray
            False positive rates, in [0, 1].

        Returns
        -------
        ndarray
            The true positive rates.
        """
        positive, negative = self.means
        apart = weights @ (positive - negative) / np.sqrt(weights @ self.covariance @ weights)
        return np.asarray(ndtr(apart + ndtri(fpr)))
