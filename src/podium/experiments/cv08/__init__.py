"""Experiments of Clémençon and Vayatis (2008)."""

from podium.experiments.cv08.prop3 import PROP3

EXPERIMENTS = (PROP3,)
