"""What is asked of a fit, checked: every part of the recipe behind the linear and quadratic rankers.

Scores are linear in the features of a model. Directions live on a unit sphere in coordinates that a robust scatter of
the features makes round; the criterion is climbed there from a plug-in direction and pulled towards it by
λ = 3·r_φ·d/min(n, m), r_φ = √∫φ'². The pull vanishes as the sample grows; at small samples it removes the losses that
a free maximiser has against logistic regression. The bandwidth is fixed by a rule: N^(−1/5)/r_φ times a robust spread
of the plug-in scores.

A fit has three stages, each a function of frozen data: *prepare* the columns and a plug-in rule, state the *problem*,
and *climb*.
"""

from __future__ import annotations

from dataclasses import dataclass

from podium._types import FloatArray
from podium.criteria import Criterion
from podium.solvers import Solver


@dataclass(frozen=True, eq=False, kw_only=True)
class Recipe:
    """The parameters of a linear or quadratic ranker."""

    criterion: Criterion
    as_given: bool  # an object of the user's, with its own bandwidth, or else made from a specification
    solver: Solver
    alpha: float
    shrinkage: float | None  # None: by the rule
    scaling: str | None
    bandwidth: float | str  # or "rule", or "cv"
    start: FloatArray | str  # or "plug-in", or "random"

    @property
    def given_bandwidth(self) -> float | None:
        return None if isinstance(self.bandwidth, str) else self.bandwidth

    def pull(self, rule: float) -> float:
        """How strongly to pull towards the plug-in direction."""
        return rule if self.shrinkage is None else self.shrinkage
