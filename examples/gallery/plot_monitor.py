"""
A monitor that may be looked at every day
=========================================

After 2,000 scores the population moves. The evidence of the monitor grows past its line, which without a change it
would ever reach with a probability of 5 % at most, however often one looks.
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
