"""Doubly robust pseudo-labels to learn from, beside inverse weights: recall at the budget after six months of a list.

The worlds and months are those of coverage_loop.py. All rows then have a pseudo-label m + w(y − m), where m is
predicted by a boosted classifier that did not see the row, and w = 1/π of labeled rows, or 3 if that is less; a row
counts as a positive and as a negative by it. "Soft" are the labeled rows alone with (m + y)/2, which knows nothing of
the design. ``python benchmarks/pseudo_labels.py 4`` prints recall in 20,000 further rows for so many draws of each
world, and its difference from that of inverse weights with the standard error. docs/used_list.rst says what it showed.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
from coverage_loop import EXPLORE, FIRST, FURTHER, MONTHS, SIZE, TOP, World
from sklearn.ensemble import HistGradientBoostingClassifier

from podium import workflow
from podium.metrics import recall_at
from podium.metrics.scorers import estimator_scores
from podium.phi.spec import emphasis
from podium.selection.candidates import build, fit_candidate
from podium.selection.dependence import INDEPENDENT
from podium.workflow.stages.observed import learning_weights

FOLDS, HEAVIEST = 4, 3.0


def classifier() -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=8, learning_rate=0.1)


def months(source: World, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """All rows after the months, with labels and probabilities of those listed; and the true labels."""
    frame, y = source.rows(FIRST)
    known, truth = frame.assign(found=y.astype(float), inclusion=1.0), [y]
    for month in range(MONTHS):
        asked = {"label": "found", "model": "linear", "population": SIZE, "budget": TOP - EXPLORE}
        model = workflow.fit(known, **asked, random_state=seed).model
        frame, y = source.rows(SIZE)
        listed = workflow.score(model, frame, top=TOP, explore=EXPLORE, random_state=100 * seed + month).scores
        rows = listed["id"].to_numpy().astype(int)
        marks = listed.assign(found=y[rows].astype(float)).set_index(rows)[["inclusion", "found"]]
        known, truth = pd.concat([known, frame.join(marks)], ignore_index=True), [*truth, y]
    return known, np.concatenate(truth)


def one_draw(kind: str, seed: int) -> dict[tuple[str, str], float]:
    rng = np.random.default_rng([seed, len(kind)])
    source = World(kind, rng)
    known, truth = months(source, seed)
    further, y_further = source.rows(FURTHER * SIZE)
    Z, k = further.to_numpy(), round(len(y_further) * TOP / SIZE)
    X, labeled = known.drop(columns=["found", "inclusion"]).to_numpy(), known["found"].notna().to_numpy()
    y, inclusion = truth[labeled], known["inclusion"].to_numpy()[labeled]
    fold, m = rng.integers(0, FOLDS, len(X)), np.zeros(len(X))
    for part in range(FOLDS):
        learned = classifier().fit(X[labeled][fold[labeled] != part], y[fold[labeled] != part])
        m[fold == part] = learned.predict_proba(X[fold == part])[:, 1]

    def pseudo(weight: np.ndarray) -> np.ndarray:
        labels = m.copy()
        labels[labeled] += weight * (y - m[labeled])
        return labels

    phi, _ = emphasis(None, TOP - EXPLORE, SIZE, None, SIZE)
    alone = recall_at(y_further, classifier().fit(X[labeled], y).predict_proba(Z)[:, 1], k=k)
    found = {("classifier", "that predicts m"): alone}
    for name in ("linear", "trees"):
        tables = {
            "all labels": (X, truth, None),
            "inverse weights": (X[labeled], y, learning_weights(inclusion)),
            "pseudo-labels, 1/π": as_classes(X, pseudo(1 / inclusion)),
            "pseudo-labels, at most 3": as_classes(X, pseudo(np.minimum(1 / inclusion, HEAVIEST))),
            "soft": as_classes(X[labeled], (m[labeled] + y) / 2),
        }
        for how, (rows, classes, weight) in tables.items():
            ranker = fit_candidate(build(name, phi, None, 0), rows, classes, weight, INDEPENDENT)
            found[name, how] = recall_at(y_further, estimator_scores(ranker, Z), k=k)
    return found


def as_classes(X: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every row as a positive and as a negative, weighted; parts below 0 are left out."""
    weight = np.concatenate([np.maximum(labels, 0), np.maximum(1 - labels, 0)])
    kept = weight > 1e-6
    return np.concatenate([X, X])[kept], np.repeat([True, False], len(X))[kept], weight[kept]


def main(n_draws: int) -> None:
    for kind in ("line", "curve", "rare"):
        draws = pd.DataFrame([one_draw(kind, seed) for seed in range(n_draws)])
        for name, how in draws:
            more = draws[name, how] - draws["trees" if name == "classifier" else name, "inverse weights"]
            mean, error = more.mean(), more.std(ddof=1) / np.sqrt(n_draws)
            print(f"{kind:6} {name:10} {how:25} {draws[name, how].mean():.3f} {mean:+.4f} ({error:.4f})", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
