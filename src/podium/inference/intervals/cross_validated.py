"""Intervals from scores by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._types import Array, BoolArray, FloatArray
from podium.inference.intervals.influence import jackknife
from podium.inference.intervals.interval import Interval
from podium.inference.intervals.limits import loss_and_gain, pseudo_event_limits
from podium.inference.lists.ranking import Ranking
from podium.phi import Phi, resolve

# How much the folds of a cross-validation depend on each other, through the models that they helped to fit.


Split = tuple[Array, Array]  # rows trained on, rows held out
_NEIGHBORS = 2  # pairs of folds at most so far apart, in a circle: all pairs of up to five folds, 2V of V folds


def dependence_variance(
    splits: Sequence[Split],
    omegas: Sequence[float],
    is_positive: BoolArray,
    omegas_of: Callable[[Sequence[Split], Sequence[int]], list[tuple[float, float]]],
) -> float | None:
    r"""The part of the variance of the mean of ω̂ over folds that comes from fits sharing rows; None if unknown.

    Fold v is held out from its own model but helped to fit the model of every other fold w. Let
    Δ_vw = ω̂_v(model without v) − ω̂_v(model without v and w) be what the rows of w change in the figure of v. To first
    order the errors of the two folds have the covariance E Δ_vw Δ_wv, so that

    .. math:: \Bigl(1 - \frac1V\Bigr) \operatorname{mean}_{v < w} \Delta_{vw} \Delta_{wv}

    is to be added; 0 if it is negative. The mean of Δ, what more rows gain, is not subtracted: it pays for the
    model that is refitted to all rows. ``omegas_of`` fits the models of splits that hold out two folds, the first of
    which has so many rows, and gives ω̂ of both.
    """
    products: list[float] = []
    shares: list[float] = []
    for partition in partitions(splits):
        pairs = [(v, w) for v, w in _neighbors(partition) if _has_both(is_positive[_common(splits[v], splits[w])])]
        without_both = [(_common(splits[v], splits[w]), np.append(splits[v][1], splits[w][1])) for v, w in pairs]
        refitted = omegas_of(without_both, [len(splits[v][1]) for v, _ in pairs]) if pairs else []
        for (v, w), (omega_v, omega_w) in zip(pairs, refitted, strict=True):
            products.append((omegas[v] - omega_v) * (omegas[w] - omega_w))
            shares.append(1 - 1 / len(partition))
    return max(0.0, float(np.dot(shares, products)) / len(products)) if products else None


def partitions(splits: Sequence[Split]) -> list[list[int]]:
    """Successive splits whose held-out parts do not overlap: one list for each repetition of a cross-validation."""
    parts: list[list[int]] = []
    seen: set[int] = set()
    for number, (_, held_out) in enumerate(splits):
        rows = set(held_out.tolist())
        if not parts or seen & rows:
            parts.append([])
            seen = set()
        parts[-1].append(number)
        seen |= rows
    return parts


def _neighbors(partition: Sequence[int]) -> Iterator[tuple[int, int]]:
    size = len(partition)
    for i, j in combinations(range(size), 2):
        if min(j - i, size - j + i) <= _NEIGHBORS:
            yield partition[i], partition[j]


def _common(one: Split, other: Split) -> Array:
    """Rows that both models were trained on, neither of whose folds holds them out."""
    return np.intersect1d(one[0], other[0])


def _has_both(labels: BoolArray) -> bool:
    return bool(labels.any() and not labels.all())


# An interval for the performance of an estimator, from cross-validation.


def cross_validated_interval(
    estimator: Any,
    X: Any,
    y: npt.ArrayLike,
    cv: Any = 5,
    phi: Phi | str = "auc",
    *,
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> Interval:
    r"""Interval for the ω_φ that an estimator reaches on new rows, from cross-validation.

    The interval covers the mean performance on new rows of the V models fitted by cross-validation; in simulation also
    the expected performance of such a model and that of the model refitted to all rows (see the documentation). The
    estimate is the mean of ω̂ over the V folds. Its variance has two parts:

    - Given the models, every fold is a sample of its own: the influence values of its rows are divided by V and, if a
      row is held out more than once (repeated cross-validation), summed over its folds; the squares of these sums add
      up (LeDell, Petersen and van der Laan 2015, for any φ).
    - The folds are not independent, because each helped to fit the models of the others; with many features this is as
      large as the first part. It is measured by fitting models without two folds at a time, in the spirit of the nested
      cross-validation of Bates, Hastie and Tibshirani (2024): with five folds ten models more, with V > 5 folds 2V.

    Limits as in `interval` with ``method="auto"``. For φ other than u, ω_φ is that of lists composed as the folds are.

    Parameters
    ----------
    estimator : estimator
        The estimator, with ``fit`` and ``decision_function`` or ``predict_proba``; it is cloned.
    X, y : array-like
        Rows and labels.
    cv : int, splitter or iterable of (train, test) indices
        The splits, as in scikit-learn; a number means that many stratified folds. Every held-out part needs two rows of
        each class. With fewer than three folds the second part of the variance cannot be estimated.
    phi : Phi or str
        The score-generating function φ, which says which part of the list matters; see `podium.phi`.
    confidence_level : float
        Nominal coverage of the two-sided interval.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    Interval
        The mean of ω̂ over the folds with its interval.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from podium.inference import cross_validated_interval
    >>> cross_validated_interval(GaussianNB(), *load_breast_cancer(return_X_y=True))
    AUC 0.98..., 95 % interval 0.97... to 0.99... (cross-validated pseudo-event), 569 rows, 63 % positive
    """
    from sklearn.model_selection import check_cv  # here: scikit-learn loads pandas where it is installed

    level = _input.check_fraction("confidence_level", confidence_level)
    chosen, is_positive = resolve(phi), _input.check_labels(y, pos_label)
    folds = check_cv(cv, is_positive, classifier=True)
    splits: list[Split] = [(np.asarray(train), np.asarray(test)) for train, test in folds.split(X, is_positive)]

    def ranking(rows: Array, scores: FloatArray) -> Ranking:
        return Ranking(_input.check_sample(is_positive[rows], scores), chosen)

    def omegas_of(refits: Sequence[Split], sizes: Sequence[int]) -> list[tuple[float, float]]:
        scores = _held_out_scores(estimator, X, is_positive, refits)
        return [
            (ranking(rows[:size], s[:size]).omega, ranking(rows[size:], s[size:]).omega)
            for (_, rows), s, size in zip(refits, scores, sizes, strict=True)
        ]

    held_out = _held_out_scores(estimator, X, is_positive, splits)
    rankings = [ranking(rows, scores) for (_, rows), scores in zip(splits, held_out, strict=True)]
    omegas = [each.omega for each in rankings]
    dependence = dependence_variance(splits, omegas, is_positive, omegas_of)
    variance = _variance_given_models(splits, rankings, is_positive) + (dependence or 0.0)
    estimate = float(np.mean(omegas))
    n_pos, n_neg = int(is_positive.sum()), int((~is_positive).sum())
    # One more loss is one in one of the folds.
    loss, gain = np.mean([loss_and_gain(each) for each in rankings], axis=0) / len(splits)
    limits = pseudo_event_limits(estimate, variance, float(loss), float(gain), level)
    alone = dependence is None and len(splits) > 1
    return Interval(
        estimate=estimate,
        low=min(limits.low, estimate),
        high=max(limits.high, estimate),
        standard_error=limits.standard_error,
        confidence_level=level,
        method="cross-validated pseudo-event",
        phi=str(chosen),
        scale="omega",
        n_pos=n_pos,
        n_neg=n_neg,
        note="what the folds share cannot be measured: coverage may fall short; use three folds or more" * alone,
    )


def _held_out_scores(estimator: Any, X: Any, is_positive: BoolArray, splits: Sequence[Split]) -> list[FloatArray]:
    """Scores of the held-out rows of every split by a model fitted to its other rows."""
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import cross_validate

    scores: list[FloatArray] = []

    def keep(_: Any, y_score: Any) -> float:
        scores.append(y_score)
        return 0.0

    scoring = make_scorer(keep, response_method=("decision_function", "predict_proba"))
    cross_validate(estimator, X, is_positive.astype(int), cv=splits, scoring=scoring, error_score="raise")
    return scores


def _variance_given_models(splits: Sequence[Split], rankings: Sequence[Ranking], is_positive: BoolArray) -> float:
    """Of the mean of ω̂ over the folds: squared sums of what each row contributes to it."""
    shares = np.zeros(len(is_positive))
    for (_, rows), ranking in zip(splits, rankings, strict=True):
        values = jackknife(ranking).rows(ranking.sample)
        for label, count in ((True, ranking.n_pos), (False, ranking.n_neg)):
            part = is_positive[rows] == label
            shares[rows[part]] += values[part] / np.sqrt(count * (count - 1)) / len(splits)
    return float(shares @ shares)
