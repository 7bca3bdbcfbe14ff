"""Metrics: exact and right with ties, against scikit-learn and against one np.sort."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import roc_auc_score, roc_curve
from timing import Row, seconds

from podium import metrics
from podium.metrics.linear import extremes
from podium.roc import RocCurve

PHIS = ["mww", "power:3", "power:2.5", "smooth-top:0.9", "early-recognition:20", "van-der-waerden", "dcg:100"]


def _first_call(y: np.ndarray, s: np.ndarray) -> float:
    extremes.cache_clear()  # the best and the worst value are remembered per φ, n and m
    return metrics.rank_statistic(y, s, phi="power:3")


def rows() -> list[Row]:
    rng = np.random.default_rng(0)
    table = []
    for n_total in (10**6, 10**7):
        repeat, auc_wanted = (5, ">= 20") if n_total == 10**6 else (2, ">= 25")
        for share in (0.5, 0.01):
            y = (rng.random(n_total) < share).astype(np.int64)
            smooth = rng.standard_normal(n_total) + y
            for name, s in (("no ties", smooth), ("1,000 levels", np.round(smooth * 100) / 100)):
                what = f"N = {n_total:.0e}, {share:.0%} positives, {name}"
                ours, theirs = seconds(lambda: metrics.auc(y, s), lambda: roc_auc_score(y, s), repeat=repeat)
                table.append(Row(f"auc, {what}", "roc_auc_score", theirs / ours, auc_wanted, ">= 12"))
                ours, theirs = seconds(lambda: RocCurve.from_scores(y, s), lambda: roc_curve(y, s), repeat=repeat)
                table.append(Row(f"RocCurve, {what}", "roc_curve", theirs / ours, ">= 8", ">= 8"))
            if n_total == 10**6:
                for phi in PHIS:
                    ours, sort = seconds(
                        lambda phi=phi: metrics.rank_statistic(y, smooth, phi=phi), lambda: np.sort(smooth), repeat=9
                    )
                    table.append(
                        Row(f"W_φ {phi}, N = 1e6, {share:.0%} positives", "np.sort", ours / sort, "<= 0.5", "<= 4")
                    )
                first, sort = seconds(lambda: _first_call(y, smooth), lambda: np.sort(smooth), repeat=9)
                table.append(
                    Row(
                        f"W_φ power:3, N = 1e6, {share:.0%}, new composition", "np.sort", first / sort, "<= 0.5", "<= 4"
                    )
                )
    return table
