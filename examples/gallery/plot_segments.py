"""
Risk groups with rules in words
===============================

A ranking tree cuts the population into segments, from best to worst. Rows that it was not grown on give the share of
positives in each, with guaranteed limits. More: :doc:`/ranking_trees`.
"""

from sklearn.datasets import load_breast_cancer

from podium import TreeRanker, plots

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
malignant = y == 0
ranker = TreeRanker(max_depth=3).fit(X[::2], malignant[::2])
table = ranker.segments(X[1::2], malignant[1::2])
for rule, rate in zip(table.rules, table.rate, strict=True):
    print(f"{rate:5.0%}  {rule}")
display = plots.SegmentsDisplay(table).plot()
display.ax_.set_title("Segments of a ranking tree on new rows")
