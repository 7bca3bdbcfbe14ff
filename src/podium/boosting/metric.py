"""A ranking metric as the evaluation function of a boosting library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from podium import metrics
from podium.boosting.data import labels_and_weights
from podium.phi import Phi


def metric(name: Phi | str = "auc") -> Callable[..., Any]:
    """A metric of :func:`podium.metrics.metric` as an evaluation function of LightGBM or XGBoost; larger is better.

    Parameters
    ----------
    name : Phi or str
        ``"auc"``, ``"power:3"`` (that is ω_φ), ``"partial-auc:0.05"``, …: what is measured after every round. Ties are
        averaged over, and weights of the data are counted.

    Returns
    -------
    function
        For ``feval`` of ``lightgbm.train`` and ``eval_metric`` of its scikit-learn interface (a name, a value, True for
        larger is better), and for ``custom_metric`` of ``xgboost.train`` (a name, with a hyphen for a
        colon, and a value: pass ``xgboost.callback.EarlyStopping(..., maximize=True)`` there).

    Examples
    --------
    >>> import numpy as np
    >>> from podium import boosting
    >>> name, value, larger_is_better = boosting.metric("auc")(np.array([0, 1, 0, 1]), np.array([0.1, 0.4, 0.6, 0.9]))
    >>> name, round(value, 9), larger_is_better
    ('auc', 0.75, True)
    """
    value_of, title = metrics.metric(name), str(name)

    def evaluate(first: Any, second: Any, sample_weight: Any = None) -> tuple[Any, ...]:
        scores, labels, weight = labels_and_weights(first, second, sample_weight)
        value = float(value_of(labels, scores, sample_weight=weight))
        is_xgboost = type(second).__module__.partition(".")[0] == "xgboost"
        return (title.replace(":", "-"), value) if is_xgboost else (title, value, True)  # XGBoost splits at colons

    return evaluate
