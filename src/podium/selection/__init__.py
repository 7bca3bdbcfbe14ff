"""Choosing among rankers."""

from podium.selection.penalized import PenalizedSelection

__all__ = ["PenalizedSelection"]
