"""
The criterion decides which line is learned
===========================================

No straight line ranks all of these rows well: half of the positives are easy to find and half are hidden among the
negatives. The AUC compromises between them; a criterion for the top of the list gives up the hidden ones. Both lines
are judged on new rows. More: :doc:`/which_ranker`.
"""

import numpy as np

from podium import LinearRanker, metrics, plots


def sample(rng):
    easy = rng.normal((3, 0), 0.6, (300, 2))
    hidden = rng.normal((-1, 1.5), 1.0, (300, 2))
    others = rng.normal(0, 1, (3000, 2))
    return np.vstack([easy, hidden, others]), np.repeat([1, 1, 0], [300, 300, 3000])


rng = np.random.default_rng(0)
X, y = sample(rng)
X_new, y_new = sample(rng)
scores = {
    name: LinearRanker(name).fit(X, y).decision_function(X_new)
    for name in ("auc", "power:8")
}
for name, s in scores.items():
    auc, hits = metrics.auc(y_new, s), 200 * metrics.precision_at(y_new, s, k=200)
    print(f"{name:8} AUC {auc:.3f}, hits among the first 200: {hits:.0f}")
display = plots.RocDisplay.from_scores(y_new, scores).plot()
display.ax_.set_title("Two lines: the steep start, or the whole curve")
