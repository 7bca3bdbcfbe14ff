"""R09, Figure 8: the two bounds of Lemma 7 on a difference of roots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from podium.experiments.claims import ledger
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings, once
from podium.plots.canvas import COLORS, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

P, A = 4, 0.4
DIFFERENCE, LINEAR, ROOT, LEAST = "|a^(1/p) − b^(1/p)|", "|a − b| a^(1/p − 1)", "|a − b|^(1/p)", "the smaller bound"


def bounds(settings: Settings, rng: np.random.Generator) -> Finding:
    """The difference and its bounds along b in [0, 1]."""
    b = np.linspace(0, 1, 1001)
    linear, root = np.abs(A - b) * A ** (1 / P - 1), np.abs(A - b) ** (1 / P)
    return {
        "b": b.tolist(),
        DIFFERENCE: np.abs(A ** (1 / P) - b ** (1 / P)).tolist(),
        LINEAR: linear.tolist(),
        ROOT: root.tolist(),
        LEAST: np.minimum(linear, root).tolist(),
    }


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Whether the bounds hold, and where the linear one is the better."""
    (finding,) = findings
    difference, linear, root, least = (np.array(finding[name]) for name in (DIFFERENCE, LINEAR, ROOT, LEAST))
    holds = bool(np.all(difference <= least + 1e-12))
    where = np.array(finding["b"])[linear < root]
    better = len(where) / len(linear)
    checks = {"the bounds hold": holds, "the linear bound is mostly the better": better > 0.5}
    return Outcome(
        paper={},
        ours={"share of b where the linear bound is the better": round(better, 3)},
        columns=finding,
        claims=ledger(checks),
        sentence=(
            f"At p = {P} and a = {A} both bounds {'hold' if holds else 'fail'} on {len(linear):,} b in [0, 1]; "
            f"the linear one is the better for {better:.0%} of them, up to b = {where.max():.3g}."
        ),
    )


def draw(figure: Figure, columns: Columns) -> None:
    """The difference, both bounds, and the smaller of them.

    Over b from 0 to 1: the difference of the roots, a linear and a root-shaped bound above it that meet it at b = a,
    and in gray the smaller of the two.
    """
    ax = figure.subplots()
    ax.plot(columns["b"], columns[LEAST], color="#CCCCCC", linewidth=6, label=LEAST, solid_capstyle="butt")
    for color, name in zip(COLORS, (DIFFERENCE, LINEAR, ROOT), strict=False):
        ax.plot(columns["b"], columns[name], color=color, label=name)
    ax.set(xlabel="b", xlim=(0, 1), ylim=(0, None))
    ax.legend(frameon=False)
    plain(ax)


FIG8 = Experiment("r09-fig8", "R09, Figure 8", "Two bounds on a difference of p-th roots", once, bounds, conclude, draw)
