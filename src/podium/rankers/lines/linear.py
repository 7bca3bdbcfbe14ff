"""Linear scoring rules that maximize a ranking criterion."""

from __future__ import annotations

from typing import Any

import numpy as np

from podium import _input
from podium._types import FloatArray
from podium.criteria import Criterion
from podium.exceptions import InputError
from podium.models import LinearModel
from podium.phi import Phi
from podium.rankers.lines.columns import Columns
from podium.rankers.lines.direction import DirectionRanker
from podium.rankers.lines.lasso import l1_plug_in
from podium.rankers.lines.plug_in import PlugIn, choose_plug_in, is_wide
from podium.rankers.lines.prepare import Family, PreparedRows
from podium.rankers.lines.rows import Rows
from podium.rankers.lines.wide import squares_and_presence, typical_sizes, wide_logistic
from podium.solvers import Solver


class Lines(Family):
    """Linear scoring rules of the rows as given: weights are scaled instead of rows, and a shift moves all alike."""

    model = LinearModel()

    def __init__(self, l1: float | str = 0.0) -> None:
        self.l1, self.chooses_columns = l1, l1 != 0

    def plug_in(self, rows: Rows, columns: Columns, phi: Phi) -> PlugIn:
        if self.chooses_columns:
            return l1_plug_in(rows, None if isinstance(self.l1, str) else self.l1, phi)
        if not is_wide(self.model, rows):
            return choose_plug_in(rows, phi)
        squares, present = squares_and_presence(rows, columns)
        as_given, typical = np.ones(rows.X.shape[1]), 1 / typical_sizes(squares, present)
        other = columns.is_standardized and not np.allclose(typical, typical[0])
        units = [as_given, typical] if other else [as_given]
        return wide_logistic(self.model, rows, [(each, float(squares @ each**2) or 1.0) for each in units], phi)

    def model_rows(self, X: Any, columns: Columns) -> Any:
        return X

    def embedding(self, columns: Columns) -> Any:
        return columns.embedding

    def check_start(self, start: Any, n_columns: int) -> FloatArray:
        weights = _input.check_scores(start, "start").astype(np.float64)
        if len(weights) != n_columns or not weights.any():
            raise InputError(
                f"start must have one entry per feature, not all zero; got {len(weights)} for {n_columns}.",
                "pass 'plug-in', 'random' or an array.",
            )
        return weights

    def given_start(self, start: FloatArray, columns: Columns) -> FloatArray:
        return columns.on_standardised(start)


class LinearRanker(DirectionRanker):
    r"""s(x) = ⟨w, x⟩ with w chosen so that a ranking criterion is largest.

    The default recipe: standardize the columns; take a plug-in direction u₀ (ridge logistic regression, its penalty
    chosen by left-out log-loss, unless LDA or a robust LDA has a clearly better ω_φ on left-out rows); then maximize

    .. math:: \tfrac1n \widehat W_{\phi,h}(u) + \lambda \langle u, u_0 \rangle, \qquad
       \lambda = \frac{3\, r_\phi\, d}{\min(n, m)}, \quad r_\phi = \Bigl(\int_0^1 \phi'(t)^2\,dt\Bigr)^{1/2},

    over the unit sphere of a robust metric, for columns of rank d, n positives and m negatives. The bandwidth h of the
    smoothed W_φ (see :class:`podium.criteria.RankStatistic`) is N^(−1/5)/r_φ times a robust spread of the plug-in
    scores, at most 1. Every part is a parameter. ``solver="gradient-ascent"`` with ``scaling=None`` is Algorithm 1 of
    CLV21 as printed: free θ, the gradient of W_φ (a sum over the positives), h = N^(−1/5), no pull.

    Parameters
    ----------
    criterion : Criterion, Phi or str, default "auc"
        What to maximize: ``"auc"``, ``"power:3"``, ``"smooth-top:0.9"``, …; ``"logloss"`` stops at the plug-in
        direction. A criterion given as an object is used as it is, with its own bandwidth.
    alpha : float
        The ridge penalty. It is added to the metric in which directions are measured; of a criterion that depends on
        the scale of the scores, ½·alpha·‖w‖² is taken instead (w on whitened columns).
    l1 : float or "cv"
        The L1 penalty λ, for few columns that matter among many. With it, the plug-in direction is that of logistic
        regression less λ·‖w‖₁ (w on standardized columns, λ = 1/(C·N) of scikit-learn), and the criterion is climbed
        on the columns to which that gives weight; all others have none. ``"cv"`` takes the λ with the best ω_φ of
        left-out rows. 0 for no such penalty.
    solver : {"auto", "lbfgs", "newton", "gradient-ascent"} or Solver
        What climbs. ``"auto"`` is Newton's method for pushes with the exponential loss, which are concave and badly
        scaled, and L-BFGS for all else.
    start : {"plug-in", "random"} or array-like of shape (n_features,)
        Where to start; an array is in units of the features given.
    shrinkage : "auto" or float
        How strongly w is pulled towards the plug-in direction: λ by the rule above, or a number; 0 for no pull.
    scaling : {"standardize", "quantile", None}
        What is done to the columns before all else: unit variance; normal scores by quantiles (robust against outliers,
        then ``coef_`` refers to these scores); or nothing. Sparse columns stay as they are, or are divided by the
        typical size of their entries that are not zero, whichever ranks left-out rows better; so are more than 300
        dense ones after unit variance.
    bandwidth : {"rule", "cv"} or float
        How far ranks are smoothed: by the rule; by the best of five multiples of it in cross-validated ω_φ; or a number
        h on the scale of unit-variance scores.
    max_iter : int
        How many steps the solver takes at most.
    tol : float
        The largest entry of the gradient at which the solver stops; above 10,000 rows not less than 0.1/√N.
    class_weight : dict, "balanced" or None
        How much the rows of each class count, as in scikit-learn. Criteria that compare ranks of pairs hardly change;
        ``predict`` and probabilities are for classes so weighted.
    pos_label : object, optional
        Which of the two labels is the positive one; the last in sorted order by default.
    calibrate : {"isotonic", "platt"}, optional
        How scores become probabilities for ``predict_proba``, learned on rows left out in five folds; none by default.
    warm_start : bool
        Whether a second ``fit`` climbs from what the first one reached instead of ``start``; the pull is still towards
        the plug-in direction of the rows given.
    verbose : int
        Whether to show a progress line with the value and the time: 1 does.
    random_state : int, RandomState or None
        The seed of ``start="random"``, and of the subsample that plug-in and metric are taken from above 10,000 dense
        rows (or 200 per column, if that is more). None is the same in every fit.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        w, on the features given.
    threshold_ : float
        ``predict`` calls positive what scores above it.
    calibration_ : object
        The map from scores to probabilities, with ``calibrate``.
    classes_ : ndarray
        The two labels; the second is positive.
    n_iter_ : int
        How many steps the solver took.
    criterion_value_ : float
        The criterion on the training rows (without pull).
    path_ : ndarray
        What was climbed, criterion and pull, at the start and after every step.
    bandwidth_ : float or None
        The bandwidth h in units of the standard deviation of the training scores, where the criterion has one.
    plug_in_ : ndarray
        The plug-in direction, on the features given.

    Examples
    --------
    >>> from podium import LinearRanker, metrics
    >>> from podium.datasets import LocationModel
    >>> X, y = LocationModel(0.3).sample(500, 500, rng=0)
    >>> ranker = LinearRanker("power:3").fit(X, y)
    >>> X_new, y_new = LocationModel(0.3).sample(5000, 5000, rng=1)
    >>> round(metrics.auc(y_new, ranker.decision_function(X_new)), 2)
    0.8
    """

    def __init__(
        self,
        criterion: Criterion | Phi | str = "auc",
        *,
        alpha: float = 0.0,
        l1: float | str = 0.0,
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
        super().__init__(
            criterion,
            alpha=alpha,
            solver=solver,
            start=start,
            shrinkage=shrinkage,
            scaling=scaling,
            bandwidth=bandwidth,
            max_iter=max_iter,
            tol=tol,
            class_weight=class_weight,
            pos_label=pos_label,
            calibrate=calibrate,
            warm_start=warm_start,
            verbose=verbose,
            random_state=random_state,
        )
        self.l1 = l1

    def _accepts_sparse(self) -> bool:
        return self.scaling != "quantile"

    @property
    def class_dimension_(self) -> int | None:
        return None if self._quantiles else self.n_features_in_

    def _family(self) -> Family:
        if isinstance(self.l1, str):
            return Lines(_input.check_choice("l1", self.l1, ("cv",)))
        return Lines(_input.check_number("l1", self.l1, 0))

    def _store(self, theta: FloatArray, prepared: PreparedRows) -> None:
        self.coef_, self.plug_in_ = theta, prepared.plug_in_theta

    def _reached(self) -> FloatArray:
        return self.coef_

    def _scores(self, X: Any) -> FloatArray:
        return np.asarray(self._scaled(X) @ self.coef_)
