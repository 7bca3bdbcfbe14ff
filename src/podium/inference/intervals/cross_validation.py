"""An interval for the performance of an estimator, from cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium import phi as phi_
from podium.inference.intervals import jackknife, pseudo_event
from podium.inference.intervals.interval import Interval
from podium.inference.intervals.limits import on_logit_scale
from podium.inference.intervals.methods import few_losses
from podium.inference.lists.ranking import Ranking
from podium.phi import Phi


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
    r"""Interval for the mean held-out ω_φ of the models that cross-validation fits.

    The estimate is the mean of ω̂ over the V folds. Given the models, every fold is a sample of its own, so the
    influence values ψ of its rows are divided by V and, if a row is held out more than once (repeated
    cross-validation), summed over its folds; the squares of these sums add up to the variance (LeDell, Petersen and
    van der Laan 2015, for any φ). Limits as in `interval` with ``method="auto"``.

    What is covered is the mean performance of these V models on new rows, not that of a model refitted to all rows,
    which is usually a little better. For φ other than u, ω_φ is that of lists composed as the folds are.

    Parameters
    ----------
    estimator : estimator
        With ``fit`` and ``decision_function`` or ``predict_proba``.
    X, y : array-like
        Rows and labels.
    cv : int, splitter or iterable of (train, test) indices
        As in scikit-learn; a number means stratified folds. Every held-out part needs two rows of each class.
    phi, confidence_level, pos_label
        As in `interval`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> cross_validated_interval(GaussianNB(), *load_breast_cancer(return_X_y=True))
    AUC 0.98..., 95 % interval 0.97... to 0.99... (cross-validated pseudo-event), 569 rows, 63 % positive
    """
    from sklearn.metrics import make_scorer  # here: scikit-learn loads pandas where it is installed, intervals need not
    from sklearn.model_selection import cross_validate

    level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
    chosen, is_positive = phi_.resolve(phi), _input.check_labels(y, pos_label)
    held_out: list[Any] = []

    def keep(_: Any, y_score: Any) -> float:
        held_out.append(y_score)
        return 0.0

    scoring = make_scorer(keep, response_method=("decision_function", "predict_proba"))
    tested = cross_validate(estimator, X, is_positive.astype(int), cv=cv, scoring=scoring, return_indices=True)
    folds = tested["indices"]["test"]
    shares = np.zeros(len(is_positive))
    rankings = [
        Ranking(_input.check_sample(is_positive[rows], scores), chosen)
        for rows, scores in zip(folds, held_out, strict=True)
    ]
    for rows, ranking in zip(folds, rankings, strict=True):
        values = jackknife.influence(ranking).rows(ranking.sample)
        for label, count in ((True, ranking.n_pos), (False, ranking.n_neg)):
            part = is_positive[rows] == label
            shares[rows[part]] += values[part] / np.sqrt(count * (count - 1)) / len(folds)
    estimate = float(np.mean([ranking.omega for ranking in rankings]))
    variance = float(shares @ shares)
    n_pos, n_neg = int(is_positive.sum()), int((~is_positive).sum())
    if few_losses(estimate, n_pos, n_neg) or not rankings[0].is_auc:
        # One more loss is one in one of the folds.
        event = float(np.mean([pseudo_event.event_size(ranking) for ranking in rankings])) / len(folds)
        method, limits = "pseudo-event", pseudo_event.limits(estimate, variance, event, level)
    else:
        method, limits = "jackknife", on_logit_scale(estimate, variance, level)
    return Interval(
        estimate=estimate,
        low=min(limits.low, estimate),
        high=max(limits.high, estimate),
        standard_error=limits.standard_error,
        confidence_level=level,
        method=f"cross-validated {method}",
        phi=str(chosen),
        scale="omega",
        n_pos=n_pos,
        n_neg=n_neg,
    )
