"""Train on 300 rows, judge on two million: one replicate of the paper's figures, shared by all that show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

import numpy as np

from podium import metrics
from podium._types import FloatArray
from podium.datasets import LocationModel
from podium.experiments.clv21.designs import (
    ALGORITHM_1,
    CONVERGED,
    DESIGNS,
    N_PER_CLASS,
    N_REPLICATES,
    N_STEPS,
    N_TEST,
    NO_PULL,
    PHIS,
    judging_rows,
    ranker,
)
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
            "n_steps": n_steps,
            "n_test": 20_000 if quick else N_TEST,
            "replicate": b,
        }
        for design in designs
        for b in range(2 if quick else N_REPLICATES)
    ]


def replicate(settings: Settings, rng: np.random.Generator) -> Finding:
    """By solver and φ: the curve on the test sample, its area, Ŵ_φ/n on the training rows, and the path to it."""
    model = DESIGNS[settings["design"]]
    X, y = model.sample(N_PER_CLASS, N_PER_CLASS, rng)
    start = int(rng.integers(2**31))
    rows, labels = judging_rows(settings["design"], settings["n_test"])
    finding = {}
    for solver in solvers(settings["design"]):
        for phi in settings["phis"]:
            fitted = ranker(model, phi, solver, settings["n_steps"], start).fit(X, y)
            curve = RocCurve.from_scores(labels, fitted.decision_function(rows))
            finding[f"{solver} | {phi}"] = {
                "tpr": curve.at(FPR).round(6).tolist(),
                "auc": curve.auc(),
                "train": metrics.rank_statistic(y, fitted.decision_function(X), phi, scale="mean"),
                "path": fitted.path_.tolist() if solver == ALGORITHM_1 else [],
            }
    return finding


def solvers(design: str) -> tuple[str, ...]:
    """Without the pull only where a converged maximiser exists: 15 weights, not 120 from 300 rows."""
    linear = isinstance(DESIGNS[design], LocationModel)
    return (ALGORITHM_1, CONVERGED, NO_PULL) if linear else (ALGORITHM_1, CONVERGED)


class Runs:
    """The findings of many replicates, by design, solver and φ."""

    def __init__(self, settings: Sequence[Settings], findings: Sequence[Finding]) -> None:
        self._findings: dict[str, list[Mapping[str, Mapping[str, object]]]] = {}
        for trial, finding in zip(settings, findings, strict=True):
            self._findings.setdefault(trial["design"], []).append(finding)

    @property
    def designs(self) -> tuple[str, ...]:
        return tuple(self._findings)

    def get(self, what: str, design: str, solver: str, phi: str) -> FloatArray:
        """One row, or number, per replicate: ``"tpr"``, ``"auc"``, ``"train"`` or ``"path"``."""
        return np.array([finding[f"{solver} | {phi}"][what] for finding in self._findings[design]], dtype=np.float64)

    def deficit(self, design: str, solver: str, phi: str) -> FloatArray:
        """W*_φ − W_φ of every replicate, off the curves: what the paper calls best and worst goes by it."""
        best = _statistic(optimal(design), phi)
        return np.array([best - _statistic(tpr, phi) for tpr in self.get("tpr", design, solver, phi)])


@cache
def optimal(design: str) -> FloatArray:
    """ROC* on the grid, exact; read-only."""
    tpr = DESIGNS[design].roc(FPR)
    tpr.setflags(write=False)
    return tpr


def _statistic(tpr: FloatArray, phi: str) -> float:
    return RocCurve.from_points(FPR, tpr).rank_statistic(phi, 0.5)
