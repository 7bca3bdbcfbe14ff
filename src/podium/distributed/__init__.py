"""Lists and fits on Dask: each partition is summarized, summaries are merged, and the answer is that of all rows.

`podium.metrics`, `podium.inference`, `podium.roc` and the rankers hand Dask collections to this room by themselves.
"""

from podium.distributed.lists import count_list

__all__ = ["count_list"]
