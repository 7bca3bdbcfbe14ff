"""Where the benchmarks run: the processor, the versions, and whether NumPy's sort is slow there."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
from timing import seconds

from podium._fast.order import sort_in_counting_passes

SLOW = 0.020  # seconds for 10⁶ numbers


@cache
def sort_seconds() -> float:
    """What NumPy's sort of 10⁶ numbers takes here."""
    values = np.random.default_rng(0).standard_normal(10**6)
    return seconds(lambda: np.sort(values))[0]


@cache
def sort_is_slow() -> bool:
    return sort_seconds() > SLOW


def describe() -> str:
    """A line or two on the machine."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn", "numba"))
    return (
        f"{processor()}; Python {platform.python_version()}, {versions}\n"
        f"NumPy sorts 10⁶ numbers in {1e3 * sort_seconds():.1f} ms, {sort_in_counting_passes():.0f} counting passes: "
        f"{'slow' if sort_is_slow() else 'fast'}"
    )


def processor() -> str:
    """As the system names it."""
    listing = Path("/proc/cpuinfo")
    lines = listing.read_text().splitlines() if listing.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
