"""Conventions of the object: parameters, copies, attributes, errors."""

import copy
import inspect
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils import estimator_html_repr

from conventions.estimators import X, Y
from conventions.rows import FRAME


def copies_have_the_same_parameters(case):
    assert repr(clone(case.fitted)) == repr(case.new())
    assert not hasattr(clone(case.fitted), "classes_")


def parameters_in_the_order_of_the_signature(case):
    own = list(case.new().get_params(deep=False))
    assert sorted(own) == sorted(inspect.signature(type(case.new())).parameters)


def parameters_are_kept_as_given(case):
    ranker = case.new()
    given = ranker.get_params(deep=False)
    assert all(getattr(ranker, name) is value for name, value in given.items())
    assert set(vars(ranker)) == set(given)


def fitting_changes_no_parameter(case):
    ranker = case.new()
    before = repr(ranker)
    ranker.fit(X, Y)
    assert repr(ranker) == before


def unknown_parameters_are_refused(case):
    with pytest.raises(ValueError, match="Invalid parameter 'speed'"):
        case.new().set_params(speed=3)


def repr_is_code(case):
    assert repr(case.new()).startswith(f"{type(case.new()).__name__}(")


def html_repr(case):
    assert type(case.new()).__name__ in estimator_html_repr(case.fitted)


def it_is_a_classifier(case):
    assert is_classifier(case.new())
    assert not case.new().__sklearn_tags__().classifier_tags.multi_class


def deep_copies_score_alike(case):
    np.testing.assert_array_equal(copy.deepcopy(case.fitted).decision_function(X), case.scores)


def pickles_score_alike(case):
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(case.fitted)).decision_function(X), case.scores)


def joblib_files_score_alike(case, tmp_path):
    joblib.dump(case.fitted, tmp_path / "model")
    np.testing.assert_array_equal(joblib.load(tmp_path / "model").decision_function(X), case.scores)


def frozen_estimators_score_alike(case):
    np.testing.assert_array_equal(FrozenEstimator(case.fitted).fit(X, Y).decision_function(X), case.scores)


def fit_returns_itself(case):
    ranker = case.new()
    assert ranker.fit(X, Y) is ranker


def fitting_again_is_the_same(case):
    ranker = case.new().fit(X, Y)
    np.testing.assert_array_equal(ranker.fit(X, Y).decision_function(X), case.scores)


def fitting_another_table_forgets_the_first(case):
    ranker = case.new().fit(X, Y).fit(X[:, :2], 1 - Y)
    np.testing.assert_array_equal(
        ranker.decision_function(X[:, :2]), case.new().fit(X[:, :2], 1 - Y).decision_function(X[:, :2])
    )


def before_fit_there_is_nothing_to_score(case):
    for score in (case.new().decision_function, case.new().predict):
        with pytest.raises(NotFittedError):
            score(X)


def attributes_end_in_an_underscore(case):
    added = set(vars(case.fitted)) - set(case.new().get_params(deep=False))
    assert {"classes_", "n_features_in_", "threshold_"} <= added
    assert all(name.endswith("_") or name.startswith("_") for name in added)


def names_of_features_are_kept(case):
    assert case.new().fit(FRAME, Y).feature_names_in_.tolist() == ["a", "b", "c"]
    assert not hasattr(case.fitted, "feature_names_in_")
    assert case.fitted.n_features_in_ == 3


def scores_are_double_numbers_one_per_row(case):
    assert case.scores.shape == (60,)
    assert case.scores.dtype == np.float64


def predictions_are_scores_above_zero(case):
    np.testing.assert_array_equal(case.fitted.predict(X) == 1, case.scores > 0)
    assert case.fitted.score(X, Y) == np.mean((case.scores > 0) == Y)


def probabilities_only_when_calibrated(case):
    assert not hasattr(case.fitted, "predict_proba")
    ranker = case.new(calibrate="platt").fit(X, Y)
    chances = ranker.predict_proba(X)
    assert chances.shape == (60, 2)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_array_equal(ranker.predict(X) == 1, chances[:, 1] > 0.5)


def other_columns_are_refused(case):
    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3 features"):
        case.fitted.decision_function(X[:, :2])


def other_names_are_refused(case):
    ranker = case.new().fit(FRAME, Y)
    with pytest.raises(ValueError, match="feature names should match"):
        ranker.decision_function(FRAME.rename(columns={"a": "z"}))


def infinities_are_refused(case):
    rows = X.copy()
    rows[3, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        case.new().fit(rows, Y)


def one_class_is_refused(case):
    with pytest.raises(ValueError, match="one class"):
        case.new().fit(X, np.zeros(60, dtype=int))


def three_classes_are_refused(case):
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        case.new().fit(X, np.arange(60) % 3)


def empty_tables_are_refused(case):
    with pytest.raises(ValueError, match="0 sample"):
        case.new().fit(X[:0], Y[:0])


def a_single_dimension_is_refused(case):
    with pytest.raises(ValueError, match="Expected 2D array"):
        case.new().fit(X[:, 0], Y)


def labels_for_other_rows_are_refused(case):
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        case.new().fit(X, Y[:-1])


def missing_labels_are_refused(case):
    with pytest.raises(ValueError, match="NaN"):
        case.new().fit(X, np.where(np.arange(60) == 5, np.nan, Y))
