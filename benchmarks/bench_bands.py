"""Bands and intervals on the ROC curve, against sorting."""

from __future__ import annotations

import numpy as np
from timing import Row, seconds

from podium.inference import partial_auc_interval, precision_at_interval, roc_band, tpr_interval
from podium.roc.local_levels import local_level


def rows() -> list[Row]:
    rng = np.random.default_rng(0)
    table = []
    y = rng.random(10**4) < 0.5
    s = rng.standard_normal(10**4) + y
    for method in ("bootstrap", "calibrated"):
        band, sorts = seconds(
            lambda method=method: roc_band(y, s, method=method, n_resamples=2000, rng=0),
            lambda: [np.sort(s) for _ in range(2000)],
            repeat=2,
        )
        # A resample costs n + m exponential variates and a merge.
        table.append(Row(f"{method} band, 2,000 resamples, N = 1e4", "2,000 np.sort", band / sorts, "<= 20"))
    y = rng.random(10**6) < 0.5
    s = rng.standard_normal(10**6) + y
    local_level(int(y.sum()), int((~y).sum()), 0.95)  # remembered: a property of n and m alone
    calls = {
        "partial area": lambda: partial_auc_interval(y, s, max_fpr=0.1),
        "TPR, btii": lambda: tpr_interval(y, s, fpr=0.1),
        "hits in the first 1,000": lambda: precision_at_interval(y, s, k=1000),
    }
    for name, call in calls.items():
        ours, sort = seconds(call, lambda: np.sort(s), repeat=3)
        table.append(Row(f"{name}, N = 1e6", "np.sort", ours / sort, "<= 20"))
    return table
