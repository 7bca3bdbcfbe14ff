"""Values as JSON knows them."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Dictionaries, lists, text and numbers; NaN and infinities, which JSON does not know, become None.

    NumPy's values become Python's; what has a method ``to_dict`` or ``_asdict`` is what that returns.
    """
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def to_json(value: Any, indent: int = 2) -> str:
    """One JSON document that every reader accepts."""
    return json.dumps(plain(value), indent=indent, ensure_ascii=False, allow_nan=False)
