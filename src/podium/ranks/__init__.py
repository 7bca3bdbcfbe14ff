"""Ranks in the pooled sample, what a function of them is worth where rows tie, and φ at every rank."""

from podium.ranks.pooled import max_ranks, mid_ranks

__all__ = ["max_ranks", "mid_ranks"]
