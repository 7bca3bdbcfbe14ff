"""One cluster of two processes for all tests on Dask."""

import pytest


@pytest.fixture(scope="session")
def client():
    """Two workers of one thread each, which are processes as on a real cluster."""
    pytest.importorskip("dask")  # without it, distributed is the folder of these tests
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit="1GiB"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
