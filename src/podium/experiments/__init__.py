"""Every table and figure of the four papers, one file each, on the public interface alone.

Examples
--------
>>> from podium.experiments import EXPERIMENTS
>>> EXPERIMENTS["r09-table1"].source
'R09, Table 1'
"""

from podium.experiments import a05, clv21, cv08, r09
from podium.experiments.experiment import Experiment, Outcome
from podium.experiments.reproduce import Reproduction, reproduce

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment for paper in (clv21, r09, a05, cv08) for experiment in paper.EXPERIMENTS
}

__all__ = ["EXPERIMENTS", "Experiment", "Outcome", "Reproduction", "reproduce"]
