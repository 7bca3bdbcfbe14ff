"""The one idea as an object: a criterion of the scores that a model gives the rows, as a function of its parameter."""

from __future__ import annotations

from abc import ABC, abstractmethod
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
from podium.sums.frame import Spread


class Data(ABC):
    """Rows, labels and weights, wherever they are: what an objective asks of them."""

    n_columns: int

    @abstractmethod
    def value_and_gradient(self, criterion: Criterion, model: Model, theta: FloatArray) -> tuple[float, FloatArray]:
        """The criterion of the scores that the model gives the rows, and its gradient in θ."""

    @abstractmethod
    def curvature(self, criterion: Criterion, model: Model, theta: FloatArray) -> FloatArray:
        """Minus the second derivative in θ."""


class DataInMemory(Data):
    """Rows in one array or sparse matrix."""

    def __init__(self, X: Any, is_positive: BoolArray, weight: FloatArray | None) -> None:
        self.X, self.is_positive, self.weight = X, is_positive, weight
        self.n_columns = X.shape[1]
        self._latest = (np.empty(0), np.empty(0))  # where the gradient in the scores was computed last, and it

    def value_and_gradient(self, criterion: Criterion, model: Model, theta: FloatArray) -> tuple[float, FloatArray]:
        value, by_score = criterion.evaluate(self.sample(model, theta))
        self._latest = (theta.copy(), by_score)
        return value, model.vjp(self.X, theta, by_score)

    def curvature(self, criterion: Criterion, model: Model, theta: FloatArray) -> FloatArray:
        if not np.array_equal(theta, self._latest[0]):
            self.value_and_gradient(criterion, model, theta)
        return criterion.curvature(self._latest[1], model.features(self.X))

    def sample(self, model: Model, theta: FloatArray) -> Sample:
        """The scores by θ with labels and weights: what the criterion sees."""
        return Sample(model.scores(self.X, theta), self.is_positive, self.weight)

    def __repr__(self) -> str:
        n_rows, n_columns = self.X.shape
        return f"{n_rows} rows of {n_columns} columns"

    def start(self, model: Model, random_state: Any) -> FloatArray:
        """The direction in which the mean score of the positives rises fastest, or else a random one; unit spread."""
        theta = np.zeros(model.n_features(self.n_columns))
        weight = np.ones(len(self.is_positive)) if self.weight is None else self.weight
        totals = np.where(self.is_positive, weight @ self.is_positive, -(weight @ ~self.is_positive))
        direction = model.vjp(self.X, theta, weight / totals)
        if not direction.any():
            direction = check_random_state(random_state).standard_normal(len(theta))
        spread = Spread.of(self.sample(model, direction)).standard_deviation
        return direction / spread if spread > 0 else direction


class Objective:
    r"""What a solver climbs: criterion ∘ model − penalty, as a function of the parameter θ of the model.

    .. math:: f(\theta) = C\bigl(s_\theta(x_1), \dots, s_\theta(x_N);\, y\bigr) - \tfrac12 \sum_j \lambda_j \theta_j^2

    C is the criterion of the scores s_θ(x) that the model gives the rows and of their labels y, and λ_j the penalty of
    the j-th entry of θ. ``objective(theta)`` returns the value and the gradient in θ. The data are checked once, here.

    Parameters
    ----------
    criterion : Criterion, Phi or str
        What to maximize; see :func:`podium.criteria.resolve`.
    model : Model
        What turns rows and a parameter into scores, such as :class:`podium.models.LinearModel`.
    X : array-like or sparse matrix of shape (n_rows, n_columns)
        The rows to learn from.
    y : array-like of shape (n_rows,)
        The labels: booleans, 0 and 1, or −1 and 1.
    sample_weight : array-like of shape (n_rows,), optional
        How often every row counts. Rows of weight zero are left out.
    alpha : float or array-like of shape (n_parameters,)
        The ridge penalty λ: one number for all entries of θ, or one for each.

    Examples
    --------
    >>> import numpy as np
    >>> from podium import Objective
    >>> from podium.models import LinearModel
    >>> from podium.solvers import Newton
    >>> X, y = np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 1.5], [3.0, 1.0]]), [0, 1, 0, 1]
    >>> objective = Objective("push:1", LinearModel(), X, y, alpha=0.1)
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
        alpha: npt.ArrayLike = 0.0,
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
        for strength in np.atleast_1d(np.asarray(alpha)):
            _input.check_number("alpha", strength, 0, open_high=True)
        self._set(criteria.resolve(criterion), model, DataInMemory(X, is_positive, weight), alpha)

    @classmethod
    def of_checked(cls, criterion: Criterion, model: Model, data: Data, alpha: npt.ArrayLike = 0.0) -> Objective:
        """The same for rows that were checked before, wherever they are.

        Parameters
        ----------
        criterion : Criterion
            What to maximize.
        model : Model
            What turns rows and a parameter into scores.
        data : Data
            The rows, labels and weights.
        alpha : float or array-like of shape (n_parameters,)
            The ridge penalty λ: one number for all entries of θ, or one for each.

        Returns
        -------
        Objective
            The objective.
        """
        objective = cls.__new__(cls)
        objective._set(criterion, model, data, alpha)
        return objective

    def _set(self, criterion: Criterion, model: Model, data: Data, alpha: npt.ArrayLike) -> None:
        self.criterion, self.model, self.alpha = criterion, model, np.asarray(alpha, dtype=np.float64)
        self.data = data

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """The value, and its gradient in θ."""
        value, gradient = self.data.value_and_gradient(self.criterion, self.model, theta)
        pull = self.alpha * theta
        return value - float(pull @ theta) / 2, gradient - pull

    @property
    def has_curvature(self) -> bool:
        """Whether :meth:`curvature` is known: the criterion knows its own, and the model is linear in θ."""
        return self.criterion.has_curvature and self.model.is_linear

    def curvature(self, theta: FloatArray) -> FloatArray:
        """Minus the second derivative in θ, a positive semidefinite matrix.

        Parameters
        ----------
        theta : ndarray of shape (n_parameters,)
            The parameter θ.

        Returns
        -------
        ndarray of shape (n_parameters, n_parameters)
            The matrix.
        """
        matrix = self.data.curvature(self.criterion, self.model, theta)
        return matrix + self.alpha * np.eye(len(theta))

    @property
    def n_parameters(self) -> int:
        """The length of θ."""
        return self.model.n_features(self.data.n_columns)

    def start(self, random_state: Any = None) -> FloatArray:
        """A parameter to begin with, whose scores have unit spread, for rows in memory.

        It is the direction in which the mean score of the positives rises fastest above that of the negatives, seen
        from θ = 0: of a linear model, the difference of the mean features. Where there is none, it is drawn at random.

        Parameters
        ----------
        random_state : int, RandomState or None
            The seed for a direction that is drawn.

        Returns
        -------
        ndarray of shape (n_parameters,)
            The parameter.
        """
        assert isinstance(self.data, DataInMemory)
        return self.data.start(self.model, random_state)

    def climb(self, solver: Solver, start: FloatArray, callback: Callback | None = None) -> Solution:
        """Let a solver climb from ``start``; one that needs a curvature is refused where there is none.

        Parameters
        ----------
        solver : Solver
            The solver that climbs.
        start : ndarray of shape (n_parameters,)
            The parameter to begin with.
        callback : callable, optional
            Called after every step with its number and the value reached.

        Returns
        -------
        Solution
            Where the solver stopped.
        """
        self.check_solver(solver)
        return solver.maximize(self, start, callback)

    def check_solver(self, solver: Solver) -> None:
        """Refuse a solver that needs what criterion and model do not have.

        Parameters
        ----------
        solver : Solver
            The solver that is to climb.
        """
        if solver.needs_curvature and not self.has_curvature:
            raise InputError(
                f"{type(solver).__name__} needs a criterion whose curvature is known and a model linear in its "
                f"parameter; got {self.criterion!r} and {self.model!r}.",
                "take solver='lbfgs', or a push with the exponential loss.",
            )

    def __repr__(self) -> str:
        return f"Objective({self.criterion!r}, {self.model!r}, {self.data!r})"
