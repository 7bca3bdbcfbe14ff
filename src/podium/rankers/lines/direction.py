"""What the linear and the quadratic ranker share: parameters, and the recipe run from rows to a direction."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from podium import _input, criteria
from podium._progress import Progress
from podium._types import BoolArray, FloatArray, Sample
from podium.criteria import Criterion, LogLoss, RankStatistic
from podium.exceptions import InputError
from podium.metrics.linear import statistic
from podium.models import LinearModel, QuadraticModel
from podium.phi import Mww, Phi
from podium.rankers.base import Ranker
from podium.rankers.lines.columns import Columns, NormalScores
from podium.rankers.lines.plug_in import MAX_NEWTON_COLUMNS, PlugIn
from podium.rankers.lines.recipe import Ascent, PhiScale, Rows, bandwidth_rule, choose_plug_in, folds, whitening
from podium.solvers import GradientAscent, Lbfgs, Newton, Solver
from podium.solvers.base import warn_unbounded

# Rows that plug-in and metric need: they are a start, a yardstick and an anchor whose pull vanishes with more rows.
_FEW = 10_000
_PER_COLUMN = 200
_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the bandwidth rule, for cross-validation


class ParameterOnly:
    """A parameter that is no attribute: scikit-learn takes whatever has one named ``transform`` for a transformer."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self.name] = value

    def __get__(self, instance: Any, owner: type) -> Any:
        raise AttributeError(f"{self.name} is a parameter: see get_params()")


class DirectionRanker(Ranker):
    """Base of the rankers that climb a criterion from a plug-in direction."""

    def __init__(
        self,
        criterion: Criterion | Phi | str = "auc",
        *,
        alpha: float = 0.0,
        solver: Solver | str = "auto",
        start: Any = "plug-in",
        shrinkage: float | str = "auto",
        transform: str | None = "standardize",
        bandwidth: float | str = "rule",
        max_iter: int = 200,
        tol: float = 1e-5,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.alpha = alpha
        self.solver = solver
        self.start = start
        self.shrinkage = shrinkage
        self.transform = transform
        self.bandwidth = bandwidth
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    transform = ParameterOnly()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; none of them is an estimator, so ``deep`` changes nothing."""
        return {name: vars(self)[name] for name in signature(type(self)).parameters}

    def _trained_phi(self) -> Phi:
        criterion = criteria.resolve(self.criterion)
        return criterion.phi if isinstance(criterion, RankStatistic) else Mww()  # type: ignore[return-value]  # resolved

    def _model(self) -> LinearModel | QuadraticModel:
        raise NotImplementedError

    def _plug_in(self, sub: Rows, features: Any, phi: Phi) -> PlugIn:
        return choose_plug_in(features, sub, phi)

    def _model_rows(self, X: Any) -> tuple[Any, FloatArray]:
        """Rows as the model scores them, and the map from weights on standardised features to its θ."""
        raise NotImplementedError

    def _store(self, theta: FloatArray, plug_in: FloatArray) -> None:
        """Store the scoring rule θ and the plug-in rule."""
        raise NotImplementedError

    def _fit(self, X: Any, is_positive: BoolArray, weight: FloatArray | None) -> None:
        criterion, rng = criteria.resolve(self.criterion), check_random_state(self.random_state)
        solver = self._solver(criterion, X)
        rows = Rows(X, is_positive, np.ones(len(is_positive)) if weight is None else weight)
        self._quantiles = NormalScores.fit(X, rows.weight) if self._given_transform() == "quantile" else None
        rows = replace(rows, X=self._transformed(X))
        sub = rows.subsample(max(_FEW, _PER_COLUMN * X.shape[1]), rng)
        self._columns = Columns.fit(sub.X, sub.weight, rows.X, standardize=self._given_transform() is not None)
        model = self._model()
        standardised = replace(sub, X=self._columns.standardize(sub.X))
        features = model.features(standardised.X)
        plug_in = self._plug_in(standardised, features, self._trained_phi())
        x_scored, embedding = self._model_rows(rows.X)
        rows = replace(rows, X=x_scored)
        self.bandwidth_ = None
        if isinstance(criterion, LogLoss):
            scores = features @ plug_in.direction + plug_in.intercept
            value, _ = criterion.evaluate(Sample(scores, sub.is_positive, sub.weight))
            self.n_iter_, self.criterion_value_, self.path_ = 1, value, np.array([value])
            self._store(embedding @ plug_in.direction, embedding @ plug_in.direction)
            return
        ascent, inverse = self._ascent(criterion, solver, model, rows, standardised, features, plug_in, embedding)
        start = self._start(ascent.anchor, inverse, rng)
        if start is ascent.anchor and not (ascent.sphere or isinstance(solver, GradientAscent)):
            start = ascent.better_start(rows, start)
        progress = Progress(type(self).__name__, self.max_iter, enabled=bool(self.verbose))
        if len(sub.weight) < len(rows.weight) and ascent.sphere:
            # Most of the way on a subsample, at a small part of the cost.
            start = ascent.climb(replace(sub, X=self._model_rows(sub.X)[0]), solver, start).theta
        solution = ascent.climb(rows, solver, start, progress.update)
        progress.close()
        theta = ascent.root @ solution.theta
        may_rise = solution.converged and ascent.is_free and criterion.rises_with_scale
        if may_rise and Sample(model.scores(rows.X, theta), is_positive, weight).is_separated:
            warn_unbounded(type(solver).__name__, solution.n_iter)
        self.criterion_value_ = ascent.without_penalties(solution)
        if isinstance(ascent.criterion, RankStatistic):
            scores = model.scores(self._model_rows(sub.X)[0], theta)
            self.bandwidth_ = _relative_bandwidth(ascent.criterion, scores, sub.weight)
        self.n_iter_, self.path_ = max(solution.n_iter, 1), solution.path
        self._store(theta, embedding @ plug_in.direction)

    def _ascent(
        self,
        criterion: Criterion,
        solver: Solver,
        model: LinearModel | QuadraticModel,
        rows: Rows,
        sub: Rows,
        features: Any,
        plug_in: PlugIn,
        embedding: FloatArray,
    ) -> tuple[Ascent, FloatArray]:
        """The problem to solve, and the map from weights on standardised features to its coordinates."""
        alpha = _input.check_number("alpha", self.alpha, 0)
        as_given = isinstance(self.criterion, Criterion)
        n_features = len(plug_in.direction)
        if isinstance(solver, GradientAscent):  # Algorithm 1 climbs the sum over the positives, not the mean
            if isinstance(criterion, RankStatistic) and not as_given:
                criterion = replace(criterion, relative=False, bandwidth=self._given_bandwidth())
            ascent = Ascent(model, embedding, plug_in.direction, criterion, False, ridge=alpha, unit=1 / rows.n_pos)
            return ascent, np.eye(n_features)
        sphere = isinstance(criterion, RankStatistic)
        if isinstance(solver, Newton) and self._shrinkage(np.inf) == 0:  # it needs no metric, and one may be a bad one
            ascent = Ascent(model, embedding, plug_in.direction, criterion, False, ridge=alpha)
            return ascent, np.eye(n_features)
        whitened = whitening(features, plug_in, sub.weight, alpha if sphere else 0.0)
        root, anchor = embedding @ whitened.root, whitened.inverse @ plug_in.direction
        if not isinstance(criterion, RankStatistic):
            pull = self._shrinkage(3 * n_features / rows.smaller_class)
            return Ascent(model, root, anchor, criterion, False, pull, alpha), whitened.inverse
        length = float(np.linalg.norm(anchor))
        anchor = anchor / length if length > 0 else np.full(n_features, n_features**-0.5)
        scale = PhiScale.of(criterion.phi, rows.n_total)  # type: ignore[arg-type]  # resolved on construction
        if not as_given:
            h = self._given_bandwidth()
            if h is None:
                h = bandwidth_rule(features @ (whitened.root @ anchor), sub.weight, scale.roughness)
                h *= (rows.n_total / sub.n_total) ** -0.2
                if self.bandwidth == "cv":
                    h *= self._best_factor(h, sub, features @ plug_in.direction, criterion.phi)  # type: ignore[arg-type]
            few = len(rows.weight) <= _FEW
            criterion = replace(criterion, bandwidth=h, relative=False, tol=1e-10 if few else 1e-6)
        pull = self._shrinkage(3 * scale.roughness * n_features / rows.smaller_class)
        return Ascent(model, root, anchor, criterion, True, pull, unit=scale.standard_deviation), whitened.inverse

    def _best_factor(self, h: float, sub: Rows, scores: FloatArray, phi: Phi) -> float:
        """The multiple of the rule whose fits have the best mean ω_φ on left-out rows."""
        fold = folds(scores, sub.is_positive)
        X = self._columns.standardize(sub.X)
        values = np.zeros(len(_FACTORS))
        for i, factor in enumerate(_FACTORS):
            for k in np.unique(fold):
                train, test = fold != k, fold == k
                ranker = clone(self).set_params(bandwidth=factor * h, verbose=0)
                ranker.fit(X[train], sub.is_positive[train], sub.weight[train])
                held_out = Sample(ranker.decision_function(X[test]), sub.is_positive[test], sub.weight[test])
                values[i] += statistic(held_out, phi)
        return _FACTORS[int(np.argmax(values))]

    def _solver(self, criterion: Criterion, X: Any) -> Solver:
        if isinstance(self.solver, Solver):
            return self.solver
        _input.check_choice("solver", self.solver, ("auto", "lbfgs", "newton", "gradient-ascent"))
        if self.solver == "gradient-ascent":
            return GradientAscent()
        n_rows, n_columns = X.shape
        affordable = isinstance(X, np.ndarray) and self._model().n_features(n_columns) <= MAX_NEWTON_COLUMNS
        if self.solver == "newton" or (self.solver == "auto" and criterion.has_curvature and affordable):
            return Newton(self.max_iter, self.tol)
        # Of many rows, a tenth of the standard error of the gradient is near enough: the value lost is a hundredth of
        # what chance costs anyway. Few rows are cheap.
        return Lbfgs(self.max_iter, max(self.tol, 0.1 * n_rows**-0.5) if n_rows > _FEW else self.tol)

    def _shrinkage(self, automatic: float) -> float:
        return automatic if self.shrinkage == "auto" else _input.check_number("shrinkage", self.shrinkage, 0)

    def _given_bandwidth(self) -> float | None:
        if isinstance(self.bandwidth, str):
            _input.check_choice("bandwidth", self.bandwidth, ("rule", "cv"))
            return None
        return _input.check_number("bandwidth", self.bandwidth, 0, open_low=True)

    def _start(self, anchor: FloatArray, inverse: FloatArray, rng: np.random.RandomState) -> FloatArray:
        """The starting point in the coordinates of the problem."""
        if isinstance(self.start, str):
            _input.check_choice("start", self.start, ("plug-in", "random"))
            return anchor if self.start == "plug-in" else rng.standard_normal(len(anchor))
        given = _input.check_scores(self.start, "start").astype(np.float64)
        if len(given) != self._columns.n_input or not given.any():
            raise InputError(
                f"start must have one entry per feature, not all zero; got {len(given)} for {self._columns.n_input}.",
                "pass 'plug-in', 'random' or an array.",
            )
        return inverse @ self._columns.on_standardised(given)

    def _given_transform(self) -> str | None:
        transform: str | None = vars(self)["transform"]
        _input.check_choice("transform", transform, ("standardize", "quantile", None))
        return transform

    def _transformed(self, X: Any) -> Any:
        return X if self._quantiles is None else self._quantiles.transform(X)


def _relative_bandwidth(criterion: RankStatistic, scores: FloatArray, weight: FloatArray) -> float:
    """H in units of the standard deviation of the scores."""
    h = criterion.bandwidth if criterion.bandwidth is not None else float(weight.sum()) ** -0.2
    if criterion.relative:
        return h
    deviation = float(np.sqrt(np.average((scores - np.average(scores, weights=weight)) ** 2, weights=weight)))
    return h / deviation if deviation > 0 else np.inf
