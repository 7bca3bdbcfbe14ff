"""The one idea as an object: a criterion of the scores that a model gives the rows, as a function of its parameter."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_array, check_consistent_length, check_random_state

from podium import _input, criteria
from podium._types import BoolArray, FloatArray, Sample
from podium.criteria import Criterion
from podium.exceptions import DegenerateSampleError, InputError
from podium.models import Model
from podium.phi import Phi
from podium.solvers import Solution, Solver
from podium.solvers.base import Callback
from podium.sums.spread import Spread


class Objective:
    r"""What a solver climbs: criterion ∘ model − penalty, as a function of the parameter θ of the model.

    .. math:: f(\theta) = C\bigl(s_\theta(x_1), \dots, s_\theta(x_N);\, y\bigr) - \tfrac12 \sum_j \lambda_j \theta_j^2

    ``objective(theta)`` is the value and the gradient in θ. The data are checked here, once; what climbs trusts them.

    Parameters
    ----------
    criterion : Criterion, Phi or str
        What to maximize; see :func:`podium.criteria.resolve`.
    model : Model
        What turns rows and a parameter into scores, such as :class:`podium.models.LinearModel`.
    X : array-like or sparse matrix of shape (n_rows, n_columns)
        The rows.
    y : array-like of shape (n_rows,)
        The labels: booleans, 0 and 1, or −1 and 1.
    sample_weight : array-like of shape (n_rows,), optional
        How often every row counts. Rows of weight zero are left out.
    penalty : float or array-like of shape (n_parameters,)
        The ridge penalty λ: one number for all entries of θ, or one for each.

    Examples
    --------
    >>> import numpy as np
    >>> from podium import Objective
    >>> from podium.models import LinearModel
    >>> from podium.solvers import Newton
    >>> X, y = np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 1.5], [3.0, 1.0]]), [0, 1, 0, 1]
    >>> objective = Objective("push:1", LinearModel(), X, y, penalty=0.1)
    >>> value, gradient = objective(np.zeros(2))
    >>> round(value, 3), gradient  # −log of four pairs, each a loss of one; the difference of the means
    (-1.386, array([ 2.  , -0.75]))
    >>> objective.climb(Newton(), np.zeros(2))
    value 15.0377 at 2 parameters, converged after 4 steps
    """

    def __init__(
        self,
        criterion: Criterion | Phi | str,
        model: Model,
        X: Any,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        penalty: npt.ArrayLike = 0.0,
    ) -> None:
        X = check_array(X, accept_sparse="csr", dtype=np.float64, input_name="X")
        is_positive = _input.check_labels(y)
        check_consistent_length(X, is_positive)
        weight = None
        if sample_weight is not None:
            weight = _input.check_weights(sample_weight, len(is_positive))
            counts = weight > 0
            X, is_positive, weight = X[counts], is_positive[counts], weight[counts]
        if is_positive.all() or not is_positive.any():
            raise DegenerateSampleError(
                "An objective needs at least one positive and one negative row of positive weight; got one class only."
            )
        for strength in np.atleast_1d(np.asarray(penalty)):
            _input.check_number("penalty", strength, 0, open_high=True)
        self._set(criteria.resolve(criterion), model, X, is_positive, weight, penalty)

    @classmethod
    def of_checked(
        cls,
        criterion: Criterion,
        model: Model,
        X: Any,
        is_positive: BoolArray,
        weight: FloatArray | None = None,
        penalty: npt.ArrayLike = 0.0,
    ) -> Objective:
        """The same of rows that were checked before."""
        objective = cls.__new__(cls)
        objective._set(criterion, model, X, is_positive, weight, penalty)
        return objective

    def _set(
        self,
        criterion: Criterion,
        model: Model,
        X: Any,
        is_positive: BoolArray,
        weight: FloatArray | None,
        penalty: npt.ArrayLike,
    ) -> None:
        self.criterion, self.model, self.penalty = criterion, model, np.asarray(penalty, dtype=np.float64)
        self.X, self.is_positive, self.weight = X, is_positive, weight
        self._latest = (np.empty(0), np.empty(0))  # where the gradient in the scores was computed last, and it

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """The value, and its gradient in θ."""
        value, by_score = self.criterion.evaluate(self.sample(theta))
        self._latest = (theta.copy(), by_score)
        gradient = self.model.vjp(self.X, theta, by_score)
        pull = self.penalty * theta
        return value - float(pull @ theta) / 2, gradient - pull

    @property
    def has_curvature(self) -> bool:
        """Whether :meth:`curvature` is known: the criterion knows its own, and the model is linear in θ."""
        return self.criterion.has_curvature and self.model.is_linear

    def curvature(self, theta: FloatArray) -> FloatArray:
        """Minus the second derivative in θ, a positive semidefinite matrix."""
        if not np.array_equal(theta, self._latest[0]):
            self(theta)
        matrix = self.criterion.curvature(self._latest[1], self.model.features(self.X))
        return matrix + self.penalty * np.eye(len(theta))

    @property
    def n_parameters(self) -> int:
        """The length of θ."""
        return self.model.n_features(self.X.shape[1])

    def sample(self, theta: FloatArray) -> Sample:
        """The scores by θ with labels and weights: what the criterion sees."""
        return Sample(self.model.scores(self.X, theta), self.is_positive, self.weight)

    def start(self, random_state: Any = None) -> FloatArray:
        """A parameter to begin with, whose scores have unit spread.

        It is the direction in which the mean score of the positives rises fastest above that of the negatives, seen
        from θ = 0: of a linear model, the difference of the mean features. Where that is nowhere, it is drawn.
        """
        theta = np.zeros(self.n_parameters)
        weight = np.ones(len(self.is_positive)) if self.weight is None else self.weight
        totals = np.where(self.is_positive, weight @ self.is_positive, -(weight @ ~self.is_positive))
        direction = self.model.vjp(self.X, theta, weight / totals)
        if not direction.any():
            direction = check_random_state(random_state).standard_normal(len(theta))
        spread = Spread.of(self.sample(direction)).standard_deviation
        return direction / spread if spread > 0 else direction

    def climb(self, solver: Solver, start: FloatArray, callback: Callback | None = None) -> Solution:
        """Where the solver gets from ``start``; refused where it needs a curvature and there is none."""
        self.check_solver(solver)
        return solver.maximize(self, start, callback)

    def check_solver(self, solver: Solver) -> None:
        """Refuse a solver that needs what criterion and model do not have."""
        if solver.needs_curvature and not self.has_curvature:
            raise InputError(
                f"{type(solver).__name__} needs a criterion whose curvature is known and a model linear in its "
                f"parameter; got {self.criterion!r} and {self.model!r}.",
                "take solver='lbfgs', or a push with the exponential loss.",
            )

    def __repr__(self) -> str:
        n_rows, n_columns = self.X.shape
        return f"Objective({self.criterion!r}, {self.model!r}, {n_rows} rows of {n_columns} columns)"
