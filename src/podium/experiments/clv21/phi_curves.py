"""CLV21, Figures 2 and 3: score-generating functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit
from scipy.stats import norm

from podium import phi
from podium._types import FloatArray
from podium.experiments.claims import ledger
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings, once
from podium.plots.canvas import COLORS, FAINT, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Formula = Callable[[FloatArray], FloatArray]

SHOWN_AT = 0.9  # where formulas and library are put side by side
U0 = 0.9
STEEP = 100.0  # β = λ
FIGURE_2: dict[str, tuple[str, Formula]] = {
    "Logistic": ("logistic", lambda u: 2 * np.sqrt(3) * (u - 0.5)),
    "Logrank": ("logrank", lambda u: -np.log(1 - u)),
    "Mann–Whitney–Wilcoxon": ("mww", lambda u: u),
    "Median": ("median", lambda u: np.sign(u - 0.5)),
    "Van der Waerden": ("van-der-waerden", norm.ppf),
}
FIGURE_3: dict[str, tuple[str, Formula]] = {
    "MWW": ("mww", lambda u: u),
    "Pol, q = 3": ("power:3", lambda u: u**3),
    f"RTB, u₀ = {U0}": (
        f"smooth-top:{U0}",
        lambda u: np.log1p(np.exp(STEEP * (u - U0))) / STEEP + U0 * expit(STEEP * (u - U0)),
    ),
}
_U = np.arange(1, 1000) / 1000


def differences(curves: Mapping[str, tuple[str, Formula]], settings: Settings, rng: np.random.Generator) -> Finding:
    """By name: the largest difference between the library and the printed formula, and both at one point."""
    found = {}
    for name, (spec, formula) in curves.items():
        ours = phi.resolve(spec).value(_U)
        found[name] = {
            "difference": float(np.abs(ours - formula(_U)).max()),
            "ours": float(phi.resolve(spec).value(np.array([SHOWN_AT]))[0]),
            "printed": float(formula(np.array([SHOWN_AT]))[0]),
        }
    return found


def conclude(
    curves: Mapping[str, tuple[str, Formula]],
    errata: Sequence[str],
    settings: Sequence[Settings],
    findings: Sequence[Finding],
) -> Outcome:
    """Printed formulas and library at 999 points."""
    found = findings[0]
    worst = max(f["difference"] for f in found.values())
    right = sum(f["difference"] < 1e-9 for f in found.values())
    sentence = (
        f"{right} of {len(found)} functions are the printed ones: at 999 points they differ by at most {worst:.0e}."
    )
    columns = {"u": _U.tolist()} | {name: phi.resolve(spec).value(_U).tolist() for name, (spec, _) in curves.items()}
    ours = {f"φ({SHOWN_AT}), {name}": round(f["ours"], 6) for name, f in found.items()}
    top = next((name for name in curves if name.startswith("RTB")), None)
    if top is not None:
        away, jump = np.abs(_U - U0) > 0.05, phi.TopShare(U0).value(_U)
        off = {
            "u·1{u ≥ u₀}": float(np.abs(np.array(columns[top]) - jump)[away].max()),
            "1{u ≥ u₀}": float(np.abs(np.array(columns[top]) - (_U >= U0))[away].max()),
        }
        ours |= {f"RTB's distance from {target}, more than 0.05 from u₀": round(d, 4) for target, d in off.items()}
        sentence += (
            f" More than 0.05 from u₀, RTB is within {off['u·1{u ≥ u₀}']:.3f} of u·1{{u ≥ u₀}} and "
            f"{off['1{u ≥ u₀}']:.3f} away from the 1{{u ≥ u₀}} of the caption."
        )
        columns["u·1{u ≥ u₀}"] = jump.tolist()
        columns["1{u ≥ u₀}"] = (_U >= U0).astype(float).tolist()
    return Outcome(
        paper={f"φ({SHOWN_AT}), {name}": round(f["printed"], 6) for name, f in found.items()},
        ours=ours,
        columns=columns,
        claims=ledger({f"φ({SHOWN_AT}), {name}": f["difference"] < 1e-9 for name, f in found.items()}),
        sentence=sentence,
        errata=errata,
    )


def draw(figure: Figure, columns: Columns) -> None:
    """One line per function; what they approximate in gray.

    One line per score-generating function over u from 0 to 1, all rising; what a smooth one approximates is in gray.
    """
    ax = figure.subplots()
    lines = [name for name in columns if name != "u"]
    for i, name in enumerate(lines):
        if "1{" in name:
            style = ":" if name.startswith("1") else "--"
            ax.plot(columns["u"], columns[name], style, color=FAINT, linewidth=1.2, label=name)
        else:
            ax.plot(columns["u"], columns[name], ("-", "--", "-.")[i % 3], color=COLORS[i], label=name)
    if any("1{" in name for name in lines):
        ax.axvline(U0, color=COLORS[6], linewidth=0.8)
    ax.set(xlabel="u", ylabel="φ(u)")
    ax.legend(frameon=False)
    plain(ax)


def _figure(
    name: str, source: str, title: str, curves: Mapping[str, tuple[str, Formula]], errata: Sequence[str]
) -> Experiment:
    return Experiment(name, source, title, once, partial(differences, curves), partial(conclude, curves, errata), draw)


FIG2 = _figure(
    "clv21-fig2",
    "CLV21, Figure 2",
    "Score-generating functions of classical tests",
    FIGURE_2,
    ["Figure 2 prints the logrank function as −log(1 − x); its argument is u."],
)
FIG3 = _figure(
    "clv21-fig3",
    "CLV21, Figure 3",
    "Score-generating functions of the experiments",
    FIGURE_3,
    [],
)
