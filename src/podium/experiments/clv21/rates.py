"""CLV21, Corollary 7: how fast the deficit W* − W(ŝ) falls as the sample grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr
from scipy.stats import linregress, t

from podium.bounds import auc_uniform_deviation, log_sign_patterns
from podium.datasets import LocationModel
from podium.experiments.clv21.designs import CONVERGED, N_STEPS, NO_PULL, PHIS, ranker
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings
from podium.plots.canvas import COLOURS, FAINT, plain
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


def slope(sizes: Sequence[int], deficit: Sequence[float]) -> tuple[float, float, float]:
    """Of log(deficit) over log(N), with 95 % limits."""
    fit = linregress(np.log(sizes), np.log(deficit))
    half = float(t.ppf(0.975, len(sizes) - 2) * fit.stderr)
    return float(fit.slope), float(fit.slope) - half, float(fit.slope) + half


def _limits(at: float, low: float, high: float) -> str:
    return f"{at:.2f} ({low:.2f} to {high:.2f})".replace("-", "−")


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Slopes over all sizes and over the larger half, and what a bound with known constants gives."""
    sizes = [trial["n_total"] for trial in settings]
    distinct = sorted(set(sizes))
    late = distinct[len(distinct) // 2]
    ours: dict[str, Any] = {}
    columns: dict[str, list[float]] = {"N": [float(n) for n in distinct]}
    for key in findings[0]:
        values = [finding[key] for finding in findings]
        all_sizes = slope(sizes, values)
        large = slope(*zip(*[(n, v) for n, v in zip(sizes, values, strict=True) if n >= late], strict=True))
        ours[f"slope, {key}"] = {
            "all N": [round(x, 3) for x in all_sizes],
            f"N ≥ {late:,}": [round(x, 3) for x in large],
        }
        for what, summary in (("mean", np.mean), ("error", lambda v: np.std(v, ddof=1) / np.sqrt(len(v)))):
            columns[f"{key} | {what}"] = [
                float(summary([v for n, v in zip(sizes, values, strict=True) if n == size])) for size in distinct
            ]
    # At φ(u) = u, W = p/2 + (1 − p)·AUC; the deficit is at most twice the largest deviation over the class.
    columns["bound"] = [
        auc_uniform_deviation(n // 2, n // 2, log_sign_patterns(15, n // 2), 0.05, method="sharp") for n in distinct
    ]
    slopes = {key.removeprefix("slope, "): entry["all N"] for key, entry in ours.items()}
    holds = all(low <= -0.5 for _, low, _ in slopes.values())
    faster = [key for key, (_, _, high) in slopes.items() if high < -0.5]
    ours["no slower than N^−0.5"] = holds
    bound, got = columns["bound"][-1], columns[f"{NO_PULL}, MWW | mean"][-1]
    listed = "; ".join(f"{key} {_limits(*entry)}" for key, entry in slopes.items())
    reason = ": near its maximum W is smooth in θ, so an error of order N^−0.5 in θ costs the order of 1/N"
    return Outcome(
        paper={"no slower than N^−0.5": True},
        ours=ours,
        columns=columns,
        verdict="agrees" if holds else "differs",
        sentence=(
            "Corollary 7 bounds the deficit by O(N^−0.5), plus the bias of the class, which is 0 here. Measured on "
            f"Loc2 from N = {distinct[0]:,} to {distinct[-1]:,}, the power of N is, with 95 % limits: {listed}. "
            f"{len(faster)} of {len(slopes)} are clearly faster than the bound{reason if faster else ''}. A bound "
            f"for all linear scorers with known constants allows {bound:.3f} at φ(u) = u and N = {distinct[-1]:,}, "
            f"where {got:.1e} is lost."
        ),
        errata=[
            "Corollary 7 and Theorem 5 ask for C₃√log(C₂/δ) ≤ C₄√(pN)·min(1 − p, 1/N), which no large N satisfies.",
        ],
    )


def draw(figure: Figure, columns: Columns) -> None:
    """Both axes logarithmic; two slopes to compare with."""
    figure.set_size_inches(7.0, 3.8)
    panels = figure.subplots(1, len(SOLVERS), sharex=True, sharey=True)
    n = np.array(columns["N"])
    for ax, solver in zip(panels, SOLVERS, strict=True):
        for i, name in enumerate(PHIS):
            mean, error = (np.array(columns[f"{solver}, {name} | {what}"]) for what in ("mean", "error"))
            ax.errorbar(n, mean, 2 * error, fmt=("o-", "s--", "^-.")[i], ms=4, color=COLOURS[i], label=name)
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
