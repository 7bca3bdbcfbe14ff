"""What others keep models with gives every public ranker back as it was, and what they wrap it in works."""

import io
import warnings
from importlib.util import find_spec

import joblib
import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import podium
from podium import LinearRanker, QuadraticRanker, rankers, selection

EXAMPLES = {
    "AutoRanker": {"candidates": ["linear"]},
    "BoostedRanker": {"n_rounds": 10},
    "CriterionRanker": {},
    "ForestRanker": {"n_estimators": 10},
    "GradientBoostedRanker": {"n_estimators": 10},
    "LinearRanker": {},
    "QuadraticRanker": {},
    "ScorecardRanker": {},
    "StackedRanker": {"estimators": [LogisticRegression(), GaussianNB()], "cv": 3},
    "TreeRanker": {},
    "CriterionSearch": {"criteria": ["auc", "power:3"], "cv": 2},
    "PenalizedSelection": {"estimators": [LinearRanker(), QuadraticRanker()]},
}
if find_spec("torch"):
    EXAMPLES["NeuralRanker"] = {"n_epochs": 5, "width": 8, "n_members": 2, "early_stopping": None}


def table(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((160, 3))
    return X, (X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.standard_normal(160) > 1).astype(int)


def unfitted(name, **options):
    home = next(room for room in (rankers, selection, podium.neural) if hasattr(room, name))
    ranker = getattr(home, name)(**EXAMPLES[name], **options)
    return ranker.set_params(random_state=0) if "random_state" in ranker.get_params() else ranker


def fitted(name, **options):
    return unfitted(name, **options).fit(*table())


def by_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


def by_cloudpickle(model):
    cloudpickle = pytest.importorskip("cloudpickle")
    return cloudpickle.loads(cloudpickle.dumps(model))


def by_skops(model):
    skops = pytest.importorskip("skops.io")
    content = skops.dumps(model)
    named = skops.get_untrusted_types(data=content)  # whoever loads a file reads this list first
    assert all(name.startswith(("podium.", "numpy.", "lightgbm.", "collections.", "sklearn.")) for name in named), named
    return skops.loads(content, trusted=named)


def test_every_public_ranker_is_tried():
    public = {name for room in (rankers, selection) for name in room.__all__ if hasattr(getattr(room, name), "fit")}
    assert public - {"Ranker", "GradedRanker"} == set(EXAMPLES) - {"NeuralRanker"}


@pytest.mark.parametrize("keep", [by_joblib, by_cloudpickle, by_skops])
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_model_comes_back_with_the_same_scores_to_the_last_bit(name, keep):
    model, X = fitted(name), table(1)[0]
    again = keep(model)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("name", EXAMPLES)
def test_scikit_learns_calibration_takes_every_ranker_and_keeps_its_order(name):
    X, y = table()
    whole = CalibratedClassifierCV(unfitted(name), method="sigmoid", cv=3, ensemble=False).fit(X, y)
    chance = whole.predict_proba(table(1)[0])
    np.testing.assert_allclose(chance.sum(axis=1), 1)
    scores = whole.calibrated_classifiers_[0].estimator.decision_function(table(1)[0])
    assert (np.diff(chance[np.argsort(scores), 1]) >= 0).all()


@pytest.mark.parametrize(
    ("name", "method"), [*((name, "predict_proba") for name in EXAMPLES), ("LinearRanker", "predict")]
)
def test_mlflows_functions_give_labels_and_probabilities_as_the_model_does(name, method, tmp_path):
    mlflow = pytest.importorskip("mlflow")
    X, model, path = table(1)[0], fitted(name, calibrate="platt"), str(tmp_path / "model")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own, about itself
        mlflow.sklearn.save_model(
            model, path, pyfunc_predict_fn=method, pip_requirements=[], serialization_format="cloudpickle"
        )
        again = mlflow.pyfunc.load_model(path)
        np.testing.assert_array_equal(again.predict(X), getattr(model, method)(X))
