"""Limits of what thresholds make of a score: rates at a cut, KS, and the information value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import kolmogorov

from podium._fast.order import groups_of_rows
from podium._shares import normal_quantile, wilson
from podium._types import Array, FloatArray
from podium.inference.decision_curves import decision_curve
from podium.inference.intervals.limits import Limits
from podium.inference.lists.estimates import CurveEstimate, Described
from podium.inference.lists.influence import variance_of_rows
from podium.inference.lists.ranking import Ranking
from podium.inference.stability import Divergence
from podium.metrics.cuts import bins, check_cut, of_rates, shares_in_bins, upper_shares

# Rates of the rows at or above a cut that was fixed beforehand.


@dataclass(frozen=True, eq=False, kw_only=True)
class CutEstimate(CurveEstimate):
    """A rate at a cut; its slopes in the shares of both classes above the cut give the influence of their rows."""

    kind: str
    cut: float

    @classmethod
    def of(cls, ranking: Ranking, name: str, cut: float) -> CutEstimate:
        kind, ties, sample = name.partition(":")[0], ranking.ties, ranking.sample
        check_cut(kind, ties, cut)
        above = sample.scores >= cut
        n, m = ranking.n_pos, ranking.n_neg
        counts = np.array([above[sample.is_positive].sum(), above[~sample.is_positive].sum()], dtype=float)

        def rate(counts: FloatArray) -> float:
            return float(of_rates(kind, cut, counts[0], counts[1], n, m))

        step = 1e-4
        slopes = [(rate(counts + move) - rate(counts - move)) / (2 * step) for move in step * np.eye(2)]
        tpr, fpr = counts / (n, m)
        influence = np.where(sample.is_positive, slopes[0] * n * (above - tpr), slopes[1] * m * (above - fpr))
        worst = -cut / (1 - cut) if kind == "net-benefit" else 0.0
        return cls(name=name, ranking=ranking, value=rate(counts), influence=influence, worst=worst, kind=kind, cut=cut)

    def of_curve(self, confidence_level: float) -> Described:
        sample = self.ranking.sample
        if self.kind == "net-benefit":
            curve = decision_curve(
                sample.is_positive, sample.scores, thresholds=[self.cut], confidence_level=confidence_level
            )
            return Described(Limits(float(curve.low[0]), float(curve.high[0]), None), "one threshold", "")
        called = sample.scores >= self.cut
        counted = {
            "sensitivity": sample.is_positive,
            "specificity": ~sample.is_positive,
            "ppv": called,
            "npv": ~called,
        }[self.kind]
        right = called == sample.is_positive
        n_rows = int(counted.sum())
        if n_rows == 0:
            return Described(Limits(0.0, 1.0, None), "Wilson", "no row is on this side of the cut: nothing is known")
        low, high = wilson(int(right[counted].sum()), n_rows, normal_quantile(confidence_level))
        return Described(Limits(min(float(low), self.value), max(float(high), self.value), None), "Wilson", "")


# KS: the largest difference of two shares, at a threshold that was chosen on the same rows.


_FOLDS = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class KsEstimate(CurveEstimate):
    r"""KS = max |TPR − FPR|, with limits of a difference of shares whose threshold was chosen.

    The upper limit is Newcombe's (1998, method 10) at the best threshold: KS is at least what any threshold gives.
    Where it was the best of all on the same rows, the difference leans upward, so the lower limit is that of the
    threshold which four fifths of the rows choose for the last fifth, each fifth in turn; and 0 where the two-sample
    Kolmogorov–Smirnov test does not tell the classes apart at the level.
    """

    @classmethod
    def of(cls, ranking: Ranking, name: str) -> KsEstimate:
        tpr, fpr = upper_shares(ranking.ties)
        best = int(np.argmax(np.abs(tpr - fpr)))
        sign = 1.0 if tpr[best] >= fpr[best] else -1.0
        above = ranking.sample.scores >= ranking.ties.values[best]
        influence = sign * np.where(ranking.sample.is_positive, above - tpr[best], fpr[best] - above)
        return cls(name=name, ranking=ranking, value=float(sign * (tpr[best] - fpr[best])), influence=influence)

    def of_curve(self, confidence_level: float) -> Described:
        sample, z = self.ranking.sample, normal_quantile(confidence_level)
        pos, neg = self.ranking.classes
        tpr, fpr = upper_shares(self.ranking.ties)
        best = int(np.argmax(np.abs(tpr - fpr)))
        shares = np.array([tpr[best], fpr[best]])
        _, high = _newcombe(shares if shares[0] >= shares[1] else 1 - shares, (len(pos), len(neg)), z)
        low = 0.0
        if kolmogorov(self.value / np.sqrt(1 / len(pos) + 1 / len(neg))) < 1 - confidence_level:
            low = max(_newcombe(_left_out_shares(pos, neg), (len(pos), len(neg)), z)[0], 0.0)
        error = variance_of_rows(self.influence, sample) ** 0.5
        return Described(Limits(min(low, self.value), max(high, self.value), error), "cross-fitted Newcombe", "")


def _newcombe(shares: FloatArray, sizes: tuple[int, int], z: float) -> tuple[float, float]:
    """Hybrid score limits of a difference of two shares, from Wilson's limits of each."""
    (t, f), (n, m) = shares, sizes
    (t_low, t_high), (f_low, f_high) = wilson(t * n, n, z), wilson(f * m, m, z)
    return float(t - f - np.hypot(t - t_low, f_high - f)), float(t - f + np.hypot(t_high - t, f - f_low))


def _left_out_shares(pos: Array, neg: Array) -> FloatArray:
    """True and false positive rates where each fifth of the rows is cut at the best threshold of the others.

    The threshold also says which side is called positive. Folds are drawn by a fixed seed in the order of the scores:
    the same answer at every call, whatever the order of the rows.
    """
    rng = np.random.default_rng(0)
    folds = [rng.permutation(np.arange(len(scores)) % _FOLDS) for scores in (pos, neg)]
    hits = np.zeros(2)
    for fold in range(_FOLDS):
        kept = [scores[which != fold] for scores, which in zip((pos, neg), folds, strict=True)]
        values = np.unique(np.concatenate(kept))
        tpr, fpr = (1 - np.searchsorted(scores, values) / max(len(scores), 1) for scores in kept)
        best = int(np.argmax(np.abs(tpr - fpr)))
        is_up = tpr[best] >= fpr[best]
        for i, (scores, which) in enumerate(zip((pos, neg), folds, strict=True)):
            above = scores[which == fold] >= values[best]
            hits[i] += np.count_nonzero(above == is_up)
    return hits / (len(pos), len(neg))


# The information value: the divergence of the classes over bins of the score.


@dataclass(frozen=True, eq=False, kw_only=True)
class InformationEstimate(CurveEstimate):
    """Σ (p − q) ln(p/q) over bins of the score."""

    divergence: Divergence

    @classmethod
    def of(cls, ranking: Ranking, name: str, n_bins: int) -> InformationEstimate:
        bin_of = bins(ranking.ties, n_bins)
        found = Divergence(*shares_in_bins(ranking.ties, bin_of), ranking.n_pos, ranking.n_neg)
        of_row = bin_of[groups_of_rows(ranking.sample.scores)[1]]
        psi, chi = found.influence
        influence = np.where(ranking.sample.is_positive, psi[of_row], chi[of_row])
        return cls(name=name, ranking=ranking, value=found.value, influence=influence, best=np.inf, divergence=found)

    def of_curve(self, confidence_level: float) -> Described:
        limits, note = self.divergence.limits(confidence_level)
        return Described(limits, "root scale", note)
