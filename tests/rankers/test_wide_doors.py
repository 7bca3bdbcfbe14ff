"""AutoRanker and StackedRanker on tables as people have them: every convention that holds of arrays holds of these."""

import datetime
import decimal
import inspect
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from conventions import labels, objects, within_scikit_learn
from conventions.estimators import Case, Y
from podium import AutoRanker, StackedRanker, metrics, persist, tables
from podium.exceptions import DegenerateSampleError, InputError
from podium.rankers import door
from podium.rankers.stack import members, stacked

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "a": np.where(RNG.random(60) < 0.1, np.nan, 2.0 * Y + RNG.standard_normal(60)),
        "b": np.where(RNG.random(60) < 0.1, None, np.where(Y + RNG.standard_normal(60) > 0.5, "north", "south")),
        "c": pd.Timestamp("2024-03-01") + pd.to_timedelta(RNG.integers(0, 400, 60), unit="D"),
    }
)
NUMBERS = np.column_stack([FRAME.a.fillna(0), FRAME.b == "north", RNG.random(60) < 0.3]).astype(float)
TABLES = {"pandas": FRAME, "polars": pl.from_pandas(FRAME), "sparse": sparse.csr_array(NUMBERS)}
AUTO, STACK = AutoRanker(candidates=["linear", "trees"], random_state=0), StackedRanker(cv=2, random_state=0)
SUBJECTS = [labels, objects, within_scikit_learn]
# What these conventions do with rows themselves, only arrays of numbers allow; and what takes no frame in scikit-learn.
OF_ARRAYS = {
    *("fitting_another_table_forgets_the_first", "other_columns_are_refused", "infinities_are_refused"),
    *("a_single_dimension_is_refused", "names_of_features_are_kept", "other_names_are_refused"),
    *("last_step_of_a_pipeline", "pipelines_of_data_frames", "after_a_column_transformer", "soft_voting", "stacking"),
    *("bagging", "feature_selection_by_weights", "recursive_feature_elimination"),
    *("weights_are_routed", "groups_are_routed"),
}
OF_PANDAS = {"rows_without_weight_are_no_rows", "permutation_importances", "partial_dependences", "a_learning_curve"}
CONVENTIONS = {
    name: check
    for module in SUBJECTS
    for name, check in inspect.getmembers(module, inspect.isfunction)
    if check.__module__ == module.__name__ and not name.startswith("_") and name not in OF_ARRAYS
}
SLOW = [pytest.mark.slow]  # by turns, each ranker meets one of the three kinds of table at a convention
CELLS = [
    pytest.param(convention, ranker, kind, marks=SLOW if (i + j + (ranker == "stack")) % 3 else [])
    for i, convention in enumerate(CONVENTIONS)
    for ranker in ("auto", "stack")
    for j, kind in enumerate(TABLES)
    if kind == "pandas" or convention not in OF_PANDAS
]


def few_members():
    """As diverse as the default members, and much faster."""
    return [
        ("line", make_pipeline(SimpleImputer(), LogisticRegression())),
        ("forest", ExtraTreesClassifier(10, max_depth=3)),
    ]


@pytest.fixture
def few(monkeypatch):
    for module in (members, stacked):
        monkeypatch.setattr(module, "default_members", few_members)


class OnTable(Case):
    """A ranker with a table in the place of the array."""

    def __init__(self, ranker, rows):
        self._ranker, self._rows = ranker, rows
        self._fitted = self._scores = None

    def new(self, **parameters):
        return clone(self._ranker).set_params(**parameters)

    @property
    def fitted(self):
        if self._fitted is None:
            self._fitted = self.new().fit(self._rows, Y)
        return self._fitted

    @property
    def scores(self):
        return self.fitted.decision_function(self._rows)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(("convention", "ranker", "kind"), CELLS)
def test_a_convention_is_kept(convention, ranker, kind, monkeypatch, tmp_path):
    for module in SUBJECTS:
        monkeypatch.setattr(module, "X", TABLES[kind])
    check = CONVENTIONS[convention]
    case = OnTable({"auto": AUTO, "stack": STACK}[ranker], TABLES[kind])
    check(case, *([tmp_path] if "tmp_path" in inspect.signature(check).parameters else []))


def test_there_are_enough_conventions():
    assert len(CONVENTIONS) >= 41
    assert {*OF_ARRAYS, *OF_PANDAS} <= {name for module in SUBJECTS for name in vars(module)}


def towns(n=400, seed=0):
    """Rows of every kind of column; the label depends on a number, a category and a town."""
    rng = np.random.default_rng(seed)
    town = rng.integers(0, 20, n)
    frame = pd.DataFrame(
        {
            "income": rng.standard_normal(n),
            "kind": pd.Categorical(rng.choice(["new", "old"], n)),
            "town": [f"town {k}" for k in town],
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1500, n), unit="D"),
            "children": pd.array(rng.integers(0, 4, n), dtype="Int64"),
            "owner": rng.random(n) < 0.5,
            "empty": [None] * n,
        }
    )
    y = frame.income + (frame.kind == "new") + 0.1 * town + 0.5 * rng.standard_normal(n) > 1.6
    frame.loc[::7, "income"] = np.nan
    frame.loc[::11, ["kind", "town", "since", "children"]] = None
    return frame, y.to_numpy()


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("ranker", [AUTO, STACK], ids=["auto", "stack"])
def test_it_works_wherever_scikit_learn_takes_an_estimator(ranker):
    frame, y = towns()
    pipe = make_pipeline(FunctionTransformer(), ranker)
    values = cross_validate(pipe, frame, y, scoring=metrics.scorer("auc"), cv=3, error_score="raise")["test_score"]
    assert values.mean() > 0.8
    search = GridSearchCV(pipe, {f"{type(ranker).__name__.lower()}__criterion": ["auc", "logloss"][:1]}, cv=2)
    assert roc_auc_score(y, search.fit(frame, y).decision_function(frame)) > 0.8
    fitted = clone(ranker).fit(frame, y)
    assert fitted.feature_names_in_.tolist() == frame.columns.tolist()
    scores = fitted.decision_function(frame)
    for other in (pl.from_pandas(frame), frame.convert_dtypes(dtype_backend="pyarrow"), frame.astype({"kind": object})):
        np.testing.assert_array_equal(fitted.decision_function(other), scores)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).decision_function(frame), scores)
    np.testing.assert_array_equal(persist.loads(persist.dumps(fitted)).decision_function(frame), scores)
    assert fitted.feature_effects(frame, y, n_repeats=1, random_state=0).names == tuple(frame.columns)
    assert not fitted.certificate(frame, y).held_out
    assert fitted.certificate(*towns(seed=1)).held_out
    for wrong in (frame[frame.columns[::-1]], frame.drop(columns="town")):
        with pytest.raises(ValueError, match="feature names should match"):
            fitted.decision_function(wrong)
    with pytest.raises(InputError, match="Column 'income' must hold numbers, as in training; it holds text"):
        fitted.decision_function(frame.assign(income="much"))


def test_the_numbers_are_those_of_podium_fit():
    frame, y = towns()
    table = tables.to_table(frame)
    kinds = tables.describe(table.frame, y).kinds
    encoder = tables.Encoder.fit(table.frame, np.arange(len(y)), kinds, y)
    ranker = AutoRanker(candidates=["linear"], random_state=0).fit(frame, y)
    assert ranker._encoder.outputs == encoder.outputs
    np.testing.assert_array_equal(door.encoded_rows(ranker, frame), encoder.encode(table.frame))


K = RNG.integers(0, 5, 60)
GAPS = np.where(RNG.random(60) < 0.2, None, K)
DAYS = [datetime.date(2024, 1, 1) + datetime.timedelta(days=9 * int(k)) for k in range(60)]
OF_EVERY_TYPE = {
    "whole numbers with gaps": (pd.array(GAPS, dtype="Int64"), ["v", "v is missing"]),
    "truth values with gaps": (pd.array(np.where(GAPS == 0, None, K > 2), dtype="boolean"), ["v", "v is missing"]),
    "objects that are numbers": (pd.Series(GAPS, dtype=object), ["v", "v is missing"]),
    "decimals": ([decimal.Decimal(int(k)) for k in K], ["v"]),
    "durations": (pd.to_timedelta(K, unit="h"), ["v"]),
    "days": (DAYS, ["v", "v, time of the year (cosine)", "v, time of the year (sine)"]),
    "times in a zone": (pd.to_datetime(DAYS).tz_localize("Asia/Tokyo"), ["v", "v, time of the year (cosine)"]),
    "categories that are numbers": (pd.Categorical(K), ["v = 0", "v = 1", "v = 2", "v = 3", "v = 4"]),
    "infinities": (np.where(K == 1, np.inf, K), ["v", "v is missing"]),
    "nothing": ([None] * 60, []),
}


@pytest.mark.parametrize("kind", OF_EVERY_TYPE)
def test_columns_of_every_type_become_numbers(kind):
    values, outputs = OF_EVERY_TYPE[kind]
    frame = pd.DataFrame({"v": values}).assign(word=np.where(Y + K > 2, "a", "b"))
    ranker = AutoRanker(candidates=["linear"], random_state=0).fit(frame, Y)
    assert [name for name in ranker._encoder.outputs if name.startswith("v")][: len(outputs) or None] == outputs
    assert np.isfinite(ranker.decision_function(frame)).all()
    assert np.isfinite(ranker.decision_function(frame.assign(v=None))).all()


def test_labels_describe_no_row_of_their_own():
    """Towns without any meaning: their shares of positives would give labels away."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"town": [f"town {k}" for k in rng.integers(0, 60, 600)], "x": rng.standard_normal(600)})
    y = rng.random(600) < 0.5
    ranker = AutoRanker(candidates=["linear", "quadratic"], random_state=0).fit(frame, y)
    assert max(ranker.validation_.values()) < 0.62
    assert roc_auc_score(y, ranker.decision_function(frame)) > 0.62  # as told of new rows of these towns


def test_rows_without_weight_have_no_part_in_the_encoding():
    frame, y = towns()
    weight = (np.arange(len(y)) % 4 > 0).astype(float)
    ranker = AutoRanker(candidates=["linear"], random_state=0)
    kept = weight > 0
    np.testing.assert_array_equal(
        clone(ranker).fit(frame, y, weight).decision_function(frame),
        clone(ranker).fit(frame[kept], y[kept]).decision_function(frame),
    )


def test_frames_of_numbers_are_arrays_and_gaps_that_come_later_are_the_median():
    frame, y = towns()
    plain = frame[["owner"]].assign(income=frame.income.fillna(0))
    ranker = AutoRanker(candidates=["linear"], random_state=0).fit(plain, y)
    as_array = clone(ranker).fit(plain.to_numpy(dtype=float), y)
    np.testing.assert_array_equal(
        as_array.decision_function(plain.to_numpy(dtype=float)), ranker.decision_function(plain)
    )
    assert ranker._encoder is None
    gone, median = plain.assign(income=np.nan), plain.assign(income=ranker._fillings[1])
    np.testing.assert_array_equal(ranker.decision_function(gone), ranker.decision_function(median))
    assert abs(ranker._fillings[1] - plain.income.median()) < 0.1
    with_gaps = np.where(RNG.random((len(y), 2)) < 0.2, np.nan, plain.to_numpy(dtype=float))
    assert roc_auc_score(y, clone(ranker).fit(with_gaps, y).decision_function(with_gaps)) > 0.6


def test_sparse_rows_are_for_candidates_that_take_them():
    frame, y = towns()
    rows = np.column_stack([frame.income.fillna(0), frame.owner])
    ranker = AutoRanker(random_state=0, time_limit=5).fit(sparse.csr_matrix(rows), y)
    assert "linear-quantile was not tried: it needs dense rows." in ranker.notes_
    np.testing.assert_allclose(
        ranker.decision_function(rows), ranker.decision_function(sparse.csr_matrix(rows)), rtol=1e-12
    )
    with pytest.raises(InputError, match="No candidate takes sparse rows; got quadratic"):
        AutoRanker(candidates=["quadratic"]).fit(sparse.csr_matrix(rows), y)
    with pytest.raises(InputError, match="every cell of a sparse matrix that is stored; got NaN"):
        AutoRanker().fit(sparse.csr_matrix(np.where(rows > 1, np.nan, rows)), y)
    with pytest.raises(InputError, match="in which nothing was missing"):
        ranker.decision_function(np.where(rows > 1, np.nan, rows))


def test_a_table_without_anything_to_learn_from_is_refused():
    names = pd.DataFrame({"name": [f"row {k}" for k in range(60)]})
    with pytest.raises(DegenerateSampleError, match="There is no column to learn from"):
        AUTO.fit(names, Y)


def test_the_default_members_take_a_frame():
    frame, y = towns(200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranker = StackedRanker(cv=2, random_state=0).fit(frame, y)
    assert len(ranker.members_) >= 8
    assert ranker.oof_intervals_["stack"].estimate > 0.75
