"""Conventions of labels and weights."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import DataConversionWarning

from conventions.estimators import X, Y

WEIGHT = np.where(np.arange(60) % 4 == 0, 2.0, 1.0)


def _named(case, labels, negative, positive):
    ranker = case.new().fit(X, labels)
    assert ranker.classes_.tolist() == [negative, positive]
    np.testing.assert_allclose(ranker.decision_function(X), case.scores, rtol=1e-6, atol=1e-9)
    assert set(np.asarray(ranker.predict(X)).tolist()) <= {negative, positive}


def text_labels(case):
    _named(case, np.where(Y == 1, "yes", "no"), "no", "yes")


def truth_value_labels(case):
    _named(case, Y == 1, False, True)


def labels_of_minus_one_and_one(case):
    _named(case, 2 * Y - 1, -1, 1)


def decimal_labels(case):
    _named(case, Y.astype(float), 0.0, 1.0)


def object_labels(case):
    _named(case, np.where(Y == 1, "yes", "no").astype(object), "no", "yes")


def categorical_labels(case):
    _named(case, pd.Series(pd.Categorical(np.where(Y == 1, "yes", "no"))), "no", "yes")


def lists_of_labels(case):
    _named(case, Y.tolist(), 0, 1)


def pandas_labels_with_another_index(case):
    _named(case, pd.Series(Y, index=np.arange(60)[::-1]), 0, 1)


def polars_labels(case):
    _named(case, pl.Series(Y), 0, 1)


def labels_in_a_column(case):
    with pytest.warns(DataConversionWarning):
        _named(case, Y[:, None], 0, 1)


def the_positive_label_of_ones_choice(case):
    ranker = case.new(pos_label="bad").fit(X, np.where(Y == 1, "bad", "good"))
    assert ranker.classes_.tolist() == ["good", "bad"]
    np.testing.assert_allclose(ranker.decision_function(X), case.scores, rtol=1e-6, atol=1e-9)


def weights_of_one_are_no_weights(case):
    case.scores_alike(X, sample_weight=np.ones(60), rtol=1e-5)


def rows_without_weight_are_no_rows(case):
    weight = (np.arange(60) % 4 > 0).astype(float)
    found = case.new().fit(X, Y, sample_weight=weight).decision_function(X)
    expected = case.new().fit(X[weight > 0], Y[weight > 0]).decision_function(X)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * np.ptp(expected))


def _weighted(case, weight):
    return case.new().fit(X, Y, sample_weight=weight).decision_function(X)


def lists_and_whole_weights(case):
    np.testing.assert_allclose(_weighted(case, WEIGHT.astype(int).tolist()), _weighted(case, WEIGHT))


def weights_as_a_pandas_column(case):
    np.testing.assert_allclose(_weighted(case, pd.Series(WEIGHT, index=np.arange(60)[::-1])), _weighted(case, WEIGHT))


def weights_of_classes(case):
    by_class = case.new(class_weight={0: 1, 1: 3}).fit(X, Y).decision_function(X)
    np.testing.assert_allclose(by_class, _weighted(case, np.where(Y == 1, 3.0, 1.0)), rtol=1e-6, atol=1e-9)


def balanced_classes(case):
    by_class = case.new(class_weight="balanced").fit(X, Y).decision_function(X)
    weight = np.where(Y == 1, 30 / Y.sum(), 30 / (60 - Y.sum()))
    np.testing.assert_allclose(by_class, _weighted(case, weight), rtol=1e-6, atol=1e-9)


def a_weight_for_every_row(case):
    with pytest.raises(ValueError, match="one entry per row; got 59 weights for 60 rows"):
        case.new().fit(X, Y, sample_weight=np.ones(59))


def no_negative_weights(case):
    with pytest.raises(ValueError, match="must not be negative"):
        case.new().fit(X, Y, sample_weight=-WEIGHT)


def groups_are_taken(case):
    ranker = case.new(calibrate="platt").fit(X, Y, groups=np.repeat([f"house {k}" for k in range(20)], 3))
    assert np.isfinite(ranker.predict_proba(X)).all()
