"""The cells of a table of R09, each within the distribution of ours over random splits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from podium.experiments.claims import bootstrap_shares
from podium.experiments.experiment import Finding, Settings
from podium.experiments.r09.push_study import LARGER_IS_BETTER, MEASURES, RANKERS, PushStudy

SMALL, LARGE = ("p = 1", "p = 2", "p = 4"), ("p = 16", "p = 64", "IR")
TOP = ("R_8", "R_16", "DCG", "AveR")


class PushCells:
    """Our values, by split, measure and ranker, in units of the printed ones."""

    def __init__(self, printed: npt.NDArray[np.float64], ours: npt.NDArray[np.float64]) -> None:
        # The paper removed powers of ten and does not say which: those that bring our medians nearest.
        powers = np.rint(np.mean(np.log10(np.median(ours, axis=0) / printed), axis=1, keepdims=True))
        self.printed, self.ours, self.powers = printed, ours / 10**powers, powers.astype(int).ravel()
        self.mean, self.deviation = self.ours.mean(axis=0), self.ours.std(axis=0, ddof=1)
        self.low, self.lower, self.median, self.upper, self.high = np.quantile(
            self.ours, (0, 0.25, 0.5, 0.75, 1), axis=0
        )
        self.inside = (self.low <= printed) & (printed <= self.high)
        self.below = np.mean(self.ours <= printed, axis=0)
        central = np.quantile(self.ours, (0.025, 0.975), axis=0)
        self.central = (central[0] <= printed) & (printed <= central[1])

    @classmethod
    def of(cls, study: PushStudy, reading: str, settings: Sequence[Settings], findings: Sequence[Finding]) -> PushCells:
        """The cells of one reading of the labels."""
        ours = [f["test"] for s, f in zip(settings, findings, strict=True) if s["positives"] == reading]
        return cls(np.array([study.printed[measure] for measure in MEASURES]), np.array(ours))

    def best(self, measure: str) -> str:
        """The ranker with the best mean."""
        return _best(self.mean, measure)

    @property
    def gain(self) -> tuple[npt.NDArray[np.float64], float]:
        """R_16 at p = 64 over R_16 at p = 1, what the push gains: of every split, and as printed."""
        measure, (of, over) = list(MEASURES).index("R_16"), (list(RANKERS).index(p) for p in ("p = 64", "p = 1"))
        return self.ours[:, measure, of] / self.ours[:, measure, over], float(
            self.printed[measure, of] / self.printed[measure, over]
        )

    @property
    def joint(self) -> float:
        """How often a table of ours lies as far out as the printed one, all cells and all gains over p = 1 at once.

        The farthest of the logarithms of the cells and of their ratios to p = 1, in standard deviations of the splits
        and the print taken together: if the print were one more split, this p-value would be exact.
        """
        logs = np.log(np.concatenate([self.printed[None], self.ours]))
        tables = np.concatenate([logs, logs[:, :, 1:] - logs[:, :, :1]], axis=2).reshape(len(logs), -1)
        spread = tables.std(axis=0)
        varies = spread > 1e-12
        farthest = (np.abs(tables - tables.mean(axis=0))[:, varies] / spread[varies]).max(axis=1, initial=0.0)
        return float(np.mean(farthest >= farthest[0]))

    @cached_property
    def trend_share(self) -> float:
        """In which share of resamples of the splits the trend is there."""
        return bootstrap_shares(lambda taken: {"": trend(self.ours[taken[0]].mean(axis=0))}, [len(self.ours)])[""]


def trend(mean: npt.NDArray[np.float64]) -> bool:
    """Small p best for the AUC; large p and IR best at the top, both better than p = 1."""
    best_at_top = all(_best(mean, measure) in LARGE for measure in TOP)
    both_better = all(_improves(mean, measure, name, "p = 1") for measure in TOP for name in ("p = 64", "IR"))
    return _best(mean, "AUC") in SMALL and best_at_top and both_better


def _best(mean: npt.NDArray[np.float64], measure: str) -> str:
    row = mean[list(MEASURES).index(measure)]
    return list(RANKERS)[int(np.argmax(row) if measure in LARGER_IS_BETTER else np.argmin(row))]


def _improves(mean: npt.NDArray[np.float64], measure: str, name: str, over: str) -> bool:
    row = dict(zip(RANKERS, mean[list(MEASURES).index(measure)], strict=True))
    return bool((row[name] > row[over]) if measure in LARGER_IS_BETTER else (row[name] < row[over]))
