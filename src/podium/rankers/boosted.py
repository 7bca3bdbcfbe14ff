"""Boosting of weak rankers: the P-Norm Push algorithm and RankBoost."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input, criteria
from podium._progress import Progress
from podium._types import Array, BoolArray, FloatArray, Sample, Sometimes
from podium.criteria import Criterion
from podium.exceptions import InputError
from podium.phi import Phi
from podium.rankers import folds
from podium.rankers.base import Ranker
from podium.rankers.folds import Groups
from podium.rankers.stumps import stump_scores
from podium.rankers.weak import BinnedColumns, FeatureRankers, Stumps
from podium.solvers import CoordinateAscent
from podium.solvers.base import warn_unbounded

ROUND = np.dtype([("feature", np.intp), ("threshold", np.float64), ("alpha", np.float64)])


class BoostedRanker(Ranker):
    r"""f(x) = Σ_j λ_j h_j(x) of weak rankers h_j, by coordinate ascent (R09, §5, Figure 2).

    Every round selects the weak ranker with the steepest increase of the criterion, and maximizes along it. With an
    exponential push a round costs O(rows · columns) instead of O(positives · negatives · columns), and the step of a
    threshold has a closed form. ``BoostedRanker("push:1", weak="stumps")`` is RankBoost.

    Parameters
    ----------
    criterion : Criterion, Phi or str
        The criterion to maximize: a push, a sum of them, or ``"logloss"``. Criteria with a bandwidth relative to the
        spread of the scores are refused, since they are flat when all scores are equal.
    weak : {"features", "stumps"}
        The weak rankers: columns scaled to [0, 1], as in the experiments of R09; or 1{x > threshold}.
    n_rounds : int
        Maximum number of rounds.
    learning_rate : float
        The factor applied to each step, in (0, 1].
    max_thresholds : int
        Maximum number of thresholds of a column; if it has more values, they are binned with about equal weight.
    early_stopping : str or Phi, optional
        A metric of :func:`podium.metrics.metric`, such as ``"auc"`` or ``"power:3"``, computed on left-out rows:
        training stops after ``n_iter_no_change`` rounds without improvement and keeps the rounds up to the best value.
    validation_fraction : float
        The share of rows left out for ``early_stopping``.
    n_iter_no_change : int
        Number of rounds without improvement after which to stop.
    class_weight : dict, "balanced" or None
        Class weights, as in scikit-learn. Criteria that compare ranks of pairs hardly change; ``predict`` and
        probabilities refer to the weighted classes.
    pos_label : object, optional
        The positive label; by default the last of the two in sorted order.
    calibrate : {"isotonic", "platt"}, optional
        How scores are mapped to probabilities for ``predict_proba``, in five-fold cross-validation; not by default.
    warm_start : bool
        Whether a second ``fit``, with a larger ``n_rounds``, keeps the rounds and adds only the additional ones. On the
        same rows they equal those of a single fit, up to rounding.
    verbose : int
        1 shows a progress line with value and time.
    random_state : int, RandomState or None
        The seed for the left-out rows.

    Attributes
    ----------
    rounds_ : structured array with fields feature, threshold, alpha
        The selected weak rankers, in order; no threshold (NaN) for features.
    coef_ : ndarray of shape (n_features,)
        The weights in units of the given features, for ``weak="features"``.
    path_ : ndarray
        The criterion at the start and after every kept round.
    validation_path_ : ndarray
        The metric of the left-out rows, likewise, with ``early_stopping``.
    n_iter_ : int
        Number of rounds kept.
    threshold_ : float
        ``predict`` returns the positive class for scores above it.
    calibration_ : object
        The map from scores to probabilities, with ``calibrate``.
    classes_ : ndarray
        The two labels; the second is positive.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from podium import BoostedRanker
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> rankboost = BoostedRanker("push:1", weak="stumps", n_rounds=3).fit(X, y)
    >>> rankboost.rounds_["feature"]
    array([22, 27,  1])
    """

    rounds_: Array
    path_: FloatArray
    n_iter_: int
    validation_path_: Sometimes[FloatArray]
    coef_: Sometimes[FloatArray]

    def __init__(
        self,
        criterion: Criterion | Phi | str = "push:4",
        *,
        weak: str = "features",
        n_rounds: int = 100,
        learning_rate: float = 1.0,
        max_thresholds: int = 255,
        early_stopping: Phi | str | None = None,
        validation_fraction: float = 0.2,
        n_iter_no_change: int = 10,
        class_weight: dict[Any, float] | str | None = None,
        pos_label: Any = None,
        calibrate: str | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.weak = weak
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.max_thresholds = max_thresholds
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.verbose = verbose
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.calibrate = calibrate
        self.warm_start = warm_start
        self.random_state = random_state

    def _by_row(self, X: Any, y: Any, groups: Groups | None) -> dict[str, Any]:
        return {} if groups is None or self.early_stopping is None else {"groups": groups}

    def _fit(
        self, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None, groups: Groups | None = None
    ) -> None:
        criterion = criteria.resolve(self.criterion)
        _input.check_choice("weak", self.weak, ("features", "stumps"))
        _input.check_integer("max_thresholds", self.max_thresholds, 1)
        before = self._rounds_before()
        n_more = self._left_to_add("n_rounds", len(before))
        if n_more == 0:
            return
        solver = CoordinateAscent(n_more, self.learning_rate)
        kept = held_out = np.arange(len(is_positive))
        if self.early_stopping is not None:
            kept, held_out = folds.split(is_positive, self.validation_fraction, self.random_state, groups)
        learned = X[kept]
        from_zero = self.weak == "features" and len(before) > 0  # else scores so far are zero, whatever the columns
        start = self._added_so_far(learned - learned.min(axis=0) if from_zero else learned, before)
        rows = Sample(start, is_positive[kept], None if weight is None else weight[kept])
        coordinates: Any
        if self.weak == "features":
            coordinates = FeatureRankers(criterion, rows, learned)
        else:
            binned = BinnedColumns.fit(learned, rows.weight, self.max_thresholds)
            coordinates = Stumps(criterion, rows, binned)
        if len(before) == 0:
            _require_slope(coordinates)

        def as_round(taken: Any, step: float) -> tuple[int, float, float]:
            if self.weak == "features":
                return taken, np.nan, step / coordinates.width[taken]
            return taken[0], binned.thresholds[taken[0]][taken[1]], step

        watch = None
        if self.early_stopping is not None:
            left_out, at_first = (None if weight is None else weight[held_out]), self._added_so_far(X[held_out], before)
            watch = folds.Watch(self.early_stopping, self.n_iter_no_change, is_positive[held_out], left_out, at_first)
        progress = Progress(type(self).__name__, n_more, enabled=bool(self.verbose))

        def after_round(steps: list[Any], value: float) -> bool:
            progress.update(len(steps), value)
            if self.weak == "features" and criterion.rises_with_scale and coordinates.is_separated():
                warn_unbounded("Coordinate ascent", len(steps))
                return True
            return watch is not None and watch.add(_added(X[held_out], *as_round(*steps[-1])))

        steps, path, _ = solver.climb(coordinates, after_round)
        progress.close()
        n_rounds = len(steps) if watch is None else watch.best_round
        rounds = np.array([as_round(*step) for step in steps[:n_rounds]], dtype=ROUND)
        self._store(before, rounds, path[: n_rounds + 1], None if watch is None else watch.values[: n_rounds + 1])

    def _rounds_before(self) -> npt.NDArray[Any]:
        """The rounds that a fit goes on from: with ``warm_start`` those of the last one."""
        if not (self.warm_start and hasattr(self, "rounds_")):
            return np.empty(0, dtype=ROUND)
        of_features = len(self.rounds_) > 0 and bool(np.isnan(self.rounds_["threshold"][0]))
        if len(self.rounds_) and of_features != (self.weak == "features"):
            raise InputError("With warm_start, weak must not change.", "clone(ranker) forgets the last fit.")
        return self.rounds_

    @staticmethod
    def _added_so_far(X: FloatArray, rounds: npt.NDArray[Any]) -> FloatArray:
        return np.sum([_added(X, *weak) for weak in rounds], axis=0) if len(rounds) else np.zeros(len(X))

    def _store(
        self, before: npt.NDArray[Any], rounds: npt.NDArray[Any], path: FloatArray, watched: list[float] | None
    ) -> None:
        """Keep rounds after those before, and the values after them; a first value is that of the last round before."""
        if watched is not None:
            goes_on = len(before) > 0 and hasattr(self, "validation_path_")
            self.validation_path_ = np.concatenate([self.validation_path_[:-1] if goes_on else [], watched])
        self.path_ = np.concatenate([self.path_[:-1], path]) if len(before) else path
        self.rounds_ = np.concatenate([before, rounds])
        self.n_iter_ = max(len(self.rounds_), 1)
        if self.weak == "features":
            weights = np.bincount(self.rounds_["feature"], self.rounds_["alpha"], minlength=self.n_features_in_)
            self.coef_ = np.asarray(weights, dtype=np.float64)

    def _scores(self, X: FloatArray) -> FloatArray:
        if self.weak == "features":
            return np.asarray(X @ self.coef_)
        return stump_scores(X, self.rounds_)


def _added(X: FloatArray, feature: int, threshold: float, alpha: float) -> FloatArray:
    """What a round adds to the scores."""
    column = X[:, feature]
    return np.asarray(alpha * (column if np.isnan(threshold) else column > threshold), dtype=np.float64)


def _require_slope(coordinates: Any) -> None:
    if not coordinates.gradient.any():
        raise InputError(
            f"Boosting starts from equal scores, and there the gradient of {coordinates.criterion!r} is zero.",
            "use a push such as 'push:4'; LinearRanker accepts every criterion.",
        )
