"""
Is acting on the score worth it?
================================

Net benefit counts hits and subtracts false alarms at the rate at which you would accept them: a threshold of 20 %
accepts four false alarms for one hit. The band holds at every threshold at once. More: :doc:`/shortlists`.
"""

import numpy as np

from podium import inference, plots

rng = np.random.default_rng(1)
risk = rng.beta(1, 4, 1500)
y = rng.random(1500) < risk
predicted = np.clip(risk + 0.05 * rng.standard_normal(1500), 0.01, 0.99)
curve = inference.decision_curve(y, predicted, thresholds=np.arange(0.01, 0.6, 0.01))
print(curve)
display = plots.DecisionDisplay(curve).plot()
display.ax_.set_title("Net benefit of acting on the score, on all, on none")
