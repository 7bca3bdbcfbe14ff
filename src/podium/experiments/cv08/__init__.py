"""Experiments of Clémençon and Vayatis (2008)."""

from podium.experiments.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = ()
