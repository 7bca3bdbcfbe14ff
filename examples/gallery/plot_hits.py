"""
How many hits will the next list have?
======================================

"I can look at 100." The number of hits among the first k of the next list is random twice over: the scorer was judged
on a sample, and the next list is another. The range accounts for both. The lower line is guaranteed at every k at
once. More: :doc:`/guide_uncertainty`.
"""

import matplotlib.pyplot as plt
import numpy as np

from podium import inference

rng = np.random.default_rng(4)
y = rng.random(3000) < 0.08
scores = 1.6 * y + rng.normal(size=3000)

budgets = [25, 50, 100, 150, 200, 300]
hits = [inference.precision_at_interval(y, scores, k=k) for k in budgets]
print(hits[2])
least = inference.hits_lower_bound(y, scores, n_next=3000)
print(least)

_, ax = plt.subplots(figsize=(6, 4), layout="constrained")
ax.fill_between(
    budgets,
    [h.low for h in hits],
    [h.high for h in hits],
    alpha=0.25,
    label="95 % range",
)
ax.plot(budgets, [h.estimate for h in hits], marker="o", label="Expected hits")
ax.plot(
    range(1, 301), least.hits[:300], color="black", lw=1, label="Guaranteed at every k"
)
ax.plot(
    [0, 300], [0, 300 * y.mean()], color="gray", ls="--", lw=1, label="Random order"
)
ax.set(
    xlabel="Rows inspected", ylabel="Hits", title="Hits in the next list of 3,000 rows"
)
ax.legend()
