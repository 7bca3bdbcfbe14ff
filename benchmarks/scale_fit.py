"""Fits to files larger than the memory allowed: ``make bench-scale``, or ``python benchmarks/scale_fit.py --rows N``.

Tables of ten columns in single precision are written to a folder, as Parquet (about 45 bytes a row) and as CSV (about
100). Each case runs in a process of its own and prints its time on the clock and its memory at the peak above that of
the libraries; passes over the blocks are set against reading the columns of the Parquet file.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.dataset as arrow_dataset
import pyarrow.parquet as parquet
from machine import processor
from scale import BATCH, COLUMNS, WEIGHTS, peak, write_table

from podium import LinearRanker, workflow
from podium._types import Sample
from podium.criteria import RankStatistic
from podium.distributed.rows import PartitionedData

WORKED_ON = (4_000_000, 20_000_000)  # rows
PARTITION = 1_000_000  # rows, 80 MB
AS_A_COMMAND = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_MMAP_THRESHOLD_": "131072"}  # see podium.cli.memory
MEMORY = float(os.environ.get("PODIUM_MEMORY", "2e9"))


def write_csv(path: Path, n_rows: int) -> None:
    """The same kind of rows, with a column of words."""
    rng = np.random.default_rng(1)
    writer = None
    for start in range(0, n_rows, BATCH):
        n = min(BATCH, n_rows - start)
        X = rng.standard_normal((n, 10), dtype=np.float32)
        risk = X @ WEIGHTS + rng.standard_normal(n, dtype=np.float32)
        words = pa.array(["a", "b", "c", "d"]).take(pa.array(rng.integers(0, 4, n)))
        columns = {"late": pa.array((risk > 1).astype(np.int8)), "shop": words}
        columns |= {name: pa.array(np.round(column, 5)) for name, column in zip(COLUMNS, X.T, strict=True)}
        table = pa.table(columns)
        writer = writer or arrow_csv.CSVWriter(path, table.schema)
        writer.write(table)
    assert writer is not None
    writer.close()


def seconds_to_read(path: Path) -> float:
    begun = time.perf_counter()
    file = parquet.ParquetFile(path)
    for group in range(file.num_row_groups):  # Arrow holds what it has read of all it was asked for
        for batch in file.iter_batches(BATCH, row_groups=[group], columns=["y", *COLUMNS], use_threads=False):
            for name in COLUMNS:
                batch.column(name).to_numpy(zero_copy_only=False)
    return time.perf_counter() - begun


def linear(path: Path) -> str:
    """``workflow.fit`` of a line, whose evaluations are timed."""
    spent: list[float] = []
    evaluate = PartitionedData.value_and_gradient

    def timed(*arguments):
        begun = time.perf_counter()
        found = evaluate(*arguments)
        spent.append(time.perf_counter() - begun)
        return found

    PartitionedData.value_and_gradient = timed
    steps: list[tuple[str, float]] = []
    seconds_to_read(path)
    reading = seconds_to_read(path)
    result = workflow.fit(
        path,
        label="y",
        exclude=["rare", "score"],
        model="linear",
        memory=MEMORY,
        refit=False,
        on_step=lambda step: steps.append((step, time.perf_counter())),
    )
    steps.append(("", time.perf_counter()))
    stages = "; ".join(f"{name} {end - at:.0f} s" for (name, at), (_, end) in pairwise(steps))
    passes = f"{len(spent)} evaluations of {np.mean(spent):.1f} s, each two passes over the blocks and rounds between"
    ratio = np.mean(spent) / 2 / reading
    of_all = result.metrics.get("all_held_out")
    return f"reading {reading:.1f} s; {passes}: {ratio:.1f} × reading a pass; {stages}; {of_all}"


def csv(path: Path) -> str:
    """``workflow.fit`` among all models for blocks."""
    begun = time.perf_counter()
    steps: list[tuple[str, float]] = []
    result = workflow.fit(
        path, label="late", memory=MEMORY, on_step=lambda step: steps.append((step, time.perf_counter()))
    )
    steps.append(("", time.perf_counter()))
    stages = "; ".join(f"{name} {end - at:.0f} s" for (name, at), (_, end) in pairwise(steps))
    spent = time.perf_counter() - begun
    return f"{spent:.0f} s: {stages}; {result.metrics['validation']}; {result.metrics.get('all_held_out')}"


def workers(path: Path) -> str:
    """The same fit to rows in one array, and to persisted rows on one and on two workers of Dask; the best of three."""
    said = [f"{n_rows:,} rows: {_on_workers(n_rows)}" for n_rows in WORKED_ON]
    alone, together = (_slowest_of(n) for n in (1, 2))
    return "; ".join([*said, f"two processes that share nothing do {2 * alone / together:.2f} × the work of one"])


def files(path: Path) -> str:
    """A fit to a Parquet file that one and two workers of Dask read themselves, reading and all; the best of three."""
    from distributed import Client, LocalCluster

    plain = path.with_name("plain")  # without the columns that are not learned from
    arrow_dataset.write_dataset(
        arrow_dataset.dataset(path).scanner(columns=["y", *COLUMNS]),
        plain,
        format="parquet",
        max_rows_per_file=BATCH * 8,
    )
    rows = arrow_dataset.dataset(plain)
    times = []
    for n_workers in (1, 2):
        with (
            LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None, memory_limit=0) as cluster,
            Client(cluster),
        ):
            times.append(min(_seconds_of_fits(rows, "y")))
    n_rows = rows.count_rows()
    shutil.rmtree(plain)
    alone, together = (_slowest_of(n) for n in (1, 2))
    return (
        f"{n_rows:,} rows: one worker {times[0]:.2f} s, two {times[1]:.2f} s, {times[0] / times[1]:.2f} × as "
        f"fast; two processes that share nothing do {2 * alone / together:.2f} × the work of one"
    )


def _slowest_of(n_processes: int) -> float:
    """Seconds for evaluations of 10 million rows, in so many processes at once: what the machine can do."""
    context = get_context("spawn")
    begin, spent = context.Barrier(n_processes), context.Queue()
    processes = [context.Process(target=_evaluate, args=(begin, spent)) for _ in range(n_processes)]
    for process in processes:
        process.start()
    times = [spent.get() for _ in processes]
    for process in processes:
        process.join()
    return max(times)


def _evaluate(begin: Any, spent: Any) -> None:
    X = np.random.default_rng(0).standard_normal((10**7, 10))
    y, criterion = X @ WEIGHTS > 1, RankStatistic("power:3")
    for is_timed in (False, True):  # loops are compiled before
        begin.wait()
        begun = time.perf_counter()
        for _ in range(4):
            X.T @ criterion.evaluate(Sample(X @ WEIGHTS, y))[1]
        if is_timed:
            spent.put(time.perf_counter() - begun)


def _on_workers(n_rows: int) -> str:
    import dask.array as da

    from distributed import Client, LocalCluster, wait

    times: dict[int, list[float]] = {0: [], 1: [], 2: []}
    X = np.random.default_rng(0).standard_normal((n_rows, 10))
    times[0] = _seconds_of_fits(X, X @ WEIGHTS > 1)
    del X
    for n_workers in (1, 2):
        with (
            LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None, memory_limit=0) as cluster,
            Client(cluster),
        ):
            X = da.random.default_rng(0).standard_normal((n_rows, 10), chunks=(PARTITION, 10)).persist()
            y = (X @ WEIGHTS > 1).persist()
            wait([X, y])
            times[n_workers] = _seconds_of_fits(X, y)
    memory, one, two = (min(each) for each in times.values())
    return (
        f"in one array {memory:.2f} s, one worker {one:.2f} s ({one / memory:.2f} × that), two {two:.2f} s "
        f"({two / memory:.2f} × that, {one / two:.2f} × as fast as one)"
    )


def _seconds_of_fits(X: Any, y: Any) -> list[float]:
    """Of three, after one that compiles loops and moves partitions."""
    spent = []
    for _ in range(4):
        begun = time.perf_counter()
        LinearRanker("power:3").fit(X, y)
        spent.append(time.perf_counter() - begun)
    return spent[1:]


CASES = {
    "line, Parquet": (linear, "parquet"),
    "all models, CSV": (csv, "csv"),
    "workers": (workers, "small"),
    "workers that read": (files, "shared"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10**8)
    parser.add_argument("--csv-rows", type=int, default=6 * 10**7)
    parser.add_argument("--worker-rows", type=int, default=2 * 10**7)
    parser.add_argument("--cases", nargs="*", default=list(CASES))
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--case", nargs=2, metavar=("NAME", "PATH"))
    options = parser.parse_args()
    if options.case:
        name, path = options.case
        before = peak()
        said = CASES[name][0](Path(path))
        load = os.getloadavg()[0]
        print(f"{name}: {(peak() - before) / 1e9:.2f} GB above the libraries; load {load:.1f}; {said}", flush=True)
        return
    print(f"{processor()}; {options.rows:,} rows of Parquet, {options.csv_rows:,} of CSV", flush=True)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for name in options.cases:
            kind = CASES[name][1]
            path = Path(folder) / ("table.csv" if kind == "csv" else f"{kind}.parquet")
            if kind == "csv":
                write_csv(path, options.csv_rows)
            else:
                write_table(path, {"parquet": options.rows, "shared": options.worker_rows}.get(kind, 1000))
            print(f"a file of {path.stat().st_size / 1e9:.2f} GB", flush=True)
            command = [sys.executable, __file__, "--case", name, str(path)]
            subprocess.run(command, check=False, env={**os.environ, **AS_A_COMMAND, "TMPDIR": folder})
            path.unlink()


if __name__ == "__main__":
    main()
