"""Ranks in the pooled sample, what a function of them is worth where rows tie, and φ at every rank."""

from podium.ranks.pooled import (
    bipartite_rank_matrix,
    count_bipartite_orders,
    is_bipartite_rank_matrix,
    max_ranks,
    mid_ranks,
)

__all__ = ["bipartite_rank_matrix", "count_bipartite_orders", "is_bipartite_rank_matrix", "max_ranks", "mid_ranks"]
