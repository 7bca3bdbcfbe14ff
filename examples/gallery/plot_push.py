"""
The P-Norm Push and the top of the list
=======================================

The P-Norm Push punishes negatives near the top. As p grows it cares less about the rest of the list: the ROC curve
gains on the left and loses on the right. More: :doc:`/guide_ranking`.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from podium import LinearRanker, metrics
from podium.roc import RocCurve


def sample(rng, n):
    """A third of the positives are easy; the others are on the wrong side of most lines."""
    y = np.arange(n) < n // 5
    X = rng.normal(size=(n, 2))
    X[: n // 15] += (2.5, 2.5)
    X[n // 15 : n // 5] += (-0.9, 1.2)
    return X, y


rng = np.random.default_rng(1)
X, y = sample(rng, 6000)
X_new, y_new = sample(rng, 6000)
scores = {
    "logistic regression": LogisticRegression().fit(X, y).decision_function(X_new)
}
for p in (1, 4, 16):
    scores[f"push, p = {p}"] = (
        LinearRanker(f"push:{p}").fit(X, y).decision_function(X_new)
    )

_, ax = plt.subplots(figsize=(5.6, 4.6), layout="constrained")
for name, s in scores.items():
    top = metrics.partial_auc(y_new, s, 0.05)
    print(f"{name:20} AUC {metrics.auc(y_new, s):.3f}, partial AUC up to 5 % {top:.3f}")
    curve = RocCurve.from_scores(y_new, s)
    ax.plot(curve.fpr, curve.tpr, label=name, lw=1.5)
ax.set(
    xscale="log",
    xlim=(1e-3, 0.1),
    ylim=(0, 0.65),
    xlabel="False positive rate (log scale)",
    ylabel="True positive rate",
)
ax.set_title("New rows: a larger p lifts the left end")
ax.legend()
