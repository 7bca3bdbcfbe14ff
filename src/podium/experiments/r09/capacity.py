"""R09, §9.1: when does p matter? Four classes of scorers on the same rows, each trained with p = 1 and with p = 16.

Positives are higher in both columns; one negative in ten is far higher in both, so that the top of the list is won by
giving the second column a negative weight. The paper prints no figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from podium import BoostedRanker
from podium.criteria import PNormPush
from podium.experiments.claims import bootstrap_shares, decided, ledger
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings
from podium.plots.canvas import COLORS, FAINT, plain
from podium.roc import RocCurve

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rows = tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]

N_PER_CLASS, N_NOISE, N_ROUNDS = 150, 20, 400
POWERS = (1, 16)
FLEXIBLE = "two columns"
SPACES = {
    "one column": "limited too much",
    "no negative weights": "limited, not flexible",
    FLEXIBLE: "limited and flexible",
    "stumps": "nearly consistent",
}


def trials(quick: bool) -> list[Settings]:
    """Independent samples."""
    return [{"sample": i} for i in range(3 if quick else 40)]


def draw_rows(rng: np.random.Generator) -> Rows:
    """Two columns that matter, and columns of noise."""
    y = np.arange(2 * N_PER_CLASS) < N_PER_CLASS
    X = rng.standard_normal((len(y), 2 + N_NOISE))
    X[y, :2] += (1.0, 0.5)
    high = ~y & (rng.random(len(y)) < 0.1)
    X[high, :2] = rng.normal((2.0, 2.5), 0.5, (int(high.sum()), 2))
    return X, y


def trial(settings: Settings, rng: np.random.Generator) -> Finding:
    """By class of scorers: how far the two training curves are apart at most, and the training AUC at p = 1."""
    X, y = draw_rows(rng)
    finding = {}
    for space in SPACES:
        curves = [RocCurve.from_scores(y, _scores(space, p, X, y)) for p in POWERS]
        finding[space] = {
            "distance": curves[0].distance(curves[1], norm="sup"),
            "auc": curves[0].auc(),
        }
    return finding


def _scores(space: str, p: int, X: Any, y: Any) -> npt.NDArray[np.float64]:
    """Of the training rows, by the minimizer of R_p with the exponential loss."""
    if space == "stumps":
        return BoostedRanker(PNormPush(p), weak="stumps", n_rounds=N_ROUNDS).fit(X, y).decision_function(X)
    columns = X[:, : 1 if space == "one column" else 2]
    push = PNormPush(p)

    def loss(weights: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        value, gradient = push.value_and_gradient(columns @ weights, y)
        return -value, -(columns.T @ gradient)

    low = 0.0 if space == "no negative weights" else None
    weights = minimize(loss, np.full(columns.shape[1], 0.1), jac=True, bounds=[(low, None)] * columns.shape[1]).x
    return np.asarray(columns @ weights)


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Whether p changes the curve of the limited and flexible class most, judged by resampling the samples."""
    apart = {space: np.array([f[space]["distance"] for f in findings]) for space in SPACES}
    areas = {space: np.array([f[space]["auc"] for f in findings]) for space in SPACES}

    def judge(taken: Sequence[np.ndarray]) -> dict[str, bool]:
        (rows,) = taken
        most = apart[FLEXIBLE][rows].mean()
        return {
            f"p changes the curve more than where the class is {words}": bool(most > apart[space][rows].mean())
            for space, words in SPACES.items()
            if space != FLEXIBLE
        }

    shares = bootstrap_shares(judge, [len(findings)])
    claims = decided(shares)
    told = "; ".join(
        f"{SPACES[space]} ({space}): {apart[space].mean():.3f} ± {_error(apart[space]):.3f}, training AUC "
        f"{areas[space].mean():.3f}"
        for space in SPACES
    )
    columns: dict[str, list[Any]] = {
        "class": [space for space in SPACES for _ in findings],
        "distance": [float(distance) for space in SPACES for distance in apart[space]],
    }
    return Outcome(
        paper={},
        ours={
            **{
                f"{space}, largest distance of the training curves": {
                    "mean": round(float(apart[space].mean()), 4),
                    "standard error": round(_error(apart[space]), 4),
                    "training AUC at p = 1": round(float(areas[space].mean()), 4),
                }
                for space in SPACES
            },
        },
        columns=columns,
        claims=ledger(claims, shares),
        sentence=(
            f"The largest distance between the training curves at p = {POWERS[0]} and p = {POWERS[1]}, mean of "
            f"{len(findings)} samples with its standard error: {told}. The paper says so of its own experience and "
            "prints no figures; the design is ours."
        ),
    )


def _error(values: npt.NDArray[np.float64]) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def draw(figure: Figure, columns: Columns) -> None:
    """Distances by class of scorers.

    A row per class of scorers: the largest distance between its two training curves, a faint dot per sample and the
    mean with two standard errors; none for one column, most for two columns with weights of either sign.
    """
    figure.set_size_inches(6.4, 2.8)
    ax = figure.subplots()
    places, distances = np.array(columns["class"]), np.array(columns["distance"])
    for at, space in enumerate(SPACES):
        mine = distances[places == space]
        ax.plot(mine, np.linspace(at - 0.25, at + 0.25, len(mine)), "o", color=FAINT, markersize=2.5, alpha=0.6)
        ax.errorbar(mine.mean(), at, xerr=2 * _error(mine), fmt="D", color=COLORS[1], markersize=5, capsize=3)
    ax.set_yticks(range(len(SPACES)), [f"{space}:\n{words}" for space, words in SPACES.items()])
    ax.invert_yaxis()
    ax.set_xlabel(f"largest distance of the training ROC curves at p = {POWERS[0]} and p = {POWERS[1]}")
    ax.set_xlim(left=-0.005)
    plain(ax)


CAPACITY = Experiment("r09-capacity", "R09, §9.1", "When p changes the ROC curve", trials, trial, conclude, draw)
