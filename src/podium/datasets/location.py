"""The location model of CLV21, §5.2: two Gaussians that differ in their means."""

from __future__ import annotations

from functools import cached_property, partial

import numpy as np
import numpy.typing as npt
from scipy.linalg import expm
from scipy.special import ndtr, ndtri

from podium import _input
from podium._types import BoolArray, FloatArray
from podium.datasets.two_sample import TwoSampleModel, check_array, check_covariance, check_dimension, push_risk


class LocationModel(TwoSampleModel):
    r"""X ~ N(μ_X, Σ), Y ~ N(μ_Y, Σ), μ_X = (1 + ε)·μ_Y; an optimal score is ⟨θ*, z⟩ with θ* = Σ⁻¹(μ_X − μ_Y).

    Loc1, Loc2 and Loc3 of the paper have ε = 0.1, 0.2 and 0.3. The paper gives neither μ_Y nor Σ, only eigenvalues in
    [0.5, 1.5] and "nearly diagonal"; here, unless they are given, μ_Y = 1 and Σ = Q diag(linspace(0.5, 1.5, d)) Qᵀ
    with Q = exp(0.05(R − Rᵀ)), R standard normal.

    With ``ill_conditioned``, the design is that of the authors' published script: the positives at ε·1, the negatives
    at 0, Σ = S/√‖S‖_F, S = AᵀA, A uniform.

    Parameters
    ----------
    epsilon : float
        The distance between the two means, in units of ``mean``.
    dimension : int, optional
        The number of columns; by default that of ``mean`` or ``covariance`` if given, else 15.
    ill_conditioned : bool
        Whether to use the means and covariance of the authors' script.
    mean : array-like, optional
        The mean μ_Y of the negatives, by column; 1 in every column by default.
    covariance : array-like, optional
        The covariance Σ of both classes; by default that of the paper's description.
    seed : int
        The seed from which the default covariance is drawn.

    Examples
    --------
    >>> from podium.datasets import LocationModel
    >>> round(LocationModel(0.2).auc, 4)
    0.7179
    >>> round(LocationModel(1.0, mean=[1.0, 0.0], covariance=[[1.0, 0.5], [0.5, 1.0]]).auc, 4)
    0.7929
    """

    def __init__(
        self,
        epsilon: float = 0.2,
        dimension: int | None = None,
        ill_conditioned: bool = False,
        *,
        mean: npt.ArrayLike | None = None,
        covariance: npt.ArrayLike | None = None,
        seed: int = 0,
    ) -> None:
        self.epsilon = _input.check_number("epsilon", epsilon, 0, open_low=True)
        self.dimension = check_dimension(dimension, 15, mean, covariance)
        self.ill_conditioned = ill_conditioned
        self.mean = np.ones(self.dimension) if mean is None else check_array("mean", mean, (self.dimension,))
        rng = np.random.default_rng(_input.check_integer("seed", seed, 0))
        if covariance is not None:
            self.covariance = check_covariance("covariance", covariance, self.dimension)
        else:
            self.covariance = (_of_the_script if ill_conditioned else _nearly_diagonal)(self.dimension, rng)

    def __repr__(self) -> str:
        return f"LocationModel(epsilon={self.epsilon:g}, dimension={self.dimension})"

    @property
    def means(self) -> tuple[FloatArray, FloatArray]:
        """The means of the positives and of the negatives."""
        if self.ill_conditioned:
            return self.epsilon * self.mean, 0 * self.mean
        return (1 + self.epsilon) * self.mean, self.mean

    @cached_property
    def theta(self) -> FloatArray:
        """θ* = Σ⁻¹(μ_X − μ_Y)."""
        positive, negative = self.means
        return np.asarray(np.linalg.solve(self.covariance, positive - negative), dtype=np.float64)

    def sample(
        self, n_pos: int, n_neg: int, rng: np.random.Generator | int | None = None
    ) -> tuple[FloatArray, BoolArray]:
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
            The rows to score.

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

    def push_risk(self, p: float, weights: FloatArray | None = None) -> float:
        """R_p of a linear score in the population, (∫(1 − ROC)^p)^(1/p): R09's measure, from 0 to 1.

        Parameters
        ----------
        p : float
            The power p, at least 1; at 1 the risk is 1 − AUC.
        weights : ndarray, optional
            One weight per column; without them the score is an optimal one.

        Returns
        -------
        float
            The limit of ``metrics.push_risk(..., p, normalize=True)`` as samples grow.
        """
        return push_risk(self.roc if weights is None else partial(self.roc_of, weights), p)


def _nearly_diagonal(dimension: int, rng: np.random.Generator) -> FloatArray:
    r = rng.standard_normal((dimension, dimension))
    q = expm(0.05 * (r - r.T))
    return np.asarray(q @ np.diag(np.linspace(0.5, 1.5, dimension)) @ q.T)


def _of_the_script(dimension: int, rng: np.random.Generator) -> FloatArray:
    a = rng.random((dimension, dimension))
    s = a.T @ a
    return s / np.sqrt(np.linalg.norm(s))
