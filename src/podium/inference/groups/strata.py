"""ω of pairs within a stratum, for one scorer or for several on the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from podium._types import Array, BoolArray, FloatArray, Sample
from podium.exceptions import DegenerateSampleError, InputError
from podium.inference.intervals import jackknife, pseudo_event
from podium.inference.lists.covariance import Covariance, covariance_of_rows
from podium.inference.lists.influence import clusters_of
from podium.inference.lists.ranking import Ranking
from podium.inference.top.estimate import MetricEstimate
from podium.phi import Phi


@dataclass(frozen=True, eq=False)
class StratifiedEstimate(MetricEstimate):
    """ω of one scorer: the mean of those of the strata, each counting by its share of all pairs."""

    omegas: FloatArray = field(default_factory=lambda: np.empty(0))
    shares: FloatArray = field(default_factory=lambda: np.empty(0))


@dataclass(frozen=True, eq=False)
class Strata:
    """The rows of strata that hold both classes, and the stratum of each of these rows, numbered from 0 on."""

    used: BoolArray
    stratum: Array
    n_left_out: int
    clusters: Array | None
    new: bool

    @classmethod
    def of(
        cls,
        sample: Sample,
        strata: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None,
        groups: npt.ArrayLike | None,
        new_strata: bool,
    ) -> Strata:
        """``new_strata`` says whether the strata are themselves drawn: then they are the independent units."""
        n_rows = len(sample.scores)
        stratum = clusters_of(strata, sample_weight, n_rows, "strata")
        clusters = None if groups is None else clusters_of(groups, sample_weight, n_rows)
        if new_strata and clusters is not None:
            raise InputError("New strata are themselves the independent units; got groups.", "leave out groups.")
        n_strata = int(stratum.max()) + 1
        held = [
            np.bincount(stratum[rows], minlength=n_strata) > 0 for rows in (sample.is_positive, ~sample.is_positive)
        ]
        complete = held[0] & held[1]
        if complete.sum() < (2 if new_strata else 1):
            raise DegenerateSampleError(
                f"A stratified ω needs {'two strata' if new_strata else 'a stratum'} with both classes; got "
                f"{complete.sum()}."
            )
        used = complete[stratum]
        numbers = np.unique(stratum[used], return_inverse=True)[1]
        kept = None if clusters is None else np.unique(clusters[used], return_inverse=True)[1]
        return cls(used, numbers, int((~complete).sum()), kept, new_strata)

    def estimate(self, sample: Sample, phi: Phi) -> StratifiedEstimate:
        """ω of a scorer whose rows these are."""
        sample = sample.subset(self.used)
        order = np.argsort(self.stratum, kind="stable")
        each = np.split(order, np.cumsum(np.bincount(self.stratum))[:-1])
        rankings = [Ranking(sample.subset(rows), phi) for rows in each]
        pairs = np.array([ranking.n_pos * ranking.n_neg for ranking in rankings], float)
        shares, omegas = pairs / pairs.sum(), np.array([ranking.omega for ranking in rankings])
        influence = np.zeros(len(sample.scores))
        if not self.new:
            self._require_two_per_class(rankings)
            for share, ranking, rows in zip(shares, rankings, each, strict=True):
                influence[rows] = share * jackknife.influence(ranking).rows(ranking.sample)

        def events() -> tuple[float, float]:
            loss, gain = shares**2 @ np.array([pseudo_event.loss_and_gain(ranking) for ranking in rankings])
            return float(loss), float(gain)

        value = float(shares @ omegas)
        return StratifiedEstimate(
            str(phi), Ranking(sample, phi), value, influence, events, omegas=omegas, shares=shares
        )

    def covariance(self, estimates: Sequence[StratifiedEstimate]) -> Covariance:
        """Of several scorers: each class of each stratum is a sample of its own, or each stratum one observation."""
        first = estimates[0]
        if not self.new:
            sample = first.ranking.sample
            part = 2 * self.stratum + sample.is_positive
            parts = np.split(np.argsort(part, kind="stable"), np.cumsum(np.bincount(part))[:-1])
            return covariance_of_rows(np.array([e.influence for e in estimates]), sample, self.clusters, parts)
        shares, n_strata = first.shares, len(first.shares)
        residual = shares * np.array([e.omegas - e.value for e in estimates])
        # Of strata of unequal weight only some count.
        freedom = max(1 / float(shares @ shares) - 1, 1.0)
        return Covariance(((n_strata / (n_strata - 1) * residual @ residual.T, freedom),))

    def note(self) -> str:
        if not self.n_left_out:
            return ""
        n_strata = self.n_left_out + int(self.stratum.max()) + 1
        return f"{self.n_left_out} of {n_strata} strata hold one class only and were left out"

    @staticmethod
    def _require_two_per_class(rankings: Sequence[Ranking]) -> None:
        fewest = min(min(ranking.n_pos, ranking.n_neg) for ranking in rankings)
        if fewest < 2:
            raise DegenerateSampleError(
                f"A variance needs at least two positives and two negatives in every stratum; got {fewest:g} of a "
                "class.",
                "merge small strata, or pass new_strata=True if the next list has other strata.",
            )
