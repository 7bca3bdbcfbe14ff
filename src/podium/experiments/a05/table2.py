"""A05, Table 2: the two-by-two matrices that no scorer can show."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from podium import bounds
from podium.experiments import claims
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings, once
from podium.plots.canvas import COLORS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The first line of the table, as far as our copy of it can be read, with entries doubled. The second line has the same
# matrices with 0 and 1 exchanged.
LEGIBLE = ("20 02", "10 02", "21 02", "20 01", "20 12", "11 02", "10 01", "10 12", "21 01", "21 12", "20 11", "21 11")


def matrices(settings: Settings, rng: np.random.Generator) -> Finding:
    """All 81 matrices, by whether some scores of two positives and two negatives show them."""
    shown = set()
    for scores in product(range(4), repeat=4):  # four values give every weak order of four items
        first, second = np.array(scores[:2]), np.array(scores[2:])
        shown.add(tuple(int(v) for v in (np.sign(first[:, None] - second) + 1).ravel()))
    every = set(product(range(3), repeat=4))
    return {"shown": sorted(shown), "never shown": sorted(every - shown)}


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """The table, and the count of what is left."""
    never = {tuple(matrix) for matrix in findings[0]["never shown"]}
    first_line = [tuple(int(v) for v in matrix.replace(" ", "")) for matrix in LEGIBLE]
    printed = {matrix for line in first_line for matrix in (line, tuple(2 - v for v in line))}
    found, left = len(printed & never), len(findings[0]["shown"])
    psi = bounds.count_rank_matrices(2, 2)
    listing = sorted(never, key=lambda m: (m not in printed, m))
    return Outcome(
        paper={"impossible, of the matrices that can be read": len(printed)},
        ours={
            "impossible, of the matrices that can be read": found,
            "impossible, of all 81": len(never),
            "matrices that scores can show": left,
            "ψ(2, 2)": psi,
        },
        columns={name: [matrix[i] / 2 for matrix in listing] for i, name in enumerate(("b11", "b12", "b21", "b22"))},
        claims=claims.ledger(
            {
                "none of the matrices that can be read is shown by scores": found == len(printed),
                "the others are ψ(2, 2) in number": left == psi,
            }
        ),
        sentence=(
            f"Trying all scores leaves {len(never)} of 81 matrices that cannot be shown, among them {found} of the "
            f"{len(printed)} that our copy of the table lets one read; the other {left} are ψ(2, 2) = {psi}."
        ),
    )


def draw(figure: Figure, columns: Columns) -> None:
    """The matrices, as small grids.

    Thirty small grids of two by two cells with the entries 0, ½ and 1: the matrices that cannot occur.
    """
    from matplotlib.patches import Rectangle

    ax = figure.subplots()
    shades = {0.0: "white", 0.5: COLORS[4], 1.0: COLORS[0]}
    words = {0.0: "0", 0.5: "½", 1.0: "1"}
    for k, matrix in enumerate(zip(*columns.values(), strict=True)):
        left, top = 3 * (k % 6), -3 * (k // 6)
        for cell, value in enumerate(matrix):
            x, y = left + cell % 2, top - cell // 2
            ax.add_patch(Rectangle((x, y), 1, 1, facecolor=shades[value], edgecolor="black", linewidth=0.8))
            ax.text(x + 0.5, y + 0.5, words[value], ha="center", va="center", color="white" if value == 1 else "black")
    ax.set(xlim=(-0.5, 17.5), ylim=(-13.5, 1.5), aspect="equal")
    ax.axis("off")


TABLE2 = Experiment(
    "a05-table2", "A05, Table 2", "Sub-matrices that no bipartite rank matrix has", once, matrices, conclude, draw
)
