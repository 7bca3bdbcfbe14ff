"""Metrics by name as scorers of scikit-learn, and the scores of a fitted estimator."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from podium._types import FloatArray
from podium.exceptions import InputError, InputTypeError
from podium.metrics.cuts import RATES
from podium.metrics.named import gain, named
from podium.phi import Phi

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


def scorer(spec: Phi | str, *, pos_label: Any = None) -> Callable[..., float]:
    """A scikit-learn scorer for ``cross_val_score``, ``GridSearchCV`` and the like.

    Without ``pos_label`` the positive class is the last in sorted order, as in scikit-learn's own scorers. Rates at a
    cut, such as ``"sensitivity:0.5"``, look at probabilities where an estimator has them, all others at its decision
    function.

    Parameters
    ----------
    spec : Phi or str
        A φ, or the name of a metric such as ``"partial-auc:0.05"``, ``"precision@100"`` or ``"gini"``, larger for
        better lists: ``"neg-elusion@100"``.
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
    methods = ("decision_function", "predict_proba")
    return make_scorer(
        partial(_last_class_positive, gain(spec)),
        response_method=methods[::-1] if named(spec).name in RATES else methods,
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
