"""
The exact AUC of a Dask collection
==================================

The AUC of all rows is not the mean of the AUCs of its parts, least of all when the parts differ. On Dask arrays
:func:`podium.metrics.auc` returns the number that the same rows give in memory, to the last bit, without sorting them
in one place. More: :doc:`/guide_scale`.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from podium import metrics

rng = np.random.default_rng(0)
chunk = np.repeat(np.arange(8), 5000)
y = rng.random(len(chunk)) < 0.02 + 0.03 * chunk  # later chunks have more positives,
s = y + 0.4 * chunk + rng.normal(size=len(chunk))  # and larger scores
labels, scores = da.from_array(y, chunks=5000), da.from_array(s, chunks=5000)

exact = metrics.auc(labels, scores)
parts = [metrics.auc(y[chunk == i], s[chunk == i]) for i in range(8)]
print("in memory, the same:", exact == metrics.auc(y, s))
print(f"all rows {exact:.4f}, mean of the parts {np.mean(parts):.4f}")

_, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.bar(range(1, 9), parts, color="#9ecae1", label="AUC of one chunk")
ax.axhline(np.mean(parts), color="gray", ls="--", label="Mean of the chunks")
ax.axhline(exact, color="black", label="AUC of all rows")
ax.set(
    xlabel="Chunk",
    ylabel="AUC",
    ylim=(0.5, 1),
    title="AUC of each chunk, their mean, and AUC of all rows",
)
ax.legend(loc="upper left", ncols=3, fontsize="small")
