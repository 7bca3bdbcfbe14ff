"""Boosting: criteria and metrics for LightGBM's and XGBoost's own ``train``, as objective and evaluation function."""

from podium.boosting.metric import metric
from podium.boosting.objective import BoostingObjective, objective

__all__ = ["BoostingObjective", "metric", "objective"]
