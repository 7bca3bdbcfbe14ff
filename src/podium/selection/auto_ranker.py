"""A ranker that chooses among kinds of models automatically."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from podium import _input
from podium._progress import Progress
from podium._types import BoolArray, FloatArray
from podium.columns.encode import EncodedRows
from podium.columns.number import shared_quantiles
from podium.columns.text import Codes
from podium.exceptions import InputError
from podium.phi import Mww, Phi, resolve
from podium.rankers import Ranker
from podium.rankers.calibration.left_out import LeftOutScores
from podium.rankers.door import holds_numbers, is_frame
from podium.rankers.fingerprints import spread
from podium.rankers.folds import Groups
from podium.selection.candidates import CANDIDATES, MODELS, build, fit_candidate
from podium.selection.dependence import Dependence
from podium.selection.search import choose
from podium.selection.training_rows import TrainingRows


class AutoRanker(Ranker):
    r"""The kind of model that ranks validation rows best, fitted to all rows.

    Candidates are fitted, fastest first, to three quarters of the rows (at most 20,000, and the better ones again to at
    most 60,000) and evaluated on the others by :math:`\omega_\varphi`; up to 5,000 rows the mean of four such splits is
    used. The best is fitted to all rows. ``podium fit --model auto`` chooses in the same way.

    The validation value of the winner is the largest of several and so optimistic: evaluate the ranker on held-out
    rows, for instance by ``cross_val_score``. A weight of three is equivalent to three rows in every fit and
    validation; the splits are drawn row by row.

    Data frames of pandas and polars may have missing values, text, categories and dates: columns are turned into
    numbers as ``podium fit`` does, text with many values by the share of positives among other rows, learned anew for
    every split. Frames without any of these are fitted as arrays. Of a sparse matrix, candidates that need dense rows
    are left out. A value that is missing where none was in training is taken for the median.

    Parameters
    ----------
    criterion : Phi or str
        Which part of the list matters, for instance ``"auc"``, ``"power:3"`` or ``podium.phi.for_budget(100, 6000)``;
        candidates are compared by its :math:`\omega_\varphi`, and the linear and quadratic ones maximize it (or its
        smooth alternative if it jumps).
    candidates : sequence of str, optional
        Which kinds to try, in this order: some of ``"linear"``, ``"linear-quantile"``, ``"quadratic"``,
        ``"boosted"``, ``"trees"`` and ``"stack"``. By default all but the quadratic one. ``"trees"`` needs LightGBM
        (the extra ``trees``); without LightGBM, ``"trees"`` and that member of the stack are skipped.
    time_limit : float
        Approximate seconds for the choice, and again for the fit to all rows: candidates that would take longer are
        skipped. Seconds are estimated from rows and columns for one core of a common machine, not from the clock: the
        same rows and seed give the same choice everywhere. Only after ten times the limit does the clock end the
        search, with a warning in ``notes_``.
    class_weight : dict, "balanced" or None
        Class weights, as in scikit-learn. Criteria that compare ranks of pairs hardly change; ``predict`` and
        probabilities refer to the weighted classes.
    pos_label : object, optional
        The positive label; by default the last of the two in sorted order.
    calibrate : {"isotonic", "platt"}, optional
        How scores are mapped to probabilities for ``predict_proba``, in five-fold cross-validation of the selected
        ranker; not by default.
    verbose : int
        1 prints which candidate is being fitted.
    random_state : int, RandomState or None
        Seed of the splits and of the candidates.

    Attributes
    ----------
    best_name_ : str
        The chosen kind.
    best_estimator_ : Ranker
        The ranker of that kind, fitted to all rows.
    validation_ : dict of str to float
        :math:`\omega_\varphi` on the validation rows for every candidate; empty if a class has fewer than eight rows,
        too few for a choice: then the first candidate is used.
    notes_ : list of str
        Which candidates were not tried or not chosen, and why.
    calibration_ : object
        The map from scores to probabilities, with ``calibrate``.
    classes_ : ndarray of shape (2,)
        The labels; the second one is the positive class.
    threshold_ : float
        The score above which ``predict`` returns the positive class.

    Examples
    --------
    >>> from podium import AutoRanker
    >>> from podium.datasets import LocationModel
    >>> X, y = LocationModel(0.3).sample(100, 200, rng=0)
    >>> ranker = AutoRanker(candidates=["linear", "quadratic"], random_state=0).fit(X, y)
    >>> ranker.best_name_, sorted(ranker.validation_)
    ('linear', ['linear', 'quadratic'])
    """

    best_name_: str
    best_estimator_: Any
    validation_: dict[str, float]
    notes_: list[str]
    _fillings: FloatArray | None = None  # medians of training rows in which no value was missing

    def __init__(
        self,
        criterion: Phi | str = "auc",
        *,
        candidates: Sequence[str] | None = None,
        time_limit: float = 120.0,
        class_weight: dict[Any, float] | str | None = None,
        pos_label: Any = None,
        calibrate: str | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.candidates = candidates
        self.time_limit = time_limit
        self.class_weight = class_weight
        self.pos_label = pos_label
        self.calibrate = calibrate
        self.verbose = verbose
        self.random_state = random_state

    def _by_row(self, X: Any, y: Any, groups: Groups | None) -> dict[str, Any]:
        return {} if groups is None else {"groups": groups}

    def _accepts_sparse(self) -> bool:
        return True

    def _accepts_missing(self) -> bool:
        return True

    def _accepts_categories(self) -> bool:
        return True

    def _encodes(self, X: Any) -> bool:
        return not holds_numbers(X) if is_frame(X) else _has_missing(X)

    def _by_encoding(self, encoded: EncodedRows) -> dict[str, Any]:
        return {"by_share": encoded.by_share}

    def _fit(
        self,
        X: Any,
        is_positive: BoolArray,
        weight: FloatArray | None,
        groups: Groups | None = None,
        by_share: dict[int, tuple[Codes, int]] | None = None,
    ) -> None:
        dependence = Dependence(group=groups)
        names, notes = self._names(), list[str]()
        self._fillings = None
        if sparse.issparse(X):
            names, notes = _split_by_door(names)
        elif self._encoder is None:
            self._fillings = np.array([shared_quantiles(column, (0.5,))[0] for column in X[spread(len(X))].T])
        progress, begun = Progress(type(self).__name__, len(names) + 1, enabled=bool(self.verbose)), count(1)
        choice = choose(
            TrainingRows(X, is_positive, by_share or {}, weight, dependence),
            resolve(self.criterion),
            names=names,
            seed=int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max)),
            time_limit=_input.check_number("time_limit", self.time_limit, 0),
            on_start=lambda name: progress.update(next(begun)),
        )
        self.best_name_, self.validation_, self.notes_ = (
            choice.name,
            choice.validation,
            notes + choice.notes + choice.warnings,
        )
        self.best_estimator_ = fit_candidate(choice.ranker, X, is_positive, weight, dependence)
        progress.update(len(names) + 1)
        progress.close()

    def _left_out_scores(
        self, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None, groups: Groups | None
    ) -> LeftOutScores:
        return self.best_estimator_._left_out_scores(X, is_positive, weight, groups)

    def _names(self) -> tuple[str, ...]:
        if self.candidates is None:
            return CANDIDATES
        if isinstance(self.candidates, str) or len(self.candidates) == 0:
            raise InputError(f"candidates must be a list of at least one name; got {self.candidates!r}.")
        return tuple(_input.check_choice("A candidate", name, MODELS) for name in self.candidates)

    def _scores(self, X: Any) -> FloatArray:
        if not isinstance(X, np.ndarray) and not self.best_estimator_._accepts_sparse():
            X = X.toarray()
        if _has_missing(X):
            if self._fillings is None:
                raise InputError(
                    "AutoRanker was fitted to rows in which nothing was missing; got NaN.",
                    "fill missing values, or fit to a data frame or a dense array.",
                )
            X = np.where(np.isnan(X), self._fillings, X)
        return self.best_estimator_._scores(X)

    def _training_scores(self, X: FloatArray) -> FloatArray:
        return self.best_estimator_._training_scores(X)

    def _trained_phi(self) -> Phi:
        return resolve(self.criterion)


def _has_missing(X: Any) -> bool:
    """Whether a matrix of numbers, none of them infinite, lacks some; a sparse one must have them all."""
    values = X if isinstance(X, np.ndarray) else X.data
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isnan(values.sum()) or not np.isnan(values).any():  # one fast pass; a sum may be inf − inf
            return False
    if values is not X:
        raise InputError(
            "AutoRanker needs a number in every cell of a sparse matrix that is stored; got NaN.",
            "a data frame or a dense array may have missing values.",
        )
    return True


def _split_by_door(names: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
    """The candidates that take sparse rows, and notes on the others."""
    taken = {name: build(name, Mww(), None, 0)._accepts_sparse() for name in names}
    if not any(taken.values()):
        raise InputError(f"No candidate takes sparse rows; got {', '.join(names)}.", "add 'linear' or 'trees'.")
    left_out = [f"{name} was not tried: it needs dense rows." for name in names if not taken[name]]
    return tuple(name for name in names if taken[name]), left_out
