"""Rows that tie: a list that is worked through has them in some order."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from podium._types import Array
from podium.inference import Interval
from podium.phi import Mww, Phi
from podium.ranks import untied_ranks


@dataclass(frozen=True)
class TiesBroken:
    """Scores, ranks in which ties are in random order, and the share of rows that tie."""

    scores: Array
    ranks: Array
    tied: float

    @classmethod
    def of(cls, scores: Array) -> TiesBroken:
        _, counts = np.unique(scores, return_counts=True)
        tied = float(counts[counts > 1].sum()) / len(scores)
        return cls(scores, untied_ranks(scores, np.random.default_rng(0)) if tied else scores, tied)

    def by(self, phi: Phi) -> Array:
        """What to compute ω_φ from: for the AUC a tie counts one half, which is its mean over all orders."""
        return self.scores if phi == Mww() else self.ranks

    def noted(self, found: Interval) -> Interval:
        """With a remark where the order of many rows was drawn by lot."""
        if self.tied < 0.01 or found.phi == str(Mww()):
            return found
        return replace(found, note=f"{self.tied:.0%} of the rows tie; they were put in random order")
