"""Podium: bipartite ranking. Learn a score, emphasize the top, measure it, and know how far to trust it."""

from typing import TYPE_CHECKING

from podium._lazy import load_on_first_use
from podium.exceptions import DegenerateSampleError, InputError, InputTypeError, MissingPackageError

__version__ = "0.1.0"

if TYPE_CHECKING:
    from podium import (
        boosting,
        bounds,
        criteria,
        datasets,
        experiments,
        inference,
        kernels,
        labels,
        metrics,
        models,
        monitor,
        neural,
        persist,
        phi,
        plots,
        rankers,
        ranks,
        report,
        roc,
        rounds,
        selection,
        shortlist,
        solvers,
        tables,
        workflow,
    )
    from podium.citations import cite
    from podium.neural import NeuralRanker as NeuralRanker  # not in `__all__`: without torch, `import *` would fail
    from podium.objective import Objective
    from podium.rankers import (
        BoostedRanker,
        CriterionRanker,
        ForestRanker,
        GradientBoostedRanker,
        LinearRanker,
        QuadraticRanker,
        StackedRanker,
        TreeRanker,
    )
    from podium.selection import AutoRanker
else:
    load_on_first_use(__name__)

__all__ = [
    "AutoRanker",
    "BoostedRanker",
    "CriterionRanker",
    "DegenerateSampleError",
    "ForestRanker",
    "GradientBoostedRanker",
    "InputError",
    "InputTypeError",
    "LinearRanker",
    "MissingPackageError",
    "Objective",
    "QuadraticRanker",
    "StackedRanker",
    "TreeRanker",
    "boosting",
    "bounds",
    "cite",
    "criteria",
    "datasets",
    "experiments",
    "inference",
    "kernels",
    "labels",
    "metrics",
    "models",
    "monitor",
    "neural",
    "persist",
    "phi",
    "plots",
    "rankers",
    "ranks",
    "report",
    "roc",
    "rounds",
    "selection",
    "shortlist",
    "solvers",
    "tables",
    "workflow",
]
