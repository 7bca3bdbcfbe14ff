"""
A drift monitor to check every day
==================================

After 2,000 scores the population shifts, and the evidence of the monitor crosses the alarm line. Had nothing
changed, the probability that it *ever* does so would be at most 5 %, however often you look. More: :doc:`/monitoring`.
"""

import numpy as np

from podium import monitor, plots

rng = np.random.default_rng(3)
states, drift = [], monitor.DriftMonitor(rng.normal(size=2000))
for day in range(20):
    states.append(drift.update(rng.normal(0.0 if day < 10 else 0.4, size=200)))
    if states[-1].alarm:
        print(f"Day {day + 1}: {states[-1]}")
        break
plots.MonitorDisplay(states).plot()
