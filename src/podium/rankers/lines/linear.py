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
from podium.rankers.lines.direction import DirectionRanker
from podium.rankers.lines.many_columns import l1_plug_in, squares_and_presence, typical_sizes, wide_logistic
from podium.rankers.lines.prepare import Family, PlugIn, PreparedRows, choose_plug_in, is_wide
from podium.rankers.lines.rows import Columns, Rows
from podium.solvers import Solver


class Lines(Family):
    """Linear scoring rules on unscaled rows: weights are scaled instead, and a shift moves all scores equally."""

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
        return columns.on_standardized(start)


class LinearRanker(DirectionRanker):
    r"""s(x) = ⟨w, x⟩ with w maximizing a ranking criterion.

    The default recipe: standardize the columns; compute a plug-in direction u₀ (ridge logistic regression with the
    penalty chosen by cross-validated log-loss, unless LDA or a robust LDA has a clearly better cross-validated ω_φ);
    then maximize

    .. math:: \tfrac1n \widehat W_{\phi,h}(u) + \lambda \langle u, u_0 \rangle, \qquad
       \lambda = \frac{3\, r_\phi\, d}{\min(n, m)}, \quad r_\phi = \Bigl(\int_0^1 \phi'(t)^2\,dt\Bigr)^{1/2},

    over the unit sphere of a robust metric, for columns of rank d, n positives and m negatives. The bandwidth h of the
    smoothed W_φ (see :class:`podium.criteria.RankStatistic`) is N^(−1/5)/r_φ times a robust spread of the plug-in
    scores, at most 1. Every part is a parameter. :meth:`algorithm_1` is Algorithm 1 of CLV21 as printed: free θ
    from a random start, the gradient of W_φ (a sum over the positives), h = N^(−1/5), no shrinkage.

    Parameters
    ----------
    criterion : Criterion, Phi or str, default "auc"
        The criterion to maximize: ``"auc"``, ``"power:3"``, ``"smooth-top:0.9"``, …; ``"logloss"`` stops at the
        plug-in direction. A criterion object is used unchanged, with its own bandwidth.
    alpha : float
        The ridge penalty, added to the metric in which directions are normalized. For criteria that depend on the scale
        of the scores, ½·alpha·‖w‖² is subtracted instead (w on whitened columns).
    l1 : float or "cv"
        The L1 penalty λ, for few relevant columns among many. The plug-in direction is then L1-penalized logistic
        regression (w on standardized columns, λ = 1/(C·N) of scikit-learn), and the criterion is maximized over the
        columns that it selects. ``"cv"`` chooses the λ with the best cross-validated ω_φ; 0 means no L1 penalty.
    solver : {"auto", "lbfgs", "newton", "gradient-ascent"} or Solver
        The optimizer. ``"auto"`` uses Newton's method for pushes with the exponential loss, which are concave and badly
        scaled, and L-BFGS otherwise.
    start : {"plug-in", "random"} or array-like of shape (n_features,)
        The starting point; an array is in units of the given features.
    shrinkage : "auto" or float
        How strongly to shrink w towards the plug-in direction: λ by the rule above, or a number; 0 for none.
    scaling : {"standardize", "quantile", None}
        How to transform the columns first: unit variance; normal scores by quantiles (robust to outliers; ``coef_``
        then refers to these scores); or not at all. Sparse columns are left unchanged or divided by the root mean
        square of their nonzero entries, whichever ranks better in cross-validation; the same holds for more than 300
        dense columns, after standardization.
    bandwidth : {"rule", "cv"} or float
        How much to smooth ranks: by the rule; by the best of five multiples of it in cross-validated ω_φ; or a number h
        on the scale of unit-variance scores.
    max_iter : int
        Maximum number of solver steps.
    tol : float
        The solver stops when no entry of the gradient is larger; above 10,000 rows at least 0.1/√N.
    class_weight : dict, "balanced" or None
        Class weights, as in scikit-learn. Criteria that compare ranks of pairs hardly change; ``predict`` and
        probabilities refer to the weighted classes.
    pos_label : object, optional
        The positive label; by default the last of the two in sorted order.
    calibrate : {"isotonic", "platt"}, optional
        How scores are mapped to probabilities for ``predict_proba``, in five-fold cross-validation; not by default.
    warm_start : bool
        Whether a second ``fit`` starts from the previous solution instead of ``start``; shrinkage is still towards the
        plug-in direction of the given rows.
    verbose : int
        1 shows a progress line with value and time.
    random_state : int, RandomState or None
        The seed of ``start="random"``, and of the subsample on which plug-in direction and metric are estimated above
        10,000 dense rows (or 200 per column, if more). With None a fixed seed is used, so repeated fits agree.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        w, in units of the given features.
    threshold_ : float
        ``predict`` returns the positive class for scores above it.
    calibration_ : object
        The map from scores to probabilities, with ``calibrate``.
    classes_ : ndarray
        The two labels; the second is positive.
    n_iter_ : int
        Number of solver steps.
    criterion_value_ : float
        The criterion on the training rows, without the shrinkage term.
    path_ : ndarray
        The objective (criterion and shrinkage term) at the start and after every step.
    bandwidth_ : float or None
        The bandwidth h in standard deviations of the training scores, if the criterion has one.
    plug_in_ : ndarray
        The plug-in direction, in units of the given features.

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

    plug_in_: FloatArray

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
