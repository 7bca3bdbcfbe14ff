"""Common base of the linear and the quadratic ranker: validated parameters and the three stages of a fit."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from podium import _input, criteria
from podium._progress import Progress
from podium._types import BoolArray, FloatArray, Sometimes
from podium.criteria import Criterion, LogLoss
from podium.exceptions import ClusterLostError
from podium.kernels import Kernel
from podium.phi import Phi
from podium.rankers.base import Ranker
from podium.rankers.lines.prepare import FEW, Family, PreparedRows, is_wide, prepare
from podium.rankers.lines.problem import TOL_OF_FIXED_STEPS, Recipe, at_plug_in, climb, problem
from podium.rankers.lines.rows import NormalScores, Rows, RowSource
from podium.rankers.two_classes import best_threshold
from podium.solvers import GradientAscent, Lbfgs, Newton, Solver


class DirectionRanker(Ranker):
    """Base of the rankers that climb a criterion from a plug-in direction."""

    coef_: FloatArray
    _quantiles: NormalScores | None
    criterion_value_: Sometimes[float]  # this and what follows: not of a fit whose cluster was lost
    bandwidth_: Sometimes[float | None]
    n_iter_: Sometimes[int]
    path_: Sometimes[FloatArray]

    def __init__(
        self,
        criterion: Criterion | Phi | str = "auc",
        *,
        alpha: float = 0.0,
        solver: Solver | str = "auto",
        start: Any = "plug-in",
        shrinkage: float | str = "auto",
        scaling: str | None = "standardize",
        bandwidth: float | str = "rule",
        max_iter: int = 200,
        tol: float = 1e-5,
        class_weight: dict[Any, float] | str | None = None,
        pos_label: Any = None,
        calibrate: str | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.alpha = alpha
        self.solver = solver
        self.start = start
        self.shrinkage = shrinkage
        self.scaling = scaling
        self.bandwidth = bandwidth
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.calibrate = calibrate
        self.warm_start = warm_start
        self.random_state = random_state

    @classmethod
    def algorithm_1(
        cls,
        phi: Phi | str = "auc",
        *,
        kernel: Kernel | str = "gaussian",
        bandwidth: float | None = None,
        n_steps: int = 50,
        step_size: float | None = None,
        start: Any = "random",
        random_state: Any = None,
    ) -> Self:
        r"""Algorithm 1 of CLV21 as printed: a ranker that takes its steps in θ, on columns as they are.

        .. math:: \theta^{(t+1)} = \theta^{(t)} + \eta\,\nabla_\theta \widehat W_{\phi,h}(\theta^{(t)}),
           \qquad t = 0, \dots, T - 1,

        with the sum over the positives (4.10) and its gradient (5.1), (5.2): nothing is standardized, shrunk or
        normalized, and what is returned is the last iterate. For a φ as steep as ``"smooth-top:0.9"`` the steps are
        chaotic: two starts that differ by 1e-9 are far apart after fifty steps.

        Parameters
        ----------
        phi : Phi or str
            The score-generating function φ.
        kernel : Kernel or str
            The smoothing kernel K; Gaussian in the paper's experiments.
        bandwidth : float, optional
            The bandwidth h, on the scale of the scores; N^(−1/5) by default, as in the paper.
        n_steps : int
            The number of steps T.
        step_size : float, optional
            The factor η; 1/√T by default, as in the paper.
        start : "random" or array-like
            θ⁽⁰⁾, which the paper does not give; at random, its entries are standard normal.
        random_state : int, RandomState or None
            The seed of ``start="random"``.

        Returns
        -------
        ranker
            A ranker that is not fitted yet.
        """
        criterion = criteria.RankStatistic(phi, kernel, bandwidth, relative=False, tol=TOL_OF_FIXED_STEPS)
        solver = GradientAscent(n_steps, step_size)
        return cls(criterion, solver=solver, scaling=None, start=start, random_state=random_state)

    def _input_rules(self) -> dict[str, Any]:
        return super()._input_rules() | {"order": "C"}  # sums are taken in one order, whatever the layout of X

    def _fit(self, X: Any, is_positive: BoolArray, weight: FloatArray | None) -> None:
        self._fit_training_rows(Rows(X, is_positive, np.ones(len(is_positive)) if weight is None else weight))

    def _fit_training_rows(self, rows: RowSource) -> None:
        """Fit to rows, wherever they are."""
        # Without a seed, the subsample of many rows is the same in every fit.
        recipe, rng = self._recipe(rows), check_random_state(0 if self.random_state is None else self.random_state)
        prepared = prepare(rows, recipe.scaling, self._family(), self._trained_phi(), rng)
        self._quantiles = prepared.quantiles
        if recipe.criterion == LogLoss() or prepared.uses_no_column:
            climbed = at_plug_in(prepared, recipe)
        else:
            progress = Progress(type(self).__name__, self.max_iter, enabled=bool(self.verbose))
            stated = problem(
                prepared,
                recipe,
                lambda h: clone(self).set_params(
                    bandwidth=h, verbose=0, calibrate=None, class_weight=None, pos_label=None
                ),
            )
            try:
                climbed = climb(stated, prepared, recipe, rng, progress.update)
            except ClusterLostError as lost:
                self._keep_best(lost.theta, prepared)
                raise
            finally:
                progress.close()
        self.criterion_value_, self.bandwidth_ = climbed.criterion_value, climbed.bandwidth
        self.n_iter_, self.path_ = climbed.n_iter, climbed.path
        self._store(climbed.theta, prepared)

    def _keep_best(self, theta: FloatArray | None, prepared: PreparedRows) -> None:
        """What was reached before a cluster was lost, with a threshold from the subsample."""
        if theta is not None:
            self._store(theta, prepared)
            columns, sub = prepared.columns, prepared.standardized
            X = np.zeros((len(sub.weight), columns.n_input))
            X[:, columns.kept] = sub.X * columns.scale + columns.mean
            self.threshold_ = best_threshold(self._scores(X), sub.is_positive, sub.weight)

    def _recipe(self, rows: RowSource) -> Recipe:
        """The parameters, checked."""
        criterion, bandwidth, shrinkage, start = (
            criteria.resolve(self.criterion),
            self.bandwidth,
            self.shrinkage,
            self.start,
        )
        if isinstance(bandwidth, str):
            _input.check_choice("bandwidth", bandwidth, ("rule", "cv"))
        else:
            bandwidth = _input.check_number("bandwidth", bandwidth, 0, open_low=True)
        if self.warm_start and hasattr(self, "coef_"):
            start = self._reached()
        elif isinstance(start, str):
            _input.check_choice("start", start, ("plug-in", "random"))
        else:
            start = self._family().check_start(start, rows.shape[1])
        return Recipe(
            criterion=criterion,
            as_given=isinstance(self.criterion, Criterion),
            solver=self._solver(criterion, rows),
            alpha=_input.check_number("alpha", self.alpha, 0),
            shrinkage=None if shrinkage == "auto" else _input.check_number("shrinkage", shrinkage, 0),
            scaling=_input.check_choice("scaling", self.scaling, ("standardize", "quantile", None)),
            bandwidth=bandwidth,
            start=start,
        )

    def _solver(self, criterion: Criterion, rows: RowSource) -> Solver:
        if isinstance(self.solver, Solver):
            return self.solver
        _input.check_choice("solver", self.solver, ("auto", "lbfgs", "newton", "gradient-ascent"))
        if self.solver == "gradient-ascent":
            return GradientAscent()
        n_rows, _ = rows.shape
        wide = is_wide(self._family().model, rows)
        if self.solver == "newton" or (self.solver == "auto" and criterion.has_curvature and not wide):
            return Newton(self.max_iter, self.tol)
        # Of many rows, a tenth of the standard error of the gradient is near enough: the value lost is a hundredth of
        # what chance costs anyway. Few rows are cheap.
        return Lbfgs(self.max_iter, max(self.tol, 0.1 * n_rows**-0.5) if n_rows > FEW or wide else self.tol)

    def _family(self) -> Family:
        raise NotImplementedError

    def _store(self, theta: FloatArray, prepared: PreparedRows) -> None:
        """Store the scoring rule θ of the model."""
        raise NotImplementedError

    def _reached(self) -> FloatArray:
        """Where the last fit ended, as :meth:`Family.given_start` takes it."""
        raise NotImplementedError

    def _scaled(self, X: Any) -> Any:
        """Rows on the scale that the coefficients refer to."""
        return X if self._quantiles is None else self._quantiles.transform(X)
