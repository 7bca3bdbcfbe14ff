"""Value and gradient of the smoothed rank statistic."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import ndtr
from timing import Row, peak_bytes, seconds

from podium.criteria import RankStatistic


def sample(n_total: int, share: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    is_positive = rng.random(n_total) < share
    return rng.standard_normal(n_total) + is_positive, is_positive


def all_pairs(scores: np.ndarray, is_positive: np.ndarray) -> tuple[float, np.ndarray]:
    """What NumPy does at O(N²): the definition for φ(u) = u at a fixed bandwidth, by blocks of rows."""
    n_total, n_pos = len(scores), int(is_positive.sum())
    h = scores.std() * n_total**-0.2
    value, gradient = 0.0, np.empty(n_total)
    for block in np.array_split(np.arange(n_total), max(1, n_total // 500)):
        t = (scores[block, None] - scores) / h
        value += ndtr(t[is_positive[block]]).sum()
        density = np.exp(-0.5 * t * t) / np.sqrt(2 * np.pi)
        v = is_positive / n_pos
        gradient[block] = (v[block] * density.sum(axis=1) - density @ v) / (n_total * h)
    return value / (n_total * n_pos), gradient


def rows() -> list[Row]:
    scores, is_positive = sample(1_000_000)
    sort = partial(np.sort, scores)
    table = []
    for phi in ("auc", "power:3", "smooth-top:0.9"):
        for tol, wanted in ((1e-6, "<= 1.5"), (1e-10, "<= 2.5")):
            criterion = RankStatistic(phi, tol=tol)
            ours, sorting = seconds(partial(criterion.value_and_gradient, scores, is_positive), sort, repeat=15)
            table.append(Row(f"{phi}, tol {tol:g}, N = 1e6", "np.sort", ours / sorting, wanted))

    criterion = RankStatistic()
    for name, values in (("normal", scores), ("Cauchy", np.random.default_rng(1).standard_cauchy(len(scores)))):
        memory = peak_bytes(partial(criterion.value_and_gradient, values, is_positive))
        table.append(Row(f"working memory of auc, {name} scores", "a byte per row", memory / len(scores), "<= 16"))

    large = sample(10_000_000)
    big, small = seconds(
        partial(criterion.value_and_gradient, *large),
        partial(criterion.value_and_gradient, scores, is_positive),
        repeat=5,
    )
    table.append(Row("auc, N = 1e7", "N = 1e6", big / small, "<= 13"))

    for n_total, wanted, repeat in ((10_000, ">= 1000", 3), (300, ">= 1", 50)):
        few = sample(n_total)
        ours, pairs = seconds(partial(criterion.value_and_gradient, *few), partial(all_pairs, *few), repeat=repeat)
        table.append(Row(f"auc, N = {n_total:g}", "NumPy over all pairs", pairs / ours, wanted))
    return table
