"""Penalized selection among classes of scorers, and the penalties that each class pays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import clone

from podium import _input
from podium._progress import Progress
from podium._types import BoolArray, FloatArray, Sample
from podium.bounds import (
    auc_penalty,
    log_rank_shatter,
    log_sign_patterns,
    paper_penalty,
    rank_statistic_penalty,
    rank_statistic_sensitivity,
    rank_statistic_span,
)
from podium.exceptions import InputError, InputTypeError
from podium.metrics.linear import statistic
from podium.phi import Mww, Phi, resolve
from podium.rankers import Ranker
from podium.rankers.calibration.left_out import LeftOutScores, left_out_scores
from podium.rankers.folds import Groups
from podium.rankers.members import NamedMembers, raw_scores

PENALTIES = ("explicit", "paper", "rademacher", "slope")
_SHUFFLES = 5  # suprema vary little from one shuffle to the next
_FEWEST_DIMENSIONS = 4  # a slope through the larger half of fewer would be drawn through a single point


@dataclass(frozen=True)
class Fits:
    """Rankers of the classes S_1, S_2, …, all fitted on the same rows, and their Ŵ_φ/n there."""

    estimators: Sequence[Any]
    X: FloatArray
    is_positive: BoolArray
    phi: Phi  # bound to the number of rows

    @property
    def n_pos(self) -> int:
        return int(self.is_positive.sum())

    @property
    def n_neg(self) -> int:
        return len(self.is_positive) - self.n_pos

    def values(self) -> FloatArray:
        return np.array([value(ranker, self.X, self.is_positive, self.phi) for ranker in self.estimators])

    def dimensions(self) -> list[int | None]:
        """Coefficients of each class, None where they are not known."""
        return [getattr(_last_step(ranker), "class_dimension_", None) for ranker in self.estimators]

    def known_dimensions(self, penalty: str) -> list[int]:
        known = []
        for ranker, dimension in zip(self.estimators, self.dimensions(), strict=True):
            if dimension is None:
                raise InputError(
                    f"penalty={penalty!r} needs classes of a known number of coefficients; got {ranker}.",
                    "known are LinearRanker and QuadraticRanker without scaling='quantile', also as the last step of "
                    "a pipeline; penalty='rademacher' takes any ranker.",
                )
            known.append(dimension)
        return known


def value(ranker: Any, X: FloatArray, is_positive: BoolArray, phi: Phi) -> float:
    """Ŵ_φ/n, averaged over tied ranks: that is the value which the bounds are about."""
    return statistic(Sample(ranker.decision_function(X), is_positive), phi, scale="mean")


def explicit(fits: Fits) -> list[float]:
    """The bound on the supremum over each class; for φ(u) = u the one by disjoint pairs, which is smaller."""
    n_pos, n_neg, phi = fits.n_pos, fits.n_neg, fits.phi
    dimensions = enumerate(fits.known_dimensions("explicit"), start=1)
    if isinstance(phi, Mww):
        span = rank_statistic_span(n_pos, n_neg, phi)  # from the AUC to W/n
        return [span * auc_penalty(n_pos, n_neg, log_sign_patterns(d, min(n_pos, n_neg)), k) for k, d in dimensions]
    orders = ((k, log_rank_shatter(2 * n_pos, 2 * n_neg, d, method="central")) for k, d in dimensions)
    return [rank_statistic_penalty(n_pos, n_neg, phi, log_shatter, k) for k, log_shatter in orders]


def paper(fits: Fits, b1: float | None) -> list[float]:
    """As printed (CLV21, Equation 4.4), with a constant that the user must supply."""
    if b1 is None:
        raise InputError(
            "penalty='paper' needs the constant b1 of CLV21, Eq. 4.4; got none.",
            "the paper gives no value; penalty='explicit' needs none.",
        )
    n_total = len(fits.is_positive)
    dimensions = enumerate(fits.known_dimensions("paper"), start=1)
    return [paper_penalty(n_total, k, d, fits.n_pos / n_total, fits.phi, b1) for k, d in dimensions]


def rademacher(fits: Fits) -> list[float]:
    """How far each ranker gets above the mean on shuffled labels, where there is nothing to learn, plus √(V_φ ln k).

    An estimate of the mean supremum, for the ranker as it is (with its shrinkage), not for its class.
    """
    rng = np.random.default_rng(0)  # the same shuffles for all classes and in every fit
    shuffled = [rng.permutation(fits.is_positive) for _ in range(_SHUFFLES)]
    n_total = len(fits.is_positive)
    by_chance = float(fits.phi.value(np.arange(1, n_total + 1) / (n_total + 1)).mean())
    sensitivity = rank_statistic_sensitivity(fits.n_pos, fits.n_neg, fits.phi)
    penalties = []
    for k, ranker in enumerate(fits.estimators, start=1):
        reached = [value(clone(ranker).fit(fits.X, labels), fits.X, labels, fits.phi) for labels in shuffled]
        penalties.append(max(float(np.mean(reached)) - by_chance, 0.0) + math.sqrt(sensitivity * math.log(k)))
    return penalties


def slope(fits: Fits) -> list[float]:
    """2κD with κ the slope of Ŵ_φ/n over the number D of coefficients, among the larger half of the classes.

    There, it is supposed, more coefficients fit nothing but noise: each of them gains κ on the sample and loses as much
    on new rows.
    """
    dimensions = np.array(fits.known_dimensions("slope"), dtype=np.float64)
    distinct = np.unique(dimensions)
    if len(distinct) < _FEWEST_DIMENSIONS:
        raise InputError(
            f"penalty='slope' needs classes of at least {_FEWEST_DIMENSIONS} different numbers of coefficients; got "
            f"{', '.join(f'{d:g}' for d in distinct)}.",
            "penalty='rademacher' needs one class only.",
        )
    larger = dimensions >= distinct[len(distinct) // 2]
    kappa = np.polyfit(dimensions[larger], fits.values()[larger], 1)[0]
    return list(2 * max(float(kappa), 0.0) * dimensions)


def penalties(name: str, fits: Fits, b1: float | None) -> FloatArray:
    """The penalty of every class, by name."""
    _input.check_choice("penalty", name, PENALTIES)
    return np.array(
        paper(fits, b1)
        if name == "paper"
        else {"explicit": explicit, "rademacher": rademacher, "slope": slope}[name](fits)
    )


def _last_step(ranker: Any) -> Any:
    return ranker[-1] if hasattr(ranker, "steps") else ranker


class PenalizedSelection(NamedMembers, Ranker):
    r"""The ranker of the class that is best after a penalty for its size (CLV21, Equation 4.5).

    .. math:: \hat k = \arg\max_k \Bigl\{\tfrac1n \widehat W_\phi(\hat s_k) - \mathrm{pen}(N, k)\Bigr\}

    ŝ_k is the k-th ranker, fitted on all rows. (The paper prints Ŵ(s) for Ŵ(ŝ_k).) No row is left out for validation;
    the price is that a penalty which holds for every distribution is large. How it fares against cross-validation is
    measured in the documentation, "Choosing a class of scorers".

    Parameters
    ----------
    estimators : sequence of rankers, or of (name, ranker) pairs
        S_1, S_2, …, in an order fixed before the data were seen. Pipelines may end in a ranker; for the penalties that
        count coefficients (all but ``"rademacher"``), earlier steps must choose no columns by looking at the data.
    phi : Phi or str
        The score-generating function φ, which says which part of the list matters; see `podium.phi`.
    penalty : {"explicit", "paper", "rademacher", "slope"}
        - ``"explicit"``: √(2V_φ ln(2r(S_k, 2n, 2m))) + √(V_φ ln k), :func:`podium.bounds.rank_statistic_penalty`; for
          φ(u) = u the smaller :func:`podium.bounds.auc_penalty`. The only one that is guaranteed.
        - ``"paper"``: CLV21, Eq. 4.4, :func:`podium.bounds.paper_penalty`, with the constant ``b1`` of your choice.
        - ``"rademacher"``, an estimate: what each ranker reaches above the mean on shuffled labels, plus √(V_φ ln k);
          five more fits of every ranker.
        - ``"slope"``, an estimate: twice the slope of Ŵ_φ/n over the number of coefficients, among the larger half of
          at least four classes.
    b1 : float, optional
        The constant of ``"paper"``, which the paper does not give.
    refit : bool
        Whether to keep the selected ranker, so that the selection itself can score. Nothing is refitted, since every
        ranker was fitted on all rows.
    pos_label : object, optional
        The positive label; by default the last of the two in sorted order.
    calibrate : {"isotonic", "platt"}, optional
        How scores are mapped to probabilities for ``predict_proba``, in five-fold cross-validation of the selected
        ranker; not by default.
    n_jobs : int, optional
        Number of processes for the fits.
    verbose : int
        1 shows a progress line with the time.

    Attributes
    ----------
    selected_ : int
        The position of the selected class.
    table_ : dict of arrays, one entry per class
        ``"name"``; ``"empirical"``, Ŵ_φ/n averaged over ties; ``"penalty"``; ``"penalized"``, their difference;
        ``"vacuous"``, whether the penalty exceeds the whole range of Ŵ_φ/n. ``pandas.DataFrame(table_)`` shows it.
    guaranteed_ : bool
        Whether the penalty is a bound that holds for every distribution; otherwise it is an estimate or a guess.
    best_estimator_ : estimator
        The selected ranker (with ``refit``).
    threshold_ : float
        The score above which a row is predicted to be positive.
    calibration_ : object
        The map from scores to probabilities, with ``calibrate``.
    classes_ : ndarray
        The two labels, the positive one last.

    Notes
    -----
    Rows have no weights here: the bounds behind the penalties are about rows that count once.

    Examples
    --------
    >>> from podium import LinearRanker, QuadraticRanker
    >>> from podium.datasets import ScaleModel
    >>> from podium.selection import PenalizedSelection
    >>> X, y = ScaleModel(0.9, dimension=3).sample(2000, 2000, rng=0)
    >>> classes = [("linear", LinearRanker()), ("quadratic", QuadraticRanker())]
    >>> selection = PenalizedSelection(classes, "auc", penalty="rademacher").fit(X, y)
    >>> selection.table_["name"][selection.selected_], selection.guaranteed_
    ('quadratic', False)
    """

    table_: dict[str, Any]
    selected_: int
    guaranteed_: bool
    best_estimator_: Any

    def __init__(
        self,
        estimators: Sequence[Any],
        phi: Phi | str = "auc",
        penalty: str = "explicit",
        b1: float | None = None,
        refit: bool = True,
        *,
        pos_label: Any = None,
        calibrate: str | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimators = estimators
        self.phi = phi
        self.penalty = penalty
        self.b1 = b1
        self.refit = refit
        self.pos_label = pos_label
        self.calibrate = calibrate
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, *, groups: Any = None) -> Self:  # type: ignore[override]  # no weights: see the Notes
        """Fit every ranker on all rows, penalize, select.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The rows to learn from.
        y : array-like of shape (n_rows,)
            The labels, of two classes; ``classes_[1]`` is the positive one.
        groups : array-like of shape (n_rows,), optional
            What rows belong to: for ``calibrate``, rows of one group are left out together.

        Returns
        -------
        PenalizedSelection
            The selection itself, fitted.
        """
        self._fit_rows(X, y, None, groups)
        if not self.refit:
            del self.best_estimator_
        return self

    def _fit(self, X: Any, is_positive: BoolArray, weight: FloatArray | None) -> None:
        _input.check_choice("penalty", self.penalty, PENALTIES)
        _input.check_choice("refit", self.refit, (True, False))
        phi = resolve(self.phi).bind(len(is_positive))
        names, rankers = _named(self.estimators)
        fits = Fits(self._fitted(rankers, X, is_positive), X, is_positive, phi)
        empirical, penalty = fits.values(), penalties(self.penalty, fits, self.b1)
        self.table_ = {
            "name": names,
            "empirical": empirical,
            "penalty": penalty,
            "penalized": empirical - penalty,
            "vacuous": penalty >= rank_statistic_span(fits.n_pos, fits.n_neg, phi),
        }
        self.selected_ = int(np.argmax(empirical - penalty))
        self.guaranteed_ = self.penalty == "explicit"
        self.best_estimator_ = fits.estimators[self.selected_]

    def _fitted(self, rankers: list[Any], X: Any, is_positive: BoolArray) -> list[Any]:
        """A fitted copy of every ranker."""
        progress = Progress(type(self).__name__, len(rankers), enabled=bool(self.verbose))
        done = []
        for ranker in Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(clone(ranker).fit)(X, is_positive) for ranker in rankers
        ):
            done.append(ranker)
            progress.update(len(done))
        progress.close()
        return done

    def _keeps_frames(self) -> bool:
        return True

    def _left_out_scores(
        self, X: Any, is_positive: BoolArray, weight: FloatArray | None, groups: Groups | None
    ) -> LeftOutScores:
        return left_out_scores(self.best_estimator_, X, is_positive, weight, groups, self._scores(X))

    def _trained_phi(self) -> Phi:
        return resolve(self.phi)

    def _scores(self, X: Any) -> FloatArray:
        if not hasattr(self, "best_estimator_"):
            raise InputError(
                "A selection scores with the selected ranker; with refit=False none was kept.", "fit with refit=True."
            )
        return raw_scores(self.best_estimator_, X)


def _named(rankers: Any) -> tuple[npt.NDArray[Any], list[Any]]:
    """Names and rankers; without names, the number and the kind."""
    if not isinstance(rankers, Sequence) or isinstance(rankers, str) or not rankers:
        raise InputTypeError(
            f"estimators must be a list of at least one ranker; got {rankers!r}.",
            "for instance [LinearRanker(), QuadraticRanker()], the smallest class first.",
        )
    pairs = [
        ranker if isinstance(ranker, tuple) and len(ranker) == 2 else (f"{k} {type(ranker).__name__}", ranker)
        for k, ranker in enumerate(rankers, start=1)
    ]
    for _, ranker in pairs:
        if not all(hasattr(ranker, method) for method in ("fit", "decision_function")):
            raise InputTypeError(
                f"Every ranker needs fit and decision_function; got {ranker!r}.", "pass instances, not classes."
            )
    return np.array([str(name) for name, _ in pairs], dtype=object), [ranker for _, ranker in pairs]
