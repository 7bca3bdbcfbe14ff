"""CLV21, Corollary 7: how fast the deficit W* − W(ŝ) falls as the sample grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr

from podium.bounds import auc_uniform_deviation, log_sign_patterns
from podium.datasets import LocationModel
from podium.experiments.claims import below, ledger, throughout
from podium.experiments.clv21.designs import CONVERGED, N_STEPS, NO_PULL, PHIS, ranker
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings
from podium.experiments.power_law import PowerLaw
from podium.plots.canvas import COLORS, FAINT, plain
from podium.roc import RocCurve

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MODEL = LocationModel(0.2)
SIZES = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
SOLVERS = (NO_PULL, CONVERGED)
_FPR = ndtr(np.linspace(-7, 7, 4_001))  # fine where the curve is steep


def trials(quick: bool) -> list[Settings]:
    """The pooled size N, half of it positives."""
    sizes = SIZES[:3] if quick else SIZES
    return [{"n_total": n, "replicate": i} for n in sizes for i in range(3 if quick else 30)]


def deficits(settings: Settings, rng: np.random.Generator) -> Finding:
    """W*_φ − W_φ(ŝ), exact: every linear score of the location model has a binormal curve."""
    half = settings["n_total"] // 2
    X, y = MODEL.sample(half, half, rng)
    found = {}
    for solver in SOLVERS:
        for name, phi in PHIS.items():
            fitted = ranker(MODEL, phi, solver, N_STEPS, 0).fit(X, y)
            best, ours = (
                RocCurve.from_points(_FPR, MODEL.roc_of(w, _FPR)).rank_statistic(phi, 0.5)
                for w in (MODEL.theta, fitted.coef_)
            )
            found[f"{solver}, {name}"] = best - ours
    return found


_REASON = (
    "Where W is smooth in θ an error of order N^−0.5 in θ costs the order of 1/N; that can begin only once ranks err "
    "by less than the width in which φ' changes, 1/β = 0.01 for RTB."
)


def _listed(laws: Mapping[str, Mapping[int, PowerLaw]], least: int) -> str:
    parts = [
        f"{of[least].slope:.2f} ({of[least].low:.2f} to {of[least].high:.2f}, {key.rpartition(', ')[2]})"
        for key, of in laws.items()
    ]
    return ", ".join(parts).replace("-", "−")


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Slopes over all sizes and over the larger half, and what a bound with known constants gives."""
    sizes = [trial["n_total"] for trial in settings]
    distinct = sorted(set(sizes))
    late = distinct[len(distinct) // 2]
    laws: dict[str, dict[int, PowerLaw]] = {}  # by the least N taken
    ours: dict[str, Any] = {}
    columns: dict[str, list[float]] = {"N": [float(n) for n in distinct]}
    for key in findings[0]:
        values = np.array([finding[key] for finding in findings])
        laws[key] = {
            least: PowerLaw.fit(np.array(sizes)[taken], values[taken])
            for least in (distinct[0], late)
            for taken in [np.array(sizes) >= least]
        }
        ours[f"power of N, {key}"] = {
            f"N ≥ {least:,}": [round(x, 3) for x in (law.slope, law.low, law.high)] for least, law in laws[key].items()
        }
        for what, summary in (("mean", np.mean), ("error", lambda v: np.std(v, ddof=1) / np.sqrt(len(v)))):
            columns[f"{key} | {what}"] = [
                float(summary([v for n, v in zip(sizes, values, strict=True) if n == size])) for size in distinct
            ]
    # At φ(u) = u, W = p/2 + (1 − p)·AUC; the deficit is at most twice the largest deviation over the class.
    columns["bound"] = [
        auc_uniform_deviation(n // 2, n // 2, log_sign_patterns(15, n // 2), method="sharp") for n in distinct
    ]
    maximizers = {key: law for key, law in laws.items() if key.startswith(NO_PULL)}
    falls = throughout(below(-0.5, law[distinct[0]].low, law[distinct[0]].high) for law in maximizers.values())
    claims = {"the deficit falls no slower than N^−0.5": falls}
    faster = [key for key, law in maximizers.items() if law[late].high < -0.5]
    pulled = [
        columns[f"{CONVERGED}, {name} | mean"][i] < columns[f"{NO_PULL}, {name} | mean"][i]
        for name in PHIS
        for i in range(len(distinct))
    ]
    slow = {key: law for key, law in laws.items() if key.startswith(f"{CONVERGED}, ") and law[late].low > -0.5}
    slower = (
        f" It is no maximizer: from {late:,} on its deficit falls more slowly than N^−0.5, {_listed(slow, late)}."
        if slow
        else ""
    )
    bound, got = columns["bound"][-1], columns[f"{NO_PULL}, MWW | mean"][-1]
    return Outcome(
        paper={},
        ours=ours,
        columns=columns,
        claims=ledger(claims),
        sentence=(
            "Corollary 7 bounds the deficit of a maximizer by O(N^−0.5), plus the bias of the class, which is 0 here. "
            "On Loc2, for the maximizer of the smoothed criterion, the power of N is "
            f"{_listed(maximizers, distinct[0])} over N = {distinct[0]:,} to {distinct[-1]:,}, with 95 % limits, and "
            f"{_listed(maximizers, late)} from {late:,} on; there {len(faster)} of {len(maximizers)} are clearly "
            f"faster than the bound. {_REASON} With its pull towards a plug-in direction our default loses less in "
            f"{sum(pulled)} of {len(pulled)} means.{slower} A bound for all linear scorers with known constants "
            f"allows {bound:.3f} at φ(u) = u and N = {distinct[-1]:,}, where {got:.1e} is lost."
        ),
        errata=[
            "Corollary 7 asks for C₃√log(C₂/δ) ≤ C₄√(pN)·min(1 − p, 1/N), which no large N satisfies.",
        ],
    )


def draw(figure: Figure, columns: Columns) -> None:
    """Both axes logarithmic; two slopes to compare with.

    Deficits over the sample size N in two panels, without and with pull, both axes logarithmic: falling lines for three
    φ with error bars, beside straight lines for N^(−1/2) and N^(−1).
    """
    figure.set_size_inches(7.0, 3.8)
    panels = figure.subplots(1, len(SOLVERS), sharex=True, sharey=True)
    n = np.array(columns["N"])
    for ax, solver in zip(panels, SOLVERS, strict=True):
        for i, name in enumerate(PHIS):
            mean, error = (np.array(columns[f"{solver}, {name} | {what}"]) for what in ("mean", "error"))
            ax.errorbar(n, mean, 2 * error, fmt=("o-", "s--", "^-.")[i], ms=4, color=COLORS[i], label=name)
        first = float(columns[f"{solver}, MWW | mean"][0])
        ax.plot(n, first * (n / n[0]) ** -0.5, color=FAINT, linestyle=":", label="$N^{-1/2}$")
        ax.plot(n, first * (n / n[0]) ** -1.0, color=FAINT, linestyle="--", label="$N^{-1}$")
        ax.set(xscale="log", yscale="log", xlabel="N")
        ax.set_title(f"linear ranker, {solver}", fontsize=9)
        plain(ax)
    panels[0].set_ylabel("$W^*_\\phi - W_\\phi(\\hat s)$, mean ± 2 standard errors")
    panels[0].legend(frameon=False)


RATES = Experiment(
    "clv21-rates", "CLV21, Corollary 7", "The deficit as the sample grows", trials, deficits, conclude, draw
)
