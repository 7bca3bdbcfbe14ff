"""Lists and tables larger than memory: ``make bench-scale``, or ``python benchmarks/scale.py --rows 100000000``.

A table of labels, scores and ten columns is written to a temporary folder (about 50 bytes a row). Each case runs in a
process of its own, reads it by pyarrow, and prints its processor time against that of reading the same columns alone,
measured in the same process just before (on Dask: the time on the clock), and its memory at the peak above reading.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
from machine import processor

from podium import rounds
from podium._types import Sample
from podium.criteria import RankStatistic
from podium.phi import Mww

BATCH = 1 << 20
COLUMNS = [f"x{j}" for j in range(10)]
WEIGHTS = np.linspace(1, -0.5, 10).astype(np.float32)


def write_table(path: Path, n_rows: int) -> None:
    """Half of the rows are positive by ``y``, one in a hundred by ``rare``."""
    rng = np.random.default_rng(0)
    writer = None
    for start in range(0, n_rows, BATCH):
        n = min(BATCH, n_rows - start)
        X = rng.standard_normal((n, 10), dtype=np.float32)
        risk = X @ WEIGHTS + rng.standard_normal(n, dtype=np.float32)
        score = X @ WEIGHTS + 0.5 * rng.standard_normal(n, dtype=np.float32)
        columns = {"y": risk > 0, "rare": risk > 4.5, "score": score, **dict(zip(COLUMNS, X.T, strict=True))}
        batch = pa.record_batch({name: pa.array(column) for name, column in columns.items()})
        writer = writer or parquet.ParquetWriter(path, batch.schema, compression="none", use_dictionary=False)
        writer.write_batch(batch, row_group_size=BATCH)
    assert writer is not None
    writer.close()


def batches(path: Path, names: list[str]) -> Iterator[list[np.ndarray]]:
    for batch in parquet.ParquetFile(path).iter_batches(BATCH, columns=names, use_threads=False):
        yield [batch.column(name).to_numpy(zero_copy_only=False) for name in names]


def seconds_to_read(path: Path, names: list[str]) -> float:
    begun = time.process_time()
    for _ in batches(path, names):
        pass
    return time.process_time() - begun


def count(path: Path, label: str, bytes_per_row: float) -> str:
    """The exact AUC, or one with a bound."""
    memory = bytes_per_row * parquet.ParquetFile(path).metadata.num_rows
    n_passes = 0

    def chunks_of_a_pass() -> Iterator[list[np.ndarray]]:
        nonlocal n_passes
        n_passes += 1
        yield from batches(path, [label, "score"])

    counted = rounds.count_list(chunks_of_a_pass, memory=memory)
    return f"AUC {counted.auc():.10f}, wrong by {counted.max_error:.1g} at most, {n_passes} passes"


def gradient(path: Path, bandwidth: float = 0.1) -> str:
    """One evaluation of a criterion and its gradient in ten weights: a pass for each of its rounds, and a last one."""
    n_passes = 0

    def samples() -> Iterator[tuple[np.ndarray, Sample]]:
        nonlocal n_passes
        n_passes += 1
        for y, *columns in batches(path, ["y", *COLUMNS]):
            X = np.stack(columns, axis=1)
            yield X, Sample((X @ WEIGHTS).astype(np.float64), y)

    value, slope = over_passes(RankStatistic(Mww(), bandwidth=bandwidth), samples)
    return f"value {value:.8f}, |gradient| {np.linalg.norm(slope):.3g}, {n_passes} passes"


def over_passes(criterion: RankStatistic, samples: Callable[[], Iterator[tuple[np.ndarray, Sample]]]) -> tuple:
    """Value and gradient; what a chunk keeps from round to round is not held but made again, as steps may be."""
    steps: list = []

    def take(step: Any) -> Any:
        steps.append(step)
        return reduce(add, (replayed(steps, rows)[0] for _, rows in numbered(samples())))

    finished = rounds.run(criterion.rounds(), take)
    slope = np.zeros(len(WEIGHTS))
    for X, rows in numbered(samples()):
        slope += X.T @ finished.gradient(rows, replayed(steps, rows)[1])
    return finished.value, slope


def numbered(parts: Iterator[tuple[np.ndarray, Sample]]) -> Iterator[tuple[np.ndarray, Sample]]:
    first = 0
    for X, rows in parts:
        yield X, replace(rows, first=first)
        first += len(rows.scores)


def replayed(steps: list, rows: Sample) -> tuple:
    summary = kept = None
    for step in steps:
        summary, kept = step(rows, kept)
    return summary, kept


def on_dask(path: Path) -> str:
    """On a cluster of two processes, from the file."""
    import dask.dataframe as dd

    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0) as cluster,
        Client(cluster),
    ):
        table = dd.read_parquet(path, columns=["y", "score"], split_row_groups=4)
        begun = time.perf_counter()
        n_rows = int(table["score"].count().compute() + table["y"].count().compute()) // 2
        read = time.perf_counter() - begun
        begun = time.perf_counter()
        counted = rounds.count_list(table["y"], table["score"], memory=6e9)
        spent = time.perf_counter() - begun
    return (
        f"AUC {counted.auc():.10f} of {n_rows:,} rows, wrong by {counted.max_error:.1g} at most, "
        f"{spent:.1f} s, {spent / read:.1f} × reading and counting rows there"
    )


CASES: dict[str, tuple[list[str], Callable[[Path], str]]] = {
    "AUC, half positive, 60 bytes a row": (["y", "score"], partial(count, label="y", bytes_per_row=60)),
    "AUC, half positive, 10 bytes a row": (["y", "score"], partial(count, label="y", bytes_per_row=10)),
    "AUC, few positive, 10 bytes a row": (["rare", "score"], partial(count, label="rare", bytes_per_row=10)),
    "criterion and gradient, 10 columns": (["y", *COLUMNS], gradient),
    "exact AUC on two workers of Dask": (["y", "score"], on_dask),
}


def peak() -> float:
    """Of this process, in bytes."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return 1024 * float(line.split()[1])


def run_case(name: str, path: Path) -> None:
    columns, case = CASES[name]
    few = [np.arange(30_000) % 2 == 1, np.random.default_rng(0).random(30_000)]
    for memory in (1e9, 1e6):
        rounds.count_list(lambda: [few], memory=memory)  # compiled before the clock starts
    seconds_to_read(path, columns)  # once, so that both are read from the same cache
    before, reading = peak(), seconds_to_read(path, columns)
    begun = time.process_time()
    said = case(path)
    spent = time.process_time() - begun
    print(f"{name}: {spent:.1f} s, {spent / reading:.1f} × reading ({reading:.1f} s); ", end="")
    print(f"{(peak() - before) / 1e9:.2f} GB above reading; {said}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10**8)
    parser.add_argument("--case", nargs=2, metavar=("NAME", "PATH"))
    options = parser.parse_args()
    if options.case:
        run_case(options.case[0], Path(options.case[1]))
        return
    print(f"{processor()}; {options.rows:,} rows", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        write_table(path, options.rows)
        print(f"a file of {path.stat().st_size / 1e9:.2f} GB", flush=True)
        for name in CASES:
            subprocess.run([sys.executable, __file__, "--case", name, str(path)], check=False)


if __name__ == "__main__":
    main()
