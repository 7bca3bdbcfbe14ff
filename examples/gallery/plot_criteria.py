"""
The criterion decides which line is learned
===========================================

No straight line ranks all of these rows well: half of the positives are easy to find and half are hidden among the
negatives. The AUC compromises between them; a criterion for the top of the list gives up the hidden ones.
"""

import numpy as np

from podium import LinearRanker, metrics, plots

rng = np.random.default_rng(0)
easy, hidden, others = (
    rng.normal((3, 0), 0.6, (300, 2)),
    rng.normal((-1, 1.5), 1.0, (300, 2)),
    rng.normal(0, 1, (3000, 2)),
)
X, y = np.vstack([easy, hidden, others]), np.repeat([1, 1, 0], [300, 300, 3000])
scores = {name: LinearRanker(name).fit(X, y).decision_function(X) for name in ("auc", "power:8")}
for name, s in scores.items():
    hits = 200 * metrics.precision_at(y, s, k=200)
    print(f"{name:8} AUC {metrics.auc(y, s):.3f}, hits among the first 200: {hits:.0f}")
display = plots.RocDisplay.from_scores(y, scores).plot()
display.ax_.set_title("Two lines: the steep start, or the whole curve")
