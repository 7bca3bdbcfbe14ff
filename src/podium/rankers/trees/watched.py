"""Rows that are watched while trees are added."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from podium import metrics
from podium._types import BoolArray, FloatArray
from podium.exceptions import InputError


@dataclass(frozen=True)
class ValidationSet:
    """Rows left out, a metric of their scores (larger is better), and how many rounds without gain to bear, or None."""

    X: Any
    metric: Callable[[FloatArray], float]
    patience: int | None

    @classmethod
    def of(
        cls, X: Any, is_positive: BoolArray, weight: FloatArray | None, metric: Any, patience: int | None
    ) -> ValidationSet:
        """Rows with labels, by a metric of :func:`podium.metrics.metric`."""
        judge = metrics.metric(metric)
        return cls(X, lambda scores: judge(is_positive, scores, sample_weight=weight), patience)


def one_pair(eval_set: Any) -> tuple[Any, Any]:
    """Rows and labels, from a pair or from a list of one, as tree libraries take them."""
    pairs = [eval_set] if isinstance(eval_set, tuple) else list(eval_set)
    if len(pairs) != 1 or not isinstance(pairs[0], tuple) or len(pairs[0]) != 2:
        raise InputError(
            f"eval_set must be one pair (X, y); got {len(pairs)} entries.", "for instance eval_set=[(X_new, y_new)]."
        )
    X, y = pairs[0]
    return X, y
