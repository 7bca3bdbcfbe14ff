"""Gradient boosted trees that maximize a ranking criterion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from itertools import count, zip_longest
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from podium import _input
from podium._progress import Progress
from podium._types import BoolArray, FloatArray, Sometimes
from podium.criteria import Criterion, LogLoss
from podium.exceptions import InputError
from podium.phi import Phi
from podium.rankers import folds
from podium.rankers.base import Ranker
from podium.rankers.door import takes_collections
from podium.rankers.folds import Groups
from podium.rankers.trees.curvature import NewtonObjective, boosting_criterion
from podium.rankers.trees.task import BoostedTrees, BoostingTask, ValidationSet, in_stages, one_pair, rows_per_leaf


class GradientBoostedRanker(Ranker):
    r"""s(x) = Σ of trees by LightGBM or XGBoost, each a Newton step up a ranking criterion.

    ``criterion="logloss"`` is the library's own binary objective: the plug-in rule, since η(x) = P(positive | x) ranks
    optimally for every φ (CLV21, Remark 3), and other criteria rarely do better on tables. Any other criterion enters
    by its gradient in the scores and a positive bound on its curvature, both scaled so that constraints on leaves mean
    the same as for log-loss. All rows form one list, of any length.

    A weight of 3 is equivalent to three equal rows, except for the bins of columns and, in LightGBM, the minimum size
    of a leaf: there the libraries count rows, unless ``min_child_samples`` and LightGBM's ``min_data_in_bin`` are 1.

    Parameters
    ----------
    criterion : Criterion, Phi or str
        ``"logloss"``, ``"auc"``, ``"power:3"``, ``"push:4"``, ``"ir-push"``, …; a φ is smoothed by the logistic
        kernel with h = 1 on the scale of log-odds. A criterion object is used unchanged. If it depends only on the top
        of the list (``"partial-auc:0.05"``), the first four fifths of the rounds maximize log-loss.
    backend : {"lightgbm", "xgboost"}
        The library that grows the trees.
    n_estimators : int
        Maximum number of trees.
    learning_rate : float
        The factor applied to each tree's values.
    num_leaves : int
        Maximum number of leaves of a tree.
    min_child_samples : int
        Minimum number of rows in a leaf; a quarter of all rows if there are fewer than twice as many. In XGBoost, this
        number times π(1 − π), π the share of positives, is the minimum curvature of a leaf.
    categorical_features : sequence of int or str
        Columns with categories coded as 0, 1, 2, …, by position or name; split by sets of codes instead of thresholds.
        Categorical and text columns of a data frame are always included.
    n_bags : int
        Number of models whose scores are averaged. With more than one, every tree sees four fifths of the rows and
        columns.
    early_stopping : str or Phi, optional
        A metric of :func:`podium.metrics.metric`, such as ``"auc"`` or ``"power:3"`` (ω_φ), computed on left-out rows:
        training stops after ``n_iter_no_change`` rounds without improvement and keeps the rounds up to the best value.
    validation_fraction : float
        The share of rows left out for ``early_stopping``, resampled for every bag.
    n_iter_no_change : int
        Number of rounds without improvement after which to stop.
    params : dict, optional
        Further parameters by the library's own names; they override ours.
    n_jobs : int
        Number of threads of the library.
    class_weight : dict, "balanced" or None
        Class weights, as in scikit-learn. Criteria that compare ranks of pairs hardly change; ``predict`` and
        probabilities refer to the weighted classes.
    pos_label : object, optional
        The positive label; by default the last of the two in sorted order.
    calibrate : {"isotonic", "platt"}, optional
        How scores are mapped to probabilities for ``predict_proba``, in five-fold cross-validation; not by default.
    warm_start : bool
        Whether a second ``fit``, with a larger ``n_estimators``, keeps the trees and grows only the additional ones. On
        the same rows they equal those of a single fit up to rounding, unless rows are sampled (``n_bags``) or log-loss
        is maximized first.
    verbose : int
        1 shows a progress line with the time.
    random_state : int, RandomState or None
        The seed of the library and of the left-out rows. With None a fixed seed is used, so repeated fits agree.

    Attributes
    ----------
    models_ : list
        The model of every bag; ``models_[0].booster`` is the library's own object.
    n_iter_ : int
        The largest number of rounds kept by a bag.
    validation_paths_ : list of ndarray
        The metric on the validation rows after each kept round, with ``early_stopping`` or ``eval_set``.
    threshold_ : float
        ``predict`` returns the positive class for scores above it.
    calibration_ : object
        The map from scores to probabilities, with ``calibrate``.
    classes_ : ndarray
        The two labels; the second is positive.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from podium import GradientBoostedRanker, metrics
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> ranker = GradientBoostedRanker("auc", n_estimators=40, random_state=0).fit(X[::2], y[::2])
    >>> metrics.auc(y[1::2], ranker.decision_function(X[1::2])) > 0.98
    True
    """

    models_: list[Any]
    n_iter_: int
    validation_paths_: Sometimes[list[Any]]

    def __init__(
        self,
        criterion: Criterion | Phi | str = "logloss",
        *,
        backend: str = "lightgbm",
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        num_leaves: int = 31,
        min_child_samples: int = 20,
        categorical_features: Sequence[int | str] = (),
        n_bags: int = 1,
        early_stopping: Phi | str | None = None,
        validation_fraction: float = 0.2,
        n_iter_no_change: int = 10,
        params: dict[str, Any] | None = None,
        n_jobs: int = 1,
        class_weight: dict[Any, float] | str | None = None,
        pos_label: Any = None,
        calibrate: str | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.backend = backend
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.min_child_samples = min_child_samples
        self.categorical_features = categorical_features
        self.n_bags = n_bags
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.params = params
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.calibrate = calibrate
        self.warm_start = warm_start
        self.random_state = random_state

    def _accepts_sparse(self) -> bool:
        return True

    def _accepts_missing(self) -> bool:
        return True

    def _input_rules(self) -> dict[str, Any]:
        return super()._input_rules() | {"dtype": [np.float64, np.float32]}  # which libraries take as it is

    @takes_collections
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: npt.ArrayLike | None = None,
        *,
        groups: Any = None,
        eval_set: Any = None,
        callbacks: Sequence[Any] = (),
    ) -> Self:
        """Learn to rank the positive rows above the others.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
            The rows; numbers in single precision are not copied into double.
        y : array-like of shape (n_rows,)
            Two classes; ``classes_[1]`` is the positive one.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights; rows of weight zero are ignored.
        groups : array-like of shape (n_rows,), optional
            The unit of each row; rows of one group are left out together.
        eval_set : tuple (X, y) or list of one such tuple, optional
            Validation rows, instead of left-out ones: their metric, that of ``early_stopping`` or else the AUC (without
            stopping), is recorded in ``validation_paths_``.
        callbacks : sequence
            The library's own callbacks, called after every round.
        """
        return self._fit_rows(X, y, sample_weight, groups, eval_set=eval_set, callbacks=callbacks)

    def _by_row(self, X: Any, y: Any, groups: Groups | None) -> dict[str, Any]:
        return {} if groups is None else {"groups": groups}

    def _fit(
        self,
        X: Any,
        is_positive: BoolArray,
        weight: FloatArray | None,
        *,
        groups: Groups | None = None,
        eval_set: Any = None,
        callbacks: Sequence[Any] = (),
    ) -> None:
        _input.check_choice("backend", self.backend, ("lightgbm", "xgboost"))
        n_bags = _input.check_integer("n_bags", self.n_bags, 1)
        train = import_module(f"podium.rankers.trees.{self.backend}_backend").train
        rng = check_random_state(0 if self.random_state is None else self.random_state)
        progress = Progress(type(self).__name__, n_bags * self.n_estimators, enabled=bool(self.verbose))
        rounds, given = count(1), None if eval_set is None else self._given_rows(eval_set)
        leaves_out = given is None and self.early_stopping is not None
        models: list[BoostedTrees] = []
        for previous, _ in zip_longest(self._models_before()[:n_bags], range(n_bags)):
            seed = int(rng.randint(np.iinfo(np.int32).max))
            kept, watched = self._watched(X, is_positive, weight, groups, seed) if leaves_out else (slice(None), given)
            part = X[kept], is_positive[kept], None if weight is None else weight[kept]
            task = replace(
                self._task(*part, seed),
                n_estimators=self._left_to_add("n_estimators", 0 if previous is None else previous.n_rounds),
                watched=watched,
                callbacks=tuple(callbacks),
                after_round=lambda: progress.update(next(rounds)),
                previous=previous,
            )
            models.append(in_stages(train, task) if task.n_estimators else previous)
        progress.close()
        self.models_, self.n_iter_ = models, max(each.n_rounds for each in models)
        if self.early_stopping is not None or given is not None:
            self.validation_paths_ = [model.validation_path for model in models]

    def _models_before(self) -> list[Any]:
        models: list[Any] = self.models_ if self.warm_start and hasattr(self, "models_") else []
        if any(self.backend not in type(model).__module__ for model in models):
            raise InputError("With warm_start, backend must not change.", "clone(ranker) forgets the last fit.")
        return models

    def _watched(
        self, X: Any, is_positive: BoolArray, weight: FloatArray | None, groups: Groups | None, seed: int
    ) -> tuple[Any, ValidationSet]:
        kept, out = folds.split(is_positive, self.validation_fraction, seed, groups)
        return kept, self._validation_set(X[out], is_positive[out], None if weight is None else weight[out])

    def _given_rows(self, eval_set: Any) -> ValidationSet:
        X, y = one_pair(eval_set)
        return self._validation_set(self._checked_rows(X), self._known_labels(y), None)

    def _validation_set(self, X: Any, is_positive: BoolArray, weight: FloatArray | None) -> ValidationSet:
        stops = self.early_stopping is not None
        n_iter_no_change = _input.check_integer("n_iter_no_change", self.n_iter_no_change, 1) if stops else None
        return ValidationSet.of(X, is_positive, weight, self.early_stopping if stops else "auc", n_iter_no_change)

    def _task(self, X: Any, is_positive: BoolArray, weight: FloatArray | None, seed: int) -> BoostingTask:
        criterion = boosting_criterion(self.criterion)
        # LightGBM's leaves have a least number of rows; XGBoost's one of weight.
        size = len(is_positive) if weight is None or self.backend == "lightgbm" else float(weight.sum())
        return BoostingTask(
            X,
            is_positive,
            weight,
            None if criterion == LogLoss() else NewtonObjective(criterion, is_positive, weight),
            _input.check_integer("n_estimators", self.n_estimators, 1),
            _input.check_number("learning_rate", self.learning_rate, 0, open_low=True),
            _input.check_integer("num_leaves", self.num_leaves, 2),
            rows_per_leaf(_input.check_integer("min_child_samples", self.min_child_samples, 1), size),
            self._categorical_columns(X.shape[1]),
            self.n_bags > 1,
            dict(self.params or {}),
            self.n_jobs,
            seed,
        )

    def _scores(self, X: Any) -> FloatArray:
        return np.mean([model.scores(X) for model in self.models_], axis=0)

    @property
    def feature_importances_(self) -> FloatArray:
        """The share of each feature in the total gain of all splits; zeros if no tree has a split."""
        check_is_fitted(self)
        gains = np.sum([model.gains(self.n_features_in_) for model in self.models_], axis=0)
        return np.asarray(gains / (gains.sum() or 1.0))

    def contributions(self, X: npt.ArrayLike) -> FloatArray:
        """SHAP values of every feature, and the mean score; rows sum to ``decision_function(X) + threshold_``.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            The rows, with the same columns as in training.
        """
        check_is_fitted(self)
        rows = self._checked_rows(X)
        return np.mean([model.contributions(rows) for model in self.models_], axis=0)
