"""Linear scorers of two Gaussians in the plane, whose linearizations are known exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import ndtr

from podium import metrics, phi
from podium._types import BoolArray, FloatArray
from podium.experiments import claims
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings
from podium.experiments.power_law import PowerLaw
from podium.phi import Phi
from podium.plots.canvas import COLORS, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class LinearScore:
    """s(z) = ⟨z, direction⟩ with direction of length one, where X ~ N((1, 0), I) and Y ~ N(0, I) with a share p of X.

    The scores are normal, of mean cos(angle) for the positives and 0 for the negatives.
    """

    angle: float
    share: float
    phi: Phi

    @property
    def shift(self) -> float:
        return float(np.cos(self.angle))

    def scores(self, z: FloatArray) -> FloatArray:
        return z @ np.array([np.cos(self.angle), np.sin(self.angle)])

    def pooled(self, t: FloatArray) -> FloatArray:
        """F = pG + (1 − p)H."""
        return np.asarray(self.share * ndtr(t - self.shift) + (1 - self.share) * ndtr(t))

    @cached_property
    def _grid(self) -> FloatArray:
        return np.linspace(-9, 10, 4001)  # what lies outside has probability 1e-18

    @cached_property
    def _density(self) -> FloatArray:
        """φ'(F)·dG/du on the grid."""
        gauss = np.exp(-((self._grid - self.shift) ** 2) / 2) / np.sqrt(2 * np.pi)
        return self.phi.derivative(self.pooled(self._grid)) * gauss

    @cached_property
    def _area(self) -> CubicSpline:
        return CubicSpline(self._grid, self._density).antiderivative()

    def tail(self, t: FloatArray) -> FloatArray:
        """∫ φ'(F) dG from t on."""
        return np.asarray(self._area(self._grid[-1]) - self._area(np.clip(t, self._grid[0], self._grid[-1])))

    @cached_property
    def mean_tails(self) -> tuple[float, float]:
        """E tail(s(X)) and E tail(s(Y)): ∫ φ'(F) G dG and ∫ φ'(F) H dG."""
        ends = self._grid[[0, -1]]
        positive = CubicSpline(self._grid, self._density * ndtr(self._grid - self.shift))
        negative = CubicSpline(self._grid, self._density * ndtr(self._grid))
        return float(positive.integrate(*ends)), float(negative.integrate(*ends))


def draw_plane(is_positive: BoolArray, rng: np.random.Generator) -> FloatArray:
    """A point for every label."""
    return rng.standard_normal((len(is_positive), 2)) + np.outer(is_positive, [1.0, 0.0])


SHARE = 0.3
PHIS = ("mww", "power:3")
ANGLES = np.linspace(0, 2 * np.pi, 12, endpoint=False)
FLAT = 0.1  # bounded in probability is a slope of at most 0; the interval may reach so far above it
CV08, CENTERED, CLV21 = "CV08, Proposition 3", "CV08, less its mean", "CLV21, Proposition 4"


def trials(quick: bool) -> Sequence[Settings]:
    """Samples of growing size."""
    sizes = (100, 316, 1000, 3162) if quick else (100, 316, 1000, 3162, 10_000, 31_623, 100_000)
    return [
        {"phi": name, "size": size, "draw": draw}
        for name in PHIS
        for size in sizes
        for draw in range(20 if quick else 40)
    ]


@lru_cache
def scorers(spec: str) -> tuple[LinearScore, ...]:
    """Linear scorers in twelve directions, a class over which both propositions are uniform."""
    return tuple(LinearScore(float(angle), SHARE, phi.resolve(spec)) for angle in ANGLES)


def remainders(settings: Settings, rng: np.random.Generator) -> Finding:
    """Of every scorer: with random labels, as CV08 draws them, and with ⌊pN⌋ positives, as CLV21 does."""
    size = settings["size"]
    random = np.asarray(rng.random(size) < SHARE)
    fixed = np.arange(size) < int(SHARE * size)
    finding: Finding = {}
    for name, is_positive, linear_part in ((CV08, random, cv08_part), (CLV21, fixed, clv21_part)):
        z = draw_plane(is_positive, rng)
        finding[name] = [
            metrics.rank_statistic(is_positive, scores, scorer.phi, scale="sum")
            - linear_part(scorer, scores, is_positive)
            for scorer in scorers(settings["phi"])
            for scores in (scorer.scores(z),)
        ]
    return finding


def cv08_part(scorer: LinearScore, scores: FloatArray, is_positive: BoolArray) -> float:
    """V̂_n: a sum over the positives alone."""
    positive = scores[is_positive]
    return float(np.sum(scorer.phi.value(scorer.pooled(positive)) + SHARE * scorer.tail(positive)))


def clv21_part(scorer: LinearScore, scores: FloatArray, is_positive: BoolArray) -> float:
    """Of (3.7): n Ŵ_φ and the centered sums over positives and over negatives."""
    positive, negative = scores[is_positive], scores[~is_positive]
    n, m, total = len(positive), len(negative), len(scores)
    of_positive, of_negative = scorer.mean_tails
    return float(
        np.sum(scorer.phi.value(scorer.pooled(positive)))
        + (n - 1) / (total + 1) * (np.sum(scorer.tail(positive)) - n * of_positive)
        + n / (total + 1) * (np.sum(scorer.tail(negative)) - m * of_negative)
    )


def suprema(settings: Sequence[Settings], findings: Sequence[Finding]) -> dict[str, list[Any]]:
    """The largest remainder over the class, in every trial."""
    cells: dict[tuple[str, int], list[Finding]] = {}
    for setting, finding in zip(settings, findings, strict=True):
        cells.setdefault((setting["phi"], setting["size"]), []).append(finding)
    columns: dict[str, list[Any]] = {name: [] for name in ("phi", "size", CV08, CENTERED, CLV21)}
    for (spec, size), found in cells.items():
        printed, right = (np.array([f[name] for f in found]) for name in (CV08, CLV21))
        columns["phi"] += [spec] * len(found)
        columns["size"] += [size] * len(found)
        for name, values in ((CV08, printed), (CENTERED, printed - printed.mean(axis=0)), (CLV21, right)):
            columns[name] += np.abs(values).max(axis=1).tolist()
    return columns


def slopes(columns: Columns) -> dict[tuple[str, str], PowerLaw]:
    """How each remainder grows, by φ."""
    sizes, specs = np.array(columns["size"]), np.array(columns["phi"])
    return {
        (name, spec): PowerLaw.fit(sizes[specs == spec], np.array(columns[name])[specs == spec])
        for name in (CV08, CENTERED, CLV21)
        for spec in PHIS
    }


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Bounded in probability means that nothing grows."""
    columns = suprema(settings, findings)
    laws = slopes(columns)
    bounded = {name: _is_flat([laws[name, spec] for spec in PHIS]) for name in (CV08, CLV21)}
    words = {name: {True: "holds", False: "fails", None: "is open"}[true] for name, true in bounded.items()}
    slope = {name: " and ".join(str(laws[name, spec]) for spec in PHIS) for name in (CV08, CENTERED, CLV21)}
    return Outcome(
        paper={f"slope, {name}, {spec}": 0 for name in (CV08, CLV21) for spec in PHIS},
        ours={f"slope, {name}, {spec}": law.slope for (name, spec), law in laws.items()}
        | {f"95 % interval, {name}, {spec}": [law.low, law.high] for (name, spec), law in laws.items()},
        columns=columns,
        claims=claims.ledger({f"{name}: the remainder is bounded": true for name, true in bounded.items()}),
        sentence=(
            "Both papers say that the remainder of the sum is bounded in probability: no growth of ln sup|R| with "
            f"ln N. The slope of CLV21's is {slope[CLV21]} at φ = u and u³: its proposition "
            f"{words[CLV21]}. CV08's is {slope[CV08]}: its proposition "
            f"{words[CV08]}; less its mean, still {slope[CENTERED]}."
        ),
        errata=[]
        if bounded[CV08] is not False
        else [
            "Proposition 3 lacks the part of the projection that belongs to the negatives, and does not center that of "
            "the positives: the remainder is of the order of n, and of √n about its mean, instead of bounded."
        ],
    )


def _is_flat(laws: Sequence[PowerLaw]) -> bool | None:
    """Whether nothing grows, at 95 %; None where a slope may be flat or not."""
    return claims.throughout(claims.below(FLAT, law.low, law.high) for law in laws)


def draw(figure: Figure, columns: Columns) -> None:
    """A panel for each φ: medians and the middle nine tenths.

    A panel for each φ, both axes logarithmic: medians of the largest remainder with the middle nine tenths over N;
    CV08's rises steeply, less its mean half as steeply, CLV21's stays level.
    """
    sizes, specs = np.array(columns["size"]), np.array(columns["phi"])
    panels = figure.subplots(1, len(PHIS), sharey=True)
    for ax, spec, title in zip(panels, PHIS, ("φ(u) = u", "φ(u) = u³"), strict=True):
        at = np.unique(sizes)
        for name, color, marker in zip((CV08, CENTERED, CLV21), COLORS[1:], "os^", strict=False):
            values = np.array(columns[name])
            low, middle, high = np.array(
                [np.quantile(values[(sizes == n) & (specs == spec)], (0.05, 0.5, 0.95)) for n in at]
            ).T
            ax.plot(at, middle, marker=marker, markersize=4, color=color, label=name)
            ax.fill_between(at, low, high, color=color, alpha=0.2, linewidth=0)
        ax.set(xscale="log", yscale="log", xlabel="N")
        ax.set_title(title, fontsize=9)
        plain(ax)
    panels[0].set_ylabel("largest |remainder| of twelve scorers")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)


PROP3 = Experiment(
    "cv08-prop3",
    "CV08, Proposition 3; CLV21, Proposition 4",
    "What is left of a rank statistic after its linear part",
    trials,
    remainders,
    conclude,
    draw,
)

EXPERIMENTS = (PROP3,)
