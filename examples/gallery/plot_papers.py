"""
The papers' methods on your data
================================

Algorithm 1 of Clémençon, Limnios and Vayatis as printed, the P-Norm Push of Rudin's Figure 2, RankBoost, the IR Push
and TreeRank on one table, with a ROC curve on new rows each. More, with the literal loops: :doc:`/papers_on_your_data`.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from podium import BoostedRanker, LinearRanker, TreeRanker, metrics
from podium.roc import RocCurve

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)[:, :6]
X, X_new, y, y_new = train_test_split(X, y == 0, test_size=0.5, random_state=0)

rankers = {
    "Algorithm 1, u": LinearRanker.algorithm_1("auc", random_state=0),
    "Algorithm 1, u³": LinearRanker.algorithm_1("power:3", random_state=0),
    "Figure 2, p = 4": BoostedRanker("push:4"),
    "RankBoost": BoostedRanker("push:1", weak="stumps"),
    "IR Push": LinearRanker("ir-push", shrinkage=0),
    "TreeRank": TreeRanker(max_depth=3, rule_depth=1),
}
_, ax = plt.subplots(figsize=(5.6, 4.6), layout="constrained")
for name, ranker in rankers.items():
    scores = ranker.fit(X, y).decision_function(X_new)
    print(f"{name:16} AUC {metrics.auc(y_new, scores):.3f}")
    curve = RocCurve.from_scores(y_new, scores)
    ax.plot(curve.fpr, curve.tpr, label=name, lw=1.5)
ax.set(
    xlim=(0, 0.3),
    ylim=(0.6, 1.005),
    xlabel="False positive rate",
    ylabel="True positive rate",
)
ax.set_title("New rows")
ax.legend()
