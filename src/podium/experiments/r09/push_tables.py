"""R09, Tables 3, 4 and 5 with Figures 5, 6 and 7: what the paper prints, and how it split the data."""

from __future__ import annotations

from podium.experiments.r09.push_curves import figure_experiment
from podium.experiments.r09.push_study import PushStudy
from podium.experiments.r09.push_table import table_experiment

MAGIC = PushStudy(
    number=3,
    figure=5,
    table="magic",
    name="MAGIC",
    printed={
        "AUC": (0.8370, 0.8402, 0.8397, 0.8363, 0.8329, 0.8288, 0.8284),
        "R_2": (6.5515, 5.9731, 5.5896, 5.4806, 5.4990, 5.5819, 5.5886),
        "R_4": (4.2134, 3.4875, 2.8875, 2.5638, 2.4291, 2.3651, 2.3582),
        "R_8": (3.8830, 2.9138, 2.1091, 1.6266, 1.3923, 1.2396, 1.2257),
        "R_16": (6.8153, 4.7208, 3.0545, 1.9698, 1.4494, 1.1096, 1.0823),
        "DCG": (1.4022, 1.4048, 1.4066, 1.4084, 1.4087, 1.4087, 1.4087),
        "AveR": (8.1039, 8.5172, 8.6860, 9.6701, 9.7520, 9.7679, 9.7688),
    },
    positives={"gamma": True},
    n_train=1000,
    errata=("MAGIC has 10 features, not 11.",),
)
IONOSPHERE = PushStudy(
    number=4,
    figure=6,
    table="ionosphere",
    name="ionosphere",
    printed={
        "AUC": (0.6797, 0.6732, 0.6700, 0.6612, 0.6479, 0.6341, 0.6409),
        "R_2": (2.1945, 2.1931, 2.1515, 2.1213, 2.1575, 2.1974, 2.1811),
        "R_4": (2.0841, 1.9891, 1.8041, 1.5911, 1.4327, 1.3104, 1.4046),
        "R_8": (3.7099, 3.3459, 2.6271, 1.8950, 1.3861, 1.0823, 1.2979),
        "R_16": (1.7294, 1.4558, 0.8786, 0.4236, 0.2437, 0.1884, 0.2272),
        "DCG": (13.9197, 14.1308, 14.3261, 14.5902, 14.6916, 14.7903, 14.7169),
        "AveR": (2.9712, 3.1610, 3.3041, 3.5084, 3.5849, 3.6571, 3.6076),
    },
    positives={"the 126 bad returns": False, "the 225 good returns": True},
    n_columns=5,
)
HOUSING = PushStudy(
    number=5,
    figure=7,
    table="housing_chas",
    name="Boston housing",
    printed={
        "AUC": (0.7739, 0.7633, 0.7532, 0.7500, 0.7420, 0.7330, 0.7373),
        "R_2": (3222, 3406, 3665, 3799, 3818, 3759, 3847),
        "R_4": (294078, 292870, 304457, 307135, 305498, 298611, 304915),
        "R_8": (3.9056, 3.5246, 3.3908, 3.2953, 3.2479, 3.3173, 3.2346),
        "R_16": (1.1762, 0.9694, 0.8337, 0.8028, 0.7801, 0.8816, 0.7788),
        "DCG": (3.6095, 3.6476, 3.6757, 3.6858, 3.6977, 3.6671, 3.6931),
        "AveR": (0.5241, 0.5644, 0.6022, 0.6124, 0.6258, 0.6012, 0.6250),
    },
    positives={"tracts that bound the river": True},
)

TABLE3, TABLE4, TABLE5 = (table_experiment(study) for study in (MAGIC, IONOSPHERE, HOUSING))
FIG5, FIG6, FIG7 = (figure_experiment(study) for study in (MAGIC, IONOSPHERE, HOUSING))
