"""Podium: bipartite ranking. Learn a score, emphasise the top, measure it, and know how far to trust it."""

from podium import inference, metrics, phi, ranks, roc
from podium.exceptions import DegenerateSampleError, InputError, InputTypeError

__version__ = "0.1.0.dev0"

__all__ = ["DegenerateSampleError", "InputError", "InputTypeError", "inference", "metrics", "phi", "ranks", "roc"]
