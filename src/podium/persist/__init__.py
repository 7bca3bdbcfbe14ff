"""Model files: one object, written so that reading it runs no code and gives away no row."""

from podium.persist.files import dumps, load, loads, save, versions

__all__ = ["dumps", "load", "loads", "save", "versions"]
