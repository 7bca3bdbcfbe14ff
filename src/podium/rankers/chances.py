"""From scores to chances: how often rows with such a score were positive among rows that trained nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from sklearn.isotonic import isotonic_regression
from sklearn.linear_model import LogisticRegression

from podium._normal import normal_quantile
from podium._types import BoolArray, FloatArray

_FEW = 100  # rows of the rarer class: below, a curve with two parameters says more than steps
_FOLDS, _BINS, _PER_BIN = 5, 10, 20
_POINTS = 200  # at which a logistic curve is kept


@dataclass(frozen=True, eq=False)
class Calibration:
    r"""The chance of a positive as a rising function of the score, broken lines between ``scores``, with 95 % limits.

    With at least 100 rows of each class: isotonic regression, every block of equal chance with (hits + π)/(rows + 1), π
    being the share of all rows, so that no chance is 0 or 1; limits are Wilson's. With fewer: Platt's logistic curve
    with limits by the delta method. Limits are for one score by itself.
    """

    scores: FloatArray
    chance: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def fit(cls, is_positive: BoolArray, scores: FloatArray) -> Calibration:
        """From rows that had no part in making the scorer; both classes must be there."""
        n_pos = int(is_positive.sum())
        few = min(n_pos, len(is_positive) - n_pos) < _FEW or scores.min() == scores.max()
        return (_logistic if few else _isotonic)(is_positive, scores)

    def __call__(self, scores: FloatArray) -> FloatArray:
        """The chance of every score."""
        return np.interp(scores, self.scores, self.chance)

    def limits(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Between which the chance of a score is with 95 % confidence."""
        return np.interp(scores, self.scores, self.low), np.interp(scores, self.scores, self.high)


@dataclass(frozen=True, eq=False)
class Reliability:
    """Bins of about equally many rows by the chance said, and the share of positives found there with 95 % limits."""

    said: FloatArray
    found: FloatArray
    low: FloatArray
    high: FloatArray
    n_rows: FloatArray

    @property
    def expected_error(self) -> float:
        """The mean distance of what was found from what was said, over all rows."""
        return float(np.average(np.abs(self.found - self.said), weights=self.n_rows))


def reliability(is_positive: BoolArray, scores: FloatArray) -> Reliability:
    """Chances learned from four fifths of the rows, five times over, and what was found in the other fifth."""
    order = np.argsort(scores, kind="stable")
    fold = np.empty(len(scores), dtype=np.intp)
    for rows in (order[is_positive[order]], order[~is_positive[order]]):
        fold[rows] = np.arange(len(rows)) % _FOLDS  # every fold has scores of all sizes of both classes
    said = np.empty(len(scores))
    for k in range(_FOLDS):
        here = fold == k
        said[here] = Calibration.fit(is_positive[~here], scores[~here])(scores[here])
    n_bins = int(np.clip(len(scores) // _PER_BIN, 2, _BINS))
    parts = np.array_split(np.argsort(said, kind="stable"), n_bins)
    n: FloatArray = np.array([len(part) for part in parts], dtype=np.float64)
    h: FloatArray = np.array([is_positive[part].sum() for part in parts], dtype=np.float64)
    low, high = _wilson(h, n)
    return Reliability(np.array([said[part].mean() for part in parts]), h / n, low, high, n)


def _wilson(hits: FloatArray, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    z = normal_quantile(0.95)
    middle = (hits + z**2 / 2) / (rows + z**2)
    spread = z / (rows + z**2) * np.sqrt(hits * (rows - hits) / rows + z**2 / 4)
    return middle - spread, middle + spread


def _isotonic(is_positive: BoolArray, scores: FloatArray) -> Calibration:
    order = np.argsort(scores, kind="stable")
    values, first = np.unique(scores[order], return_index=True)
    rows = np.diff(np.append(first, len(scores))).astype(np.float64)
    hits = np.add.reduceat(is_positive[order].astype(np.float64), first)
    steps = isotonic_regression(hits / rows, sample_weight=rows)
    block = np.unique(steps, return_inverse=True)[1]
    n = np.bincount(block, rows).astype(np.float64)
    h = np.bincount(block, hits).astype(np.float64)
    ends = np.searchsorted(block, np.arange(len(n) + 1))
    points = np.column_stack(
        [values[ends[:-1]], values[ends[1:] - 1]]
    ).ravel()  # a block is level, between them it rises
    chance = np.maximum.accumulate((h + is_positive.mean()) / (n + 1))
    lows, highs = _wilson(h, n)
    low, high = np.maximum.accumulate(lows), np.minimum.accumulate(highs[::-1])[::-1]
    low, high = np.clip(np.minimum(low, chance), 0, 1), np.clip(np.maximum(high, chance), 0, 1)
    return Calibration(points, *(np.repeat(each, 2) for each in (chance, low, high)))


def _logistic(is_positive: BoolArray, scores: FloatArray) -> Calibration:
    """Labels drawn in as Platt does, to (n + 1)/(n + 2) and 1/(m + 2), so that separated classes have a curve, too."""
    centre, scale = float(scores.mean()), float(scores.std()) or 1.0
    z = (scores - centre) / scale
    n_pos, n_neg = int(is_positive.sum()), int((~is_positive).sum())
    target = np.where(is_positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
    both = np.repeat([1, 0], len(z))
    line = LogisticRegression(C=np.inf).fit(
        np.concatenate([z, z])[:, None], both, sample_weight=np.concatenate([target, 1 - target])
    )
    slope, intercept = max(float(line.coef_[0, 0]), 0.0), float(line.intercept_[0])
    p = expit(slope * z + intercept)
    design = np.column_stack([np.ones_like(z), z])
    covariance = np.linalg.pinv(design.T @ (design * (p * (1 - p))[:, None]))
    at = np.linspace(z.min(), z.max(), _POINTS) if slope > 0 else np.zeros(1)
    points = np.column_stack([np.ones_like(at), at])
    logit = slope * at + intercept
    reach = normal_quantile(0.95) * np.sqrt(np.einsum("ij,jk,ik->i", points, covariance, points))
    low, high = np.maximum.accumulate(expit(logit - reach)), np.minimum.accumulate(expit(logit + reach)[::-1])[::-1]
    return Calibration(centre + scale * at, expit(logit), low, high)
