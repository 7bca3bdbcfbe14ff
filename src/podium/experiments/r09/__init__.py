"""Experiments of Rudin (2009)."""

from podium.experiments.r09.table1 import TABLE1

EXPERIMENTS = (TABLE1,)
