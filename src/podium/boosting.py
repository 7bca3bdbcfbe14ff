"""Boosting: criteria and metrics for LightGBM's, XGBoost's and CatBoost's own training."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._types import FloatArray
from podium.criteria import Criterion
from podium.metrics.named import gain
from podium.phi import Phi
from podium.rankers.trees.curvature import NewtonObjective, boosting_criterion


def labels_and_weights(first: Any, second: Any, sample_weight: Any = None) -> tuple[Any, Any, Any]:
    """Scores, labels and weights (or None), from ``(scores, data)`` or from ``(y_true, scores)``."""
    if not hasattr(second, "get_label"):
        return second, first, sample_weight
    weight = second.get_weight()
    return first, np.asarray(second.get_label()), None if weight is None or len(weight) == 0 else np.asarray(weight)


# Unless told, XGBoost maximizes metrics whose names begin with one of these and minimizes all others: a custom metric
# has no other way to say which it wants.
_MAXIMIZED_BY_XGBOOST = ("auc", "pre", "map", "ndcg")


class BoostingMetric:
    """What :func:`metric` returns: a function from scores and data to what a library prints after every round.

    It is called by the library: as a function by LightGBM and XGBoost, by its methods by CatBoost. Called as
    ``f(y_true, y_score)``, it is the metric.

    Parameters
    ----------
    name : Phi or str
        What is measured, as in :func:`metric`.
    """

    no_jit = True  # CatBoost would try to compile the methods, and warn that it cannot

    def __init__(self, name: Phi | str) -> None:
        self.name = str(name)
        self._value = gain(name)
        known = self.name.startswith(_MAXIMIZED_BY_XGBOOST)
        self.__name__ = ("" if known else "prefer-larger-") + self.name.replace(":", "-")  # XGBoost splits at colons

    def __call__(self, first: Any, second: Any, *others: Any, sample_weight: Any = None) -> Any:
        """Name and value for ``xgboost.train``, with True, because larger is better, for LightGBM; else the value.

        Parameters
        ----------
        first : array-like
            The scores, or the labels where a scikit-learn interface calls.
        second : Dataset, DMatrix or array-like
            The data that is looked at, or the scores.
        *others : array-like
            Weights and groups, as LightGBM's scikit-learn interface gives them, present or not.
        sample_weight : array-like, optional
            The weights, where XGBoost's scikit-learn interface gives them.
        """
        weights = others[0] if others else sample_weight
        scores, labels, weight = labels_and_weights(first, second, weights)
        value = float(self._value(labels, scores, sample_weight=weight))
        if others or type(second).__module__.partition(".")[0] == "lightgbm":
            return self.name, value, True
        return (self.__name__, value) if hasattr(second, "get_label") else value

    def is_max_optimal(self) -> bool:
        """For CatBoost: larger is better."""
        return True

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """For CatBoost: the metric of all rows, and 1 to divide it by.

        Parameters
        ----------
        approxes : sequence of sequences
            The scores, in a sequence of length one.
        target : sequence of float
            The labels of the rows.
        weight : sequence of float or None
            The weights; CatBoost gives none, or an empty one, where there are none.
        """
        weights = None if weight is None or len(weight) == 0 else np.asarray(weight)
        return float(self._value(np.asarray(target), np.asarray(approxes[0]), sample_weight=weights)), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """For CatBoost: the value of both.

        Parameters
        ----------
        error : float
            The first value of :meth:`evaluate`.
        weight : float
            The second one.
        """
        return error / weight

    def __repr__(self) -> str:
        return f"BoostingMetric({self.name!r})"


def metric(name: Phi | str = "auc") -> BoostingMetric:
    """A metric of :func:`podium.metrics.metric` as evaluation function of a boosting library; larger is better.

    Parameters
    ----------
    name : Phi or str
        ``"auc"``, ``"power:3"`` (that is ω_φ), ``"partial-auc:0.05"``, ``"gini"``, …: what is measured after every
        round. Ties are averaged over, and weights of the data are counted.

    Returns
    -------
    BoostingMetric
        For ``feval`` of ``lightgbm.train`` and ``eval_metric`` of its scikit-learn interface, for ``custom_metric`` of
        ``xgboost.train`` and ``eval_metric`` of its scikit-learn interface, and for ``eval_metric`` of CatBoost. All of
        them keep the round with the largest value when they stop early. XGBoost knows directions by names only: there
        ``"power:3"`` is called ``"prefer-larger-power-3"``.

    Examples
    --------
    >>> import numpy as np
    >>> from podium import boosting
    >>> auc = boosting.metric("auc")
    >>> round(auc(np.array([0, 1, 0, 1]), np.array([0.1, 0.4, 0.6, 0.9])), 9)
    0.75
    """
    return BoostingMetric(name)


_SLIGHT = 1e-12  # a curvature that is none, and that can be divided by


class BoostingObjective:
    """What :func:`objective` returns: a function from scores and data to gradient and curvature of every row.

    It is called by the library: ``f(scores, data)`` by ``lightgbm.train`` and ``xgboost.train``, ``f(y_true, scores)``
    or ``f(y_true, scores, sample_weight)`` by the scikit-learn interfaces of both, ``f.calc_ders_range`` by CatBoost.

    Parameters
    ----------
    criterion : Criterion, Phi or str
        What to maximize, as in :func:`objective`.
    """

    no_jit = True  # CatBoost would try to compile the method, and warn that it cannot

    def __init__(self, criterion: Criterion | Phi | str) -> None:
        self.criterion = boosting_criterion(criterion)

    def __call__(self, first: Any, second: Any, sample_weight: Any = None) -> tuple[FloatArray, FloatArray]:
        """First and second derivatives of what the library is to minimize, one per row.

        Parameters
        ----------
        first : array-like
            The scores, or the labels where the scikit-learn interface calls.
        second : Dataset, DMatrix or array-like
            The data that the library trains on, or the scores.
        sample_weight : array-like, optional
            The weights, where the scikit-learn interface gives them.
        """
        scores, labels, weights = labels_and_weights(first, second, sample_weight)
        rows = _input.check_sample(labels, scores, largest_weight=_input.HEAVIEST_IN_PRODUCTS)
        weight = None if weights is None else _input.check_weights(weights, len(rows.scores))
        return NewtonObjective(self.criterion, rows.is_positive, weight)(rows.scores.astype(np.float64))

    def calc_ders_range(self, approxes: Any, targets: Any, weights: Any) -> list[tuple[float, float]]:
        """What CatBoost asks for: first and second derivatives of what it is to maximize, one pair per row.

        CatBoost hands over at most 1,000 rows at a time, and every such block is a list of its own; one of a single
        class says nothing, and its rows stay where they are.

        Parameters
        ----------
        approxes : sequence of float
            The scores of a block of rows.
        targets : sequence of float
            The labels of these rows.
        weights : sequence of float or None
            The weights of these rows; None where each counts once.
        """
        scores, is_positive = np.asarray(approxes, dtype=np.float64), _input.check_labels(targets)
        weight = None if weights is None else _input.check_weights(weights, len(scores))
        counts = np.ones(len(scores)) if weight is None else weight
        if min(counts @ is_positive, counts @ ~is_positive) <= 0:
            return [(0.0, -_SLIGHT)] * len(scores)
        gradient, curvature = NewtonObjective(self.criterion, is_positive, weight)(scores)
        return list(zip((-gradient).tolist(), (-curvature).tolist(), strict=True))

    def start(self, y_true: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> float:
        """The log-odds of a row drawn at random: where scores should begin.

        Parameters
        ----------
        y_true : array-like of shape (n_rows,)
            The labels: booleans, 0 and 1, or −1 and 1.
        sample_weight : array-like of shape (n_rows,), optional
            How often every row counts.
        """
        is_positive = _input.check_labels(y_true)
        weight = None if sample_weight is None else _input.check_weights(sample_weight, len(is_positive))
        return NewtonObjective(self.criterion, is_positive, weight).prior_log_odds

    def __repr__(self) -> str:
        return f"BoostingObjective({self.criterion!r})"


def objective(criterion: Criterion | Phi | str = "auc") -> BoostingObjective:
    r"""A ranking criterion as a custom objective of LightGBM, XGBoost or CatBoost, in Newton's form.

    All rows form one list; in CatBoost, which shows them in blocks of at most 1,000, every block is one, so that rows
    must not be sorted by their label. Gradient and curvature are those of :class:`podium.GradientBoostedRanker`: the
    derivative of the criterion in every score, and a positive bound on the size of the second one, scaled so that
    limits on leaves mean what they mean for log-loss. With a curvature of one instead, as custom objectives are often
    written, steps are far too short or too long. Weights of the data are counted. Ties of scores are averaged over, as
    the criterion says.

    Parameters
    ----------
    criterion : Criterion, Phi or str
        What to maximize: ``"auc"``, ``"power:3"``, ``"push:4"``, …; a φ is smoothed by the logistic kernel with h = 1
        on the scale of log-odds. A criterion given as an object is used as it is. One that only the top of the list
        feels, such as ``"partial-auc:0.05"``, needs a model of log-loss to go on from, of four fifths of the rounds:
        ``init_model`` of LightGBM, ``xgb_model`` of XGBoost.

    Returns
    -------
    BoostingObjective
        A function for ``params["objective"]`` of ``lightgbm.train``, for ``obj`` of ``xgboost.train``, for
        ``objective`` of their scikit-learn interfaces, and for ``loss_function`` of CatBoost (which then wants an
        ``eval_metric``, for instance :func:`metric`). Begin at its ``start(y)``: ``init_score`` of a LightGBM
        ``Dataset`` (one number per row), ``base_score`` of XGBoost.

    Examples
    --------
    >>> import numpy as np
    >>> from podium import boosting
    >>> auc = boosting.objective("auc")
    >>> gradient, curvature = auc(np.array([0, 1, 0, 1]), np.array([0.1, 0.4, 0.6, 0.9]))
    >>> gradient.round(2)
    array([ 0.22, -0.24,  0.24, -0.22])
    """
    return BoostingObjective(criterion)


__all__ = ["BoostingMetric", "BoostingObjective", "metric", "objective"]
