"""
Is it equally good for every group?
===================================

The AUC within each group, with intervals that hold together, and a test of equality. The third group is scored with
more noise, as when a form is filled in less carefully. More: :doc:`/guide_uncertainty`.
"""

import matplotlib.pyplot as plt
import numpy as np

from podium import inference

rng = np.random.default_rng(5)
region = rng.choice(["north", "south", "west"], 2400)
y = rng.random(2400) < 0.2
scores = 1.8 * y + rng.normal(size=2400) * np.where(region == "west", 1.8, 1.0)
result = inference.by_group(y, scores, region)
print(result)

_, ax = plt.subplots(figsize=(5.6, 2.6), layout="constrained")
for place, each in enumerate(result.within):
    ax.errorbar(
        each.estimate,
        place,
        xerr=[[each.estimate - each.low], [each.high - each.estimate]],
        marker="o",
        capsize=4,
    )
ax.set_yticks(range(len(result.within)), [each.positives for each in result.within])
ax.set(
    xlabel="AUC within the group",
    title="95 % intervals that hold together",
    ylim=(-0.6, 2.6),
)
