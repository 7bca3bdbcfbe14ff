"""Servers that a local cluster starts cannot be reached from other machines."""

import numpy as np
import pytest

from podium import LinearRanker
from podium.cli.commands import fit as fit_command
from podium.distributed.cluster import Cluster, current_cluster, local_client

pytest.importorskip("dask")
psutil = pytest.importorskip("psutil")
array = pytest.importorskip("dask.array")


def listening():
    """Addresses on which this process and those it started listen."""
    me = psutil.Process()
    sockets = [each for one in (me, *me.children(recursive=True)) for each in one.net_connections("inet")]
    return {each.laddr for each in sockets if each.status == psutil.CONN_LISTEN}


LOCAL = {
    "threads": (lambda: local_client(processes=False), ()),
    "processes": (local_client, pytest.mark.slow),
    "the command's": (lambda: fit_command.connected("local"), pytest.mark.slow),
}


@pytest.mark.parametrize("start", [pytest.param(start, marks=marks, id=name) for name, (start, marks) in LOCAL.items()])
def test_all_listen_on_the_loopback_during_a_fit(start):
    before = listening()
    with start(), current_cluster() as cluster:
        assert cluster.loopback == "127.0.0.1"
        fit()
        during = listening() - before
    assert during
    assert {address.ip for address in during} == {"127.0.0.1"}


def fit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    y = (X[:, 0] + rng.normal(size=600) > 0).astype(int)
    LinearRanker("auc").fit(array.from_array(X, chunks=(200, 2)), array.from_array(y, chunks=200))


@pytest.mark.parametrize(
    ("address", "loopback"),
    [("inproc://10.0.0.7/1/2", "127.0.0.1"), ("tcp://127.0.0.1:8786", "127.0.0.1"), ("tcp://10.0.0.7:8786", None)],
)
def test_what_xgboost_adds_listens_on_the_loopback_unless_there_are_other_machines(address, loopback):
    class Client:
        class scheduler:  # noqa: N801
            pass

    Client.scheduler.address = address
    assert Cluster(Client()).loopback == loopback
