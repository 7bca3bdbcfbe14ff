"""Bad input gets a sentence: what is needed, what was got, a hint."""

import decimal
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from podium import _input, metrics
from podium.exceptions import DegenerateSampleError, InputError, InputTypeError
from podium.roc import RocCurve

Y, S = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])

CALLS = [
    metrics.auc,
    metrics.partial_auc,
    metrics.rank_statistic,
    metrics.push_risk,
    metrics.heights,
    metrics.reverse_heights,
    metrics.max_height,
    metrics.dcg,
    metrics.average_reciprocal_rank,
    metrics.average_precision,
    metrics.bedroc,
    lambda y, s, **o: metrics.precision_at(y, s, k=1, **o),
    lambda y, s, **o: metrics.recall_at(y, s, k=1, **o),
    lambda y, s, **o: metrics.lift_at(y, s, k=1, **o),
    lambda y, s, **o: metrics.tpr_at_fpr(y, s, fpr=0.1, **o),
    RocCurve.from_scores,
]

BAD = [
    ("empty", [], [], {}, DegenerateSampleError, "y_score must not be empty; got no rows"),
    (
        "one class",
        [1, 1],
        [1, 2],
        {},
        DegenerateSampleError,
        "at least one positive and one negative; got 2 positive and 0",
    ),
    ("no positive", [0, 0], [1, 2], {}, DegenerateSampleError, "got 0 positive and 2 negative"),
    ("NaN score", Y, [1, 2, np.nan, 3], {}, InputError, "y_score must be finite; got NaN in 1 of 4 rows"),
    (
        "infinite score",
        Y,
        [1, 2, np.inf, -np.inf],
        {},
        InputError,
        "got 2 infinite of 4 rows.\nHint: infinities come from",
    ),
    ("lengths", Y, [1, 2, 3], {}, InputError, "same length; got 4 labels and 3 scores"),
    ("three labels", [0, 1, 2, 1], S, {}, InputError, "must have two labels; got 3: 0, 1, 2"),
    ("pos_label", Y, S, {"pos_label": 7}, InputError, r"pos_label=7 does not occur in y_true; got the labels \[0, 1\]"),
    ("unnamed strings", list("abab"), S, {}, InputError, "needs pos_label"),
    ("other numbers", [1, 2, 1, 2], S, {}, InputError, "needs pos_label"),
    ("missing label", [0, 1, np.nan, 1], S, {}, InputError, "y_true must not be missing; got NaN in 1 of 4"),
    ("missing NA", pd.array([0, 1, None, 1], dtype="boolean"), S, {}, InputError, "must not be missing; got None"),
    ("missing name", ["a", None, "b", "a"], S, {"pos_label": "a"}, InputError, "must not be missing; got None"),
    ("negative weight", Y, S, {"sample_weight": [1, -1, 1, 1]}, InputError, "must not be negative; got 1 negative"),
    ("NaN weight", Y, S, {"sample_weight": [1, np.nan, 1, 1]}, InputError, "sample_weight must be finite"),
    ("zero weights", Y, S, {"sample_weight": [0, 0, 0, 0]}, DegenerateSampleError, "must have a positive entry"),
    (
        "weightless class",
        Y,
        S,
        {"sample_weight": [1, 1, 0, 0]},
        DegenerateSampleError,
        "got 0 positive and 2 negative of",
    ),
    ("weights too short", Y, S, {"sample_weight": [1, 1]}, InputError, "one entry per row; got 2 weights for 4"),
    ("text weights", Y, S, {"sample_weight": list("abcd")}, InputTypeError, "sample_weight must be numbers; got text"),
    ("text scores", Y, list("abcd"), {}, InputTypeError, "y_score must be numbers; got text"),
    (
        "2-D scores",
        Y,
        np.ones((4, 2)),
        {},
        InputError,
        r"one-dimensional; got an array of shape \(4, 2\).\nHint: pass one",
    ),
    ("3-D labels", np.ones((4, 1, 1)), S, {}, InputError, r"y_true must be one-dimensional; got an array of shape"),
    (
        "objects",
        Y,
        np.array([1, 2, decimal.Decimal(3), 4], dtype=object),
        {},
        InputTypeError,
        "got objects such as Decimal",
    ),
    ("masked", Y, np.ma.masked_array(S, [0, 0, 1, 0]), {}, InputTypeError, "must not be masked"),
    ("sparse", Y, sparse.csr_matrix(S), {}, InputTypeError, "must be a dense column; got a sparse array"),
    ("sparse array", Y, sparse.coo_array(S), {}, InputTypeError, "must be a dense column; got a sparse array"),
    ("ragged", Y, [[1], [1, 2], 3, 4], {}, InputTypeError, "got rows of differing lengths"),
    ("complex", Y, S + 1j, {}, InputTypeError, "y_score must be numbers; got complex numbers"),
    ("dates", Y, np.array(["2020-01-01"] * 4, dtype="datetime64[D]"), {}, InputTypeError, "got dates"),
    ("missing nullable", Y, pd.array([1.0, None, 2.0, 3.0], dtype="Float64"), {}, InputError, "got NaN in 1 of 4"),
    ("scalar", 1, 2, {}, InputError, "must be one-dimensional"),
]


@pytest.mark.parametrize(("y", "s", "options", "error", "sentence"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
@pytest.mark.parametrize("call", CALLS)
def test_bad_input_gets_a_sentence(call, y, s, options, error, sentence):
    with pytest.raises(error, match=sentence):
        call(y, s, **options)


@pytest.mark.parametrize(
    "y",
    [
        [0, 0, 1, 1],
        [-1, -1, 1, 1],
        [False, False, True, True],
        [0.0, 0.0, 1.0, 1.0],
        np.array([0, 0, 1, 1], dtype=np.uint8),
        pd.Series([0, 0, 1, 1], index=[3, 1, 2, 0]),
        pd.array([0, 0, 1, 1], dtype="Int64"),
        pl.Series([0, 0, 1, 1]),
        pa.array([0, 0, 1, 1]),
        pa.chunked_array([[0, 0], [1, 1]]),
    ],
    ids=lambda y: type(y).__name__,
)
def test_labels_of_every_kind(y):
    assert metrics.auc(y, S) == 0.75


@pytest.mark.parametrize(
    "y",
    [
        ["bad", "bad", "good", "good"],
        np.array(["bad", "bad", "good", "good"], dtype=object),
        pd.Series(["bad", "bad", "good", "good"], dtype="category"),
        pd.Series(["bad", "bad", "good", "good"], dtype="string"),
        pl.Series(["bad", "bad", "good", "good"]),
        pa.array(["bad", "bad", "good", "good"]),
    ],
    ids=lambda y: type(y).__name__,
)
def test_two_names_with_pos_label(y):
    assert metrics.auc(y, S, pos_label="good") == 0.75
    assert metrics.auc(y, S, pos_label="bad") == 0.25


@pytest.mark.parametrize(
    "s",
    [
        list(S),
        S.astype(np.float32),
        S.astype(np.float16),
        S.astype(np.longdouble),
        S.astype(">f8"),
        (S * 100).astype(np.int64),
        (S * 100).astype(np.int8),
        np.repeat(S, 3)[::3],
        np.array([S, S]).T[:, 0],
        pd.Series(S, index=[3, 1, 2, 0]),
        pd.Series(S, dtype="Float64"),
        pl.Series(S),
        pa.array(S),
        pa.chunked_array([S[:1], S[1:]]),
    ],
    ids=lambda s: f"{type(s).__name__} {getattr(s, 'dtype', '')}",
)
def test_scores_of_every_kind(s):
    assert metrics.auc(Y, s) == 0.75
    assert metrics.rank_statistic(Y, s, phi="power:2") == metrics.rank_statistic(Y, S, phi="power:2")


def test_boolean_scores_are_two_levels():
    assert metrics.auc(Y, [False, True, True, True]) == 0.75


def test_arrays_that_cannot_be_written_are_neither_refused_nor_changed():
    y, s, w = Y.copy(), S.copy(), np.ones(4)
    for array in (y, s, w):
        array.setflags(write=False)
    assert metrics.auc(y, s, sample_weight=w) == 0.75
    fresh = S[::-1].copy()
    metrics.auc(Y, fresh)
    assert (fresh == S[::-1]).all()


def test_rows_of_weight_zero_are_left_out():
    assert metrics.auc([0, 1, 0], [1, 2, 3], sample_weight=[1, 1, 0]) == 1.0
    assert metrics.heights([0, 1, 0], [1, 2, 3], sample_weight=[1, 1, 0]).tolist() == [0]


def test_one_class_after_all_of_pos_label_is_named():
    with pytest.raises(DegenerateSampleError, match="got 2 positive and 0 negative"):
        metrics.auc(["a", "a"], [1, 2], pos_label="a")


def test_errors_are_plain_python_errors_that_travel_between_processes():
    assert issubclass(InputError, ValueError)
    assert issubclass(InputTypeError, TypeError)
    error = InputError("It is so.", "do thus.")
    assert str(error) == "It is so.\nHint: do thus."
    assert error.hint == "do thus."
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_list_that_does_not_fit_into_memory_is_refused_at_the_door(monkeypatch):
    monkeypatch.setattr("podium._memory.left_over", lambda: 1e6)
    y, s = np.arange(10**6) % 2, np.arange(10**6)
    with pytest.raises(InputError, match=r"Ranking 1,000,000 rows needs about 20.0 MB of memory; 1.0 MB are left"):
        metrics.auc(y, s)


def test_tensors_are_their_numbers_whatever_their_history_and_precision():
    torch = pytest.importorskip("torch")
    scores = torch.tensor([0.5, 0.25, 2.0, 1.0])
    for given in (scores.clone().requires_grad_(), scores.bfloat16(), scores.half()):
        np.testing.assert_array_equal(_input.check_scores(given), scores.numpy())
    np.testing.assert_array_equal(_input.check_weights(scores.bfloat16(), 4), scores.numpy())
    assert _input.check_labels(torch.tensor([0.0, 1, 1, 0], requires_grad=True)).tolist() == [False, True, True, False]
