"""Experiments of Clémençon, Limnios and Vayatis (2021)."""

from podium.experiments.clv21 import averages, iterations, one_design, phi_curves
from podium.experiments.clv21.auc_star import AUC_STAR
from podium.experiments.clv21.bandwidth import BANDWIDTH
from podium.experiments.clv21.distributions import FIG1
from podium.experiments.clv21.instability import INSTABILITY
from podium.experiments.clv21.limits import FIG10
from podium.experiments.clv21.nested_classes import SELECTION
from podium.experiments.clv21.rates import RATES
from podium.experiments.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = (
    FIG1,
    phi_curves.FIG2,
    phi_curves.FIG3,
    AUC_STAR,
    one_design.LOC2,
    averages.FIG5,
    iterations.FIG6,
    one_design.SCALE1,
    averages.FIG8,
    iterations.FIG9,
    FIG10,
    one_design.LOC1,
    one_design.LOC3,
    one_design.SCALE2,
    one_design.SCALE3,
    averages.FIG15,
    averages.FIG16,
    INSTABILITY,
    one_design.ILL_CONDITIONED,
    *averages.SCRIPT_AVERAGES,
    RATES,
    SELECTION,
    BANDWIDTH,
)
