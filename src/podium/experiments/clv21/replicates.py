"""Train on 300 rows, judge by the population: one replicate of the paper's figures, shared by all that show it.

The paper judges on 10⁶ rows of each class; curves and areas of these models are known exactly, at a tenth of the cost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np

from podium import metrics
from podium._types import BoolArray, FloatArray
from podium.datasets import LocationModel
from podium.experiments.clv21.designs import (
    ALGORITHM_1,
    ALL_DESIGNS,
    BEGINNING,
    CONVERGED,
    DESIGNS,
    N_PER_CLASS,
    N_REPLICATES,
    N_STEPS,
    NO_PULL,
    PHIS,
    SCRIPT,
    exact_curve,
    ranker,
)
from podium.experiments.clv21.script import ascend, scores_of, start_of
from podium.experiments.experiment import Finding, Settings
from podium.roc import RocCurve

STUDY = "clv21-replicates"
FPR = np.concatenate([[0.0], np.geomspace(1e-4, 0.1, 45), np.linspace(0.11, 1.0, 90)])
TOP_SHARES = {f"u₀ = {u0}": f"smooth-top:{u0}" for u0 in (0.7, 0.9, 0.95)}
# Figure 15 shows more of two designs: their replicates train all of it, so that the figures share them.
_OF_FIGURE_15 = tuple(dict.fromkeys([*PHIS.values(), *TOP_SHARES.values()]))


def replicates(
    designs: Sequence[str], phis: Sequence[str] | None = None, n_steps: int = N_STEPS
) -> Callable[[bool], list[Settings]]:
    """The trials of these designs; by default with every φ that some figure shows of them."""
    return partial(_settings, tuple(designs), None if phis is None else tuple(phis), n_steps)


def _settings(designs: Sequence[str], phis: Sequence[str] | None, n_steps: int, quick: bool) -> list[Settings]:
    return [
        {
            "design": design,
            "phis": list(phis or (_OF_FIGURE_15 if design in ("Loc2", "Loc3") else PHIS.values())),
            "n_steps": min(n_steps, 10) if quick else n_steps,
            "replicate": b,
        }
        for design in designs
        for b in range(2 if quick else N_REPLICATES)
    ]


def replicate(settings: Settings, rng: np.random.Generator) -> Finding:
    """By solver and φ: the curve in the population, its area, Ŵ_φ/n on the training rows, and the path to it."""
    model = ALL_DESIGNS[settings["design"]]
    X, y = model.sample(N_PER_CLASS, N_PER_CLASS, rng)
    seed = int(rng.integers(2**31))
    start = start_of(isinstance(model, LocationModel), model.dimension, rng)
    finding = {}
    for solver in solvers(settings["design"]):
        for phi in settings["phis"]:
            linear: FloatArray | None = None
            if solver == SCRIPT:
                theta, path = ascend(X, y, phi, start, settings["n_steps"])
                scores = scores_of(X, theta)
            else:
                fitted = ranker(model, phi, solver, settings["n_steps"], seed).fit(X, y)
                scores, path = fitted.decision_function(X), fitted.path_ if solver == ALGORITHM_1 else np.empty(0)
                is_linear = isinstance(model, LocationModel)
                theta, linear = (fitted.coef_, None) if is_linear else (fitted.matrix_, fitted.coef_)
            tpr, auc = exact_curve(model, theta, FPR, linear)
            finding[f"{solver} | {phi}"] = {
                "tpr": tpr.round(6).tolist(),
                "auc": auc,
                "train": metrics.rank_statistic(y, scores, phi, scale="mean"),
                "path": path.tolist(),
            }
    return finding


def solvers(design: str) -> tuple[str, ...]:
    """Without the pull only where a converged maximizer exists: 15 weights, not 120 from 300 rows."""
    linear = isinstance(DESIGNS.get(design), LocationModel)
    return (ALGORITHM_1, SCRIPT, CONVERGED, NO_PULL) if linear else (ALGORITHM_1, SCRIPT, CONVERGED)


class Runs:
    """The findings of many replicates, by design, solver and φ."""

    def __init__(self, settings: Sequence[Settings], findings: Sequence[Finding]) -> None:
        self._findings: dict[str, list[Finding]] = {}
        for trial, finding in zip(settings, findings, strict=True):
            self._findings.setdefault(trial["design"], []).append(finding)
        self._known: dict[tuple[str, ...], FloatArray] = {}
        self._taken = {design: np.arange(n) for design, n in zip(self._findings, self.sizes, strict=True)}

    @property
    def designs(self) -> tuple[str, ...]:
        return tuple(self._findings)

    @property
    def sizes(self) -> list[int]:
        """How many replicates there are of each design."""
        return [len(findings) for findings in self._findings.values()]

    def resampled(self, taken: Sequence[np.ndarray]) -> Runs:
        """The same with these replicates of each design."""
        other = Runs([], [])
        other._findings, other._known = self._findings, self._known
        other._taken = dict(zip(self._findings, taken, strict=True))
        return other

    def get(self, what: str, design: str, solver: str, phi: str) -> FloatArray:
        """One row, or number, per replicate: ``"tpr"``, ``"auc"``, ``"train"`` or ``"path"``."""
        values = self._all(what, design, solver, phi)[self._taken[design]]
        return values[self._shown(design, solver, phi)] if what in ("tpr", "auc") else values

    def deficit(self, design: str, solver: str, phi: str) -> FloatArray:
        """W*_φ − W_φ of every replicate, off the curves: what the paper calls best and worst goes by it."""
        best = _best_statistic(design, phi)
        return self._of_curves(lambda tpr: best - _statistic(tpr, phi), "deficit", design, solver, phi)

    def beginning(self, design: str, solver: str, phi: str) -> FloatArray:
        """The mean height of every curve over the first tenth of the negatives."""
        return self._of_curves(beginning, "beginning", design, solver, phi)

    def _of_curves(
        self, quantity: Callable[[FloatArray], float], what: str, design: str, solver: str, phi: str
    ) -> FloatArray:
        key = (what, design, solver, phi)
        if key not in self._known:
            self._known[key] = np.array([quantity(tpr) for tpr in self._all("tpr", design, solver, phi)])
        return self._known[key][self._taken[design]][self._shown(design, solver, phi)]

    def n_below(self, design: str, solver: str, phi: str) -> int:
        """How many replicates lie below the diagonal, those left out included."""
        return int((self._all("auc", design, solver, phi)[self._taken[design]] < 0.5).sum())

    def _shown(self, design: str, solver: str, phi: str) -> BoolArray:
        """Of Loc1 the paper keeps "only the ROC curves above the diagonal"."""
        above = self._all("auc", design, solver, phi)[self._taken[design]] >= 0.5
        return above if design == "Loc1" and above.any() else np.ones_like(above)

    def _all(self, what: str, design: str, solver: str, phi: str) -> FloatArray:
        key = (what, design, solver, phi)
        if key not in self._known:
            values = [finding[f"{solver} | {phi}"][what] for finding in self._findings[design]]
            self._known[key] = np.array(values, dtype=np.float64)
        return self._known[key]


@cache
def optimal(design: str) -> FloatArray:
    """ROC* on the grid, exact; read-only."""
    tpr = ALL_DESIGNS[design].roc(FPR)
    tpr.setflags(write=False)
    return tpr


def beginning(tpr: FloatArray) -> float:
    """The mean height of a curve over the first tenth of the negatives."""
    return RocCurve.from_points(FPR, tpr).partial_auc(BEGINNING)


@cache
def _best_statistic(design: str, phi: str) -> float:
    return _statistic(optimal(design), phi)


def _statistic(tpr: FloatArray, phi: str) -> float:
    return RocCurve.from_points(FPR, tpr).rank_statistic(phi, 0.5)
