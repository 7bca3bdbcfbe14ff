"""Any model, any criterion, any solver."""

from __future__ import annotations

from typing import Any

import numpy as np

from podium import _input, criteria
from podium._types import BoolArray, FloatArray
from podium.criteria import Criterion
from podium.models import LinearModel, Model, WithIntercept
from podium.objective import DataInMemory, Objective
from podium.phi import Phi
from podium.rankers.base import Ranker
from podium.solvers import Lbfgs, Solver


class CriterionRanker(Ranker):
    """s_θ(x) of any model, with θ maximizing a criterion by any solver.

    It is :class:`podium.Objective` and a solver, for models of your own, without scaling of columns and without
    shrinkage; :class:`podium.LinearRanker` and :class:`podium.QuadraticRanker` do more for theirs. Scale the columns
    first, for instance in a pipeline with scikit-learn's ``StandardScaler``.

    Parameters
    ----------
    model : Model, optional
        The model that maps rows and a parameter to scores; :class:`podium.models.LinearModel` by default. An intercept
        is added if the criterion uses one.
    criterion : Criterion, Phi or str
        The criterion to maximize; see :func:`podium.criteria.resolve`.
    solver : Solver, optional
        The optimizer; :class:`podium.solvers.Lbfgs` by default.
    alpha : float
        The ridge penalty λ: λ/2 times the squared norm of the parameter, without the intercept, is subtracted from the
        criterion.
    class_weight : dict, "balanced" or None
        Class weights, as in scikit-learn. Criteria that compare ranks of pairs hardly change; ``predict`` and
        probabilities refer to the weighted classes.
    pos_label : object, optional
        The positive label; by default the last of the two in sorted order.
    calibrate : {"isotonic", "platt"}, optional
        How scores are mapped to probabilities for ``predict_proba``, in five-fold cross-validation; not by default.
    random_state : int, RandomState or None
        The seed of the starting point, for models that do not provide one.

    Attributes
    ----------
    theta_ : ndarray
        The parameter of ``model_``.
    model_ : Model
        The model, with an intercept if the criterion uses one.
    criterion_value_ : float
        The criterion less the penalty on the training rows.
    path_ : ndarray
        The same at the start and after every step.
    n_iter_ : int
        Number of steps.
    threshold_ : float
        ``predict`` returns the positive class for scores above it.
    calibration_ : object
        The map from scores to probabilities, with ``calibrate``.
    classes_ : ndarray
        The two labels; the second is positive.

    Examples
    --------
    >>> from podium import CriterionRanker, metrics
    >>> from podium.datasets import LocationModel
    >>> from podium.models import QuadraticModel
    >>> X, y = LocationModel(0.5, dimension=3).sample(200, 200, rng=0)
    >>> ranker = CriterionRanker(QuadraticModel(), "power:3").fit(X, y)
    >>> round(metrics.auc(y, ranker.decision_function(X)), 2)
    0.78
    """

    model_: Model
    theta_: FloatArray
    criterion_value_: float
    path_: FloatArray
    n_iter_: int

    def __init__(
        self,
        model: Model | None = None,
        criterion: Criterion | Phi | str = "auc",
        solver: Solver | None = None,
        *,
        alpha: float = 0.0,
        class_weight: dict[Any, float] | str | None = None,
        pos_label: Any = None,
        calibrate: str | None = None,
        random_state: Any = None,
    ) -> None:
        self.model = model
        self.criterion = criterion
        self.solver = solver
        self.alpha = alpha
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.calibrate = calibrate
        self.random_state = random_state

    def _fit(self, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> None:
        criterion, model = criteria.resolve(self.criterion), self.model or LinearModel()
        alpha = _input.check_number("alpha", self.alpha, 0, open_high=True)
        strengths = np.full(model.n_features(X.shape[1]), alpha)
        self.model_, center = model, None
        if criterion.knows_intercept:
            self.model_, strengths = WithIntercept(model), np.append(strengths, 0.0)  # an intercept is no complexity
            # A subclass may have scores of its own, which an intercept cannot shift.
            center = np.average(X, axis=0, weights=weight) if type(model) is LinearModel else None
        rows = X if center is None else X - center  # far from zero, solvers stop too early
        objective = Objective.of_checked(criterion, self.model_, DataInMemory(rows, is_positive, weight), strengths)
        solution = objective.climb(self.solver or Lbfgs(), objective.start(self.random_state))
        self.theta_, self.criterion_value_, self.path_ = solution.theta, solution.value, solution.path
        if center is not None:
            self.theta_ = np.append(self.theta_[:-1], self.theta_[-1] - center @ self.theta_[:-1])
        self.n_iter_ = max(solution.n_iter, 1)

    def _scores(self, X: FloatArray) -> FloatArray:
        return self.model_.scores(X, self.theta_)

    @property
    def class_dimension_(self) -> int | None:
        return len(self.theta_) if self.model_.is_linear else None
