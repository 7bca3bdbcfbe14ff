"""One call for every table: frames in memory, tables read in blocks, Dask, and what Spark writes."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.dataset as arrow_dataset
import pyarrow.parquet as parquet
import pytest

from podium import AutoRanker, BoostedRanker, GradientBoostedRanker, LinearRanker, QuadraticRanker
from podium.distributed import blocks, streams
from podium.exceptions import InputError, InputTypeError

dd = pytest.importorskip("dask.dataframe")

N = 3000
RNG = np.random.default_rng(0)
X = RNG.standard_normal((N, 4)).round(3)
NAMES = list("abcd")
TABLE = pd.DataFrame(X, columns=NAMES).assign(
    late=np.where(X @ [1, -0.5, 0.2, 0] + RNG.standard_normal(N) > 0.7, "yes", "no"), weight=RNG.integers(0, 3, N)
)
RANKERS = [
    LinearRanker("power:3"),
    LinearRanker("logloss", class_weight="balanced"),
    LinearRanker("push:4", pos_label="no"),
    QuadraticRanker("auc"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Parquet files of several row groups, as Spark writes them."""
    path = tmp_path_factory.mktemp("rows")
    for number, part in enumerate(np.array_split(np.arange(N), 3)):
        rows = pa.Table.from_pandas(TABLE.iloc[part], preserve_index=False)
        parquet.write_table(rows, path / f"part-{number}.parquet", row_group_size=300)
    return path


@pytest.fixture(autouse=True)
def alone(request, monkeypatch):
    """No cluster but where a test asks for one: that of other tests would be taken."""
    if "client" not in request.fixturenames:
        monkeypatch.setattr(streams, "engine", blocks.Loop)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(streams, "BLOCK_VALUES", 2500)  # five blocks of six columns, or of four


def tables(folder):
    return {
        "polars": pl.from_pandas(TABLE),
        "Arrow": pa.Table.from_pandas(TABLE, preserve_index=False),
        "LazyFrame": pl.scan_parquet(folder / "*.parquet"),
        "dataset": arrow_dataset.dataset(folder),  # what the hint of a Spark frame leads to
        "Dask": dd.from_pandas(TABLE, npartitions=3),
    }


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("ranker", RANKERS, ids=str)
def test_the_same_call_fits_every_table_to_the_same_coefficients(ranker, folder):
    expected = ranker.fit(TABLE, "late", "weight")
    coef, threshold = (getattr(expected, "coef_", getattr(expected, "quadratic_", None)), expected.threshold_)
    scores = expected.decision_function(TABLE[NAMES])
    by_hand = ranker.fit(TABLE[NAMES], TABLE["late"], TABLE["weight"])
    np.testing.assert_array_equal(by_hand.decision_function(TABLE[NAMES]), scores)
    for name, table in tables(folder).items():
        found = ranker.fit(table, "late", "weight")
        reached = getattr(found, "coef_", getattr(found, "quadratic_", None))
        np.testing.assert_allclose(reached, coef, rtol=0, atol=1e-12 * np.abs(coef).max(), err_msg=name)
        assert found.threshold_ == pytest.approx(threshold, abs=1e-12)
        assert found.feature_names_in_.tolist() == NAMES
        assert set(found.classes_) == {"no", "yes"}
        rows = table if name in ("LazyFrame", "dataset") else TABLE[NAMES]
        np.testing.assert_allclose(found.decision_function(rows), scores, rtol=0, atol=1e-11)
        np.testing.assert_array_equal(found.predict(rows), expected.predict(TABLE[NAMES]))


@pytest.mark.usefixtures("small_blocks")
def test_workers_read_their_parts_of_the_files_themselves(client, folder, monkeypatch):
    dataset = arrow_dataset.dataset(folder)
    here = LinearRanker("power:3").fit(TABLE, "late", "weight").coef_
    with monkeypatch.context() as patch:
        patch.setattr(streams, "_read_here", None)  # this process does not read
        there = LinearRanker("power:3").fit(dataset, "late", "weight").coef_
    np.testing.assert_allclose(there, here, rtol=0, atol=1e-12 * np.abs(here).max())
    for source in (dataset.filter(arrow_dataset.field("a") > 0), pl.scan_parquet(folder / "*.parquet")):
        with monkeypatch.context() as patch:
            patch.setattr(streams, "_read_there", None)  # nor do they: files have more rows, or are of this process
            found = LinearRanker("power:3").fit(source, "late")
        rows = TABLE[TABLE.a > 0] if hasattr(source, "count_rows") else TABLE
        alone = LinearRanker("power:3").fit(rows, "late").coef_
        np.testing.assert_allclose(found.coef_, alone, rtol=0, atol=1e-12 * np.abs(alone).max())
    assert client is not None


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("criterion", ["logloss", "auc"])
def test_trees_are_grown_from_blocks(criterion, folder, monkeypatch):
    trees = GradientBoostedRanker(criterion, n_estimators=10, random_state=0)
    expected = trees.fit(TABLE, "late").decision_function(TABLE.drop(columns="late"))
    found = trees.fit(arrow_dataset.dataset(folder), "late").decision_function(arrow_dataset.dataset(folder))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    monkeypatch.setattr(streams, "rows_apart", lambda *_: 2)
    with pytest.warns(UserWarning, match="from one of 2 rows"):
        trees.fit(arrow_dataset.dataset(folder), "late")
    with pytest.raises(InputError, match="grown by LightGBM; got backend='xgboost'"):
        GradientBoostedRanker(backend="xgboost").fit(arrow_dataset.dataset(folder), "late")
    with pytest.raises(InputError, match="early_stopping='auc' is not known on tables that are not in memory"):
        GradientBoostedRanker(early_stopping="auc").fit(arrow_dataset.dataset(folder), "late")


def test_every_ranker_scores_what_it_could_not_fit(folder):
    ranker = AutoRanker(candidates=["linear"], random_state=0, calibrate="platt").fit(TABLE[NAMES], TABLE["late"])
    for rows in (pl.scan_parquet(folder / "*.parquet"), arrow_dataset.dataset(folder)):
        np.testing.assert_array_equal(ranker.decision_function(rows), ranker.decision_function(TABLE[NAMES]))
        np.testing.assert_array_equal(ranker.predict_proba(rows), ranker.predict_proba(TABLE[NAMES]))
    with pytest.raises(InputError, match="there is no 'a'"):
        ranker.decision_function(pl.LazyFrame({"z": [1.0]}))
    with pytest.raises(InputError, match="needs rows to score"):
        ranker.decision_function(pl.from_pandas(TABLE).lazy().filter(pl.col("a") > 99))


def spark_frame():
    """What a frame of Spark looks like from outside; the recipe on Spark itself is tested with the engines."""
    kind = type("DataFrame", (), {"sparkSession": None})
    kind.__module__ = "pyspark.sql.classic.dataframe"
    return kind()


@pytest.mark.parametrize(
    ("ranker", "hint"),
    [
        (AutoRanker(), r"AutoRanker holds all rows in memory.\n.*X\.collect\(\)"),
        (BoostedRanker(), r"BoostedRanker holds all rows in memory.\n.*X\.collect\(\)"),
    ],
)
def test_rankers_that_hold_all_rows_say_how_to_get_there(ranker, hint, folder):
    with pytest.raises(InputTypeError, match=r"(?s)LazyFrames are fitted by LinearRanker.*" + hint):
        ranker.fit(pl.scan_parquet(folder / "*.parquet"), "late")
    with pytest.raises(InputTypeError, match=r"X\.to_table\(\) takes it into memory"):
        ranker.fit(arrow_dataset.dataset(folder), "late")
    with pytest.raises(InputTypeError, match=r"(?s)Spark frame.*X\.write\.parquet\('rows'\) once.*dataset\('rows'\)"):
        ranker.fit(spark_frame(), "late")
    with pytest.raises(InputTypeError, match=r"Spark frame"):
        LinearRanker().fit(TABLE[NAMES], TABLE["late"]).decision_function(spark_frame())


def broken(folder, column, values):
    table = TABLE.copy()
    table[column] = table[column].astype(object)
    table.loc[2900, column] = values
    path = folder / "broken.parquet"
    parquet.write_table(pa.Table.from_pandas(table.convert_dtypes(), preserve_index=False), path)
    return arrow_dataset.dataset(path)


@pytest.mark.usefixtures("small_blocks")
def test_a_fault_is_said_with_its_rows(tmp_path):
    with pytest.raises(InputError, match=r"Rows 2,496 to 2,911 \(the first is 0\): Input X contains NaN"):
        LinearRanker().fit(broken(tmp_path, "b", None), "late", "weight")
    with pytest.raises(InputError, match="y must have two labels; got maybe, no, yes"):
        LinearRanker().fit(broken(tmp_path, "late", "maybe"), "late")
    arrow_csv.write_csv(pa.Table.from_pandas(TABLE.assign(c="word"), preserve_index=False), tmp_path / "t.csv")
    with pytest.raises(InputError, match=r"X must be numbers; got type .* in column c"):
        LinearRanker().fit(arrow_dataset.dataset(tmp_path / "t.csv", format="csv"), "late", "weight")


def test_labels_may_come_apart_and_must_be_as_many(folder):
    lazy = pl.scan_parquet(folder / "*.parquet")
    expected = LinearRanker().fit(TABLE[NAMES], TABLE["late"]).coef_
    for y in (TABLE["late"], lazy.select("late"), TABLE["late"].tolist()):
        np.testing.assert_array_equal(LinearRanker().fit(lazy.select(NAMES), y).coef_, expected)
    with pytest.raises(InputError, match="y must have one entry per row; got 3001 for 3000 rows"):
        LinearRanker().fit(lazy.select(NAMES), [*TABLE["late"], "no"])
    with pytest.raises(InputError, match="y must have one label for each"):
        LinearRanker().fit(lazy.select(NAMES), TABLE["late"][:-1])


def test_a_name_of_a_column_needs_a_table_that_has_it(folder):
    with pytest.raises(InputError, match=r"(?s)there is no column 'latte'.*did you mean 'late'"):
        LinearRanker().fit(TABLE, "latte")
    with pytest.raises(InputError, match=r"(?s)there is no 'latte'.*did you mean 'late'"):
        LinearRanker().fit(arrow_dataset.dataset(folder), "latte")
    with pytest.raises(InputError, match="y can name a column of a table; X is a ndarray"):
        LinearRanker().fit(X, "late")
