"""What a value must be, by slow and exact definitions, and what every value must not be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

import numpy as np


def auc(y: np.ndarray, s: np.ndarray, w: np.ndarray | None) -> float:
    """The share of pairs in the right order, in whole numbers."""
    weight = [Fraction(1)] * len(s) if w is None else [Fraction(float(v)) for v in w]
    pos = [(t, v) for label, t, v in zip(y, s.tolist(), weight, strict=True) if label]
    neg = [(t, v) for label, t, v in zip(y, s.tolist(), weight, strict=True) if not label]
    won = sum(v * u * (1 if a > b else Fraction(1, 2) if a == b else 0) for a, v in pos for b, u in neg)
    return float(won / (sum(v for _, v in pos) * sum(v for _, v in neg)))


def order(s: np.ndarray) -> np.ndarray:
    """The numbers of the distinct scores: what is a function of ranks is the same for them."""
    return np.unique(s, return_inverse=True)[1].astype(np.float64)


def close(a: Any, b: Any, tolerance: float = 1e-9) -> bool:
    """Equal up to rounding, infinities included."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=tolerance, atol=tolerance))


def has_nan(value: Any) -> bool:
    """Whether a number anywhere in a result is no number."""
    if isinstance(value, (float, np.floating, np.ndarray)):
        array = np.asarray(value)
        return array.dtype.kind == "f" and bool(np.isnan(array).any())
    if isinstance(value, Mapping):
        return any(has_nan(part) for part in value.values())
    if isinstance(value, (tuple, list)):
        return any(has_nan(part) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        return any(has_nan(getattr(value, field.name)) for field in fields(value))
    return False
