"""Quadratic scoring rules that maximize a ranking criterion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse

from podium import _memory
from podium._types import FloatArray
from podium.bounds import polynomial_dimension
from podium.criteria import Criterion
from podium.exceptions import InputError
from podium.models import DefiniteModel, Model, QuadraticModel
from podium.phi import Phi
from podium.rankers.lines.direction import DirectionRanker
from podium.rankers.lines.many_columns import wide_logistic
from podium.rankers.lines.prepare import Family, PlugIn, PreparedRows, is_wide, ridge_logistic, subsample_size
from podium.rankers.lines.problem import Recipe
from podium.rankers.lines.rows import Columns, Rows, RowSource
from podium.rankers.lines.scatter import Whitening, weighted_covariance, within_classes
from podium.solvers import Solver

_TO_POOLED = 0.2  # how far the covariance of each class is pulled to the pooled one
_VECTORS = 40  # of the length of the weights that L-BFGS and its line search hold at most
_COPIES = 4  # of the features of rows that plug-in and metric hold at most
_ROWS_PER_COLUMN = 5  # of the smaller class, for the covariances to be worth inverting


@dataclass(frozen=True)
class Quadrics(Family):
    """Quadratic scoring rules of standardized rows."""

    model: QuadraticModel
    definite: bool = False

    @property
    def stepped(self) -> Model:
        return DefiniteModel() if self.definite else self.model

    def plug_in(self, rows: Rows, columns: Columns, phi: Phi) -> PlugIn:
        rank = Whitening.of(weighted_covariance(rows.X, rows.weight)).rank
        if rows.smaller_class >= _ROWS_PER_COLUMN * rank:
            return qda(rows, self.model)
        if is_wide(self.model, rows):
            as_given = np.ones(self.model.n_features(rows.X.shape[1]))
            return wide_logistic(self.model, rows, [(as_given, self._mean_squared_norm(rows))], phi)
        return ridge_logistic(self.model.features(rows.X), rows.is_positive, rows.weight)

    def _mean_squared_norm(self, rows: Rows) -> float:
        """Of the features of a row: θ has the norm of Θ and b."""
        squares = (rows.X**2).sum(axis=1)
        norms = squares**2 + (squares if self.model.linear_term else 0)
        return float(rows.weight @ norms / rows.weight.sum()) or 1.0

    def model_rows(self, X: Any, columns: Columns) -> Any:
        return columns.standardize(X)

    def embedding(self, columns: Columns) -> Any:
        return sparse.eye_array(self.model.n_features(len(columns.kept)), format="csr")

    def check_start(self, start: Any, n_columns: int) -> FloatArray:
        matrix, wanted = np.asarray(start), (n_columns, n_columns)
        numbers = matrix.dtype.kind in "iuf" and matrix.shape == wanted and np.isfinite(matrix).all()
        if not (numbers and matrix.any() and np.allclose(matrix, matrix.T, rtol=1e-9, atol=0)):
            raise InputError(
                f"start must be a symmetric matrix of finite numbers, not all zero, of shape {wanted}; "
                f"got something of shape {matrix.shape}{'' if matrix.shape != wanted else ' that is not'}.",
                "pass 'plug-in', 'random' or such a matrix; (A + A.T)/2 is symmetric.",
            )
        return matrix.astype(np.float64)

    def given_start(self, start: FloatArray, columns: Columns) -> FloatArray:
        # ⟨x, Ax⟩ with x = mean + scale·z is ⟨z, Θz⟩ + ⟨b, z⟩ and a constant; columns that do not vary add nothing.
        matrix, linear = start[: columns.n_input], start[columns.n_input :].sum(axis=0)  # b is a row of its own, or 0
        kept = matrix[np.ix_(columns.kept, columns.kept)] * columns.scale[:, None]
        return self.model.pack(kept * columns.scale, 2 * kept @ columns.mean + linear[columns.kept] * columns.scale)


class QuadraticRanker(DirectionRanker):
    r"""s(x) = ⟨x, Ax⟩ + ⟨b, x⟩ with A symmetric, maximizing a ranking criterion (CLV21, §5.2).

    The recipe of :class:`LinearRanker` on the features z_i², √2·z_i z_j and z_i of standardized columns. The plug-in
    rule is quadratic discriminant analysis with covariances shrunk by 20 % towards the pooled one if the smaller class
    has at least five rows per column, otherwise ridge logistic regression on those features.

    Parameters
    ----------
    criterion : Criterion, Phi or str, default "auc"
        The criterion to maximize, as in :class:`LinearRanker`; ``"logloss"`` stops at the plug-in rule.
    alpha : float
        The ridge penalty on the weights of the features, as in :class:`LinearRanker`.
    solver : {"auto", "lbfgs", "newton", "gradient-ascent"} or Solver
        The optimizer, as in :class:`LinearRanker`.
    start : {"plug-in", "random"} or array-like of shape (n_features, n_features)
        The starting point; an array is the symmetric matrix A of ⟨x, Ax⟩, in units of the given features.
    linear_term : bool
        Whether b is free; without it and with ``scaling=None`` the class is {⟨z, θz⟩}, θ symmetric, which holds the
        optimal scores of the paper's scale models.
    definite : bool
        Whether the class is {⟨z, θ⁻¹z⟩}, θ positive definite, as the paper prints it. Steps are taken in θ, so that it
        needs a solver with fixed steps, no linear term, no scaling, and a θ⁽⁰⁾ as ``start``; see :meth:`algorithm_1`.
    shrinkage : "auto" or float
        How strongly to shrink the weights towards the plug-in rule; 0 for none.
    scaling : {"standardize", "quantile", None}
        How to transform the columns first: unit variance, normal scores by quantiles, or not at all.
    bandwidth : {"rule", "cv"} or float
        How much to smooth ranks, as in :class:`LinearRanker`.
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
        plug-in rule of the given rows.
    verbose : int
        1 shows a progress line with value and time.
    random_state : int, RandomState or None
        The seed of ``start="random"`` and of the subsample on which plug-in rule and metric are estimated. With None a
        fixed seed is used, so repeated fits agree.

    Attributes
    ----------
    matrix_ : ndarray of shape (n_features, n_features)
        A, in units of the given features.
    coef_ : ndarray of shape (n_features,)
        b, in units of the given features (including the effect of centering the columns).
    n_iter_ : int
        Number of solver steps.
    criterion_value_ : float
        The criterion on the training rows, without the shrinkage term.
    path_ : ndarray
        The objective (criterion and shrinkage term) at the start and after every step.
    bandwidth_ : float or None
        The bandwidth h in standard deviations of the training scores, if the criterion has one.
    threshold_ : float
        ``predict`` returns the positive class for scores above it.
    calibration_ : object
        The map from scores to probabilities, with ``calibrate``.
    classes_ : ndarray
        The two labels; the second is positive.

    Examples
    --------
    >>> from podium import QuadraticRanker, metrics
    >>> from podium.datasets import ScaleModel
    >>> X, y = ScaleModel(0.9).sample(1000, 1000, rng=0)
    >>> ranker = QuadraticRanker("auc").fit(X, y)
    >>> X_new, y_new = ScaleModel(0.9).sample(5000, 5000, rng=1)
    >>> round(metrics.auc(y_new, ranker.decision_function(X_new)), 2)
    0.73
    """

    matrix_: FloatArray

    def __init__(
        self,
        criterion: Criterion | Phi | str = "auc",
        *,
        alpha: float = 0.0,
        solver: Solver | str = "lbfgs",
        start: Any = "plug-in",
        linear_term: bool = True,
        definite: bool = False,
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
        self.linear_term = linear_term
        self.definite = definite

    @classmethod
    def algorithm_1(cls, phi: Phi | str = "auc", *, definite: bool = False, **settings: Any) -> Self:
        """Algorithm 1 of CLV21 as printed, as :meth:`LinearRanker.algorithm_1`, for the scale models.

        Parameters
        ----------
        phi : Phi or str
            The score-generating function φ.
        definite : bool
            Whether the class is {⟨z, θ⁻¹z⟩}, θ positive definite, as printed, or {⟨z, θz⟩}, θ symmetric, which holds
            the optimal scores. In the printed class a step may leave the definite matrices, with the printed step size
            within the first few; that is an error then, for the paper says nothing of a way back.
        **settings
            ``kernel``, ``bandwidth``, ``n_steps``, ``step_size``, ``start`` and ``random_state``, as there; ``start``
            is the matrix θ⁽⁰⁾, which the definite class needs.

        Returns
        -------
        QuadraticRanker
            A ranker that is not fitted yet.
        """
        return super().algorithm_1(phi, **settings).set_params(linear_term=False, definite=definite)

    def _recipe(self, rows: RowSource) -> Recipe:
        recipe = super()._recipe(rows)
        plain = recipe.solver.has_fixed_steps and recipe.scaling is None and not self.linear_term
        if self.definite and not (plain and recipe.criterion.phi is not None and not isinstance(recipe.start, str)):
            raise InputError(
                "definite=True needs fixed steps, linear_term=False, scaling=None, a criterion with φ and a matrix as "
                f"start; got solver={self.solver!r}, linear_term={self.linear_term}, scaling={self.scaling!r}, "
                f"criterion={self.criterion!r}.",
                "QuadraticRanker.algorithm_1(definite=True, start=5 * np.eye(n_features), step_size=0.01).",
            )
        return recipe

    _center: FloatArray | None = None  # models of earlier files have none: ⟨x, Ax⟩ + ⟨b, x⟩ as it stands

    @property
    def class_dimension_(self) -> int | None:
        # With the linear terms in any case: centring the columns adds some.
        return None if self._quantiles else polynomial_dimension(self.n_features_in_, 2)

    def _fit_training_rows(self, rows: RowSource) -> None:
        n_rows, n_columns = rows.shape
        family, n_weights = self._family(), QuadraticModel(self.linear_term).n_features(n_columns)
        numbers = _VECTORS * n_weights + (2 * rows.X.size if isinstance(rows, Rows) else 0)
        if not is_wide(family.model, rows):
            numbers += _COPIES * min(n_rows, subsample_size(n_columns)) * n_weights
        _memory.require(
            8 * numbers,
            f"A quadratic of {n_columns:,} columns has {n_weights:,} weights; to fit it",
            "choose columns first, or take a LinearRanker or trees.",
        )
        super()._fit_training_rows(rows)

    def _family(self) -> Family:
        return Quadrics(QuadraticModel(self.linear_term), self.definite)

    def _store(self, theta: FloatArray, prepared: PreparedRows) -> None:
        columns = prepared.columns
        on_kept, linear = QuadraticModel(self.linear_term).unpack(theta, len(columns.kept))
        if self.definite:
            on_kept = DefiniteModel().inverse(theta, len(columns.kept))
        self.matrix_ = columns.embedding @ on_kept @ columns.embedding.T
        # ⟨z, Θz⟩ + ⟨b, z⟩ with z = (x − mean)/scale: centring adds −2A·mean to b, and a constant.
        center = np.zeros(columns.n_input)
        center[columns.kept] = columns.mean
        self.coef_ = columns.embedding @ linear - 2 * self.matrix_ @ center
        self._center = center

    def _reached(self) -> FloatArray:
        return np.vstack([np.linalg.inv(self.matrix_) if self.definite else self.matrix_, self.coef_])

    def _scores(self, X: Any) -> FloatArray:
        model, rows, linear = QuadraticModel(), self._scaled(X), self.coef_
        if self._center is not None:  # far from the center, squares leave nothing of what tells rows apart
            rows, linear = rows - self._center, linear + 2 * self.matrix_ @ self._center
        return model.scores(rows, model.pack(self.matrix_, linear))  # in blocks of rows


def qda(rows: Rows, model: QuadraticModel) -> PlugIn:
    r"""Log-likelihood ratio of two Gaussians: Θ = ½(Σ₋⁻¹ − Σ₊⁻¹), b = Σ₊⁻¹μ₊ − Σ₋⁻¹μ₋.

    The difference of the means is shrunk by the positive-part James–Stein factor 1 − (d − 2)/T², T² Hotelling's
    statistic: where the classes differ in scale alone, its noise would cost more than it brings. Without a linear term
    both means are taken as the common one that the columns are centered at.
    """
    classes = (rows.is_positive, ~rows.is_positive)
    weights = [rows.weight[c] / rows.weight[c].sum() for c in classes]
    means = [w @ rows.X[c] for w, c in zip(weights, classes, strict=True)]
    scatters = [(rows.X[c] - mean) for c, mean in zip(classes, means, strict=True)]
    covariances = [(z * w[:, None]).T @ z for z, w in zip(scatters, weights, strict=True)]
    sizes = [rows.n_pos, rows.n_neg]
    pooled = (sizes[0] * covariances[0] + sizes[1] * covariances[1]) / rows.n_total
    gap = means[0] - means[1]
    root = within_classes(pooled, weighted_covariance(rows.X, rows.weight)).root
    hotelling = sizes[0] * sizes[1] / rows.n_total * float(((gap @ root) ** 2).sum())
    kept = max(0.0, 1 - max(root.shape[1] - 2, 0) / hotelling) if hotelling > 0 else 0.0
    common = (sizes[0] * means[0] + sizes[1] * means[1]) / rows.n_total
    positive, negative = (common + kept * (mean - common) for mean in means) if model.linear_term else (common, common)
    # In coordinates where the pooled covariance is the identity nothing small is inverted.
    to_pooled = _TO_POOLED * np.eye(root.shape[1])
    a, b = (root @ np.linalg.inv((1 - _TO_POOLED) * root.T @ each @ root + to_pooled) @ root.T for each in covariances)
    return PlugIn(model.pack((b - a) / 2, a @ positive - b @ negative), 0.0, 0.0)
