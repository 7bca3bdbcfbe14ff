"""The main job on a table that ships with scikit-learn: train a scorer, read how good its list is."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from podium import metrics


def main() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    is_malignant = y == 0
    X_train, X_test, y_train, y_test = train_test_split(X, is_malignant, test_size=0.5, random_state=0)
    scorer = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)
    scores = scorer.decision_function(X_test)

    k = 50
    hits = metrics.precision_at(y_test, scores, k=k) * k
    print(f"Breast cancer table: {len(y_test)} cases never seen in training, {np.sum(y_test)} of them malignant.")
    print(f"Among the top {k} of the list are {hits:.0f} malignant; random order: {k * np.mean(y_test):.0f}.\n")
    lines = [
        ("AUC", metrics.auc(y_test, scores), "share of pairs in the right order"),
        ("ω, power:3", metrics.rank_statistic(y_test, scores, phi="power:3"), "the same with the top emphasised"),
        ("ω, top:0.9", metrics.rank_statistic(y_test, scores, phi="top:0.9"), "only the top tenth counts"),
        ("partial AUC", metrics.partial_auc(y_test, scores, max_fpr=0.05, standardize="mean"), "mean TPR at FPR ≤ 5 %"),
        ("TPR at FPR 1 %", metrics.tpr_at_fpr(y_test, scores, fpr=0.01), "found with 1 % false alarms"),
        ("average precision", metrics.average_precision(y_test, scores), "mean precision over the hits"),
        ("precision at 50", metrics.precision_at(y_test, scores, k=k), "share of hits in the first 50"),
        ("lift at 10 %", metrics.lift_at(y_test, scores, fraction=0.1), "times better than random order"),
        ("BEDROC, α = 20", metrics.bedroc(y_test, scores, alpha=20), "early recognition"),
        ("NDCG at 50", metrics.dcg(y_test, scores, k=k, normalize=True), "discounted gain, best = 1"),
        ("reciprocal rank", metrics.average_reciprocal_rank(y_test, scores), "mean of 1/position"),
        ("push risk, p = 4", metrics.push_risk(y_test, scores, p=4, normalize=True), "smaller is better"),
        ("highest negative", metrics.max_height(y_test, scores), "positives not above it"),
    ]
    print(f"{'metric':<20}{'value':>8}   meaning")
    for name, value, meaning in lines:
        print(f"{name:<20}{value:>8.3f}   {meaning}")


if __name__ == "__main__":
    main()
