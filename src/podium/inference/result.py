"""What every answer of this package offers: frozen, named, one line to read, a dictionary to store."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np


class Result:
    """Base of the frozen result dataclasses; each writes its own one-line ``__repr__``."""

    def to_dict(self) -> dict[str, Any]:
        """Plain Python values by name, ready for JSON."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]


def _plain(value: Any) -> Any:
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
