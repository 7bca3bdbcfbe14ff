"""A05, Table 1: two scorers with the same error rate and different AUCs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from podium import metrics
from podium.experiments import claims
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings, once
from podium.plots.canvas import NEGATIVE, POSITIVE, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABELS = np.array([-1, -1, -1, -1, 1, 1, 1, 1])
SCORERS = {"f1": (-2, -1, 3, 4, 1, 2, 5, 6), "f2": (-2, -1, 5, 6, 1, 2, 3, 4)}
PAPER = {"errors of f1": 2, "errors of f2": 2, "AUC of f1": 12 / 16, "AUC of f2": 8 / 16}
MEAN = "mean AUC of all rankings with two errors"


def measure(settings: Settings, rng: np.random.Generator) -> Finding:
    """Both scorers, and every order and threshold of four against four that errs twice."""
    aucs = []
    for positions in combinations(range(8), 4):
        is_positive = np.isin(np.arange(8), positions)  # in increasing order of the scores
        auc = metrics.auc(is_positive, np.arange(8))
        for threshold in range(9):
            if np.sum((np.arange(8) >= threshold) != is_positive) == 2:
                aucs.append(auc)
    return {
        "errors": [int(np.sum((np.array(scores) > 0) != (LABELS > 0))) for scores in SCORERS.values()],
        "aucs": [metrics.auc(LABELS, scores) for scores in SCORERS.values()],
        "all": aucs,
    }


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Two pairs of numbers, and the mean that the paper quotes from Cortes and Mohri."""
    (found,) = findings
    ours = dict(zip(PAPER, (*found["errors"], *found["aucs"]), strict=True))
    ours[MEAN] = round(float(np.mean(found["all"])), 12)
    paper = PAPER | {MEAN: 1 - 2 / 8}
    right = claims.same(paper, ours)
    low, high = min(found["all"]), max(found["all"])
    return Outcome(
        paper=paper,
        ours=ours | {"their standard deviation": float(np.std(found["all"])), "their range": [low, high]},
        columns={
            "scorer": [name for name in SCORERS for _ in LABELS],
            "score": [score for scores in SCORERS.values() for score in scores],
            "label": [int(label) for _ in SCORERS for label in LABELS],
        },
        claims=right,
        sentence=(
            f"{claims.counted([claim.found for claim in right])}; over all {len(found['all'])} rankings of "
            f"four against four with two errors the AUC goes from {low:.4g} to {high:.4g} with mean {ours[MEAN]:.4g}."
        ),
    )


def draw(figure: Figure, columns: Columns) -> None:
    """The scores of both on a line, the threshold at zero.

    The eight scores of two rules on lines, positives as circles and negatives as squares, the threshold at zero: the
    same mistakes in another order.
    """
    ax = figure.subplots()
    for row, name in enumerate(SCORERS):
        for scorer, score, label in zip(columns["scorer"], columns["score"], columns["label"], strict=True):
            if scorer == name:
                marker, color = ("o", POSITIVE) if label > 0 else ("s", NEGATIVE)
                ax.plot(score, -row, marker, color=color, markersize=11)
    ax.axvline(0, color="black", linewidth=0.8)
    ax.text(0.05, 0.42, "classified as positive →", fontsize=8)
    ax.plot([], [], "o", color=POSITIVE, label="positive")
    ax.plot([], [], "s", color=NEGATIVE, label="negative")
    ax.set_yticks([0, -1], ["$f_1$", "$f_2$"])
    ax.set(xlabel="score", ylim=(-1.6, 0.6))
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    plain(ax)


TABLE1 = Experiment("a05-table1", "A05, Table 1", "Equal error rates, different AUCs", once, measure, conclude, draw)
