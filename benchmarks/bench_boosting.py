"""One round of boosting with a criterion, against LightGBM's own binary objective, at 10⁶ × 20."""

from __future__ import annotations

from functools import partial

import numpy as np
from timing import Row, seconds

from podium.rankers.trees.curvature import NewtonObjective, boosting_criterion

CRITERIA = ("auc", "power:3", "smooth-top:0.9", "partial-auc:0.05", "push:4", "push:4:logistic", "bottom:2", "ir-push")


def _booster(X: np.ndarray, y: np.ndarray, criterion: str):
    """A booster that takes one more round at every call; trees grown so far keep the scores spread out."""
    import lightgbm

    objective = None if criterion == "logloss" else NewtonObjective(boosting_criterion(criterion), y, None)
    rows = lightgbm.Dataset(X, y.astype(float), params={"verbosity": -1})
    params = {
        "objective": "binary" if objective is None else "none",
        "num_threads": 1,
        "verbosity": -1,
        "metric": "None",
    }
    booster = lightgbm.Booster({**params, "force_col_wise": True, "deterministic": True}, rows)
    if objective is None:
        return booster.update
    return partial(booster.update, fobj=lambda scores, _: objective(scores))


def rows() -> list[Row]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1_000_000, 20))
    y = X[:, :5].sum(axis=1) + 2 * rng.standard_normal(len(X)) > 1
    rounds = [_booster(X, y, criterion) for criterion in ("logloss", *CRITERIA)]
    own, *ours = seconds(*rounds, repeat=5)
    return [
        Row(f"a round with {name}", "LightGBM's binary objective", time / own, "<= 1.5")
        for name, time in zip(CRITERIA, ours, strict=True)
    ]
