"""Exact ranks of a list that comes in chunks: summarize a chunk, merge summaries, finish.

Two passes. The first collects the scores of one class, the rarer one; the second counts the other class against them.
What a pass makes of two chunks is merged in any order, so anything that can map and reduce can run it: a loop over a
file, a pool of processes, a cluster. Nothing here knows which. Memory is some 40 bytes per distinct score of the class
collected, however many rows there are.
"""

from podium.chunks.counted import CountedList
from podium.chunks.passes import Collect, Collected, Count, Counts, count_list, merge

__all__ = ["Collect", "Collected", "Count", "CountedList", "Counts", "count_list", "merge"]
