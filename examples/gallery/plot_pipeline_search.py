"""
A pipeline and a search over criteria
=====================================

A ranker is a scikit-learn estimator, so it goes into pipelines and searches. Here a grid search asks which criterion
puts most positives among the first 100 of a list that no line ranks perfectly. More: :doc:`/guide_ranking`.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from podium import LinearRanker, metrics

rng = np.random.default_rng(0)
y = np.arange(3000) < 400
X = rng.normal(size=(3000, 4))
X[:200, 0] += 2.5  # half of the positives are easy to find,
X[200:400, 1] += 1.2  # half are not,
X[200:400, 0] -= 1.0  # and point the other way

search = GridSearchCV(
    make_pipeline(StandardScaler(), LinearRanker()),
    {"linearranker__criterion": ["logloss", "auc", "power:3", "power:8"]},
    scoring={
        "AUC": metrics.scorer("auc"),
        "Precision at 100": metrics.scorer("precision-at:100"),
    },
    refit="Precision at 100",
    cv=StratifiedKFold(4, shuffle=True, random_state=0),
).fit(X, y)
print(search.best_params_, f"{search.best_score_:.3f}")

_, axes = plt.subplots(1, 2, figsize=(7, 3.2), layout="constrained")
names = search.cv_results_["param_linearranker__criterion"]
for ax, metric in zip(axes, search.scoring, strict=True):
    mean, spread = (
        search.cv_results_[f"{kind}_test_{metric}"] for kind in ("mean", "std")
    )
    ax.errorbar(names, mean, spread / np.sqrt(4), marker="o", ls="none", capsize=4)
    ax.set(title=metric, xlabel="What training maximizes")
