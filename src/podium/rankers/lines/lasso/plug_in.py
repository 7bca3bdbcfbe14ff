"""Which L1 penalty: the one given, or the one whose left-out rows are ranked best."""

from __future__ import annotations

import numpy as np

from podium._types import FloatArray
from podium.metrics.linear import statistic
from podium.models import LinearModel
from podium.phi import Phi
from podium.rankers.lines.lasso.logistic import L1Logistic
from podium.rankers.lines.plug_in import PlugIn, folds
from podium.rankers.lines.rows import Rows
from podium.rankers.lines.wide import mean_difference

_PATH = 10.0 ** (-np.arange(1, 25) / 12)  # of the least penalty that uses no column, down to a hundredth
_PATIENCE = 4  # penalties without gain after which weaker ones are not tried
_CLOSE, _COMPARED = (
    1e-6,
    1e-3,
)  # to the conditions of a minimum, in units of that penalty: penalties are compared sooner


def l1_plug_in(rows: Rows, penalty: float | None, phi: Phi) -> PlugIn:
    """Logistic regression with this L1 penalty, or with the one of the path that ranks left-out rows best."""
    problem = L1Logistic(rows, _CLOSE)
    if penalty is None:
        for each in _best_path(rows, phi) * problem.largest_penalty:
            problem.solve(each)
    else:
        problem.solve(penalty)
    return PlugIn(problem.theta, problem.intercept, 1.0)


def _best_path(rows: Rows, phi: Phi) -> FloatArray:
    """The path down to the penalty of the largest mean ω_φ over five folds."""
    fold = folds(np.asarray(rows.X @ mean_difference(LinearModel(), rows)), rows.is_positive)
    parts = [(rows.only(fold != k), rows.only(fold == k)) for k in np.unique(fold)]
    parts = [pair for pair in parts if all(0 < part.is_positive.sum() < len(part.weight) for part in pair)]
    problems = [L1Logistic(train, _COMPARED) for train, _ in parts]
    means: list[float] = []
    for ratio in _PATH:
        fitted = [problem.solve(ratio * problem.largest_penalty) for problem in problems]
        scored = [test.scored(np.asarray(test.X @ theta)) for (_, test), theta in zip(parts, fitted, strict=True)]
        means.append(float(np.mean([statistic(each, phi) for each in scored])) if scored else 0.0)
        if len(means) - 1 - int(np.argmax(means)) >= _PATIENCE:
            break
    return _PATH[: int(np.argmax(means)) + 1]
