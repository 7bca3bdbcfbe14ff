"""Shortlists and monitors: selection of millions against np.sort, an update of a monitor against fifty milliseconds."""

from __future__ import annotations

import time

import numpy as np
from timing import Row, seconds

from podium.monitor import DriftMonitor, PerformanceMonitor
from podium.shortlist import by_fdr


def rows() -> list[Row]:
    rng = np.random.default_rng(0)
    y = rng.random(10**6) < 0.1
    s = rng.standard_normal(10**6) + 2 * y
    new = rng.standard_normal(10**7) + 2 * (rng.random(10**7) < 0.1)
    sort, selection = seconds(lambda: np.sort(new), lambda: by_fdr(y, s, new))
    table = [Row("by_fdr, 10⁶ calibration and 10⁷ new scores", "np.sort of the new", selection / sort, "<= 4")]
    batch_y, batch = y[: 10**5], s[: 10**5]
    for name, monitor, arguments in (
        ("DriftMonitor", DriftMonitor(s), (batch,)),
        ("PerformanceMonitor", PerformanceMonitor(y, s), (batch_y, batch)),
    ):
        monitor.update(*arguments)  # compile
        times = []
        for _ in range(9):
            start = time.process_time()
            monitor.update(*arguments)
            times.append(time.process_time() - start)
        table.append(Row(f"{name}.update of 10⁵ scores", "50 ms", min(times) / 0.05, "<= 1"))
    return table
