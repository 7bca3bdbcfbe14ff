"""Bounds with random arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from arrays import choose

from podium import bounds

PHI = ("auc", "power:3", "power:2.5", "power:8", "top:0.9", "smooth-top:0.9", "early-recognition:20", "dcg", "dcg:10")
PHI += ("logrank", "savage", "van-der-waerden", "median", "logistic", "early-recognition:1e5")
_ARGUMENTS: dict[str, Callable[[np.random.Generator], Any]] = {
    **dict.fromkeys(("n_pos", "n_neg", "n_total", "n_functions", "m", "n"), choose(1, 2, 7, 10**3, 10**7)),
    **dict.fromkeys(("auc", "epsilon", "positive_rate"), lambda rng: float(rng.choice([0, 1e-9, 0.3, 0.9, 1, 7]))),
    **dict.fromkeys(("log_shatter", "log_shatter_pos", "log_shatter_neg"), choose(0.0, 3.0, 1e5)),
    **dict.fromkeys(("p1", "p2", "radius", "weight_norm", "feature_norm", "b1"), lambda rng: float(rng.random())),
    **dict.fromkeys(("k", "dimension", "vc_dimension", "d", "q", "n_forms"), choose(1, 2, 5, 30)),
    "phi": choose(*PHI),
    "p": choose(1.0, 3.0, 1e3),
}


def a_bound(rng: np.random.Generator) -> Any:
    function = getattr(bounds, choose(*bounds.__all__)(rng))
    parameters = inspect.signature(function).parameters
    needed = [name for name, each in parameters.items() if each.default is inspect.Parameter.empty]
    takes_function = any("Callable" in str(parameters[name].annotation) for name in needed)
    unknown = takes_function or not set(needed) <= set(_ARGUMENTS)
    if unknown or inspect.isclass(function) or function is bounds.count_rank_matrices:  # the last one enumerates
        return None
    return function(**{name: _ARGUMENTS[name](rng) for name in needed})
