"""Experiments of Clémençon, Limnios and Vayatis (2021)."""

from podium.experiments.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = ()
