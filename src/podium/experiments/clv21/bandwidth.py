"""CLV21, Proposition 9: the bias that smoothing brings, of order h², and which bandwidth learns best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr
from scipy.stats import linregress, norm

from podium import LinearRanker, QuadraticRanker, phi
from podium._types import FloatArray
from podium.datasets import LocationModel
from podium.experiments.claims import ledger
from podium.experiments.clv21.designs import DESIGNS, PHIS, exact_auc
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings
from podium.plots.canvas import COLORS, FAINT, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BANDWIDTHS = np.geomspace(0.003, 3.0, 31)  # in standard deviations of the pooled scores
MULTIPLES = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)  # of N^(−1/5)
LEARNED = ("Loc2", "ill-conditioned", "Scale, ε = 0.7")
_WIDE = " A wide kernel makes of W at φ(u) = u a difference of means, which suits Gaussian classes and has less noise."
_Z = np.linspace(-9, 9, 6_001)


def trials(quick: bool) -> list[Settings]:
    """The bias once; fits at every bandwidth for samples of two sizes."""
    sizes = {300: 2} if quick else {300: 30, 3_000: 8}
    fits = [
        {"part": "fits", "design": design, "n_total": n, "replicate": i}
        for design in LEARNED
        for n, count in sizes.items()
        for i in range(count)
    ]
    return [{"part": "bias"}, *fits]


def trial(settings: Settings, rng: np.random.Generator) -> Finding:
    """Either part."""
    return _biases() if settings["part"] == "bias" else _deficits(settings, rng)


def smoothed(name: str, h: float, model: LocationModel) -> float:
    """W̃_{φ,h} of an optimal score with pooled standard deviation 1 (CLV21, 4.9), p = ½: by quadrature.

    A Gaussian kernel adds h² to the variance of either class.
    """
    deviation = 1 / np.sqrt(1 + model.separation**2 / 4)
    shift = model.separation * deviation / 2
    at = shift + deviation * _Z
    wide = np.hypot(deviation, h)
    ranks = (ndtr((at - shift) / wide) + ndtr((at + shift) / wide)) / 2
    return float(np.trapezoid(phi.resolve(PHIS[name]).value(ranks) * norm.pdf(_Z), _Z))


def _biases() -> Finding:
    model = DESIGNS["Loc2"]
    assert isinstance(model, LocationModel)
    return {name: [smoothed(name, h, model) - smoothed(name, 0.0, model) for h in BANDWIDTHS] for name in PHIS}


def _deficits(settings: Settings, rng: np.random.Generator) -> Finding:
    """AUC* less the exact AUC of the fit at φ(u) = u, by multiple of N^(−1/5), without a pull that would hide it."""
    model = DESIGNS[settings["design"]]
    n = settings["n_total"]
    X, y = model.sample(n // 2, n // 2, rng)
    found = {}
    for multiple in (*MULTIPLES, "rule"):
        h = multiple if isinstance(multiple, str) else multiple * n**-0.2
        if isinstance(model, LocationModel):
            fitted = LinearRanker("auc", bandwidth=h, shrinkage=0, max_iter=1_000).fit(X, y)
        else:
            fitted = QuadraticRanker("auc", linear_term=False, bandwidth=h, shrinkage=0, max_iter=1_000).fit(X, y)
        found[str(multiple)] = model.auc - exact_auc(model, fitted)
    return found


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Slopes of the bias where h is small, and the best multiple of N^(−1/5) for every design and size."""
    biases = findings[[trial["part"] for trial in settings].index("bias")]
    ours: dict[str, Any] = {}
    rows: list[tuple[float, str, str, float, float]] = []
    for name, values in biases.items():
        small = np.less_equal(BANDWIDTHS, 0.02 if name == "RTB" else 0.2)  # RTB bends within a hundredth of a rank
        fit = linregress(np.log(BANDWIDTHS[small]), np.log(np.abs(np.array(values)[small])))
        ours[f"power of h in the bias, {name}"] = round(float(fit.slope), 2)
        ours[f"bias at h = 300^−0.2, {name}"] = round(float(np.interp(300**-0.2, BANDWIDTHS, values)), 5)
        rows += [(float(h), "bias", name, abs(value), 0.0) for h, value in zip(BANDWIDTHS, values, strict=True)]
    groups: dict[tuple[str, int], list[Finding]] = {}
    for trial, finding in zip(settings, findings, strict=True):
        if trial["part"] == "fits":
            groups.setdefault((trial["design"], trial["n_total"]), []).append(finding)
    told = []
    for (design, n), group in groups.items():
        name, losses = f"{design}, N = {n:,}", {m: np.array([f[str(m)] for f in group]) for m in (*MULTIPLES, "rule")}
        best = MULTIPLES[int(np.argmin([losses[m].mean() for m in MULTIPLES]))]
        ours[name] = {
            "best multiple of N^−0.2": best,
            "AUC lost there": round(float(losses[best].mean()), 4),
            "AUC lost at N^−0.2": round(float(losses[1.0].mean()), 4),
            "AUC lost by our rule": round(float(losses["rule"].mean()), 4),
        }
        extra = losses[1.0] - losses[best]
        edge = "the largest tried; " if best == MULTIPLES[-1] else ""
        told.append(f"{best:g} ({name}: {edge}1 loses {extra.mean():.4f} ± {_error(extra):.4f} more)")
        rows += [(m * n**-0.2, "lost", name, float(losses[m].mean()), _error(losses[m])) for m in MULTIPLES]
    wide = sum(ours[f"{design}, N = {n:,}"]["best multiple of N^−0.2"] > 1 for design, n in groups)
    powers = [ours[f"power of h in the bias, {name}"] for name in PHIS]
    at_300 = "/".join(format(ours[f"bias at h = 300^−0.2, {name}"], ".4f") for name in PHIS).replace("-", "−")
    return Outcome(
        paper={f"power of h in the bias, {name}": 2.0 for name in PHIS},
        ours=ours,
        columns=dict(zip(("h", "part", "of", "value", "error"), map(list, zip(*rows, strict=True)), strict=True)),
        claims=ledger(
            {f"the bias at {n} is of order h²": abs(power - 2) <= 0.05 for n, power in zip(PHIS, powers, strict=True)}
        ),
        sentence=(
            f"For small h the bias of an optimal score grows as h^{'/'.join(f'{p:.2f}' for p in powers)} "
            f"({'/'.join(PHIS)}); at h = 300^−0.2 standard deviations it is {at_300}. Relative to the spread of the "
            f"scores, the multiples of N^−0.2 that lose least at φ(u) = u are {', '.join(told)}. By (4.12) "
            "itself h² would have to fall as N^−0.5, so h as N^−0.25, to keep the rate; N^−0.2 is what suits a density."
            f"{_WIDE if wide > len(groups) / 2 else ''}"
        ),
        errata=["(4.11) counts the bias once; the argument needs it twice, at the best rule and at the learned one."],
    )


def _error(values: FloatArray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def draw(figure: Figure, columns: Columns) -> None:
    """Left the bias, right what fits lose, over the bandwidth.

    Left, the bias over the bandwidth, both logarithmic: three parallel lines of slope 2; right, the AUC that fits lose
    over the bandwidth, nearly level lines with error bars for three designs and two sample sizes.
    """
    figure.set_size_inches(7.0, 3.8)
    left, right = figure.subplots(1, 2)
    rows = list(zip(*columns.values(), strict=True))
    for part, ax in (("bias", left), ("lost", right)):
        for i, series in enumerate(dict.fromkeys(row[2] for row in rows if row[1] == part)):
            h, value, error = np.array([(r[0], r[3], r[4]) for r in rows if r[1] == part and r[2] == series]).T
            style, color = ("-", "--", "-.", ":")[i % 4], COLORS[i]
            if part == "bias":
                ax.plot(h, value, style, color=color, label=series)
            else:
                ax.errorbar(h, value, 2 * error, linestyle=style, marker="o", ms=3, color=color, label=series)
    h = np.array([0.003, 0.3])
    left.plot(h, 0.05 * h**2, color=FAINT, linewidth=0.8, label="slope 2")
    left.set(
        xscale="log", yscale="log", xlabel="h / deviation of the scores", ylabel="|bias| of the smoothed $W_\\phi$"
    )
    right.set(xscale="log", xlabel="h / deviation of the scores", ylabel="AUC* − AUC, ± 2 standard errors")
    left.legend(frameon=False)
    handles, labels = right.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    for ax in (left, right):
        plain(ax)


BANDWIDTH = Experiment(
    "clv21-bandwidth",
    "CLV21, Proposition 9",
    "The bias of smoothing and the choice of h",
    trials,
    trial,
    conclude,
    draw,
)
