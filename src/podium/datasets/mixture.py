"""The mixtures of Gaussians of A05, §4.5."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from podium import _input
from podium._types import BoolArray, FloatArray
from podium.datasets.two_sample import TwoSampleModel, check_array, check_dimension
from podium.exceptions import InputError


class MixtureModel(TwoSampleModel):
    r"""Each class is an even mixture of Gaussians with diagonal covariances; means and variances are uniform on (0, 1).

    The paper has two Gaussians per class in 16 dimensions. It prints neither the means and variances nor the
    shares of the components; here they are drawn from a seed, and the shares are equal.

    Parameters
    ----------
    dimension : int, optional
        The number of columns; by default that of the arrays given, else 16.
    n_components : int
        The number of Gaussians in each class, unless means or variances are given.
    means, variances : array-like, optional
        Means and variances by class (positives first), component and column, in place of random ones.
    seed : int
        The seed from which means and variances are drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.datasets import MixtureModel
    >>> model = MixtureModel()
    >>> round(model.auc_of(np.eye(16)[0]), 4)  # of the first column alone
    0.7497
    """

    def __init__(
        self,
        dimension: int | None = None,
        n_components: int = 2,
        *,
        means: npt.ArrayLike | None = None,
        variances: npt.ArrayLike | None = None,
        seed: int = 0,
    ) -> None:
        first = next((np.asarray(array) for array in (means, variances) if array is not None), None)
        if first is not None and first.ndim != 3:
            raise InputError(
                f"means and variances must have three axes: class, component, column; got {first.ndim}.",
                "with one Gaussian per class the middle one has length 1.",
            )
        self.dimension = check_dimension(dimension, 16, None if first is None else first[0, 0])
        self.n_components = (
            _input.check_integer("n_components", n_components, 1) if first is None else int(first.shape[1])
        )
        shape = (2, self.n_components, self.dimension)
        drawn = np.random.default_rng(_input.check_integer("seed", seed, 0)).random((2, *shape))
        self.means = drawn[0] if means is None else check_array("means", means, shape)
        self.variances = drawn[1] if variances is None else check_array("variances", variances, shape)
        if not (self.variances > 0).all():
            raise InputError(f"variances must be positive; the smallest is {self.variances.min():g}.")

    def __repr__(self) -> str:
        return f"MixtureModel(dimension={self.dimension}, n_components={self.n_components})"

    def sample(
        self, n_pos: int, n_neg: int, rng: np.random.Generator | int | None = None
    ) -> tuple[FloatArray, BoolArray]:
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
