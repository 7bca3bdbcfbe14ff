"""
A cut that misses hardly any positive
=====================================

Labeled rows that had no part in training determine where to cut a new list, with a guarantee for any distribution.
More: :doc:`/shortlists`.
"""

import numpy as np

from podium import plots, shortlist

rng = np.random.default_rng(2)
y = rng.random(2000) < 0.15
scores = 2.2 * y + rng.normal(size=2000)
y_cal, s_cal, s_new = y[:1000], scores[:1000], scores[1000:]
cut = shortlist.by_recall(y_cal, s_cal, s_new, recall=0.9)
print(cut.guarantee)
print(f"{cut.chosen.sum()} of {len(s_new)} rows to check.")
plots.ShortlistDisplay.from_scores(y_cal, s_cal, cut).plot()
