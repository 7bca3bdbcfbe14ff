"""Conventions of what rows may be."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from conventions.estimators import X, Y

NAMES = ["a", "b", "c"]
FRAME = pd.DataFrame(X, columns=NAMES)
WITH_TEXT = FRAME.assign(c=pd.Categorical(np.where(X[:, 2] > 0, "north", "south")))


def lists_of_lists(case):
    case.scores_alike(X.tolist())


def fortran_order(case):
    case.scores_alike(np.asfortranarray(X))


def read_only(case):
    rows, labels = X.copy(), Y.copy()
    rows.setflags(write=False)
    labels.setflags(write=False)
    case.scores_alike(rows, labels)


def memory_mapped(case, tmp_path):
    np.save(tmp_path / "rows.npy", X)
    case.scores_alike(np.load(tmp_path / "rows.npy", mmap_mode="r"))


def strided(case):
    case.scores_alike(np.repeat(X, 2, axis=1)[:, ::2])


def rows_are_not_changed(case):
    rows, labels = X.copy(), Y.copy()
    case.new().fit(rows, labels).decision_function(rows)
    np.testing.assert_array_equal(rows, X)
    np.testing.assert_array_equal(labels, Y)


def single_precision(case):
    rows = X.astype(np.float32)
    single, double = (case.new().fit(given, Y).decision_function(given) for given in (rows, rows.astype(np.float64)))
    assert single.dtype == np.float64
    np.testing.assert_allclose(single, double, rtol=1e-6, atol=1e-9)


def whole_numbers(case):
    rows = (10 * X).astype(int)
    found, expected = (case.new().fit(given, Y).decision_function(given) for given in (rows, rows.astype(float)))
    np.testing.assert_allclose(found, expected)


def truth_values(case):
    rows = X > 0
    found, expected = (case.new().fit(given, Y).decision_function(given) for given in (rows, rows.astype(float)))
    np.testing.assert_allclose(found, expected)


def pandas_frames(case):
    case.scores_alike(FRAME.set_index(np.arange(60)[::-1]))


def nullable_pandas_columns(case):
    case.scores_alike(FRAME.astype("Float64"))


def polars_frames(case):
    case.scores_alike(pl.DataFrame(X, schema=NAMES))


def _sparse(case, kind):
    rows = kind(np.where(np.abs(X) > 0.3, X, 0))
    if case.new().__sklearn_tags__().input_tags.sparse:
        found = case.new().fit(rows, Y)
        np.testing.assert_allclose(found.decision_function(rows), found.decision_function(rows.toarray()), rtol=1e-6)
    else:
        with pytest.raises(TypeError, match="dense data is required"):
            case.new().fit(rows, Y)


def sparse_csr(case):
    _sparse(case, sparse.csr_array)


def sparse_csc(case):
    _sparse(case, sparse.csc_matrix)


def sparse_coo(case):
    _sparse(case, sparse.coo_array)


def one_row_scores_as_among_others(case):
    np.testing.assert_allclose(case.fitted.decision_function(X[7:8]), case.scores[7:8], rtol=1e-6)


def one_column(case):
    assert np.isfinite(case.new().fit(X[:, :1], Y).decision_function(X[:, :1])).all()


def a_constant_column(case):
    rows = np.column_stack([X, np.ones(60)])
    assert np.isfinite(case.new().fit(rows, Y).decision_function(rows)).all()


def missing_values(case):
    rows = X.copy()
    rows[::7, 1] = np.nan
    if case.new().__sklearn_tags__().input_tags.allow_nan:
        assert np.isfinite(case.new().fit(rows, Y).decision_function(rows)).all()
    else:
        with pytest.raises(ValueError, match="NaN"):
            case.new().fit(rows, Y)


def _categories(case, frame, unseen):
    if case.new().__sklearn_tags__().input_tags.categorical:
        ranker = case.new().fit(frame, Y)
        assert ranker.feature_names_in_.tolist() == NAMES
        assert np.isfinite(ranker.decision_function(frame)).all()
        assert np.isfinite(ranker.decision_function(unseen)).all()
    else:
        with pytest.raises(ValueError, match=re.escape("OneHotEncoder(handle_unknown='ignore'), ['c']")):
            case.new().fit(frame, Y)


def pandas_categories(case):
    _categories(case, WITH_TEXT, WITH_TEXT.assign(c="west"))


def polars_categories(case):
    frame = pl.from_pandas(WITH_TEXT)
    _categories(case, frame, frame.with_columns(c=pl.lit("west")))
