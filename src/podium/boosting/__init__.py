"""Boosting: criteria and metrics for LightGBM's, XGBoost's and CatBoost's own training."""

from podium.boosting.metric import BoostingMetric, metric
from podium.boosting.objective import BoostingObjective, objective

__all__ = ["BoostingMetric", "BoostingObjective", "metric", "objective"]
