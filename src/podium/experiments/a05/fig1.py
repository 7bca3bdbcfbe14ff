"""A05, Figure 1: four ways to bound how far the AUC of a fixed scorer can be from the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from podium import bounds
from podium.experiments import claims
from podium.experiments.a05.skew import DELTA, SHARES, draw_panels, tabulate
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings, once

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# In the order of the legend; the last is not in the paper.
BOUNDS = {
    "Chebyshev": lambda n, m: bounds.auc_chebyshev(0.5, n, m, confidence_level=1 - DELTA),
    "McDiarmid (Corollary 3.4)": lambda n, m: bounds.auc_deviation(n, m, confidence_level=1 - DELTA),
    "normal approximation": lambda n, m: bounds.auc_normal(0.5, n, m, confidence_level=1 - DELTA),
    "ours (Hoeffding over pairs)": lambda n, m: bounds.auc_deviation(
        n, m, confidence_level=1 - DELTA, method="hoeffding"
    ),
}
SAFE_UP_TO = 1000  # observations in the smaller class for which levels are computed exactly


def evaluate(settings: Settings, rng: np.random.Generator) -> Finding:
    """All four bounds, and how often the worst distribution exceeds the normal and our own."""
    sizes = {share: np.geomspace(10 / rate, 10_000 / rate, 25).round().tolist() for share, rate in SHARES.items()}
    return {
        "columns": tabulate(sizes, BOUNDS),
        "levels": {
            name: worst_levels([BOUNDS[name](k, 1000 * k) for k in range(1, SAFE_UP_TO + 1)])
            for name in ("McDiarmid (Corollary 3.4)", "normal approximation", "ours (Hoeffding over pairs)")
        },
    }


def worst_levels(deviations: Sequence[float]) -> list[float]:
    """The probability that the AUC is off so much or more where its variance is largest; the k-th of k = 1, 2, ….

    Scores of the larger class are all 0, those of the k in the smaller one −1 or 1 at even odds: a mean of k coins.
    """
    k = np.arange(1, len(deviations) + 1)
    reach = np.nextafter(k * (0.5 + np.array(deviations)), -np.inf)  # a deviation that is met exactly counts
    return np.asarray(2 * stats.binom.sf(np.ceil(reach) - 1, k, 0.5)).tolist()


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Their order, everywhere; their levels, in the worst case."""
    columns, levels = findings[0]["columns"], findings[0]["levels"]
    chebyshev, mcdiarmid, normal, ours = (np.array(columns[name]) for name in BOUNDS)
    worst = {name: (max(values), 1 + int(np.argmax(values))) for name, values in levels.items()}
    broken = sum(level > DELTA for level in levels["normal approximation"])
    statements = {
        "McDiarmid is tighter than Chebyshev": bool((mcdiarmid < chebyshev).all()),
        "McDiarmid is looser than the normal approximation": bool((mcdiarmid > normal).all()),
        "McDiarmid is the safer one for small samples": broken > 0 and worst["McDiarmid (Corollary 3.4)"][0] <= DELTA,
    }
    level, at = worst["normal approximation"]
    return Outcome(
        paper={},
        ours={
            "ours over McDiarmid, least and largest": [
                float((ours / mcdiarmid).min()),
                float((ours / mcdiarmid).max()),
            ],
            "largest level of the normal approximation": level,
            "largest level of McDiarmid": worst["McDiarmid (Corollary 3.4)"][0],
            "largest level of ours": worst["ours (Hoeffding over pairs)"][0],
        },
        columns=columns,
        claims=claims.ledger(statements),
        sentence=(
            f"{sum(statements.values())} of the 3 statements hold at {len(normal)} sizes; in the worst case the normal "
            f"limits at δ = {DELTA} are exceeded with probability {level:.4f} with {at} in the smaller class, and too "
            f"often for {broken} of the sizes up to {SAFE_UP_TO}. Hoeffding over disjoint pairs, exceeded with "
            f"probability {worst['ours (Hoeffding over pairs)'][0]:.4f} at most there, is "
            f"{(ours / mcdiarmid).min():.3f} to {(ours / mcdiarmid).max():.3f} times as wide as McDiarmid."
        ),
    )


def draw(figure: Figure, columns: Columns) -> None:
    """Both axes logarithmic: all bounds fall as one over the square root.

    Four panels by share of positives, both axes logarithmic: parallel falling lines, Chebyshev's highest and the normal
    approximation's lowest.
    """

    def finish(ax: Axes) -> None:
        ax.set(xscale="log", yscale="log")

    draw_panels(figure, columns, finish)


FIG1 = Experiment(
    "a05-fig1", "A05, Figure 1", "Large deviations of the AUC, by four bounds", once, evaluate, conclude, draw
)
