"""Exact ranks of a list that comes in chunks: summarize a chunk, merge summaries, finish.

A pass maps every chunk to a summary; summaries add up in any order; and what is finished from their sum is the list, or
the next pass. So anything that can map and reduce can run it: a loop over a file, a pool of processes, a cluster.
Nothing here knows which. How many passes there are depends on memory: one where all distinct scores fit, two where
those of one class do, else three and a bound on what is left of the error.
"""

from podium.chunks.compare import Compare, Products
from podium.chunks.counted import CountedList
from podium.chunks.limits import Limits
from podium.chunks.loop import count_list, merge, run_passes
from podium.chunks.passes import Collect, Collected, Count, Counts
from podium.chunks.push import CollectForPush, SumPush

__all__ = [
    "Collect",
    "CollectForPush",
    "Collected",
    "Compare",
    "Count",
    "CountedList",
    "Counts",
    "Limits",
    "Products",
    "SumPush",
    "count_list",
    "merge",
    "run_passes",
]
