"""Without a cluster, in a process of its own: nothing has loaded ``distributed`` before."""

import subprocess
import sys

import pytest

pytest.importorskip("dask.array")

TWICE = """
import dask.array as da
import numpy as np
from podium import metrics

y, s = np.arange(100) % 3 == 0, np.arange(100.0)
parts = da.from_array(y, chunks=30), da.from_array(s, chunks=30)
assert [metrics.auc(*parts) for _ in range(2)] == 2 * [metrics.auc(y, s)]
"""


def test_a_second_call_works_as_the_first():
    done = subprocess.run([sys.executable, "-c", TWICE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
