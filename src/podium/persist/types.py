"""Types that a model file may hold, all of them by name: whatever is not listed is neither written nor read.

A class of podium is called ``podium.<package>.<Class>``, wherever in the package it is defined, so that moving it from
one file to another breaks no model. Estimators of scikit-learn that keep training rows (neighbors, support vectors,
kernels) are not listed: a model file holds none.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from podium import _optional
from podium.exceptions import InputError

# Packages whose exported classes may be in a model.
_PACKAGES = tuple(
    f"podium.{name}"
    for name in (
        "phi",
        "kernels",
        "criteria",
        "models",
        "solvers",
        "inference",
        "rankers",
        "selection",
        "tables",
        "neural",
    )
)
# Parts of models that no package exports: name in files, and where the class is.
_PARTS = {
    "podium.neural.Encoding": "podium.neural.network.Encoding",
    "podium.rankers.Fingerprints": "podium.rankers.fingerprints.Fingerprints",
    "podium.rankers.Isotonic": "podium.rankers.calibration.shapes.Isotonic",
    "podium.rankers.Platt": "podium.rankers.calibration.shapes.Platt",
    "podium.rankers.Categories": "podium.rankers.door.Categories",
    "podium.rankers.Columns": "podium.rankers.lines.rows.Columns",
    "podium.rankers.NormalScores": "podium.rankers.lines.rows.NormalScores",
    "podium.rankers.RankingTree": "podium.rankers.treerank.cells.RankingTree",
    "podium.rankers.Bins": "podium.rankers.treerank.gain.Bins",
    "podium.rankers.LightgbmTrees": "podium.rankers.trees.lightgbm_backend.LightgbmTrees",
    "podium.rankers.XgboostTrees": "podium.rankers.trees.xgboost_backend.XgboostTrees",
    "podium.rankers.ForestArrays": "podium.rankers.stack.members.ForestArrays",
    "podium.rankers.ImputedRanker": "podium.rankers.stack.members.ImputedRanker",
    "podium.rankers.KernelLogistic": "podium.rankers.stack.smooth.KernelLogistic",
    "podium.rankers.SmallNetwork": "podium.rankers.stack.smooth.SmallNetwork",
    "podium.rankers.NormalScale": "podium.rankers.stack.weights.NormalScale",
    "podium.rankers.PlattScale": "podium.rankers.stack.weights.PlattScale",
    "podium.tables.DateColumn": "podium.columns.date.DateColumn",
    "podium.tables.Encoder": "podium.columns.encode.Encoder",
    "podium.tables.DateFormat": "podium.tables.formats.date.DateFormat",
    "podium.tables.GapColumn": "podium.columns.date.GapColumn",
    "podium.tables.NumberFormat": "podium.tables.formats.number.NumberFormat",
    "podium.tables.TextFormat": "podium.tables.formats.text.TextFormat",
    "podium.tables.TruthFormat": "podium.tables.formats.text.TruthFormat",
    "podium.tables.WordsColumn": "podium.columns.text.WordsColumn",
    "podium.tables.ColumnProfile": "podium.tables.profile.ColumnProfile",
    "podium.tables.NumberColumn": "podium.columns.number.NumberColumn",
    "podium.tables.TextColumn": "podium.columns.text.TextColumn",
}
# Types of other packages, each by the name that its package exports.
_OTHERS = (
    "lightgbm.Booster",
    "sklearn.calibration.CalibratedClassifierCV",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
    "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis",
    "sklearn.dummy.DummyClassifier",
    "sklearn.ensemble.ExtraTreesClassifier",
    "sklearn.ensemble.HistGradientBoostingClassifier",
    "sklearn.ensemble.RandomForestClassifier",
    "sklearn.impute.MissingIndicator",
    "sklearn.impute.SimpleImputer",
    "sklearn.kernel_approximation.RBFSampler",
    "sklearn.linear_model.LogisticRegression",
    "sklearn.linear_model.LogisticRegressionCV",
    "sklearn.linear_model.RidgeClassifier",
    "sklearn.naive_bayes.BernoulliNB",
    "sklearn.naive_bayes.GaussianNB",
    "sklearn.naive_bayes.MultinomialNB",
    "sklearn.neural_network.MLPClassifier",
    "sklearn.pipeline.Pipeline",
    "sklearn.preprocessing.LabelBinarizer",
    "sklearn.preprocessing.LabelEncoder",
    "sklearn.preprocessing.MaxAbsScaler",
    "sklearn.preprocessing.MinMaxScaler",
    "sklearn.preprocessing.PolynomialFeatures",
    "sklearn.preprocessing.PowerTransformer",
    "sklearn.preprocessing.QuantileTransformer",
    "sklearn.preprocessing.RobustScaler",
    "sklearn.preprocessing.SplineTransformer",
    "sklearn.preprocessing.StandardScaler",
    "sklearn.svm.LinearSVC",
    "sklearn.tree.DecisionTreeClassifier",
    "sklearn.tree.ExtraTreeClassifier",
    "sklearn.tree._tree.Tree",
    "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn._loss.loss.HalfBinomialLoss",
    "xgboost.Booster",
)


def name_of(kind: type) -> str:
    """What a type is called in a file; one that no model may hold is refused."""
    for name in _possible_names(kind):
        if _listed(name) is kind:
            return name
    raise InputError(
        f"A model file holds numbers, text and models of known types; got a {kind.__module__}.{kind.__qualname__}.",
        "remove it from the model; estimators that store training rows, such as neighbors, cannot be saved.",
    )


def type_of(name: Any) -> type:
    """The type of a name in a file; one that no model may hold is refused."""
    kind = _listed(name) if isinstance(name, str) else None
    if kind is None:
        raise InputError(
            f"contains a type that Podium does not load: {str(name)[:100]}",
            "do not trust it, unless you know who wrote it.",
        )
    return kind


def _possible_names(kind: type) -> list[str]:
    """Packages export classes by other names than where they are defined."""
    package, _, rest = kind.__module__.partition(".")
    if package == "podium":
        home = f"{kind.__module__}.{kind.__name__}"
        of_parts = [name for name, place in _PARTS.items() if place == home]
        return of_parts or [f"podium.{rest.partition('.')[0]}.{kind.__name__}"]
    return [name for name in _OTHERS if name.startswith(f"{package}.") and name.endswith(f".{kind.__name__}")]


def _listed(name: str) -> type | None:
    """The type that a name of the lists stands for."""
    home = _PARTS.get(name, name)
    module, _, own = home.rpartition(".")
    if home == name and name not in _OTHERS:
        is_exported = module in _PACKAGES and own in import_module(module).__all__
        if not is_exported:
            return None
    kind = getattr(_optional.load(module, "This model"), own)
    return kind if isinstance(kind, type) else None
