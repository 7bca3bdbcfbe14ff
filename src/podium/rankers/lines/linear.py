"""Linear scoring rules that maximize a ranking criterion."""

from __future__ import annotations

from typing import Any

import numpy as np

from podium._types import FloatArray
from podium.models import LinearModel
from podium.rankers.lines.direction import DirectionRanker


class LinearRanker(DirectionRanker):
    r"""s(x) = ⟨w, x⟩ with w chosen so that a ranking criterion is largest.

    The default recipe: standardize; take a plug-in direction (ridge logistic regression, its penalty chosen by
    left-out log-loss, unless LDA or a robust LDA is clearly better at ω_φ of left-out rows); climb the smoothed W_φ on
    the unit sphere of a robust metric, pulled towards the plug-in direction by λ = 3·r_φ·d/min(n, m). Every part is a
    parameter. ``solver="gradient-ascent"`` with ``transform=None`` is Algorithm 1 of CLV21 as printed: free θ, the
    gradient of W_φ (a sum over the positives), h = N^(−1/5), no pull.

    Parameters
    ----------
    criterion : Criterion, Phi or str, default "auc"
        What to maximize: ``"auc"``, ``"power:3"``, ``"smooth-top:0.9"``, …; ``"logloss"`` stops at the plug-in
        direction. A criterion given as an object is used as it is, with its own bandwidth.
    alpha : float
        Ridge: added to the metric in which directions are measured, or −½·alpha·‖w‖² (standardised columns) for a
        criterion that depends on the scale of the scores.
    solver : {"auto", "lbfgs", "newton", "gradient-ascent"} or Solver
        ``"auto"`` is Newton's method for pushes with the exponential loss, which are concave and badly scaled, and
        L-BFGS for all else.
    start : {"plug-in", "random"} or array-like of shape (n_features,)
        Where to start; an array is in units of the features given.
    shrinkage : "auto" or float
        The pull λ towards the plug-in direction; 0 for none.
    transform : {"standardize", "quantile", None}
        Of the columns before all else: unit variance; normal scores by quantiles (robust against outliers, then
        ``coef_`` refers to the transformed columns); or nothing.
    bandwidth : {"rule", "cv"} or float
        The rule; the best of five multiples of it by cross-validated ω_φ; or h on the scale of unit-variance scores.
    max_iter, tol : int, float
        Of L-BFGS: the largest entry of the gradient left, above 10,000 rows not less than 0.1/√N.
    verbose : int
        1 shows a progress line with the value and the time.
    random_state : int, RandomState or None
        For ``start="random"``, and for the subsample that plug-in and metric are taken from above 10,000 rows
        (or 200 per column, if that is more).

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        w, on the features given.
    threshold_ : float
        ``predict`` calls positive what scores above it.
    classes_ : ndarray
        The two labels; the second is positive.
    n_iter_ : int
    criterion_value_ : float
        The criterion on the training rows (without pull).
    path_ : ndarray
        The objective after every step.
    bandwidth_ : float or None
        h in units of the standard deviation of the training scores, where the criterion has one.
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

    def _accepts_sparse(self) -> bool:
        return vars(self)["transform"] != "quantile"

    @property
    def class_dimension_(self) -> int | None:
        return None if self._quantiles else self.n_features_in_

    def _model(self) -> LinearModel:
        return LinearModel()

    def _model_rows(self, X: Any) -> tuple[Any, FloatArray]:
        # As given, without a standardised copy: the weights are scaled instead, and a shift moves all scores alike.
        return X, self._columns.embedding

    def _store(self, theta: FloatArray, plug_in: FloatArray) -> None:
        self.coef_, self.plug_in_ = theta, plug_in

    def _scores(self, X: Any) -> FloatArray:
        return np.asarray(self._transformed(X) @ self.coef_)
