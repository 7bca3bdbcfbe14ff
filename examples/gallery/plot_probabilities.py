"""
From scores to probabilities
============================

A score that ranks well is not a probability. ``calibrate=`` learns the map from one to the other on left-out rows;
the order of the list stays the same but for ties. Platt's logistic map is smooth but may have the wrong shape, as
here; the isotonic map follows any shape. Points are observed rates on new rows, with Clopper–Pearson limits. More:
:doc:`/coverage_probabilities`.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import beta
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from podium import LinearRanker

X, y = make_classification(
    8000, 10, n_informative=5, weights=[0.8], class_sep=0.6, flip_y=0.1, random_state=0
)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)

_, ax = plt.subplots(figsize=(5.4, 4.6), layout="constrained")
ax.plot([0, 1], [0, 1], color="gray", lw=1, ls="--", label="Perfect")
for method, marker in (("platt", "o"), ("isotonic", "s")):
    probability = (
        LinearRanker("power:3", calibrate=method)
        .fit(X_train, y_train)
        .predict_proba(X_test)[:, 1]
    )
    bins = np.array_split(np.argsort(probability, kind="stable"), 8)
    said, seen = (
        np.array([values[b].mean() for b in bins]) for values in (probability, y_test)
    )
    n, hits = len(bins[0]), np.array([y_test[b].sum() for b in bins])
    low, high = beta.ppf(0.025, hits, n - hits + 1), beta.ppf(0.975, hits + 1, n - hits)
    ax.errorbar(
        said,
        seen,
        (seen - low, high - seen),
        marker=marker,
        ls="none",
        capsize=3,
        label=method,
    )
    print(
        f"{method:9} mean gap between prediction and observed rate {np.abs(said - seen).mean():.3f}"
    )
ax.set(
    xlabel="Predicted probability",
    ylabel="Observed rate",
    title="Observed rates in eighths of new rows",
)
ax.legend()
