"""R09, §10.1: a small part of the line decides R_max and is easily missed in training; the AUC hardly sees it.

Negatives lie uniformly in [−1, 0] and positives in [0, 1], but for a share ε of either: those positives lie in [−2, −1]
and those negatives in [1, 2]. Two scores are to be chosen from, x and −x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from podium import metrics
from podium.experiments import claims
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings
from podium.plots.canvas import COLORS, FAINT, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The paper names no figures.
SHARES, SIZES = (0.001, 0.01, 0.1), (10, 30, 100, 300, 1000)
N_TEST = 100_000
ERRORS = 4  # standard errors within which a frequency counts as the probability


def trials(quick: bool) -> list[Settings]:
    """Every share at every training size."""
    return [{"epsilon": e, "m": m, "draws": 200 if quick else 2000} for e in SHARES for m in SIZES]


def draw_points(
    size: int, epsilon: float, rng: np.random.Generator
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Points and labels, both classes present."""
    y = rng.random(size) < 0.5
    while y.all() or not y.any():  # where a point lies does not depend on how many are positive
        y = rng.random(size) < 0.5
    far = rng.random(size) < epsilon
    x = rng.random(size) + np.where(y, np.where(far, -2, 0), np.where(far, 1, -1))
    return x, y


def choices(settings: Settings, rng: np.random.Generator) -> Finding:
    """Which score the training R_max and the training AUC choose, and what that is worth in a large test set."""
    epsilon, draws = settings["epsilon"], settings["draws"]
    missed = rising = tied = by_auc = 0
    worst_seen = 0.0
    for _ in range(draws):
        x, y = draw_points(settings["m"], epsilon, rng)
        up, down = metrics.max_height(y, x), metrics.max_height(y, -x)
        rising, tied = rising + (up < down), tied + (up == down)
        by_auc += metrics.auc(y, x) > 0.5
        if np.abs(x).max() <= 1:
            missed += 1
            worst_seen = max(worst_seen, up)
    x, y = draw_points(N_TEST, epsilon, rng)
    return {
        "missed": missed / draws,
        "training R_max where missed": worst_seen,
        "rising": rising / draws,
        "tied": tied / draws,
        "rising by AUC": by_auc / draws,
        "test R_max of x": metrics.max_height(y, x) / int(y.sum()),
        "test R_max of -x": metrics.max_height(y, -x) / int(y.sum()),
        "test AUC of x": metrics.auc(y, x),
    }


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Frequencies beside (1 − ε)^m, and beside (1 − ε/2)^m for the wrong choice."""
    epsilon, m, draws = (np.array([s[key] for s in settings]) for key in ("epsilon", "m", "draws"))
    column = {key: np.array([f[key] for f in findings]) for key in findings[0]}
    missed, wrong = (1 - epsilon) ** m, (1 - epsilon / 2) ** m
    as_missed, as_wrong = _near(column["missed"], missed, draws), _near(column["rising"], wrong, draws)
    as_printed = _near(column["rising"], missed, draws)
    fooled = bool(np.all(column["training R_max where missed"] == 0) and np.all(column["test R_max of x"] == 1))
    better = bool(np.all(column["test R_max of -x"] < 1))
    names = [f"all drawn from [−1, 1], ε = {e}, m = {k}" for e, k in zip(epsilon, m, strict=True)]
    checks = {
        "x has R_max = 0 in training if all are drawn from [−1, 1], and I in the test": fooled,
        "−x is better": better,
        f"frequencies within {ERRORS} standard errors": bool(as_missed.all()),
    }
    auc = {e: float(column["test AUC of x"][epsilon == e].mean()) for e in SHARES}
    return Outcome(
        paper=dict(zip(names, missed.round(4).tolist(), strict=True)),
        ours={
            **dict(zip(names, column["missed"].round(4).tolist(), strict=True)),
            **{f"test AUC of x, ε = {e}": round(value, 4) for e, value in auc.items()},
        },
        columns={
            "epsilon": epsilon.tolist(),
            "m": m.tolist(),
            "(1 - epsilon)^m": missed.tolist(),
            "(1 - epsilon/2)^m": wrong.tolist(),
            **{key: values.tolist() for key, values in column.items()},
        },
        claims=claims.ledger(checks),
        sentence=(
            f"The far part is missed with probability (1 − ε)^m: so in {as_missed.sum()} of {len(m)} cases, to "
            f"{ERRORS} standard errors. Then R_max of x is 0 in training and the largest possible in the test: "
            f"{'yes' if fooled else 'no'}. How often R_max chooses x, wrongly, fits (1 − ε/2)^m in {as_wrong.sum()} "
            f"cases and the paper's (1 − ε)^m in {as_printed.sum()}: negatives missing from [1, 2] are enough. The AUC "
            f"of x in the test is {', '.join(f'{value:.3f} at ε = {e}' for e, value in auc.items())}; in training it "
            f"chooses x in at least {column['rising by AUC'].min():.0%} of the draws."
        ),
    )


def _near(
    frequency: npt.NDArray[np.float64], probability: npt.NDArray[np.float64], draws: npt.NDArray[np.int_]
) -> npt.NDArray[np.bool_]:
    error = np.sqrt(probability * (1 - probability) / draws)
    return np.abs(frequency - probability) <= ERRORS * error + 1 / draws  # one draw: few events are not normal


def draw(figure: Figure, columns: Columns) -> None:
    """How often R_max chooses wrongly.

    How often R_max chooses wrongly over the training size, by the share ε: points on falling curves (1 − ε/2)^m, and
    open ones on lower dashed curves (1 − ε)^m for the far part missed.
    """
    ax = figure.subplots()
    epsilon, m = np.array(columns["epsilon"]), np.array(columns["m"])
    grid = np.geomspace(m.min(), m.max(), 200)
    for color, e in zip(COLORS, np.unique(epsilon), strict=False):
        at = epsilon == e
        ax.plot(grid, (1 - e / 2) ** grid, color=color, label=f"ε = {e:g}")
        ax.plot(grid, (1 - e) ** grid, color=color, linewidth=0.9, linestyle=(0, (4, 3)))
        ax.plot(m[at], np.array(columns["rising"])[at], "o", color=color)
        ax.plot(m[at], np.array(columns["missed"])[at], "o", color=color, markerfacecolor="white")
    ax.plot([], [], "o-", color=FAINT, label="x chosen by $R_{\\max}$, and $(1 - ε/2)^m$")
    ax.plot([], [], "o--", color=FAINT, markerfacecolor="white", label="far part missed, and $(1 - ε)^m$")
    ax.set(xscale="log", xlabel="training size m", ylabel="share of the draws", ylim=(-0.02, 1.02))
    figure.legend(frameon=False, loc="outside upper center", ncols=2)
    plain(ax)


ONE_DIMENSION = Experiment(
    "r09-1d", "R09, §10.1", "A part of the line that decides R_max and is missed", trials, choices, conclude, draw
)
