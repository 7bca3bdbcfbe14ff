"""Podium: bipartite ranking. Learn a score, emphasise the top, measure it, and know how far to trust it."""

__version__ = "0.1.0.dev0"
