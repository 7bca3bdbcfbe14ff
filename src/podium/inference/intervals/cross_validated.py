"""Intervals from scores by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._types import Array, BoolArray, FloatArray, Sample
from podium.exceptions import InputError
from podium.inference.intervals.influence import jackknife
from podium.inference.intervals.interval import Interval
from podium.inference.intervals.limits import loss_and_gain, pseudo_event_limits, student_level
from podium.inference.lists.influence import clusters_of, typical_cluster_size
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
    sample_weight: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
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
    sample_weight : array-like, optional
        One weight above 0 per row, as in `interval`: the estimator is fitted with them (its ``fit`` takes
        ``sample_weight``), and the held-out rows count by them.
    groups : array-like, optional
        The unit (patient, household) of each row: folds hold out whole units, rows of a unit may be dependent, and the
        interval is for rows of new units. A splitter gets them as ``groups``.
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
    level = _input.check_fraction("confidence_level", confidence_level)
    chosen, is_positive = resolve(phi), _input.check_labels(y, pos_label)
    weight = _weights(sample_weight, len(is_positive))
    clusters = None if groups is None else clusters_of(groups, None, len(is_positive))
    splits = _splits(cv, X, is_positive, clusters)

    def ranking(rows: Array, scores: FloatArray) -> Ranking:
        return Ranking(_input.check_sample(is_positive[rows], scores, None if weight is None else weight[rows]), chosen)

    def omegas_of(refits: Sequence[Split], sizes: Sequence[int]) -> list[tuple[float, float]]:
        scores = _held_out_scores(estimator, X, is_positive, refits, weight)
        return [
            (ranking(rows[:size], s[:size]).omega, ranking(rows[size:], s[size:]).omega)
            for (_, rows), s, size in zip(refits, scores, sizes, strict=True)
        ]

    held_out = _held_out_scores(estimator, X, is_positive, splits, weight)
    rankings = [ranking(rows, scores) for (_, rows), scores in zip(splits, held_out, strict=True)]
    omegas = [each.omega for each in rankings]
    dependence = dependence_variance(splits, omegas, is_positive, omegas_of)
    given_models, reach = _variance_given_models(splits, rankings, is_positive, clusters, level)
    variance = given_models + (dependence or 0.0)
    estimate = float(np.mean(omegas))
    # One more loss is one in one of the folds; rows of a unit are lost together.
    together = (
        1.0
        if clusters is None
        else typical_cluster_size(Sample(np.zeros(len(is_positive)), is_positive, weight), clusters)
    )
    events = np.mean([loss_and_gain(each, clustered=clusters is not None) for each in rankings], axis=0)
    loss, gain = np.minimum(together * events / len(splits), 1.0)
    limits = pseudo_event_limits(estimate, variance, float(loss), float(gain), reach)
    n_pos, n_neg = (float(np.sum(rows if weight is None else weight[rows])) for rows in (is_positive, ~is_positive))
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


def _weights(sample_weight: npt.ArrayLike | None, n_rows: int) -> FloatArray | None:
    if sample_weight is None:
        return None
    weight = _input.check_weights(sample_weight, n_rows)
    if not (weight > 0).all():
        raise InputError("Weights must be above 0; got some that are not.", "omit these rows.")
    return weight


def _splits(cv: Any, X: Any, is_positive: BoolArray, clusters: Array | None) -> list[Split]:
    """Rows trained on and rows held out, no unit on both sides."""
    from sklearn.model_selection import StratifiedGroupKFold, check_cv  # here: it loads pandas where that is installed

    if clusters is not None and isinstance(cv, int):
        cv = StratifiedGroupKFold(_input.check_integer("cv", cv, 2))
    folds = check_cv(cv, is_positive, classifier=True)
    splits = [(np.asarray(train), np.asarray(test)) for train, test in folds.split(X, is_positive, clusters)]
    if clusters is not None and any(np.isin(clusters[train], clusters[test]).any() for train, test in splits):
        raise InputError(
            "Folds must hold out whole units; got rows of one unit on both sides of a split.",
            "pass a number of folds, or a splitter that takes groups.",
        )
    return splits


def _held_out_scores(
    estimator: Any, X: Any, is_positive: BoolArray, splits: Sequence[Split], weight: FloatArray | None
) -> list[FloatArray]:
    """Scores of the held-out rows of every split by a model fitted to its other rows."""
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import cross_validate

    scores: list[FloatArray] = []

    def keep(_: Any, y_score: Any) -> float:
        scores.append(y_score)
        return 0.0

    scoring = make_scorer(keep, response_method=("decision_function", "predict_proba"))
    params = None if weight is None else {"sample_weight": weight}
    cross_validate(
        estimator, X, is_positive.astype(int), cv=splits, scoring=scoring, error_score="raise", params=params
    )
    return scores


def _variance_given_models(
    splits: Sequence[Split],
    rankings: Sequence[Ranking],
    is_positive: BoolArray,
    clusters: Array | None,
    level: float,
) -> tuple[float, float]:
    """Of the mean of ω̂ over the folds: squared sums of what each row, or unit, contributes to it.

    Also the level of normal limits that reach as far as Student's with Satterthwaite's degrees of freedom, for units.
    """
    shares = np.zeros(len(is_positive))
    for (_, rows), ranking in zip(splits, rankings, strict=True):
        values, weight = jackknife(ranking).rows(ranking.sample), ranking.sample.weight
        each = np.ones(len(values)) if weight is None else weight
        root = np.sqrt(each) if clusters is None else each
        for label, count in ((True, ranking.n_pos), (False, ranking.n_neg)):
            part = is_positive[rows] == label
            shares[rows[part]] += (root * values)[part] / np.sqrt(count * (count - 1)) / len(splits)
    if clusters is None:
        return float(shares @ shares), level
    squares = np.bincount(clusters, shares) ** 2
    n_units, total = len(squares), float(squares.sum())
    spread = float(squares @ squares) - total**2 / n_units
    freedom = np.clip(2 * total**2 / spread if spread > 0 else n_units - 1, 1, n_units - 1)
    return total * n_units / (n_units - 1), student_level(level, float(freedom))
