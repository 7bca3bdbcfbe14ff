"""Linear and quadratic rankers."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import RocCurveDisplay
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from podium import BoostedRanker, LinearRanker, QuadraticRanker, metrics
from podium.criteria import PNormPush, RankStatistic
from podium.datasets import LocationModel
from podium.exceptions import DegenerateSampleError, InputError
from podium.phi import Power

RANKERS = [
    LinearRanker("power:3", scaling="quantile"),
    LinearRanker("logloss"),
    LinearRanker(solver="gradient-ascent", scaling=None),
]


CANCER = load_breast_cancer(return_X_y=True)


@pytest.mark.slow  # those of the default are among the tests of conventions
@parametrize_with_checks(RANKERS)
def test_scikit_learns_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks fit on noise, where convergence is not to be had
        check(estimator)


@pytest.mark.parametrize("ranker", [LinearRanker("power:3"), QuadraticRanker("auc")], ids=str)
def test_scores_are_those_of_the_reported_coefficients(ranker):
    X, y = CANCER
    X = X[:, :6]
    ranker = clone(ranker).fit(X, y)
    expected = X @ ranker.coef_
    if isinstance(ranker, QuadraticRanker):
        expected = expected + np.einsum("ij,jk,ik->i", X, ranker.matrix_, X)
        # Scores are taken around the center, where squares keep their digits: there the form has another constant.
        expected -= (expected - ranker.threshold_ - ranker.decision_function(X)).mean()
    np.testing.assert_allclose(ranker.decision_function(X), expected - ranker.threshold_, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(ranker.predict(X), (expected > ranker.threshold_).astype(int))


def test_the_order_does_not_depend_on_the_units_of_the_columns():
    X, y = LocationModel(0.2).sample(200, 200, 0)
    units = 10.0 ** np.linspace(-3, 3, 15)
    plain, scaled = LinearRanker().fit(X, y), LinearRanker().fit(X * units + 7 * units, y)
    assert np.corrcoef(plain.coef_, scaled.coef_ * units)[0, 1] == pytest.approx(1, abs=1e-8)


def test_sparse_rows_are_ranked_like_dense_ones_up_to_centring():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 8)) * (rng.random((400, 8)) < 0.3)
    y = X @ np.arange(8) + rng.standard_normal(400) > 0
    found = LinearRanker().fit(sparse.csr_matrix(X), y)
    assert metrics.auc(y, found.decision_function(sparse.csr_matrix(X))) > 0.97
    np.testing.assert_allclose(found.decision_function(sparse.csr_matrix(X)), found.decision_function(X))


def test_constant_columns_get_no_weight_and_all_constant_rows_do_not_crash():
    X, y = LocationModel(0.3, dimension=3).sample(50, 50, 0)
    ranker = LinearRanker().fit(np.column_stack([np.full(100, 5.0), X]), y)
    assert ranker.coef_[0] == 0
    assert metrics.auc(y, LinearRanker().fit(np.ones((100, 2)), y).decision_function(np.ones((100, 2)))) == 0.5


def test_a_weight_of_three_is_three_rows():
    X, y = LocationModel(0.3, dimension=4).sample(40, 40, 0)
    w = np.random.default_rng(0).integers(0, 4, 80)
    r = np.repeat(np.arange(80), w)
    for ranker in (LinearRanker("power:3"), QuadraticRanker()):
        weighted, repeated = clone(ranker).fit(X, y, sample_weight=w), clone(ranker).fit(X[r], y[r])
        np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-6, atol=1e-7)


def test_algorithm_1_as_printed():
    X, y = LocationModel(0.3, dimension=3).sample(60, 60, 0)
    start = np.array([1.0, 0.0, 0.0])
    ranker = LinearRanker("auc", solver="gradient-ascent", scaling=None, start=start).fit(X, y)
    criterion = RankStatistic("auc", relative=False, tol=1e-10)
    theta, path = start, []
    for _ in range(50):
        value, gradient = criterion.value_and_gradient(X @ theta, y)
        path.append(value)
        theta = theta + X.T @ (60 * gradient) / np.sqrt(50)  # the paper's W is a sum over the positives
    np.testing.assert_allclose(ranker.coef_, theta, rtol=1e-5)
    np.testing.assert_allclose(ranker.path_[:-1], path, rtol=1e-6)
    assert ranker.n_iter_ == 50


def test_attributes_describe_the_fit():
    X, y = CANCER
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"column {i}" for i in range(30)])
    ranker = LinearRanker("power:3").fit(frame, np.where(y == 1, "benign", "malignant"))
    assert ranker.classes_.tolist() == ["benign", "malignant"]
    assert ranker.feature_names_in_[0] == "column 0"
    assert ranker.coef_.shape == ranker.plug_in_.shape == (30,)
    assert ranker.n_iter_ >= 1
    assert 0 < ranker.criterion_value_ < 1
    assert 0 < ranker.bandwidth_ < 1
    assert (np.diff(ranker.path_) >= -1e-12).all()
    assert set(ranker.predict(frame)) == {"benign", "malignant"}
    positive = np.where(y == 1, 0, 1)
    assert metrics.auc(positive, ranker.decision_function(frame)) > 0.99


def test_the_criterion_value_is_that_of_the_training_scores():
    X, y = LocationModel(0.3).sample(200, 200, 0)
    ranker = LinearRanker("power:3").fit(X, y)
    scores = ranker.decision_function(X)
    criterion = RankStatistic("power:3", bandwidth=ranker.bandwidth_, tol=1e-10)
    assert ranker.criterion_value_ == pytest.approx(criterion.value_and_gradient(scores, y)[0], rel=1e-6)


def test_a_criterion_object_is_used_as_it_is():
    X, y = LocationModel(0.3).sample(100, 100, 0)
    ranker = LinearRanker(RankStatistic(Power(2), bandwidth=0.7)).fit(X, y)
    assert ranker.bandwidth_ == 0.7


def test_rankers_fit_into_scikit_learn():
    X, y = CANCER
    pipeline = make_pipeline(StandardScaler(), LinearRanker("smooth-top:0.95"))
    assert cross_val_score(pipeline, X, y, scoring="roc_auc", cv=3).min() > 0.97
    search = GridSearchCV(
        LinearRanker(), {"criterion": ["auc", "power:3"], "scaling": ["standardize", "quantile"]}, cv=3
    )
    search.fit(X, y)
    assert search.best_score_ > 0.93
    calibrated = CalibratedClassifierCV(LinearRanker(), cv=3).fit(X, y)
    assert calibrated.predict_proba(X).shape == (569, 2)
    import matplotlib as mpl

    mpl.use("Agg")
    assert RocCurveDisplay.from_estimator(search, X, y).roc_auc > 0.99
    assert pickle.loads(pickle.dumps(search.best_estimator_)).predict(X).shape == y.shape


def test_bandwidth_by_cross_validation_is_a_multiple_of_the_rule():
    X, y = LocationModel(0.3, dimension=4).sample(100, 100, 0)
    rule, chosen = (LinearRanker(bandwidth=b).fit(X, y).bandwidth_ for b in ("rule", "cv"))
    assert chosen / rule == pytest.approx(2.0 ** np.round(np.log2(chosen / rule)), rel=0.1)


@pytest.mark.parametrize("n_pos", [1, 2, 5])
def test_very_few_positives(n_pos):
    X, y = LocationModel(0.3).sample(n_pos, 300, 0)
    for ranker in (LinearRanker("power:3"), QuadraticRanker()):
        assert np.isfinite(clone(ranker).fit(X, y).decision_function(X)).all()


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 400))
    y = X[:, 0] > 0
    assert np.isfinite(LinearRanker().fit(X, y).coef_).all()


def test_a_progress_line_shows_value_and_time(caplog):
    caplog.set_level("INFO", "podium")
    X, y = LocationModel(0.3).sample(100, 100, 0)
    LinearRanker(verbose=1).fit(X, y)
    assert "LinearRanker" in (line := caplog.text)
    caplog.clear()
    assert "value" in line
    LinearRanker().fit(X, y)
    assert caplog.text == ""


def test_an_interrupt_leaves_a_fitted_ranker(monkeypatch):
    X, y = LocationModel(0.3).sample(100, 100, 0)
    calls = []
    original = RankStatistic.evaluate

    def interrupt(self, *args):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return original(self, *args)

    monkeypatch.setattr(RankStatistic, "evaluate", interrupt)
    with pytest.warns(ConvergenceWarning, match="Interrupted"):
        ranker = LinearRanker().fit(X, y)
    assert ranker.predict(X).shape == y.shape


@pytest.mark.parametrize("spec", ["top:0.9", "median", "dcg:10"])
def test_a_criterion_that_jumps_names_a_smooth_alternative(spec):
    X, y = LocationModel(0.3).sample(20, 20, 0)
    with pytest.raises(InputError, match=r"needs a continuous φ.*\nHint: train with '(smooth-top:0.9|logistic|dcg)'"):
        LinearRanker(spec).fit(X, y)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"criterion": "aucc"}, "criterion must be a known specification"),
        ({"solver": "simplex"}, "solver must be one of 'auto', 'lbfgs', 'newton', 'gradient-ascent'"),
        ({"solver": "newton"}, "needs a criterion whose curvature is known"),
        ({"scaling": "log"}, "scaling must be one of"),
        ({"start": "zero"}, "start must be one of"),
        ({"start": [1.0, 2.0]}, "one entry per feature"),
        ({"shrinkage": -1}, "shrinkage must be in"),
        ({"bandwidth": "auto"}, "bandwidth must be one of"),
        ({"alpha": -1}, "alpha must be in"),
        ({"criterion": "push:2:logistic", "solver": "newton"}, "needs a criterion whose curvature is known"),
        ({"criterion": PNormPush(np.inf), "solver": "newton"}, "needs a criterion whose curvature is known"),
    ],
)
def test_bad_parameters_get_a_sentence(options, sentence):
    X, y = LocationModel(0.3).sample(20, 20, 0)
    with pytest.raises(InputError, match=sentence):
        LinearRanker(**options).fit(X, y)


def test_a_constant_column_changes_nothing_when_the_bandwidth_is_cross_validated():
    X, y = LocationModel(0.5, dimension=2).sample(40, 60, 0)
    plain = LinearRanker("power:3", bandwidth="cv").fit(X, y)
    wider = LinearRanker("power:3", bandwidth="cv").fit(np.column_stack([np.ones(100), X]), y)
    np.testing.assert_allclose(wider.coef_, [0.0, *plain.coef_], rtol=1e-9)
    assert wider.bandwidth_ == pytest.approx(plain.bandwidth_)


def test_one_class_and_three_classes_get_a_sentence():
    X = np.random.default_rng(0).standard_normal((10, 2))
    with pytest.raises(DegenerateSampleError, match="one class only"):
        LinearRanker().fit(X, np.ones(10))
    with pytest.raises(InputError, match="Only binary classification is supported"):
        LinearRanker().fit(X, np.arange(10) % 3)


def test_features_whose_squares_overflow_get_a_sentence():
    X, y = np.outer(np.arange(20.0), [1, 1e200]), np.arange(20) > 9
    for ranker in (LinearRanker("auc"), BoostedRanker()):
        with pytest.raises(InputError, match="within"):
            ranker.fit(X, y)
