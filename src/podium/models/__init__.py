"""Models: classes of scoring rules."""

from podium.models.base import Model
from podium.models.intercept import WithIntercept
from podium.models.linear import LinearModel
from podium.models.quadratic import QuadraticModel

__all__ = ["LinearModel", "Model", "QuadraticModel", "WithIntercept"]
