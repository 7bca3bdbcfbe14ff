"""Model files: reading one runs no code, and none contains a row of the training data."""

from podium.persist.files import dumps, load, loads, save, versions

__all__ = ["dumps", "load", "loads", "save", "versions"]
