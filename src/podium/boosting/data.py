"""What a boosting library hands to a function of the user's, in one order."""

from __future__ import annotations

from typing import Any

import numpy as np


def labels_and_weights(first: Any, second: Any, sample_weight: Any = None) -> tuple[Any, Any, Any]:
    """Scores, labels and weights (or None), from ``(scores, data)`` or from ``(y_true, scores)``."""
    if not hasattr(second, "get_label"):
        return second, first, sample_weight
    weight = second.get_weight()
    return first, np.asarray(second.get_label()), None if weight is None or len(weight) == 0 else np.asarray(weight)
