"""Commands on tables of 10 columns: processor time of ``podium`` against pandas' reading and LightGBM's 200 trees."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
from timing import Row, seconds

from podium import persist, workflow

COLUMNS = [f"c{j}" for j in range(10)]
CHILD = (
    "import time, podium.cli\ntry:\n    podium.cli.main()\nfinally:\n"
    "    import sys\n    print(time.process_time(), file=sys.stderr)"
)


def table(n_rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, len(COLUMNS)))
    y = rng.random(n_rows) < 1 / (1 + np.exp(2.5 - X[:, :5] @ np.linspace(1, 0.2, 5) - 0.5 * X[:, 5] * X[:, 6]))
    return pd.DataFrame(X.round(4), columns=COLUMNS).assign(label=y.astype(int))


def podium(*arguments: object, repeat: int = 3) -> float:
    """The least processor seconds of the command."""
    command = [sys.executable, "-c", CHILD, *map(str, arguments)]
    options = {"env": os.environ | {"OMP_NUM_THREADS": "1"}, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    runs = [subprocess.run(command, check=True, text=True, **options) for _ in range(repeat)]
    return min(float(run.stderr.splitlines()[-1]) for run in runs)


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = {n: folder / f"t{n}.csv" for n in (1_000, 100_000, 1_000_000)}
        for n_rows, file in files.items():
            table(n_rows).to_csv(file, index=False)
        small, large = files[1_000], files[1_000_000]
        model = workflow.fit(small, label="label", model="linear").model
        (folder / "model.podium").write_bytes(persist.dumps(model))
        row = table(1).drop(columns="label").to_dict("records")
        data = table(100_000)
        X, y = data[COLUMNS].to_numpy(), data["label"].to_numpy()
        reading, one_row, trees = seconds(
            lambda: pd.read_csv(io.BytesIO(large.read_bytes())),
            lambda: model.score_rows(row),
            lambda: lightgbm.LGBMClassifier(n_estimators=200, n_jobs=1, verbose=-1).fit(X, y),
            repeat=3,
        )
        listed = folder / "list.csv"
        fit = podium("fit", files[100_000], "--label", "label", "--model", "trees", "--out", folder / "f", "--force")
        score = podium("score", folder / "model.podium", large, "--out", listed, "--force")
        small_list = podium("score", folder / "model.podium", small, "--out", listed, "--force")
        podium("score", folder / "model.podium", small, "--keep", "label", "--out", listed, "--force", repeat=1)
        little = podium("evaluate", listed, "--label", "label", "--score", "score")
        return [
            Row("podium evaluate, 1,000 rows", "a second", little, "<= 1"),
            Row("podium score, 1,000 rows", "a second", small_list, "<= 2"),
            Row("podium score, 10⁶ rows", "pandas.read_csv", score / reading, "<= 8"),
            Row("podium fit --model trees, 10⁵ rows", "LightGBM, 200 trees", fit / trees, "<= 6"),
            Row("score_rows, one row of a line", "3 milliseconds", one_row / 3e-3, "<= 1"),
        ]
