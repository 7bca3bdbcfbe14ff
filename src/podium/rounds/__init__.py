"""Rows wherever they are: a computation is a generator of steps whose summaries add up; a runner says where rows are.

`podium.metrics` and `podium.inference` take Dask collections and functions that return chunks by themselves. Here is
what they use: `count_list` counts a list once, `run` runs any computation by a function of your own that can map a step
over chunks and add up, on any engine.
"""

from podium.rounds.computation import run
from podium.rounds.counted import CountedList
from podium.rounds.counting import counting
from podium.rounds.rows import count_list

__all__ = ["CountedList", "count_list", "counting", "run"]
