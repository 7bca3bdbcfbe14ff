"""The AUC for scores of every kind at 10⁶ rows, per row against normal ones; memory; the first call."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial

import numpy as np
from timing import Row, peak_bytes, seconds

from podium import metrics

FIRST_CALL = """
import time, numpy as np
from podium import metrics
rng = np.random.default_rng(0)
y = rng.random(20_000) < 0.5
begun = time.process_time()
metrics.auc(y, rng.standard_normal(20_000) + y)
print(time.process_time() - begun)
"""


def kinds(n_total: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    normal, half = rng.standard_normal(n_total), rng.random(n_total) < 0.5
    return {
        "normal": normal,
        "Cauchy": rng.standard_cauchy(n_total),
        "lognormal, σ = 5": np.exp(5 * normal),
        "99 % at one value": np.where(rng.random(n_total) < 0.99, 0.5, normal),
        "whole numbers": np.round(100 * normal),
        "float32": normal.astype(np.float32),
        "float16": normal.astype(np.float16),
        "subnormal": normal * 5e-320,
        "1e300 beside 1": np.where(half, 1e300 * normal, normal),
        "two lumps 1e-12 apart": np.where(half, 1e-12, 0.0) + 1e-15 * normal,
        "sorted": np.sort(normal),
        "reversed": np.sort(normal)[::-1].copy(),
        "all equal": np.zeros(n_total),
    }


def rows() -> list[Row]:
    n_total = 10**6
    y = np.random.default_rng(1).random(n_total) < 0.5
    scores = kinds(n_total)
    normal, *others = seconds(*(lambda s=s: metrics.auc(y, s) for s in scores.values()))
    table = [
        Row(f"auc of {name} scores, N = 1e6", "normal ones", time / normal, "<= 2.5")
        for name, time in zip(list(scores)[1:], others, strict=True)
    ]
    for name in ("normal", "Cauchy", "all equal"):
        memory = peak_bytes(partial(metrics.auc, y, scores[name]))
        table.append(Row(f"working memory of auc, {name}", "a byte per row", memory / n_total, "<= 20"))
    with tempfile.TemporaryDirectory() as folder:
        cold, warm = (_first_call(folder) for _ in range(2))
    table.append(Row("processor time of the first auc, nothing compiled yet", "one second", cold, "<= 3"))
    table.append(Row("processor time of the first auc, compiled before", "one second", warm, "<= 0.3"))
    return table


def _first_call(folder: str) -> float:
    environment = os.environ | {"NUMBA_CACHE_DIR": folder}
    return float(
        subprocess.run([sys.executable, "-c", FIRST_CALL], check=True, capture_output=True, env=environment).stdout
    )
