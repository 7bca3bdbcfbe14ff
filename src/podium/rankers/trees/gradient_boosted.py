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
from podium._types import BoolArray, FloatArray
from podium.criteria import Criterion, LogLoss
from podium.exceptions import InputError
from podium.phi import Phi
from podium.rankers import early_stopping
from podium.rankers.base import Ranker
from podium.rankers.door import takes_collections
from podium.rankers.folds import Groups
from podium.rankers.trees.curvature import NewtonObjective, boosting_criterion
from podium.rankers.trees.stages import in_stages
from podium.rankers.trees.task import BoostedTrees, BoostingTask, rows_per_leaf
from podium.rankers.trees.watched import ValidationSet, one_pair


class GradientBoostedRanker(Ranker):
    r"""s(x) = Σ of trees by LightGBM or XGBoost, each a Newton step up a ranking criterion.

    ``criterion="logloss"`` is the library's own binary objective: the plug-in rule, since η(x) = P(positive | x) ranks
    optimally for every φ (CLV21, Remark 3), and the bar that other criteria rarely pass on tables. Any other criterion
    enters by its gradient in the scores and a positive bound on its curvature, both scaled so that limits on leaves
    mean what they mean for log-loss. All rows form one list, however long.

    A weight of 3 counts as three equal rows do, but for the bins of columns and, in LightGBM, the least size of a leaf:
    there the libraries count rows, unless ``min_child_samples`` and LightGBM's ``min_data_in_bin`` are 1.

    Parameters
    ----------
    criterion : Criterion, Phi or str
        ``"logloss"``, ``"auc"``, ``"power:3"``, ``"push:4"``, ``"ir-push"``, …; a φ is smoothed by the logistic
        kernel with h = 1 on the scale of log-odds. A criterion given as an object is used as it is. Where only the top
        of the list feels it (``"partial-auc:0.05"``), the first four fifths of the rounds climb log-loss.
    backend : {"lightgbm", "xgboost"}
        The library that grows the trees.
    n_estimators : int
        How many trees are grown at most.
    learning_rate : float
        The part of each tree's values that is added to the scores.
    num_leaves : int
        How many leaves a tree has at most.
    min_child_samples : int
        How many rows a leaf has at least; a quarter of all where there are fewer than twice as many. In XGBoost, that
        many times π(1 − π), π the share of positives, is the least curvature of a leaf.
    categorical_features : sequence of int or str
        Columns that hold categories as codes 0, 1, 2, …, by position or name, split by sets of codes instead of
        thresholds. Columns of categories or text in a data frame are always among them.
    n_bags : int
        How many models are trained whose scores are averaged. With more than one, every tree sees four fifths of the
        rows and columns.
    early_stopping : str or Phi, optional
        A metric of :func:`podium.metrics.metric`, such as ``"auc"`` or ``"power:3"`` (that is ω_φ): of a part of the
        rows, left out; the rounds up to its best value are kept, once ``patience`` rounds brought no better one.
    validation_fraction : float
        The part of the rows left out for ``early_stopping``, anew for every bag.
    patience : int
        How many rounds without a better value of the metric are waited for.
    params : dict, optional
        Further parameters by the library's own names; they go before ours.
    n_jobs : int
        How many threads the library uses.
    class_weight : dict, "balanced" or None
        How much the rows of each class count, as in scikit-learn. Criteria that compare ranks of pairs hardly change;
        ``predict`` and probabilities are for classes so weighted.
    pos_label : object, optional
        Which of the two labels is the positive one; the last in sorted order by default.
    calibrate : {"isotonic", "platt"}, optional
        How scores become probabilities for ``predict_proba``, learned on rows left out in five folds; none by default.
    warm_start : bool
        Whether a second ``fit``, with a larger ``n_estimators``, keeps the trees and grows the others only. Of the same
        rows they are, up to rounding, those of a single fit, unless rows are drawn (``n_bags``) or log-loss is first.
    verbose : int
        Whether to show a progress line with the time: 1 does.
    random_state : int, RandomState or None
        The seed of the library, and of the choice of the rows left out. None is the same in every fit.

    Attributes
    ----------
    models_ : list
        The model of every bag; ``models_[0].booster`` is the library's own object.
    n_iter_ : int
        The largest number of rounds that a bag kept.
    validation_paths_ : list of ndarray
        The metric of the rows watched after every round kept, with ``early_stopping`` or ``eval_set``.
    threshold_ : float
        ``predict`` calls positive what scores above it.
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
        patience: int = 10,
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
        self.patience = patience
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
            How much every row counts; rows of weight zero are left out.
        groups : array-like of shape (n_rows,), optional
            What rows belong to: those of one group are left out together.
        eval_set : tuple (X, y) or list of one such tuple, optional
            Rows to watch, instead of a part left out: their metric, that of ``early_stopping`` or else the AUC (which
            stops nothing), is in ``validation_paths_``.
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
            raise InputError("With warm_start, backend must stay what it was.", "clone(ranker) forgets the last fit.")
        return models

    def _watched(
        self, X: Any, is_positive: BoolArray, weight: FloatArray | None, groups: Groups | None, seed: int
    ) -> tuple[Any, ValidationSet]:
        kept, out = early_stopping.split(is_positive, self.validation_fraction, seed, groups)
        return kept, self._validation_set(X[out], is_positive[out], None if weight is None else weight[out])

    def _given_rows(self, eval_set: Any) -> ValidationSet:
        X, y = one_pair(eval_set)
        return self._validation_set(self._checked_rows(X), self._known_labels(y), None)

    def _validation_set(self, X: Any, is_positive: BoolArray, weight: FloatArray | None) -> ValidationSet:
        stops = self.early_stopping is not None
        patience = _input.check_integer("patience", self.patience, 1) if stops else None
        return ValidationSet.of(X, is_positive, weight, self.early_stopping if stops else "auc", patience)

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
        """How much of what all splits gained each feature gained, as a share; zeros where no tree has a split."""
        check_is_fitted(self)
        gains = np.sum([model.gains(self.n_features_in_) for model in self.models_], axis=0)
        return np.asarray(gains / (gains.sum() or 1.0))

    def contributions(self, X: npt.ArrayLike) -> FloatArray:
        """SHAP values of every feature, and the mean score; rows sum to ``decision_function(X) + threshold_``.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            The rows, with the columns of the training.
        """
        check_is_fitted(self)
        rows = self._checked_rows(X)
        return np.mean([model.contributions(rows) for model in self.models_], axis=0)
