"""Constraints between the arrays of a class: sums of arrays whose shapes do not match could fill the memory.

NumPy repeats an axis of length one: a column added to a row is a matrix, of any size that its two ends multiply to.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from podium.persist.types import name_of

_MOST_CLASSES = 1000
_MOST_OUTPUTS = 10_000_000
# By class and attribute the length of every axis: d columns and c classes, which the state tells, or any letter else,
# which has one value in an object; of lists of arrays, in each place.
_AXES = {
    "podium.neural.Encoding": {"center": "k", "scale": "k", "has_missing": "k", "knots": "j", "codes": "l"},
    "podium.rankers.Bins": {"is_categorical": "k", "has_missing": "k", "cuts": "j"},
    "podium.rankers.BoostedRanker": {"coef_": "d"},
    "podium.rankers.Columns": {"kept": "k", "mean": "k", "scale": "k"},
    "podium.rankers.CriterionRanker": {"theta_": "k"},
    "podium.rankers.Fingerprints": {"marks": "k"},
    "podium.rankers.ImputedRanker": {"fillings": "d", "indicated": "k"},
    "podium.rankers.Isotonic": {"knots": "k", "chances": "k"},
    "podium.rankers.KernelLogistic": {"_landmarks": "k d", "_weights": "k"},
    "podium.rankers.LinearRanker": {"coef_": "d"},
    "podium.rankers.NormalScale": {"knots": "k", "heights": "k"},
    "podium.rankers.NormalScores": {"knots": "k", "heights": "k"},
    "podium.rankers.QuadraticRanker": {"coef_": "d", "matrix_": "d d"},
    "podium.rankers.StackedRanker": {"weights_": "k", "_shares": "s"},
    "podium.tables.ColumnProfile": {"grid": "g", "shares": "s"},
    "podium.tables.TableModel": {"typical": "n o", "calibration_weight": "w", "calibration_list": "w"},
    "podium.tables.TextColumn": {"values": "v o"},
    "podium.tables.WordsColumn": {"rarity": "w", "directions": "w o"},
    "sklearn.discriminant_analysis.LinearDiscriminantAnalysis": {
        "means_": "c d",
        "xbar_": "d",
        "scalings_": "d k",
        "priors_": "c",
        "coef_": "i d",
        "intercept_": "i",
    },
    "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis": {
        "means_": "c d",
        "priors_": "p",
        "rotations_": "d k",
        "scalings_": "k",
    },
    "sklearn.dummy.DummyClassifier": {"class_prior_": "c"},
    "sklearn.ensemble.HistGradientBoostingClassifier": {"_baseline_prediction": "a k"},
    "sklearn.impute.MissingIndicator": {"features_": "k"},
    "sklearn.impute.SimpleImputer": {"statistics_": "d"},
    "sklearn.kernel_approximation.RBFSampler": {"random_weights_": "d k", "random_offset_": "k"},
    "sklearn.linear_model.LogisticRegression": {"coef_": "i d", "intercept_": "i"},
    "sklearn.linear_model.LogisticRegressionCV": {"coef_": "i d", "intercept_": "i"},
    "sklearn.linear_model.RidgeClassifier": {"coef_": "? d", "intercept_": "i"},
    "sklearn.naive_bayes.BernoulliNB": {"feature_log_prob_": "c d", "class_log_prior_": "c"},
    "sklearn.naive_bayes.GaussianNB": {"theta_": "c d", "var_": "c d", "class_prior_": "c"},
    "sklearn.naive_bayes.MultinomialNB": {"feature_log_prob_": "c d", "class_log_prior_": "c"},
    "sklearn.neural_network.MLPClassifier": {"coefs_": "a b", "intercepts_": "b"},
    "sklearn.preprocessing.MaxAbsScaler": {"scale_": "d"},
    "sklearn.preprocessing.MinMaxScaler": {"scale_": "d", "min_": "d"},
    "sklearn.preprocessing.PowerTransformer": {"lambdas_": "d"},
    "sklearn.preprocessing.QuantileTransformer": {"quantiles_": "k d", "references_": "k"},
    "sklearn.preprocessing.RobustScaler": {"center_": "d", "scale_": "d"},
    "sklearn.preprocessing.StandardScaler": {"mean_": "d", "scale_": "d", "var_": "d"},
    "sklearn.svm.LinearSVC": {"coef_": "i d", "intercept_": "i"},
}
# Numbers by which loops count and arrays are made.
_MOST = {
    **dict.fromkeys(("n_outputs_", "n_classes_", "n_trees_per_iteration_", "n_layers_"), _MOST_CLASSES),
    **dict.fromkeys(("_max_degree", "_min_degree"), _MOST_CLASSES),
    **dict.fromkeys(("n_output_features_", "_n_out_full"), _MOST_OUTPUTS),
}


def check_shapes(kind: type, state: dict[str, Any]) -> None:
    """Refuse a state whose arrays do not match, or with an absurdly large size."""
    for name, most in _MOST.items():
        _require(name not in state or _is_at_most(state[name], most), f"{name} of at most {most:,}")
    if state.get("_categories") is not None:
        from podium.rankers.door import Categories  # here: a line is read without scikit-learn

        _require(isinstance(state["_categories"], Categories), "categories by column")
    lengths: dict[str, int] = {}
    if type(state.get("n_features_in_")) is int:
        lengths["d"] = state["n_features_in_"]
    if isinstance(classes := state.get("classes_"), np.ndarray):
        _require(classes.ndim == 1, "classes in a row")
        lengths["c"] = len(classes)
    if isinstance(names := state.get("feature_names_in_"), np.ndarray):
        _require(
            names.shape == (lengths.get("d"),) and all(isinstance(name, str) for name in names), "names of columns"
        )
        _require(len(set(names)) == len(names), "a name of its own for every column")
    for name, axes in _axes(kind).items():
        value = state.get(name)
        for place, array in enumerate(value if isinstance(value, (list, tuple)) else [value]):
            if isinstance(array, np.ndarray):
                _check_axes(name, array, axes.split(), place, lengths)


def _check_axes(name: str, array: Any, letters: list[str], place: int, lengths: dict[str, int]) -> None:
    """Of arrays in a list, those in the same place belong together."""
    if letters[0] == "?" and array.ndim < len(letters):  # an axis that may be missing
        letters = letters[1:]
    _require(array.ndim == len(letters), f"{name} of as many axes as it has")
    for letter, length in zip(letters, array.shape, strict=True):
        key = letter if letter in "dc" else f"{letter}{place}"
        _require(lengths.setdefault(key, length) == length, f"{name} of a size that fits the others")


@cache
def _axes(kind: type) -> dict[str, str]:
    return _AXES.get(name_of(kind), {})


def _is_at_most(value: Any, most: int) -> bool:
    sizes = np.asarray(value)
    return value is None or (sizes.dtype.kind in "iu" and bool(((sizes >= 0) & (sizes <= most)).all()))


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"a model needs {what}")
