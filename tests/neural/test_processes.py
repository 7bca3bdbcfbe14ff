"""Two processes with half of the rows each take the step of one with all rows."""

import os
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")

PROCESS = """
import sys
import numpy as np, torch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel
from podium.neural import CriterionLoss

number, address, out = int(sys.argv[1]), sys.argv[2], sys.argv[3]
if number >= 0:
    distributed.init_process_group("gloo", init_method=address, rank=number, world_size=2)
rng = np.random.default_rng(0)
X, y = torch.tensor(rng.standard_normal((50, 4))), torch.tensor(rng.random(50) < 0.3)
weight = torch.tensor(rng.integers(1, 4, 50).astype(float))
mine = {-1: slice(0, 50), 0: slice(0, 20), 1: slice(20, 50)}[number]  # of unequal size
written = {}
for criterion in ("auc", "push:4"):
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)).double()
    model = network if number < 0 else DistributedDataParallel(network)
    optimizer, loss = torch.optim.SGD(model.parameters(), 0.5), CriterionLoss(criterion, memory=30)
    values = []
    for _ in range(5):
        optimizer.zero_grad()
        value = loss(model(X[mine]), y[mine], weight[mine])
        value.backward()
        optimizer.step()
        values.append(value.item())
    written[criterion] = values
    written |= {f"{criterion} {i}": p.detach().numpy() for i, p in enumerate(network.parameters())}
np.savez(out, **written)
"""


@pytest.mark.slow  # torch is loaded three times
def test_two_processes_equal_one(tmp_path):
    address = f"file://{tmp_path}/meet"
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    runs = [
        subprocess.Popen([sys.executable, "-c", PROCESS, str(i), address, str(tmp_path / f"{i}.npz")], env=environment)
        for i in (-1, 0, 1)
    ]
    assert [run.wait(600) for run in runs] == [0, 0, 0]
    one, *two = (np.load(tmp_path / f"{i}.npz") for i in (-1, 0, 1))
    assert len(one.files) == 10
    for part in two:
        for name in one:
            np.testing.assert_allclose(part[name], one[name], rtol=1e-10, atol=1e-13)
