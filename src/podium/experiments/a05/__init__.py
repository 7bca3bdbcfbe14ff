"""Experiments of Agarwal et al. (2005)."""

from podium.experiments.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = ()
