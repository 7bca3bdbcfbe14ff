"""CLV21, Figure 10: where the tail bounds (B.28)–(B.30) of the proof of Lemma 18 go as p tends to 0 or 1.

Their constants are not given, and limits do not depend on them: they are 1 here, and so is ‖φ'‖.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from podium.experiments.claims import ledger
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings, once
from podium.plots.canvas import COLORS, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N, T = 300, 0.5  # rows, and the t at which the tails are read
NEAR = 1e-12  # how near p comes to 0 or 1


class Bound(NamedTuple):
    """A tail bound: from which t on, up to which t, and its exponential, all by p."""

    low: Callable[[float], float]
    high: Callable[[float], float]
    tail: Callable[[float], float]


BOUNDS = {
    "(B.28)": Bound(lambda p: math.sqrt(p / N), lambda p: p, lambda p: math.exp(-N * T**2 / p)),
    "(B.29)": Bound(lambda p: 1 / p, lambda p: 2.0 * N, lambda p: math.exp(-p * T)),
    "(B.30)": Bound(
        lambda p: 1 / (math.sqrt(p * (1 - p)) * N), lambda p: math.inf, lambda p: math.exp(-p * (1 - p) * T**2)
    ),
}
# As printed: for each bound the two ends of t and the exponential; "+∞" is its left end.
PRINTED = {
    "(B.28), p → 0": (0.0, 0.0, 0.0),
    "(B.29), p → 0": (math.inf, None, 1.0),
    "(B.30), p → 0": (math.inf, None, 1.0),
    "(B.28), p → 1": (1 / math.sqrt(N), 1.0, math.exp(-N * T**2)),
    "(B.29), p → 1": (1.0, 2.0 * N, math.exp(-T / 3)),
    "(B.30), p → 1": (math.inf, None, 1.0),
}
ERRATA = [
    "Figure 10 has exp{−B₃t/(3‖φ'‖)} for (B.29) as p → 1; (B.29) itself tends to exp{−B₃t/‖φ'‖}, the 3 is that of the "
    "union bound (B.31)."
]


def limits(settings: Settings, rng: np.random.Generator) -> Finding:
    """The ends of t and the exponential of every bound, next to either limit of p."""
    values = {}
    for name, bound in BOUNDS.items():
        for side, ends in (("0", (NEAR, NEAR / 100)), ("1", (1 - NEAR, 1 - NEAR / 100))):
            values[f"{name}, p → {side}"] = [_limit(*map(at, ends)) for at in bound]
    return {"limits": values}


def _limit(near: float, nearer: float) -> float | str:
    """Where it tends; without end where it still grows. JSON knows no infinity."""
    return "+∞" if nearer == math.inf or nearer > 2 * near > NEAR else nearer


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Cell by cell beside the printed table, and whether any t is left."""
    (finding,) = findings
    claims = {}
    for name, printed in PRINTED.items():
        for what, value, ours in zip(("t from", "t up to", "exp"), printed, finding["limits"][name], strict=True):
            if value is not None:
                claims[f"{name}, {what} {_text(value)}"] = _same(value, ours)
    empty = {name: _empty_below(bound) for name, bound in BOUNDS.items() if bound.high(0.5) < math.inf}
    p = np.concatenate([np.geomspace(1e-6, 0.5, 60), 1 - np.geomspace(0.5, 1e-6, 60)[1:]])
    columns: dict[str, list[float]] = {"p": p.tolist()}
    for name, bound in BOUNDS.items():
        columns[f"{name} | from"] = [bound.low(x) for x in p]
        columns[f"{name} | to"] = [min(bound.high(x), 1e9) for x in p]
        columns[f"{name} | exp"] = [bound.tail(x) for x in p]
    wrong = [claim for claim, true in claims.items() if not true]
    none_left = ", ".join(f"{name} once p < {limit:.2g}" for name, limit in empty.items())
    return Outcome(
        {},
        {name: list(map(_text, value)) for name, value in finding["limits"].items()},
        ledger(claims),
        columns,
        f"{len(claims) - len(wrong)} of {len(claims)} entries agree, the exponentials read at a fixed t; not: "
        f"{'; '.join(wrong) or 'none'}. As p tends to 0 a fixed t is outside of what the bounds allow: with constants "
        f"of one and N = {N} no t is left for {none_left}.",
        ERRATA if wrong else (),
    )


def _same(printed: float, ours: float | str) -> bool:
    if isinstance(ours, str):
        return printed == math.inf
    return math.isclose(printed, ours, rel_tol=1e-4, abs_tol=1e-5)


def _text(value: float | str) -> str:
    return value if isinstance(value, str) else "+∞" if value == math.inf else f"{value:.4g}"


def _empty_below(bound: Bound) -> float:
    """The p below which the left end of t is beyond the right one."""
    grid = np.geomspace(1e-9, 1, 20_001)
    return float(grid[[bound.low(p) <= bound.high(p) for p in grid]][0])


def draw(figure: Figure, columns: Columns) -> None:
    """Left, the range of t that each bound allows; right, its exponential at t = 0.5; both by the odds of p.

    Left, the range of t that each of the three bounds allows, hatched; right, its exponential at t = 0.5; both over the
    odds of p, from near 0 to near 1.
    """
    figure.set_size_inches(7.0, 3.6)
    panels = figure.subplots(1, 2)
    p = np.array(columns["p"])
    odds = p / (1 - p)
    for color, hatch, name in zip(COLORS, ("////", "\\\\\\\\", "...."), BOUNDS, strict=False):
        low, high = np.array(columns[f"{name} | from"]), np.array(columns[f"{name} | to"])
        panels[0].fill_between(
            odds, low, high, where=(low <= high).tolist(), facecolor="none", edgecolor=color, hatch=hatch, linewidth=0
        )
        panels[0].plot(odds, low, color=color, label=f"{name}, least t")
        panels[1].plot(odds, columns[f"{name} | exp"], color=color, label=name)
    panels[0].set(xscale="log", yscale="log", ylim=(1e-5, 1e4), xlabel="p/(1 − p)", ylabel="t allowed")
    panels[1].set(xscale="log", ylim=(-0.02, 1.04), xlabel="p/(1 − p)", ylabel=f"exponential at t = {T}")
    for ax in panels:
        ax.legend(frameon=False, fontsize=7)
        plain(ax)


FIG10 = Experiment(
    "clv21-fig10",
    "CLV21, Figure 10",
    "Limits of the tail bounds as p tends to 0 or 1",
    once,
    limits,
    conclude,
    draw,
)
