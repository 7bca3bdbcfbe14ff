"""
Reading a report in Python
==========================

``workflow.fit`` returns the figures of its report as plain data: the headline, a dictionary of all figures
(``result.metrics``), and the held-out rows, best first. Here these rows give the gain curve: the share of all defaults
found by working down the list. More: :doc:`/workflow`.
"""

from io import StringIO

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from podium import workflow
from podium.workflow.demo_table import demo_csv

loans = pd.read_csv(StringIO(demo_csv(3000)))
result = workflow.fit(
    loans,
    label="defaulted",
    positive="yes",
    budget=100,
    model="linear",
    id_column="loan",
)
print(result.report.headline)
print(result.scores[["id", "score", "rank", "label"]].head(3).to_string(index=False))

found = np.cumsum(result.scores["label"]) / result.scores["label"].sum()
share = np.arange(1, len(found) + 1) / len(found)
_, ax = plt.subplots(figsize=(5, 4.2), layout="constrained")
ax.plot(share, found, label="By score")
ax.plot([0, 1], [0, 1], color="gray", ls="--", lw=1, label="Random order")
ax.set(
    xlabel="Share of the list",
    ylabel="Share of defaults found",
    title="Defaults found in held-out loans",
)
ax.legend()
