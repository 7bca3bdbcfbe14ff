"""Systems that run exported models: DuckDB, SQLite, PostgreSQL and ONNX Runtime, each skipped where it is absent.

And the shortest exporter there can be, to NumPy: what an expression says, operation by operation.
"""

from __future__ import annotations

import glob
import os
import shutil
import sqlite3
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from podium.workflow.exports.expressions import expanded, in_order

_OPERATIONS = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "<=": np.less_equal,
    ">": np.greater,
    "floor": np.floor,
    "ln": np.log,
    "cos": np.cos,
    "sin": np.sin,
    "missing": np.isnan,
    "where": np.where,
    "and": np.logical_and,
    "or": np.logical_or,
    "sum": lambda *terms: sum(terms),
    "median": lambda *terms: np.median(np.broadcast_arrays(*terms), axis=0),
    "single": lambda x: np.float64(np.float32(x)),
}


def by_numpy(score, frame):
    values = {}

    def result(one):
        match one.operator:
            case "constant":
                return one.value
            case "column":
                column = frame[one.value[0]]
                seconds = (column - pd.Timestamp("1970-01-01")).dt.total_seconds() if one.value[1] == "date" else column
                found = np.floor(seconds) if one.value[1] == "date" else seconds.to_numpy(float)
                return np.where(np.isinf(found), np.nan, found)
            case "lookup":
                name, categories, numbers, absent = one.value
                table = dict(zip(categories, numbers, strict=False))
                return np.array([absent if pd.isna(value) else table.get(value, numbers[-1]) for value in frame[name]])
            case "forest" | "interpolate":
                return by_numpy_from(expanded(one))
        return _OPERATIONS[one.operator](*(values[id(part)] for part in one.parts))

    def by_numpy_from(root):
        for one in in_order(root):
            if id(one) not in values:
                values[id(one)] = result(one)
                alive.append(one)
        return values[id(root)]

    alive = []
    with np.errstate(invalid="ignore", divide="ignore"):
        return by_numpy_from(score) + np.zeros(len(frame))


def by_duckdb(statement, frame):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as base:
        base.register("new_rows", frame)
        return base.execute(statement).df()


def by_sqlite(statement, frame):
    with sqlite3.connect(":memory:") as base:
        try:
            base.execute("SELECT LN(2), SIN(1), FLOOR(1)")
        except sqlite3.OperationalError:
            pytest.skip("this SQLite was built without mathematical functions")
        frame.to_sql("new_rows", base, index=False)
        return pd.read_sql_query(statement, base)


def by_onnx(content, frame):
    """Text that is missing is empty, and dates are seconds since 1970."""
    session = pytest.importorskip("onnxruntime").InferenceSession(content)
    columns = {}
    for one in session.get_inputs():
        column = frame[one.name]
        if one.type == "tensor(string)":
            columns[one.name] = column.fillna("").to_numpy(object)[:, None]
            continue
        if column.dtype.kind == "M":
            column = (column - pd.Timestamp("1970-01-01")).dt.total_seconds()
        columns[one.name] = column.to_numpy(float)[:, None]
    (output,) = session.get_outputs()
    return pd.DataFrame(session.run(None, columns)[0], columns=[output.name])


_TYPES = {"M": "TIMESTAMP", "b": "BOOLEAN", "i": "BIGINT", "f": "DOUBLE PRECISION"}


def by_postgres(connection, statement, frame):
    """The rows in a temporary table, whose columns have the types of their values."""
    quoted = ['"' + name.replace('"', '""') + '"' for name in frame]
    types = [_TYPES.get(column.dtype.kind, "TEXT") for _, column in frame.items()]
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS new_rows")
        columns = ", ".join(f"{name} {kind}" for name, kind in zip(quoted, types, strict=True))
        cursor.execute(f"CREATE TEMPORARY TABLE new_rows ({columns})")
        with cursor.copy("COPY new_rows FROM STDIN") as copy:
            for row in frame.itertuples(index=False, name=None):
                # NaN is a number there, and a missing one NULL: floats come as they are
                copy.write_row([None if value is None or value is pd.NaT else value for value in row])
        cursor.execute(statement.encode())
        names = [column.name for column in cursor.description]
        return pd.DataFrame(cursor.fetchall(), columns=names)


@contextmanager
def postgres():
    """A connection to a PostgreSQL of our own, on a socket in a temporary folder, that ends with the test."""
    psycopg = pytest.importorskip("psycopg", reason="tests in PostgreSQL need psycopg (make test-postgres)")
    found = shutil.which("initdb") or max(glob.glob("/usr/lib/postgresql/*/bin/initdb"), default=None)
    if found is None:
        pytest.skip("tests in PostgreSQL need its server (Debian: apt-get install postgresql)")
    programs = Path(found).resolve().parent
    user = {"user": "nobody"} if os.geteuid() == 0 else {}  # as root it does not start
    folder = Path(tempfile.mkdtemp(prefix="podium-"))
    try:
        if user:
            shutil.chown(folder, "nobody")

        def run(program, *options):
            arguments = [programs / program, "-D", folder / "data", *options]
            subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, cwd=folder, **user)

        run("initdb", "-U", "podium", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        settings = f"-k {folder} -c listen_addresses='' -c fsync=off -c TimeZone=UTC"
        run("pg_ctl", "-w", "-s", "-l", folder / "log", "-o", settings, "start")
        try:
            with psycopg.connect(host=str(folder), user="podium", dbname="postgres", autocommit=True) as connection:
                yield connection
        finally:
            run("pg_ctl", "-w", "-s", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
