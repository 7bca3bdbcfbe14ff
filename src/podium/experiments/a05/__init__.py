"""Experiments of Agarwal et al. (2005)."""

from podium.experiments.a05.fig1 import FIG1
from podium.experiments.a05.fig2 import FIG2
from podium.experiments.a05.fig3 import FIG3
from podium.experiments.a05.fig4 import FIG4
from podium.experiments.a05.psi import PSI
from podium.experiments.a05.table1 import TABLE1
from podium.experiments.a05.table2 import TABLE2

EXPERIMENTS = (TABLE1, FIG1, FIG2, TABLE2, PSI, FIG3, FIG4)
