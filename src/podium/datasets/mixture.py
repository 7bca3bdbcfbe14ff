"""The mixtures of Gaussians of A05, §4.5."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from podium import _input
from podium._types import BoolArray, FloatArray


@dataclass(frozen=True)
class MixtureModel:
    r"""Each class is an even mixture of Gaussians with diagonal covariances; means and variances are uniform on (0, 1).

    The paper has two Gaussians per class in 16 dimensions. It prints neither the means and variances it drew nor the
    shares of the components; here they come from the seed ``design``, and the shares are equal.

    Parameters
    ----------
    dimension : int
        The number of columns.
    n_components : int
        The number of Gaussians in each class.
    design : int
        The seed from which means and variances are drawn.

    Examples
    --------
    >>> model = MixtureModel()
    >>> round(model.auc_of(np.eye(16)[0]), 4)  # of the first column alone
    0.7497
    """

    dimension: int = 16
    n_components: int = 2
    design: int = 0

    def __post_init__(self) -> None:
        _input.check_integer("dimension", self.dimension, 1)
        _input.check_integer("n_components", self.n_components, 1)
        _input.check_integer("design", self.design, 0)

    @cached_property
    def _drawn(self) -> FloatArray:
        """Means and variances, by class (positives first), component and column."""
        return np.random.default_rng(self.design).random((2, 2, self.n_components, self.dimension))

    @property
    def means(self) -> FloatArray:
        """By class (positives first), component and column."""
        return self._drawn[0]

    @property
    def variances(self) -> FloatArray:
        """By class (positives first), component and column."""
        return self._drawn[1]

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
        is_positive = np.arange(n_pos + n_neg) < n_pos
        drawn = (1 - is_positive, rng.integers(self.n_components, size=n_pos + n_neg))  # class and component
        noise = rng.standard_normal((n_pos + n_neg, self.dimension))
        return self.means[drawn] + np.sqrt(self.variances[drawn]) * noise, is_positive

    def auc_of(self, weights: FloatArray) -> float:
        """The exact AUC of the score ⟨weights, z⟩: a difference of scores is normal, given the two components.

        Parameters
        ----------
        weights : ndarray
            One weight per column.

        Returns
        -------
        float
            The AUC in the population.
        """
        weights = np.asarray(weights)
        if not weights.any():
            return 0.5
        shift = np.subtract.outer(*(self.means @ weights))
        variance = np.add.outer(*(self.variances @ weights**2))
        return float(ndtr(shift / np.sqrt(variance)).mean())
