"""Metrics by name, and as scorers of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from podium._types import FloatArray
from podium.exceptions import InputError, InputTypeError
from podium.metrics import area, discounted, linear, push, top
from podium.phi import Phi, resolve
from podium.phi.spec import UNDERSTOOD

# Scores of a fitted estimator.


_BLOCK = 20_000  # rows scored at a time, so that little memory is needed beside them


def estimator_scores(estimator: Any, X: Any) -> FloatArray:
    """The decision function of every row, or the probability of the positive class where there is none.

    Estimators are strangers: scores that are not one finite number per row are refused.
    """
    if hasattr(estimator, "decision_function"):
        score = estimator.decision_function
    elif hasattr(estimator, "predict_proba"):
        score = lambda rows: np.asarray(estimator.predict_proba(rows))[:, 1]  # noqa: E731
    else:
        raise InputTypeError(
            f"An estimator must score rows by decision_function or predict_proba; {type(estimator).__name__} has "
            "neither.",
            "classifiers of scikit-learn and rankers of podium do.",
        )
    starts = range(0, max(X.shape[0], 1), _BLOCK)
    scores = np.concatenate([np.asarray(score(X[start : start + _BLOCK]), dtype=np.float64) for start in starts])
    if scores.ndim != 1 or not np.isfinite(scores).all():
        raise InputError(f"The scores of {type(estimator).__name__} are not one finite number per row.")
    return scores


# Metrics by name, as scikit-learn scorers.


# name: (metric, the parameter a number after the colon sets, its type, an example)
_BY_NAME: dict[str, tuple[Callable[..., float], str | None, type, str]] = {
    "partial-auc": (area.partial_auc, "max_fpr", float, "partial-auc:0.05"),
    "tpr-at-fpr": (area.tpr_at_fpr, "fpr", float, "tpr-at-fpr:0.01"),
    "average-precision": (top.average_precision, None, float, "average-precision"),
    "precision-at": (top.precision_at, "k", int, "precision-at:100"),
    "recall-at": (top.recall_at, "k", int, "recall-at:100"),
    "lift-at": (top.lift_at, "k", int, "lift-at:100"),
    "ndcg": (partial(discounted.dcg, normalize=True), "k", int, "ndcg:10"),
    "average-reciprocal-rank": (discounted.average_reciprocal_rank, None, float, "average-reciprocal-rank"),
    "bedroc": (linear.bedroc, "alpha", float, "bedroc:20"),
    "push-risk": (partial(push.push_risk, normalize=True), "p", float, "push-risk:4"),
}
_SMALLER_IS_BETTER = ("push-risk",)


def metric(spec: Phi | str) -> Callable[..., float]:
    """The metric with a name such as ``"precision-at:100"``; a φ such as ``"power:3"`` means ω_φ.

    Larger is better, so ``"push-risk:4"`` comes with its sign reversed.

    Parameters
    ----------
    spec : Phi or str
        A φ, or the name of a metric such as ``"partial-auc:0.05"`` or ``"precision-at:100"``.

    Returns
    -------
    callable
        A function of ``(y_true, y_score)`` that also takes ``sample_weight`` and ``pos_label``.

    Examples
    --------
    >>> from podium.metrics import metric
    >>> metric("precision-at:2")([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.5
    """
    name, arguments = named(spec)
    if name not in _BY_NAME:
        return partial(linear.rank_statistic, phi=resolve(spec))
    function, *_ = _BY_NAME[name]
    chosen = partial(function, **arguments)
    return partial(_negated, chosen) if name in _SMALLER_IS_BETTER else chosen


def named(spec: Phi | str) -> tuple[str, dict[str, float]]:
    """Name and parameters of the metric that a specification means; of a φ the name is ``"rank-statistic"``."""
    name, _, word = spec.strip().lower().partition(":") if isinstance(spec, str) else ("", "", "")
    name = name.replace("_", "-")
    if name not in _BY_NAME:
        try:
            resolve(spec)
        except InputError as error:
            known = ", ".join([*UNDERSTOOD, *(example for *_, example in _BY_NAME.values())])
            raise InputError(f"A metric must be known by its name; got {spec!r}.", f"choose from {known}.") from error
        return "rank-statistic", {}
    _, parameter, kind, example = _BY_NAME[name]
    if word:
        try:
            if parameter is None:
                raise ValueError
            return name, {parameter: kind(word)}
        except ValueError:
            raise InputError(f"{spec!r} is not of the form {example!r}.") from None
    if name in ("tpr-at-fpr", "precision-at", "recall-at", "lift-at"):
        raise InputError(f"{spec!r} needs a number.", f"for instance {example!r}.")
    return name, {}


def scorer(spec: Phi | str, *, pos_label: Any = None) -> Callable[..., float]:
    """A scikit-learn scorer for ``cross_val_score``, ``GridSearchCV`` and the like.

    Without ``pos_label`` the positive class is the last in sorted order, as in scikit-learn's own scorers.

    Parameters
    ----------
    spec : Phi or str
        A φ, or the name of a metric such as ``"partial-auc:0.05"`` or ``"precision-at:100"``.
    pos_label : object, optional
        The label of the positive class.

    Returns
    -------
    callable
        A scorer, called as ``scorer(estimator, X, y)``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from podium.metrics import scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> cross_val_score(GaussianNB(), X, y, scoring=scorer("power:3")).round(2)
    array([0.99, 0.99, 1.  , 1.  , 1.  ])
    """
    from sklearn.metrics import make_scorer  # here: scikit-learn loads pandas where it is installed, metrics need not

    options = {} if pos_label is None else {"pos_label": pos_label}
    return make_scorer(
        partial(_last_class_positive, metric(spec)),
        response_method=("decision_function", "predict_proba"),
        **options,
    )


def scorers(*specs: str, pos_label: Any = None) -> dict[str, Callable[..., float]]:
    """Several scorers by their names, as the ``scoring`` of a search with many metrics.

    Parameters
    ----------
    *specs : str
        The names of the metrics, as for :func:`scorer`.
    pos_label : object, optional
        The label of the positive class.

    Returns
    -------
    dict
        The scorers by name.

    Examples
    --------
    >>> from podium.metrics import scorers
    >>> sorted(scorers("auc", "precision-at:50"))
    ['auc', 'precision-at:50']
    """
    return {spec: scorer(spec, pos_label=pos_label) for spec in specs}


def _last_class_positive(
    function: Callable[..., float], y_true: npt.ArrayLike, y_score: npt.ArrayLike, *, pos_label: Any = None, **more: Any
) -> float:
    if pos_label is None:
        pos_label = np.unique(np.asarray(y_true))[-1]
    return function(y_true, y_score, pos_label=pos_label, **more)


def _negated(function: Callable[..., float], *args: Any, **options: Any) -> float:
    return -function(*args, **options)
