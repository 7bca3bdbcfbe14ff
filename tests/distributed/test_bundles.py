"""Partitions that a worker holds are taken together; what they add up to does not depend on where they lie."""

import re

import numpy as np
import pytest

from podium import LinearRanker, metrics
from podium.exceptions import InputError
from podium.rankers.lines import prepare

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")
bundles = pytest.importorskip("podium.distributed.fits.bundles")

N = 2000
RNG = np.random.default_rng(0)
X = RNG.standard_normal((N, 3))
Y = (X @ [1.0, -0.5, 0.2] + RNG.standard_normal(N) > 0.7).astype(int)


@pytest.mark.parametrize("most", [64, 3], ids=["by worker", "too many for that"])
def test_partitions_held_by_workers_give_the_coefficients_of_one_array(client, monkeypatch, most):
    monkeypatch.setattr(prepare, "FEW", 500)
    monkeypatch.setattr(bundles, "_MOST", most)
    n_tasks, plain = set(), bundles.Cluster.map

    def recorded(cluster, function, *columns, **same):
        if function is bundles._each:
            n_tasks.add(len(columns[0]))
        return plain(cluster, function, *columns, **same)

    monkeypatch.setattr(bundles.Cluster, "map", recorded)
    x, y = (da.from_array(each, chunks=(200, *each.shape[1:])).persist() for each in (X, Y))
    there = LinearRanker("power:3", random_state=0).fit(x, y)
    here = LinearRanker("power:3", random_state=0).fit(X, Y)
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-9)
    assert there.threshold_ == pytest.approx(here.threshold_, rel=1e-9)
    assert n_tasks <= {1, 2} if most == 64 else n_tasks == {10}


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
