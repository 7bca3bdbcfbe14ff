"""A ranking metric as the evaluation function of a boosting library."""

from __future__ import annotations

from typing import Any

import numpy as np

from podium import metrics
from podium.boosting.data import labels_and_weights
from podium.phi import Phi


class BoostingMetric:
    """What :func:`metric` returns: a function from scores and data to what a library prints after every round.

    It is called by the library: as a function by LightGBM and XGBoost, by its methods by CatBoost.

    Parameters
    ----------
    name : Phi or str
        What is measured, as in :func:`metric`.
    """

    no_jit = True  # CatBoost would try to compile the methods, and warn that it cannot

    def __init__(self, name: Phi | str) -> None:
        self.name = str(name)
        self._value = metrics.metric(name)

    def __call__(self, first: Any, second: Any, sample_weight: Any = None) -> tuple[Any, ...]:
        """Name and value, for LightGBM with True, because larger is better.

        Parameters
        ----------
        first : array-like
            The scores, or the labels where a scikit-learn interface calls.
        second : Dataset, DMatrix or array-like
            The data that is looked at, or the scores.
        sample_weight : array-like, optional
            The weights, where a scikit-learn interface gives them.
        """
        scores, labels, weight = labels_and_weights(first, second, sample_weight)
        value = float(self._value(labels, scores, sample_weight=weight))
        is_xgboost = type(second).__module__.partition(".")[0] == "xgboost"
        name = self.name.replace(":", "-") if is_xgboost else self.name  # XGBoost splits at colons
        return (name, value) if is_xgboost else (name, value, True)

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
        For ``feval`` of ``lightgbm.train`` and ``eval_metric`` of its scikit-learn interface (a name, a value, True for
        larger is better), for ``custom_metric`` of ``xgboost.train`` (a name, with a hyphen for a colon, and a value:
        pass ``xgboost.callback.EarlyStopping(..., maximize=True)`` there), and for ``eval_metric`` of CatBoost.

    Examples
    --------
    >>> import numpy as np
    >>> from podium import boosting
    >>> name, value, larger_is_better = boosting.metric("auc")(np.array([0, 1, 0, 1]), np.array([0.1, 0.4, 0.6, 0.9]))
    >>> name, round(value, 9), larger_is_better
    ('auc', 0.75, True)
    """
    return BoostingMetric(name)
