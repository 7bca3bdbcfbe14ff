"""Partitions that a worker holds are taken together; what they add up to does not depend on where they lie."""

import pickle
import re

import numpy as np
import pytest

from podium import LinearRanker, metrics
from podium.exceptions import InputError
from podium.rankers.lines import prepare

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")
walk = pytest.importorskip("podium.distributed.walk")

N = 2000
RNG = np.random.default_rng(0)
X = RNG.standard_normal((N, 3))
Y = (X @ [1.0, -0.5, 0.2] + RNG.standard_normal(N) > 0.7).astype(int)


@pytest.mark.parametrize("most", [64, 3, 1], ids=["in order", "by worker", "in a tree"])
def test_partitions_held_by_workers_give_the_coefficients_of_one_array(client, monkeypatch, most):
    monkeypatch.setattr(prepare, "FEW", 500)
    monkeypatch.setattr(walk, "_MOST", most)
    n_tasks, plain = set(), walk.Cluster.map

    def recorded(cluster, function, *columns, **same):
        if function in (walk._each, walk._hold):
            n_tasks.add(len(columns[0]))
        return plain(cluster, function, *columns, **same)

    monkeypatch.setattr(walk.Cluster, "map", recorded)
    x, y = (da.from_array(each, chunks=(200, *each.shape[1:])).persist() for each in (X, Y))
    there = LinearRanker("power:3", random_state=0).fit(x, y)
    here = LinearRanker("power:3", random_state=0).fit(X, Y)
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-9)
    assert there.threshold_ == pytest.approx(here.threshold_, rel=1e-9)
    assert n_tasks <= {1, 2}


def test_columns_of_a_file_have_the_same_partitions_however_few_are_read(client, tmp_path, monkeypatch):
    monkeypatch.setattr(prepare, "FEW", 500)
    frame = pd.DataFrame(X, columns=list("abc")).assign(late=Y, **{f"unused {i}": 0.0 for i in range(9)})
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=200)
    there = dd.read_parquet(tmp_path / "rows.parquet", split_row_groups=1)
    here = LinearRanker(random_state=0).fit(frame[list("abc")], Y)
    try:
        coef = LinearRanker(random_state=0).fit(there[list("abc")].persist(), there["late"]).coef_
        said = None
    except InputError as refusal:
        said = str(refusal)
    if said is None:  # old releases of Dask lose no partitions
        np.testing.assert_allclose(coef, here.coef_, rtol=1e-9)
    else:
        assert re.search(r"partitions that Dask lost.*\n.*before columns are chosen", said)
    held = there.persist()
    ranker = LinearRanker(random_state=0).fit(held[list("abc")], held["late"])
    np.testing.assert_allclose(ranker.coef_, here.coef_, rtol=1e-9)
    assert metrics.auc(there["late"], there["a"]) == metrics.auc(Y, X[:, 0])


def test_partitions_beyond_the_share_of_a_worker_go_to_one_with_fewer_rows():
    even = walk.evenly([10] * 8, ["a"] * 6 + ["b"] * 2, ["a", "b", "c"])
    assert {worker: len(bundle) for worker, bundle in even.items()} == {"a": 3, "b": 3, "c": 2}
    assert even["a"] == [0, 1, 2]  # where they were
    assert sorted(i for bundle in even.values() for i in bundle) == list(range(8))
    assert walk.evenly([100, 1], ["a", "b"], ["a", "b"]) == {"a": [0], "b": [1]}  # one partition is not divided


def test_partitions_that_one_worker_holds_are_shared(client, monkeypatch):
    monkeypatch.setattr(prepare, "FEW", 500)
    there, one = [], next(iter(client.nthreads()))
    plain = walk.Bundles.of.__func__

    def recorded(cls, cluster, sizes, held):
        there.append(plain(cls, cluster, sizes, held))
        return there[-1]

    monkeypatch.setattr(walk.Bundles, "of", classmethod(recorded))
    with dask.annotate(workers=[one]), dask.config.set({"optimization.fuse.active": False}):
        x, y = (da.from_array(each, chunks=(500, *each.shape[1:])).persist() for each in (X, Y))
    distributed.wait([x, y])
    ranker = LinearRanker("auc", random_state=0).fit(x, y)
    assert sorted(map(len, there[0].numbers)) == [2, 2]
    np.testing.assert_allclose(ranker.coef_, LinearRanker("auc", random_state=0).fit(X, Y).coef_, rtol=1e-9)


def test_what_is_held_stays_behind_and_steps_are_taken_again(monkeypatch):
    """As if every state had been asked for on another worker, or had been written to disk."""
    held = walk.Held([1, 2], ["state", "other"])
    assert list(held) == ["state", "other"]
    moved = pickle.loads(pickle.dumps(held))
    assert (moved.summaries, list(moved)) == ([1, 2], [None, None])
    monkeypatch.setattr(prepare, "FEW", 500)
    monkeypatch.setattr(walk.Held, "__iter__", lambda held: iter([None] * len(held)))
    with distributed.Client(processes=False, n_workers=1, dashboard_address=":0"):
        for criterion in ("power:3", "smooth-top:0.9", "push:4"):
            x, y = (da.from_array(each, chunks=(500, *each.shape[1:])).persist() for each in (X, Y))
            there = LinearRanker(criterion, random_state=0).fit(x, y)
            here = LinearRanker(criterion, random_state=0).fit(X, Y)
            np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-9)
            assert there.threshold_ == pytest.approx(here.threshold_, rel=1e-9)
