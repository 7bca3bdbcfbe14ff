"""A stack of rankers: it has the best mean rank over tables of all scorers compared (docs/quality.rst)."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from scipy import sparse
from sklearn import config_context
from sklearn.utils import check_random_state

from podium import _input, criteria, inference
from podium._progress import Progress
from podium._types import Array, BoolArray, FloatArray
from podium.criteria import Criterion
from podium.exceptions import InputError
from podium.inference import Interval
from podium.metrics.scorers import estimator_scores
from podium.phi import Phi
from podium.rankers.base import Ranker
from podium.rankers.calibration.left_out import LeftOutScores
from podium.rankers.door import holds_numbers, is_frame, rows_of
from podium.rankers.folds import Groups, folds_from_splitter, stratified_folds
from podium.rankers.members import NamedMembers
from podium.rankers.stack.members import any_accepts, default_members, fit_member, light, resolve_members
from podium.rankers.stack.weights import NormalScale, PlattScale, StackProblem, cross_fitted, fit_scale, stack_weights


class StackedRanker(NamedMembers, Ranker):
    r"""s(x) = Σ_j w_j · mean over the models k of member j of z_j(s_jk(x)): diverse scorers on one scale, in one list.

    Every member is cross-validated; its out-of-fold scores determine the scale z_j; weights w ≥ 0 maximize the
    criterion of the out-of-fold scores and are then shrunk towards equal weights, as far as one standard error allows.
    The models of the folds are averaged, with the same total weight as one model fitted to all rows.

    Parameters
    ----------
    estimators : "default" or list of classifiers or of (name, classifier)
        Anything with ``fit`` and ``decision_function`` or ``predict_proba``. The default: logistic regression on
        quantile-normal features, the line with the best AUC, QDA, logistic regression with a Gaussian kernel, a small
        neural network, random forest, extra trees, histogram boosting, LightGBM and XGBoost where installed; all take
        missing values, and columns of text, categories and dates are turned into numbers for them as ``podium fit``
        does. A member that fails, for instance on sparse rows, is dropped with a warning. Data frames are passed to
        your own members unchanged; so they are to default members of which parameters were set. Parameters of members
        are set by name: ``lr__C`` is ``C`` of the member ``("lr", …)``, ``lightgbm__learning_rate`` one of a default
        member.
    criterion : Criterion, Phi or str
        The criterion that the weights maximize; on tables none was better than log-loss. Intervals are for its φ, or
        for the AUC.
    cv : int, splitter or list of (rows to fit to, rows left out)
        Number of folds; fewer if a class has fewer rows. With a single row in a class there are no folds: members are
        fitted to all rows, with equal weights. For dependent rows, such as several of one patient, pass your own
        splits, ``cv=list(GroupKFold(5).split(X, y, patient))``, or ``fit(X, y, groups=patient)``.
    scale : {"rank-normal", "platt"}
        The common scale of the members' scores: Φ⁻¹ of the share of negatives with lower out-of-fold scores; or
        log-odds from a logistic regression on the score.
    pull : float
        How strongly to shrink the weights towards equal ones, in standard errors; 0 for the best weights, infinity for
        equal ones.
    refit : {"both", False, True}
        Whether members score by the average over the models of the folds (False), by a model fitted to all rows (True),
        or by the mean of both, which uses all rows and varies less.
    n_jobs : int, optional
        Number of processes for members and folds.
    class_weight : dict, "balanced" or None
        Class weights, as in scikit-learn. Criteria that compare ranks of pairs hardly change; ``predict`` and
        probabilities refer to the weighted classes.
    pos_label : object, optional
        The positive label; by default the last of the two in sorted order.
    calibrate : {"isotonic", "platt"}, optional
        How scores are mapped to probabilities for ``predict_proba``, in five-fold cross-validation; not by default.
    verbose : int
        1 shows a progress line.
    random_state : int, RandomState or None
        The seed of the folds, and of members whose own is None.

    Attributes
    ----------
    members_ : list of str
        The names of the members that could be fitted.
    weights_ : ndarray of shape (n_members,)
        The weight of each member; they sum to one.
    oof_scores_ : ndarray of shape (n_rows, n_members), or None
        The out-of-fold scores of every member, on the common scale.
    oof_stack_ : ndarray of shape (n_rows,), or None
        Out-of-fold scores of the stack, the weights for a fold chosen on the others.
    oof_fold_ : ndarray of shape (n_rows,), or None
        The fold of every row.
    oof_intervals_ : dict of str to Interval
        ω_φ of each member and of ``"stack"``, out of fold; empty if a class has fewer than two rows.
    threshold_ : float
        ``predict`` returns the positive class for scores above it; it best separates the out-of-fold scores.
    calibration_ : object
        The map from scores to probabilities, with ``calibrate``.
    classes_ : ndarray
        The two labels; the second is positive.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from podium import StackedRanker
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> members = [("logistic", LogisticRegression(max_iter=5000)), ("bayes", GaussianNB())]
    >>> stack = StackedRanker(members, random_state=0).fit(X, y)
    >>> stack.oof_intervals_["stack"].estimate > stack.oof_intervals_["bayes"].estimate
    True
    """

    members_: list[str]
    weights_: FloatArray
    oof_scores_: FloatArray | None
    oof_stack_: FloatArray | None
    oof_fold_: Array | None = None
    oof_intervals_: dict[str, Interval]
    _models: list[list[Any]]
    _scales: list[NormalScale | PlattScale]
    _shares: FloatArray

    def __init__(
        self,
        estimators: Any = "default",
        *,
        criterion: Criterion | Phi | str = "logloss",
        cv: int = 5,
        scale: str = "rank-normal",
        pull: float = 1.0,
        refit: bool | str = "both",
        n_jobs: int | None = None,
        class_weight: dict[Any, float] | str | None = None,
        pos_label: Any = None,
        calibrate: str | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.criterion = criterion
        self.cv = cv
        self.scale = scale
        self.pull = pull
        self.refit = refit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.calibrate = calibrate
        self.random_state = random_state

    def _listed_members(self) -> Any:
        return (
            default_members() if isinstance(self.estimators, str) and self.estimators == "default" else self.estimators
        )

    def _accepts_sparse(self) -> bool:
        return any_accepts(self.estimators, "sparse")  # the others are left out with a warning

    def _accepts_missing(self) -> bool:
        return any_accepts(self.estimators, "allow_nan")

    def _accepts_categories(self) -> bool:
        return isinstance(self.estimators, str)

    def _encodes(self, X: Any) -> bool:
        return isinstance(self.estimators, str) and is_frame(X) and not holds_numbers(X)

    def _keeps_frames(self) -> bool:
        return not isinstance(self.estimators, str)

    def _by_row(self, X: Any, y: Any, groups: Groups | None) -> dict[str, Any]:
        if isinstance(self.cv, numbers.Number):
            return {} if groups is None else {"groups": groups}
        return {"fold": folds_from_splitter(self.cv, X, y, groups)}  # it counts all rows, also those of weight zero

    def _fit(
        self,
        X: Any,
        is_positive: BoolArray,
        weight: FloatArray | None,
        *,
        fold: npt.NDArray[np.intp] | None = None,
        groups: Groups | None = None,
    ) -> None:
        criterion = criteria.resolve(self.criterion)
        members = resolve_members(self.estimators)
        pull = _input.check_number("pull", self.pull, 0)
        _input.check_choice("refit", self.refit, ("both", False, True))
        rng = check_random_state(self.random_state)
        seeds = rng.randint(np.iinfo(np.int32).max, size=len(members))
        if fold is None:
            n_folds, seed = _input.check_integer("cv", self.cv, 2), int(rng.randint(np.iinfo(np.int32).max))
            fold = stratified_folds(is_positive, n_folds, seed, groups)
        fold = np.unique(fold, return_inverse=True)[1]  # some may have lost all their rows
        n_folds = int(fold.max()) + 1
        parts = [(fold != k, fold == k) for k in range(n_folds)] if n_folds >= 2 else []
        if self.refit or not parts:
            parts.append((fold >= 0, fold < 0))
        fitted = self._fit_members(members, seeds, X, is_positive, weight, parts)
        kept = [j for j, (name, _) in enumerate(members) if self._fits(name, fitted[j])]
        if not kept:
            raise InputError("No member of the stack could be fitted.", "the warnings above give the reasons.")
        self.members_ = [members[j][0] for j in kept]
        fitted = [fitted[j] for j in kept]
        shares = self._model_shares(n_folds)
        self._shares = shares[shares > 0]
        models = [[run[0] for share, run in zip(shares, runs, strict=False) if share > 0] for runs in fitted]
        self.weights_ = np.full(len(kept), 1 / len(kept))
        self.oof_scores_ = self.oof_stack_ = self.oof_fold_ = None
        self.oof_intervals_ = {}
        if n_folds < 2:
            scores = [estimator_scores(runs[-1][0], X) for runs in fitted]
            self._scales = [fit_scale(self.scale, s, is_positive, weight) for s in scores]
            self._keep(models, X)
            return
        raw = np.empty((len(fold), len(kept)))
        for k in range(n_folds):
            for j, runs in enumerate(fitted):
                raw[fold == k, j] = runs[k][1]
        self._scales = [fit_scale(self.scale, column, is_positive, weight) for column in raw.T]
        self.oof_scores_ = np.column_stack([z(column) for z, column in zip(self._scales, raw.T, strict=True)])
        problem = StackProblem(self.oof_scores_, is_positive, weight, fold)
        self.weights_ = stack_weights(problem, criterion, pull)
        self._keep(models, X)
        self.oof_fold_ = fold
        self.oof_stack_ = cross_fitted(problem, criterion, pull)
        phi = self._trained_phi()
        count = np.ones(len(is_positive)) if weight is None else weight
        if min(count @ is_positive, count @ ~is_positive) < 2:
            return
        for name, scores in zip([*self.members_, "stack"], [*self.oof_scores_.T, self.oof_stack_], strict=True):
            self.oof_intervals_[name] = inference.interval(is_positive, scores, phi, sample_weight=weight)

    def _keep(self, models: list[list[Any]], X: Any) -> None:
        """What scoring needs: members of weight zero are named, not kept, for their models may be most of a file."""
        dense, checked = not sparse.issparse(X), not is_frame(X)  # data frames are for the members to check
        self._models = [
            [light(model, dense=dense) if checked else model for model in own] if w > 0 else []
            for w, own in zip(self.weights_, models, strict=True)
        ]

    def _model_shares(self, n_folds: int) -> FloatArray:
        """Of the models of a member in its score: those of the folds, then the one fitted to all rows."""
        if n_folds < 2:
            return np.ones(1)
        of_folds = {False: 1.0, "both": 0.5, True: 0.0}[self.refit]
        return np.append(np.full(n_folds, of_folds / n_folds), 1 - of_folds)

    def _fit_members(
        self, members: Any, seeds: Any, X: Any, is_positive: BoolArray, weight: FloatArray | None, parts: Any
    ) -> list[list[Any]]:
        """Runs of every member, one per part: model, scores of the rows left out, reason of failure."""
        progress = Progress(type(self).__name__, len(members) * len(parts), enabled=bool(self.verbose))
        runs = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(fit_member)(
                estimator,
                int(seed),
                rows_of(X, train),
                is_positive[train],
                None if weight is None else weight[train],
                rows_of(X, test) if test.any() else None,
            )
            for (_, estimator), seed in zip(members, seeds, strict=True)
            for train, test in parts
        )
        done = []
        for run in runs:
            done.append(run)
            progress.update(len(done))
        progress.close()
        return [done[i : i + len(parts)] for i in range(0, len(done), len(parts))]

    @staticmethod
    def _fits(name: str, runs: list[Any]) -> bool:
        errors = [error for *_, error in runs if error is not None]
        if errors:
            warnings.warn(f"The stack goes on without {name!r}, which could not be fitted: {errors[0]}", stacklevel=4)
        return not errors

    def _scores(self, X: Any) -> FloatArray:
        total = np.zeros(X.shape[0])
        with config_context(assume_finite=not is_frame(X)):  # to look again takes each of many models a while
            for w, models, z in zip(self.weights_, self._models, self._scales, strict=True):
                parts = (z(estimator_scores(model, X)) for model in models)
                if self._predates_frames:  # the same up to rounding
                    total += w * sum(share * part for share, part in zip(self._shares, parts, strict=False))
                    continue
                for share, part in zip(self._shares, parts, strict=False):  # none of a member of weight zero
                    total += w * share * part
        return total

    def _training_scores(self, X: Any) -> FloatArray:
        # Out of fold: forests rank the rows they were fitted to almost without a mistake.
        return self._scores(X) if self.oof_stack_ is None else self.oof_stack_

    def _left_out_scores(
        self, X: Any, is_positive: BoolArray, weight: FloatArray | None, groups: Groups | None
    ) -> LeftOutScores:
        if self.oof_stack_ is None or self.oof_fold_ is None:  # without folds, a fit has nothing to calibrate by
            return super()._left_out_scores(X, is_positive, weight, groups)
        return LeftOutScores(self.oof_stack_, self.oof_fold_)
