"""Experiments of Rudin (2009)."""

from podium.experiments.r09.capacity import CAPACITY
from podium.experiments.r09.fig3 import FIG3
from podium.experiments.r09.fig8 import FIG8
from podium.experiments.r09.one_dimension import ONE_DIMENSION
from podium.experiments.r09.pair_contributions import FIG1, FIG4
from podium.experiments.r09.push_tables import FIG5, FIG6, FIG7, TABLE3, TABLE4, TABLE5
from podium.experiments.r09.table1 import TABLE1
from podium.experiments.r09.table2 import TABLE2

EXPERIMENTS = (
    TABLE1,
    TABLE2,
    TABLE3,
    TABLE4,
    TABLE5,
    FIG1,
    FIG3,
    FIG4,
    FIG5,
    FIG6,
    FIG7,
    FIG8,
    CAPACITY,
    ONE_DIMENSION,
)
