"""Write the model files of this version of Podium, and how each of them scores, into a folder beside this file.

``python tests/persist/golden/make.py 0.1.0`` writes ``tests/persist/golden/0.1.0``; `test_golden_files.py` then holds
every later version to it. What a version cannot fit, or not write, is left out and named, so that the script runs with
the sources of earlier versions on ``PYTHONPATH``, too.
"""

import json
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info

import podium
from podium import criteria, models, persist, rankers, selection, workflow
from podium.rankers.stack.smooth import KernelLogistic, SmallNetwork
from podium.tables import to_table

HERE = Path(__file__).parent
NUMBERS = ["x", "z", "w", "code"]
N_FITTED, N_SCORED = 100, 25


def table():
    """The rows of all files: as they are for models of tables, and as arrays for rankers."""
    return pd.read_csv(HERE / "rows.csv")


def computer():
    """What decides how sums are rounded: libraries, and the loops that they chose for this processor."""
    packages = ("numpy", "scipy", "sklearn", "torch", "lightgbm", "xgboost")
    installed = {package: import_module(package).__version__ for package in packages if find_spec(package)}
    loops = {str(library.get("architecture")) for library in threadpool_info() if library["user_api"] == "blas"}
    return installed | {"processor": " ".join(sorted(loops))}


def scores_of(model, frame, method="decision_function"):
    """How a model of either kind scores the first rows, or what chances it gives them."""
    frame = frame.head(N_SCORED)
    if hasattr(model, "encoder"):
        return model.scores(to_table(frame, known=model.known).frame)
    names = [*NUMBERS, "town"] if hasattr(model, "feature_names_in_") else NUMBERS
    found = getattr(model, method)(frame[names] if "town" in names else _array(frame[names]))
    return found[:, 1] if method == "predict_proba" else found


def _array(rows):
    return np.ascontiguousarray(rows.to_numpy(dtype=float))


def _rankers():
    """A small ranker of every class and with every part that a file may hold, by the name of the file."""
    boosted, stacked = podium.BoostedRanker, podium.StackedRanker
    trees = podium.GradientBoostedRanker
    light = {"n_estimators": 3, "num_leaves": 4}
    members = [
        ("forest", RandomForestClassifier(2, max_depth=3, random_state=0)),
        ("histograms", HistGradientBoostingClassifier(max_iter=2, random_state=0)),
        ("imputed", make_pipeline(SimpleImputer(), podium.LinearRanker())),
        ("logistic", make_pipeline(StandardScaler(), LogisticRegression())),
    ]
    return {
        "linear": lambda: podium.LinearRanker(),
        "linear-alpha": lambda: podium.LinearRanker("power:3", alpha=0.1),
        "linear-quantile": lambda: podium.LinearRanker("power:3", scaling="quantile"),
        "linear-push": lambda: podium.LinearRanker(criteria.PNormPush(4)),
        "linear-platt": lambda: podium.LinearRanker(calibrate="platt"),
        "linear-isotonic": lambda: podium.LinearRanker(calibrate="isotonic"),
        "linear-l1": lambda: podium.LinearRanker(l1=0.05),
        "quadratic": lambda: podium.QuadraticRanker(),
        "boosted-features": lambda: boosted(weak="features", n_rounds=5),
        "boosted-stumps": lambda: boosted(weak="stumps", n_rounds=5),
        "lightgbm": lambda: trees("logloss", **light, categorical_features=[3], random_state=0),
        "lightgbm-auc": lambda: trees("auc", **light, random_state=0),
        "xgboost": lambda: trees("logloss", backend="xgboost", **light, random_state=0),
        "tree": lambda: podium.TreeRanker("power:3", categorical_features=[3]),
        "forest": lambda: podium.ForestRanker(n_estimators=3, random_state=0),
        "stack": lambda: stacked(members, cv=2, random_state=0),
        "stack-platt": lambda: stacked(members[3:], cv=2, scale="platt", random_state=0),
        "stack-smooth": lambda: stacked(_smooth_members(), cv=2, random_state=0),
        "auto": lambda: podium.AutoRanker(candidates=["linear", "quadratic"], random_state=0),
        "neural": lambda: podium.neural.NeuralRanker("logloss", n_epochs=3, width=4, n_members=2, random_state=0),
        "criterion": lambda: podium.CriterionRanker(models.QuadraticModel(), "auc"),
        "criterion-logloss": lambda: podium.CriterionRanker(models.LinearModel(), "logloss"),
        "search": lambda: selection.CriterionSearch(podium.LinearRanker(), ["auc", "power:3"], cv=2),
        "penalized": lambda: selection.PenalizedSelection([podium.LinearRanker(), podium.LinearRanker(l1=0.1)]),
    }


def _smooth_members():
    qda = QuadraticDiscriminantAnalysis(reg_param=0.05)
    steps = {"qda": [StandardScaler(), qda], "kernel": [KernelLogistic(5)], "network": [SmallNetwork((4,))]}
    imputer = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    return [(name, make_pipeline(imputer, *each)) for name, each in steps.items()]


def _of_frames():
    """Rankers of data frames with a column of text."""
    trees = podium.GradientBoostedRanker
    return {
        "lightgbm-frame": lambda: trees("logloss", n_estimators=3, num_leaves=4, random_state=0),
        "tree-frame": lambda: podium.TreeRanker(),
        "scorecard-frame": lambda: podium.ScorecardRanker(),
        "neural-frame": lambda: podium.neural.NeuralRanker("logloss", n_epochs=2, width=4, n_members=2, random_state=0),
    }


def _fitted(frame):
    rows = frame.head(N_FITTED)
    X, y = _array(rows[NUMBERS]), rows["y"].to_numpy()
    for name, make in _rankers().items():
        yield name, lambda make=make: make().fit(X, y)
    for name, make in _of_frames().items():
        yield name, lambda make=make: make().fit(rows[[*NUMBERS, "town"]], y)
    yield "graded", lambda: rankers.GradedRanker().fit(X, rows["grade"].to_numpy())
    for kind in ("linear", "linear-quantile", "quadratic", "trees"):
        plain = frame.drop(columns=["grade", "day"])
        yield f"table-{kind}", lambda kind=kind, t=plain: workflow.fit(t, label="y", model=kind, budget=20).model
    dated = frame.drop(columns="grade")
    yield "table-dates", lambda: workflow.fit(dated, label="y", model="linear", budget=20).model


def main(folder):
    """Fit, write and score one after the other."""
    folder.mkdir(parents=True)
    frame, scores = table(), {}
    for name, fit in _fitted(frame):
        try:
            model = fit()
            content = persist.dumps(model)
        except Exception as error:  # this version has no such thing
            print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:150]}")
            continue
        (folder / f"{name}.podium").write_bytes(content)
        scores[name] = scores_of(model, frame).tolist()
        if hasattr(model, "predict_proba"):
            scores[f"{name}: chances"] = scores_of(model, frame, "predict_proba").tolist()
    (folder / "scores.json").write_text(json.dumps({"computer": computer(), "scores": scores}, indent=0) + "\n")


if __name__ == "__main__":
    main(HERE / sys.argv[1])
