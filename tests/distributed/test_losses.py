"""A worker or the scheduler is lost in the middle of a fit."""

import os
import signal

import numpy as np
import pytest

from podium import LinearRanker
from podium.exceptions import ClusterLostError
from podium.rankers.lines import prepare
from podium.solvers import Lbfgs

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

RNG = np.random.default_rng(1)
X = RNG.standard_normal((2000, 3))
Y = X @ [1.0, -0.5, 0.2] + RNG.standard_normal(2000) > 0.7


CRITERION = "push:2:logistic"  # climbed on all rows from the start


class Interrupted(Lbfgs):
    """L-BFGS during which something happens."""

    def maximize(self, objective, start, callback=None):
        def after(step, value):
            if step == 2:
                self.event()

        return super().maximize(objective, start, after)


def interrupted(event):
    solver = Interrupted(5)
    object.__setattr__(solver, "event", event)
    return LinearRanker(CRITERION, solver=solver)


@pytest.fixture(autouse=True)
def _few(monkeypatch):
    monkeypatch.setattr(prepare, "FEW", 500)


def collections():
    return da.from_array(X, chunks=(500, 3)).persist(), da.from_array(Y, chunks=500)


@pytest.mark.filterwarnings("ignore:L-BFGS stopped after 5 steps")
def test_a_worker_killed_in_the_middle_of_a_fit_changes_nothing(client):
    killed = []

    def kill():
        worker = min(client.scheduler_info(n_workers=-1)["workers"])
        killed.append(client.run(os.getpid, workers=[worker])[worker])
        os.kill(killed[0], getattr(signal, "SIGKILL", signal.SIGTERM))  # Windows ends it by any

    expected = LinearRanker(CRITERION, solver=Lbfgs(5)).fit(X, Y)
    ranker = interrupted(kill).fit(*collections())
    client.wait_for_workers(2, timeout=60)  # its nanny starts another one
    assert killed[0] not in client.run(os.getpid).values()
    np.testing.assert_allclose(ranker.coef_, expected.coef_, rtol=1e-9)


@pytest.mark.filterwarnings("ignore")  # what is left of the cluster complains
def test_a_lost_scheduler_is_an_error_and_the_best_point_is_kept():
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        ranker = interrupted(lambda: client.sync(cluster.scheduler.close))
        with pytest.raises(ClusterLostError, match="connection to the Dask scheduler was lost"):
            ranker.fit(*collections())
    in_memory = LinearRanker(CRITERION, solver=Lbfgs(2)).fit(X, Y)
    np.testing.assert_allclose(ranker.coef_, in_memory.coef_, rtol=1e-9)
    assert np.isfinite(ranker.threshold_)
    assert np.mean(ranker.predict(X) == Y) > 0.7
