"""Tables that are not in memory, LazyFrames of polars and datasets of Arrow: read in blocks, or a sentence why not.

Blocks of double numbers lie in a folder, or with the workers of the current Dask client, and a fit goes over these.
Of a Parquet dataset, workers read their parts of the files themselves.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from podium import _optional
from podium._input import kind_of_lazy
from podium._types import Array, FloatArray
from podium.distributed.blocks import BLOCK_VALUES, Loop, engine
from podium.distributed.boosting import boost, boost_files, check_options, rows_apart
from podium.distributed.cluster import Cluster
from podium.distributed.door import Collection, Facts, check_partition, open_door
from podium.distributed.fit import check_kind, check_ranker, fit_collection
from podium.exceptions import InputError, InputTypeError
from podium.rankers.base import Ranker
from podium.rankers.trees.gradient_boosted import GradientBoostedRanker
from podium.tables.files.source import memory_to_use
from podium.tables.table import require_names

_USER = "A table that is not in memory"
_BATCH = 1 << 17  # rows that Arrow reads at a time, at most
_RECIPES = {
    "polars": "X.collect() takes it into memory.",
    "pyarrow": "X.to_table() takes it into memory.",
    "pyspark": "X.write.parquet('rows') once, and pass pyarrow.dataset.dataset('rows'), which is read in blocks.",
}


def fit(ranker: Ranker, X: Any, y: Any, sample_weight: Any = None, **more: Any) -> Ranker:
    """Fit to all rows, which are read once; what is learned is what rows in memory give.

    Parameters
    ----------
    ranker : LinearRanker, QuadraticRanker or GradientBoostedRanker
        The ranker, whose ``fit`` hands lazy tables to this function.
    X : LazyFrame or Arrow dataset
        The rows.
    y, sample_weight : str or array-like
        Names of columns of X, or one value per row.
    **more : object
        What else ``fit`` takes; none of it is known of lazy tables.
    """
    _refuse_spark(X)
    check_kind(ranker, f"{type(X).__name__}s", _RECIPES[kind_of_lazy(X) or ""], more)
    with TemporaryDirectory(prefix="podium-") as folder, _as_dataset(X, Path(folder)) as (dataset, is_shared):
        memory = memory_to_use(None)
        cluster = engine(Path(folder), memory / 3)
        roles = _Roles(dataset.schema, y, sample_weight)
        rules, grow = ranker._input_rules(), boost
        if not isinstance(cluster, Loop):
            check_ranker(ranker)
            pieces = roles.pieces(dataset) if is_shared else None
            if pieces is None:
                collection = _read_here(cluster, dataset, roles, rules)
            else:
                collection = _read_there(cluster, pieces, roles, rules)
        else:
            _check_trees(ranker)
            collection = _read_here(cluster, dataset, roles, rules)
            apart = rows_apart(sum(facts.n_rows for facts in collection.facts), len(roles.names), memory / 2)
            grow = partial(boost_files, apart=apart)
            if apart > 1 and isinstance(ranker, GradientBoostedRanker):
                warnings.warn(f"Trees are grown from one of {apart} rows: all would exceed the memory.", stacklevel=4)
        fit_collection(ranker, collection, grow)
    ranker.feature_names_in_ = np.array(roles.names, dtype=object)
    return ranker


def decision_function(ranker: Ranker, X: Any) -> FloatArray:
    """The score of every row, in their order."""
    return _in_blocks(ranker, "decision_function", X)


def predict(ranker: Ranker, X: Any) -> Array:
    """The label of every row, in their order."""
    return _in_blocks(ranker, "predict", X)


def predict_proba(ranker: Ranker, X: Any) -> FloatArray:
    """The probabilities of every row, in their order."""
    return _in_blocks(ranker, "predict_proba", X)


def _in_blocks(ranker: Ranker, method: str, X: Any) -> Array:
    """What a method gives for every row, of the columns that the ranker was fitted to, found by their names."""
    check_is_fitted(ranker)
    _refuse_spark(X)
    with TemporaryDirectory(prefix="podium-") as folder, _as_dataset(X, Path(folder)) as (dataset, _):
        names = list(getattr(ranker, "feature_names_in_", dataset.schema.names))
        require_names(dataset.schema.names, names, "column")
        blocks = [getattr(ranker, method)(table.to_pandas(ignore_metadata=True)) for table in _blocks(dataset, names)]
    if not blocks:
        raise InputError(f"{type(ranker).__name__} needs rows to score; the table has none.")
    return np.concatenate(blocks)


def _refuse_spark(X: Any) -> None:
    if kind_of_lazy(X) == "pyspark":
        raise InputTypeError("A Spark frame is not read by a ranker.", _RECIPES["pyspark"])


def _check_trees(ranker: Any) -> None:
    if not isinstance(ranker, GradientBoostedRanker):
        check_ranker(ranker)
    elif ranker.backend != "lightgbm":
        raise InputError(
            f"Trees of a table that is not in memory are grown by LightGBM; got backend={ranker.backend!r}.",
            "pass backend='lightgbm', or start a Dask client, whose workers grow trees by XGBoost.",
        )
    else:
        check_options(ranker, "tables that are not in memory")


@contextmanager
def _as_dataset(X: Any, folder: Path) -> Iterator[tuple[Any, bool]]:
    """The table as a dataset of Arrow, and whether others can open its files, too."""
    arrow_dataset = _optional.load("pyarrow.dataset", _USER)
    if kind_of_lazy(X) == "pyarrow":
        yield X, True
        return
    path = folder / "rows.parquet"
    X.sink_parquet(path)  # by the streaming engine: nowhere are all rows in memory
    yield arrow_dataset.dataset(path), False


class _Roles:
    """Which columns of a table are features, labels and weights."""

    def __init__(self, schema: Any, y: Any, weight: Any) -> None:
        self.schema = schema
        self.aside = [name for name in (y, weight) if isinstance(name, str)]
        require_names(schema.names, self.aside, "column")
        index = (schema.pandas_metadata or {}).get("index_columns", ())  # that pandas wrote beside the columns
        self.names = [name for name in schema.names if name not in (*self.aside, *index)]
        self._given = [None if each is None or isinstance(each, str) else _one_column(each) for each in (y, weight)]
        self._columns = [each if isinstance(each, str) else None for each in (y, weight)]

    def columns_of(self, table: Any, first: int) -> tuple[Any, Any, Any]:
        """Features, labels and weights of the rows of a block, the first of which has this number."""
        frame = table.to_pandas(ignore_metadata=True)
        y, weight = (
            frame[name].to_numpy() if name is not None else None if given is None else given[first : first + len(frame)]
            for name, given in zip(self._columns, self._given, strict=True)
        )
        return frame[self.names], y, weight

    def check_length(self, n_rows: int) -> None:
        """Refuse labels and weights that are not one per row."""
        for what, given in zip(("y", "sample_weight"), self._given, strict=True):
            if given is not None and len(given) != n_rows:
                raise InputError(f"{what} must have one entry per row; got {len(given)} for {n_rows} rows.")

    def pieces(self, dataset: Any) -> list[list[Any]] | None:
        """Row groups of Parquet files in parts of about a block each; None where rows are not known by their files."""
        if any(given is not None for given in self._given):
            return None
        try:
            fragments = list(dataset.get_fragments())
        except ValueError:  # of a dataset with a filter
            return None
        if not all(hasattr(fragment, "split_by_row_group") for fragment in fragments):
            return None
        groups = [group for fragment in fragments for group in fragment.split_by_row_group()]
        sizes = [sum(each.num_rows for each in group.row_groups) for group in groups]
        most = max(1, BLOCK_VALUES // len(self.names))
        numbers = (np.cumsum(sizes) - sizes) // most
        return [[groups[i] for i in np.flatnonzero(numbers == k)] for k in np.unique(numbers)]


def _read_here(cluster: Cluster, dataset: Any, roles: _Roles, rules: dict[str, Any]) -> Collection:
    """Read, check and store one block after the other, in this process."""
    rows, labels, facts, first = [], [], list[Facts](), 0
    for table in _blocks(dataset, [*roles.names, *roles.aside]):
        X, y, weight = roles.columns_of(table, first)
        found, checked = check_partition(X, y, weight, rules=rules)
        if found.fault is not None:
            raise InputError(f"Rows {first:,} to {first + len(X) - 1:,} (the first is 0): {found.fault}")
        first += len(X)
        if found.n_rows:
            rows.append(cluster.store_rows(np.ascontiguousarray(X.to_numpy(dtype=np.float64))))
            labels.append(cluster.store(checked))
            facts.append(found)
    roles.check_length(first)
    return Collection(
        cluster=cluster, tasks=[], futures=rows, labels=labels, facts=facts, numbers=list(range(len(rows)))
    )


def _read_there(cluster: Cluster, pieces: Sequence[Any], roles: _Roles, rules: dict[str, Any]) -> Collection:
    """Every worker reads parts of the files, and keeps their rows."""
    dask, da = (_optional.load(name, "a fit on Dask collections") for name in ("dask", "dask.array"))
    read = dask.delayed(_read_piece, pure=False)
    parts = cluster.client.persist([read(piece, roles) for piece in pieces])
    width = len(roles.names)
    columns = [
        da.concatenate([da.from_delayed(part[i], (np.nan, *shape), np.float64) for part in parts])
        for i, shape in enumerate([(width,), *[()] * len(roles.aside)])
    ]
    X, y, weight = [*columns, None][:3]
    return open_door(cluster, cluster.client.persist(X), y, weight, rules)


def _read_piece(piece: Sequence[Any], roles: _Roles) -> list[Any]:
    """On a worker: features, labels and weights of some row groups."""
    arrow = _optional.load("pyarrow", _USER)
    names = [*roles.names, *roles.aside]
    table = arrow.concat_tables([group.to_table(schema=roles.schema, columns=names) for group in piece])
    X, *others = roles.columns_of(table, 0)
    is_plain = all(kind.kind in "biuf" for kind in X.dtypes)  # else the column is named where it is refused
    return [np.ascontiguousarray(X, dtype=np.float64) if is_plain else X, *others]


def _blocks(dataset: Any, names: Sequence[str]) -> Iterator[Any]:
    """The table in blocks that are large enough for a pass and small enough for the memory."""
    arrow = _optional.load("pyarrow", _USER)
    most, waiting, n_rows = max(1, BLOCK_VALUES // len(names)), [], 0
    size = min(most, _BATCH)
    for batch in dataset.to_batches(columns=list(names), batch_size=size, batch_readahead=2, fragment_readahead=1):
        waiting.append(batch)
        n_rows += batch.num_rows
        if n_rows >= most:
            yield arrow.Table.from_batches(waiting)
            waiting, n_rows = [], 0
    if n_rows:
        yield arrow.Table.from_batches(waiting)


def _one_column(values: Any) -> Array:
    """Labels or weights that came apart from the rows: an array, or a lazy table of one column."""
    kind = kind_of_lazy(values)
    if kind == "polars":
        values = values.collect()
    elif kind == "pyarrow":
        values = values.to_table().to_pandas()
    array = np.asarray(values)
    return array.ravel() if array.ndim == 2 and array.shape[1] == 1 else array
