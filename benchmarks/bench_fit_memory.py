"""``podium fit`` on 500,000 × 40 rows: memory against the data's own size, processor time against training alone."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits
from timing import Row

from podium.phi import Mww
from podium.selection.candidates import build

N_ROWS, N_COLUMNS, HOLDOUT = 500_000, 40, 0.3
# A command says how memory is to be allocated before it loads a library, and so does this. The kernel's own note of the
# peak: what getrusage says of a child includes its parent, from before it was another.
CHILD = """
from podium.cli.memory import spare_memory
spare_memory()
import time, lightgbm, podium.cli, sys
try:
    if sys.argv[1:]:
        podium.cli.main()
finally:
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(1024 * int(peak.split()[1]), time.process_time(), file=sys.stderr)
"""


def table(path: Path) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_ROWS, N_COLUMNS))
    risk = X[:, :8] @ np.linspace(1, 0.1, 8) + 0.5 * X[:, 8] * X[:, 9] - 2.5
    y = rng.random(N_ROWS) < 1 / (1 + np.exp(-risk))
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(N_COLUMNS)]).assign(y=y.astype(int))
    frame.to_csv(path, index=False, float_format="%.6g")
    return X, y


def podium(*arguments: object) -> tuple[float, float]:
    """Bytes of memory at the peak and seconds of processor time of the command; of its imports alone without one."""
    command = [sys.executable, "-c", CHILD, *map(str, arguments)]
    run = subprocess.run(command, check=True, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    memory, seconds = run.stderr.splitlines()[-1].split()
    return float(memory), float(seconds)


def seconds_alone(X: np.ndarray, y: np.ndarray) -> float:
    ranker = build("trees", Mww(), None, 0)
    begun = time.process_time()
    ranker.fit(X, y)
    return time.process_time() - begun


def rows() -> list[Row]:
    found = []
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(1):
        path = Path(folder) / "table.csv"
        X, y = table(path)
        libraries, _ = podium()
        for model in ("trees", "auto"):
            memory, seconds = podium("fit", path, "--label", "y", "--model", model, "--out", Path(folder) / model)
            name = f"podium fit --model {model}"
            print(f"  {name}: {memory / 1e6:.0f} MB, {libraries / 1e6:.0f} MB of it libraries; {seconds:.0f} s")
            found.append(Row(f"{name}, memory", "the data as 64-bit numbers", memory / X.nbytes, "<= 4"))
            if model == "trees":
                n_training = round((1 - HOLDOUT) * N_ROWS)
                alone = seconds_alone(X[:n_training], y[:n_training])
                found.append(Row(f"{name}, processor time", "its training alone", seconds / alone, "<= 3"))
    return found
