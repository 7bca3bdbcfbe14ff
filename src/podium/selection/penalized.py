"""Choosing a class of scorers by its value on the sample less a penalty for its size (CLV21, §4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import clone

from podium import _input
from podium._progress import Progress
from podium._types import BoolArray, FloatArray
from podium.bounds import rank_statistic_span
from podium.exceptions import InputError, InputTypeError
from podium.phi import Phi, resolve
from podium.rankers import Ranker
from podium.rankers.calibration.left_out import LeftOutScores, left_out_scores
from podium.rankers.folds import Groups
from podium.rankers.members import NamedMembers, raw_scores
from podium.selection.penalties import PENALTIES, Fits, penalties


class PenalizedSelection(NamedMembers, Ranker):
    r"""The ranker of the class that is best after a penalty for its size (CLV21, Equation 4.5).

    .. math:: \hat k = \arg\max_k \Bigl\{\tfrac1n \widehat W_\phi(\hat s_k) - \mathrm{pen}(N, k)\Bigr\}

    ŝ_k is the k-th ranker, fitted on all rows. (The paper prints Ŵ(s) for Ŵ(ŝ_k).) No row is left out for validation;
    the price is that a penalty which holds for every distribution is large. How it fares against cross-validation is
    measured in the documentation, "Choosing a class of scorers".

    Parameters
    ----------
    rankers : sequence of rankers, or of (name, ranker) pairs
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
    ranker_ : estimator
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
    ranker_: Any

    def __init__(
        self,
        rankers: Sequence[Any],
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
        self.rankers = rankers
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
            del self.ranker_
        return self

    def _fit(self, X: Any, is_positive: BoolArray, weight: FloatArray | None) -> None:
        _input.check_choice("penalty", self.penalty, PENALTIES)
        _input.check_choice("refit", self.refit, (True, False))
        phi = resolve(self.phi).bind(len(is_positive))
        names, rankers = _named(self.rankers)
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
        self.ranker_ = fits.rankers[self.selected_]

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
        return left_out_scores(self.ranker_, X, is_positive, weight, groups, self._scores(X))

    def _trained_phi(self) -> Phi:
        return resolve(self.phi)

    def _scores(self, X: Any) -> FloatArray:
        if not hasattr(self, "ranker_"):
            raise InputError(
                "A selection scores with the selected ranker; with refit=False none was kept.", "fit with refit=True."
            )
        return raw_scores(self.ranker_, X)


def _named(rankers: Any) -> tuple[npt.NDArray[Any], list[Any]]:
    """Names and rankers; without names, the number and the kind."""
    if not isinstance(rankers, Sequence) or isinstance(rankers, str) or not rankers:
        raise InputTypeError(
            f"rankers must be a list of at least one ranker; got {rankers!r}.",
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
