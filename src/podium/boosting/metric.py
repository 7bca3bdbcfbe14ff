"""A ranking metric as the evaluation function of a boosting library."""

from __future__ import annotations

from typing import Any

import numpy as np

from podium import metrics
from podium.boosting.data import labels_and_weights
from podium.phi import Phi

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
        self._value = metrics.metric(name)
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
        ``"auc"``, ``"power:3"`` (that is ω_φ), ``"partial-auc:0.05"``, …: what is measured after every round. Ties are
        averaged over, and weights of the data are counted.

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
