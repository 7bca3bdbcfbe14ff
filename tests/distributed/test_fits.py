"""Rankers fitted on a cluster of two processes: what rows in one array give."""

import numpy as np
import pytest

from chunked_criteria import chunked_criteria
from podium import BoostedRanker, GradientBoostedRanker, LinearRanker, QuadraticRanker
from podium.exceptions import DegenerateSampleError, InputError, InputTypeError
from podium.models import LinearModel, QuadraticModel
from podium.objective import DataInMemory
from podium.rankers.lines import prepare

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")
cluster = pytest.importorskip("podium.distributed.cluster")
door = pytest.importorskip("podium.distributed.door")
partitioned = pytest.importorskip("podium.distributed.rows")

pytestmark = pytest.mark.usefixtures("client")

N = 2000
RNG = np.random.default_rng(0)
X = RNG.standard_normal((N, 4))
Y = (X @ [1.0, -0.5, 0.2, 0.0] + RNG.standard_normal(N) > 0.7).astype(int)
Y[1200:1600] = 0  # a partition of seven without positives
W = RNG.integers(0, 3, N).astype(float)
PARTITIONS = {1: (N,), 2: (1500, 500), 7: (100, 600, 500, 400, 0, 399, 1)}
RULES = LinearRanker()._input_rules()
CRITERIA = chunked_criteria(N)


@pytest.fixture
def few(monkeypatch):
    """Plug-in rules from 800 rows, as if 2,000 were many: the rest of the fit is up to the workers."""
    monkeypatch.setattr(prepare, "FEW", 500)


def arrays(cuts, *columns):
    return [da.from_array(column, chunks=(cuts, *column.shape[1:])) for column in columns]


def rows_on(client, cuts):
    collection = door.open_door(cluster.Cluster(client), *arrays(cuts, X, Y), None, RULES)
    return partitioned.PartitionedRows.of(collection, 1, None)


@pytest.mark.parametrize(
    "cuts",
    [pytest.param(cuts, id=str(n), marks=[pytest.mark.slow] if n < 7 else []) for n, cuts in PARTITIONS.items()],
)
def test_value_gradient_and_curvature_are_those_of_rows_in_memory(client, cuts):
    here, there = DataInMemory(X, Y == 1, None), rows_on(client, cuts).data
    for name, criterion in CRITERIA.items():
        model = QuadraticModel() if name == "auc" else LinearModel()
        theta = np.linspace(0.5, 1, model.n_features(4))
        value, gradient = here.value_and_gradient(criterion, model, theta)
        value_there, gradient_there = there.value_and_gradient(criterion, model, theta)
        assert value_there == pytest.approx(value, rel=1e-10), name
        np.testing.assert_allclose(gradient_there, gradient, atol=1e-10 * np.abs(gradient).max(), err_msg=name)
        if criterion.has_curvature:
            curvature = here.curvature(criterion, model, theta)
            np.testing.assert_allclose(there.curvature(criterion, model, theta), curvature, rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore:L-BFGS stopped after 3 steps")
@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    ("ranker", "weighted"),
    [
        (LinearRanker("power:3", class_weight="balanced"), True),
        (LinearRanker("push:4", pos_label=0, class_weight={0: 2.0}), False),
        (QuadraticRanker(max_iter=3), False),
    ],
    ids=str,
)
def test_a_fit_to_partitions_is_the_fit_to_one_array(ranker, weighted):
    weight = W if weighted else None
    cuts = (1200, 400, 0, 400)
    ranker.fit(X, Y, weight)
    coef, threshold, marks = ranker.coef_, ranker.threshold_, ranker._training_fingerprints.marks
    there_X, there_Y = arrays(cuts, X, Y)
    ranker.fit(there_X, there_Y, arrays(cuts, W)[0] if weighted else None)
    np.testing.assert_allclose(ranker.coef_, coef, atol=1e-6 * np.abs(coef).max())
    assert ranker.threshold_ == pytest.approx(threshold, abs=1e-6)
    np.testing.assert_array_equal(ranker._training_fingerprints.marks, marks)
    scores = ranker.decision_function(there_X)
    assert isinstance(scores, da.Array)
    np.testing.assert_array_equal(scores.compute(), ranker.decision_function(X))
    np.testing.assert_array_equal(ranker.predict(there_X).compute(), ranker.predict(X))


@pytest.mark.parametrize("kind", ["pandas", "pyarrow", "float32"])
def test_dataframes_of_any_backend(kind):
    table = pd.DataFrame(X, columns=list("abcd")).assign(y=np.where(Y, "yes", "no"))
    if kind == "pyarrow":
        table = table.convert_dtypes(dtype_backend="pyarrow")
    if kind == "float32":
        table = table.astype(dict.fromkeys("abcd", np.float32))
    parts = np.split(np.arange(N), np.cumsum(PARTITIONS[7])[:-1])
    frame = dd.from_map(lambda rows: table.iloc[rows], parts, meta=table.iloc[:0])
    expected = LinearRanker().fit(table[list("abcd")].astype(np.float64), table["y"].to_numpy())
    ranker = LinearRanker().fit(frame[list("abcd")], frame["y"])
    np.testing.assert_allclose(ranker.coef_, expected.coef_, rtol=1e-6)
    assert list(ranker.feature_names_in_) == list("abcd")
    assert ranker.classes_.tolist() == ["no", "yes"]
    scores = ranker.decision_function(frame[list("abcd")]).compute()
    assert scores.index.equals(table.index)
    np.testing.assert_allclose(scores, expected.decision_function(table[list("abcd")].astype(np.float64)), atol=1e-6)
    assert ranker.predict(frame[list("abcd")]).compute().isin(["no", "yes"]).all()


def _faulty(change):
    blocks = [np.array(block) for block in np.split(X[:300], 3)]
    labels = [np.array(block) for block in np.split(Y[:300], 3)]
    change(blocks, labels)
    return (
        da.concatenate([da.from_array(block, chunks=(100, -1)) for block in blocks]),
        da.concatenate([da.from_array(block, chunks=100) for block in labels]),
    )


def _missing(blocks, labels):
    blocks[1][3, 2] = np.nan


def _text(blocks, labels):
    blocks[1] = blocks[1].astype("U9")


def _third(blocks, labels):
    labels[1][7] = 2


def _short(blocks, labels):
    labels[1] = labels[1][:-1]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_missing, "Partition 1 of 3 .*: Input X contains NaN"),
        (_text, "Partition [01] of 3 .*: X must be numbers; got type <U"),
        (_third, "y must have two labels; got 0, 1, 2, 2 in partition 1"),
        (_short, "Partition 1 of 3 .*: y must have one label for each of 100 rows"),
    ],
)
def test_a_fault_is_said_with_the_number_of_its_partition(change, sentence):
    with pytest.raises(InputError, match=sentence):
        LinearRanker().fit(*_faulty(change))


def test_what_cannot_be_done_is_a_sentence():
    there_X, there_Y = arrays((1000, 1000), X, Y)
    with pytest.raises(InputTypeError, match="fitted by LinearRanker, Quad"):
        BoostedRanker().fit(there_X, there_Y)
    with pytest.raises(InputTypeError, match="y must be a Dask collection"):
        LinearRanker().fit(there_X, Y)
    with pytest.raises(InputError, match="same partitions; got 2, 1"):
        LinearRanker().fit(there_X, da.from_array(Y, chunks=N))
    with pytest.raises(InputError, match="calibrate='platt' needs fits"):
        LinearRanker(calibrate="platt").fit(there_X, there_Y)
    with pytest.raises(InputError, match="scaling='quantile' needs all values"):
        LinearRanker(scaling="quantile").fit(there_X, there_Y)
    with pytest.raises(DegenerateSampleError, match="needs rows of both classes"):
        LinearRanker().fit(there_X, there_Y * 0)


@pytest.mark.parametrize("criterion", ["power:3", "push:2"])
def test_trees_boosted_by_the_ranks_of_all_rows(criterion):
    pytest.importorskip("xgboost")
    coarse = np.round(X, 1)  # fewer values than bins: partitions agree on where to split
    settings = {"backend": "xgboost", "n_estimators": 5, "n_jobs": 1}
    expected = GradientBoostedRanker(criterion, **settings).fit(coarse, Y)
    ranker = GradientBoostedRanker(criterion, **settings).fit(*arrays((1200, 400, 400), coarse, Y))
    np.testing.assert_allclose(ranker.decision_function(coarse), expected.decision_function(coarse), atol=2e-3)
    with pytest.raises(InputError, match="need backend='xgboost'"):
        GradientBoostedRanker(backend="lightgbm").fit(*arrays((1000, 1000), X, Y))
    for options, sentence in (
        ({"warm_start": True}, "warm_start=True is not known on Dask collections"),
        ({"criterion": "partial-auc:0.1"}, "a criterion that rows feel wherever they stand"),
    ):
        with pytest.raises(InputError, match=sentence):
            GradientBoostedRanker(**settings, **options).fit(*arrays((1000, 1000), X, Y))
