"""Memory that Arrow holds."""

from __future__ import annotations

import pyarrow as pa


def release_arrow_memory() -> None:
    """To the system, what the columns let go of occupied: Arrow keeps it for columns to come."""
    pa.default_memory_pool().release_unused()
