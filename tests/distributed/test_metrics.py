"""On a cluster of two processes: what all partitions hold together is what one array holds."""

import numpy as np
import pytest

from podium import inference, metrics, rounds
from podium.exceptions import InputError, InputTypeError
from podium.roc import RocCurve

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")

pytestmark = pytest.mark.usefixtures("client")

N = 2000
RNG = np.random.default_rng(0)
Y = RNG.random(N) < 0.3
Y[1200:1600] = False  # a partition of seven without positives
A = np.round(RNG.standard_normal(N) + Y, 2).astype(np.float32)
B = RNG.standard_normal(N) + 0.5 * Y
W = RNG.random(N)
PARTITIONS = {1: (N,), 2: (1500, 500), 7: (100, 600, 500, 400, 0, 399, 1)}
MEMORY = {"all rows held": None, "one class held": 96 * 1500}


def arrays(*columns, cuts=PARTITIONS[7]):
    return [da.from_array(column, chunks=(cuts,)) for column in columns]


def frame(cuts, backend):
    table = pd.DataFrame({"y": Y.astype(np.int64), "a": A, "b": B, "w": W})
    parts = np.split(np.arange(N), np.cumsum(cuts)[:-1])
    if backend == "pyarrow":
        table = table.convert_dtypes(dtype_backend="pyarrow")
    return dd.from_map(lambda rows: table.iloc[rows], parts, meta=table.iloc[:0])


@pytest.mark.parametrize("cuts", PARTITIONS.values(), ids=PARTITIONS)
@pytest.mark.parametrize("memory", MEMORY.values(), ids=MEMORY)
def test_metrics_are_those_of_one_array_to_the_last_bit(cuts, memory):
    y, a, b = arrays(Y, A, B, cuts=cuts)
    for score, column in ((A, a), (B, b)):
        counted = rounds.count_list(y, column, memory=memory)
        assert counted.auc() == metrics.auc(Y, score)
        assert metrics.precision_at(counted, k=50) == metrics.precision_at(Y, score, 50)
        assert RocCurve.from_scores(counted).distance(RocCurve.from_scores(Y, score)) == 0
        assert metrics.rank_statistic(counted, phi="power:3") == metrics.rank_statistic(Y, score, "power:3")
    assert metrics.push_risk(y, a, 3) == metrics.push_risk(Y, A, 3)
    assert RocCurve.from_scores(y, b).distance(RocCurve.from_scores(Y, B)) == 0


@pytest.mark.parametrize("backend", ["numpy", "pyarrow"])
def test_columns_of_dataframes_serve_as_arrays_do(backend):
    table = frame(PARTITIONS[7], backend)
    assert metrics.auc(table["y"], table["a"]) == metrics.auc(Y, A)
    assert metrics.auc(table[["y"]], table[["b"]]) == metrics.auc(Y, B)
    weighted = metrics.auc(table["y"], table["b"], sample_weight=table["w"])
    assert weighted == pytest.approx(metrics.auc(Y, B, sample_weight=W), rel=1e-12)


def test_functions_of_metrics_and_inference_take_collections():
    y, a, b, w = arrays(Y, A, B, W)
    assert metrics.auc(y, a) == metrics.auc(Y, A)
    assert metrics.partial_auc(y, a, 0.1) == pytest.approx(metrics.partial_auc(Y, A, 0.1), rel=1e-14)
    assert metrics.rank_statistic(y, a, "dcg:10") == pytest.approx(metrics.rank_statistic(Y, A, "dcg:10"), rel=1e-14)
    assert metrics.precision_at(y, a, fraction=0.1) == metrics.precision_at(Y, A, fraction=0.1)
    for loss in ("exponential", "logistic", "squared_hinge"):
        whole = metrics.push_risk(Y, A, 2, loss, sample_weight=W)
        assert metrics.push_risk(y, a, 2, loss, sample_weight=w) == pytest.approx(whole, rel=1e-10)
        priced = metrics.push_risk(Y, A, loss=loss, price=np.log1p, sample_weight=W)
        assert metrics.push_risk(y, a, loss=loss, price=np.log1p, sample_weight=w) == pytest.approx(priced, rel=1e-10)
    for phi in ("auc", "power:3"):
        limits, whole = inference.interval(y, a, phi), inference.interval(Y, A, phi)
        assert (limits.estimate, limits.low, limits.high) == pytest.approx((whole.estimate, whole.low, whole.high))
    assert inference.roc_band(y, b).mean_width == pytest.approx(inference.roc_band(Y, B).mean_width, rel=1e-12)


def test_paired_comparisons_know_how_scorers_vary_together():
    y, a, b, w = arrays(Y, A, B, W)
    for phi in ("auc", "power:3"):
        of_parts, whole = inference.compare(y, a, b, phi), inference.compare(Y, A, B, phi)
        for name in ("difference", "low", "high", "standard_error", "pvalue", "degrees_of_freedom"):
            assert getattr(of_parts, name) == pytest.approx(getattr(whole, name), rel=1e-9)
        assert repr(of_parts) == repr(whole)
    three = {"a": (a, A), "b": (b, B), "c": (a + b, A + B)}
    collections, columns = ({name: pair[i] for name, pair in three.items()} for i in (0, 1))
    of_parts = inference.compare(y, collections, sample_weight=w)
    whole = inference.compare(Y, columns, sample_weight=W)
    assert of_parts.omnibus_pvalue == pytest.approx(whole.omnibus_pvalue, rel=1e-8)
    same = inference.compare(y, a, a)
    assert same.standard_error == pytest.approx(inference.compare(Y, A, A).standard_error, rel=1e-2)


def test_a_value_that_is_not_exact_is_not_given_unless_allowed(monkeypatch):
    y, b = arrays(Y, B)
    monkeypatch.setattr("podium._memory.left_over", lambda: 4 * 96 * 150)
    with pytest.raises(InputError, match=r"Memory does not suffice for exact ranks: the AUC lies between 0\.\d+ and"):
        metrics.auc(y, b)
    with pytest.raises(InputError, match=r"Memory does not suffice for exact ranks: the AUC lies between 0\.\d+ and"):
        inference.interval(y, b, "power:3")
    assert rounds.count_list(y, b, tol=0.05).auc() == pytest.approx(metrics.auc(Y, B), abs=0.05)
    with pytest.raises(InputError, match="holds the scores of all positives, 150 of them at most; got"):
        metrics.push_risk(y, b, 3)


def spoiled(column, place, value):
    column = column.copy()
    column[place] = value
    return column


def test_a_partition_that_cannot_be_ranked_is_named():
    y, b = arrays(Y.astype(int), B)
    with pytest.raises(InputError, match=r"^partition 3: y_score must be finite; got NaN in 1 of 400 rows"):
        metrics.auc(y, *arrays(spoiled(B, 1300, np.nan)))
    with pytest.raises(InputError, match=r"got 3: .*, the last in partition 3"):
        metrics.auc(*arrays(spoiled(Y.astype(int), slice(1200, 1600), -1)), b)
    with pytest.raises(InputError, match=r"^partition 1: y_true must have two labels; got 3"):
        metrics.auc(*arrays(spoiled(Y.astype(int), 200, 7)), b, pos_label=1)
    with pytest.raises(InputTypeError, match=r"^partition 1: y_score must be numbers"):
        metrics.auc(y, b.map_blocks(lambda rows: rows.astype(str) if len(rows) == 600 else rows, dtype=float))
    with pytest.raises(InputError, match="y_true and y_score must have the same length; got 2000 and 1999 rows"):
        metrics.auc(y, b[1:])
    with pytest.raises(InputTypeError, match="got ndarray for y_score"):
        metrics.auc(y, B)
    with pytest.raises(InputError, match="must have the same partitions; got 7 of y_true, 2 of y_score"):
        metrics.auc(y, frame(PARTITIONS[2], "numpy")["b"])
    with pytest.raises(InputError, match="takes no groups"):
        inference.interval(y, b, groups=y)
