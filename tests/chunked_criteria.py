"""Every criterion that has a form in rounds, for tables of so many rows."""

import numpy as np

from podium.criteria import CrucialPairs, IRPush, LogLoss, PNormPush, RankStatistic, SmoothPartialAuc, resolve


def chunked_criteria(n_rows):
    """By name; those over pairs name rows by their numbers."""
    rows, apart = np.arange(n_rows), 35 * n_rows // 100
    return {
        "auc": RankStatistic(),
        "power:3, cells": RankStatistic("power:3", bandwidth=0.5, relative=False),
        "power:3, exact": RankStatistic("power:3", "epanechnikov"),
        "push": PNormPush(4),
        "push, cells": PNormPush(2, "logistic"),
        "push, worst": PNormPush(np.inf, "logistic"),
        "push, hinge": PNormPush(2, "hinge"),
        "ir-push": IRPush(),
        "partial-auc": SmoothPartialAuc(0.3),
        "logloss": LogLoss(),
        "sum": PNormPush(2) + 0.5 * resolve("bottom:2"),
        "groups": CrucialPairs(groups=rows % 3, p=2),
        "relevance": CrucialPairs(relevance=4 * rows // n_rows, p=2, loss="logistic"),
        "pairs": CrucialPairs(pairs=np.column_stack([rows[:-apart], rows[apart:]])),
    }
