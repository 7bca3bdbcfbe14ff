"""``podium fit`` on a cluster of two processes: what one process makes of the same blocks."""

import json

import numpy as np
import pandas as pd
import pytest

from podium import persist, workflow
from podium.distributed import blocks
from podium.distributed.blocks import Loop
from podium.distributed.cluster import Cluster
from podium.tables import chunks
from podium.tables.files import read
from podium.tables.files.source import FILE_TYPES
from podium.tables.formats.number import NumberFormat
from podium.tables.formats.text import TextFormat
from podium.workflow.streaming import prepare, rest, sample

N = 3000
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3)).round(1)
FRAME = pd.DataFrame(X, columns=list("abc")).assign(y=(X @ [1, -0.5, 0.2] + RNG.normal(size=N) > 0.7).astype(int))


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A table of which a sample of 600 rows is looked at, the rest in blocks."""
    for kind in FILE_TYPES:
        monkeypatch.setattr(kind, "expansion", 100)
    monkeypatch.setattr(sample, "_FEWEST", 600)
    monkeypatch.setattr(sample, "_SHARE", 0)
    monkeypatch.setattr(blocks, "BLOCK_VALUES", 1000)
    FRAME.to_csv(tmp_path / "big.csv", index=False)
    return tmp_path / "big.csv"


def test_a_client_that_is_there_trains_as_this_process_does(client, path, monkeypatch):
    options = {"label": "y", "model": "linear", "memory": 1e6, "refit": False}
    on_workers = workflow.fit(path, **options)
    monkeypatch.setattr(prepare, "engine", Loop)
    here = workflow.fit(path, **options)
    coef = here.model.ranker.coef_
    np.testing.assert_allclose(on_workers.model.ranker.coef_, coef, atol=1e-6 * np.abs(coef).max())
    assert on_workers.metrics["all_held_out"] == pytest.approx(here.metrics["all_held_out"], abs=1e-6)
    trees = workflow.fit(path, **options | {"model": "trees"})  # here by LightGBM
    assert not any("XGBoost" in note for note in trees.notes)


@pytest.fixture
def folder(path, tmp_path):
    """The same table as Parquet files of several row groups, with a column of words, and one that folders stand for."""
    frame = FRAME.assign(shop=np.where(X[:, 0] > 0, "north", "south"), home=np.arange(N) // 3)
    for number, part in enumerate(np.array_split(np.arange(N), 3)):
        place = tmp_path / "rows" / f"year={2020 + number}"
        place.mkdir(parents=True)
        frame.iloc[part].to_parquet(place / "part.parquet", row_group_size=150, index=False)
    return tmp_path / "rows"


@pytest.mark.parametrize(
    "role",
    [
        {},
        pytest.param({"group": "home"}, marks=pytest.mark.slow),
        pytest.param({"time": "home", "exclude": ["year"]}, marks=pytest.mark.slow),
    ],
)
def test_workers_read_the_files_themselves(client, folder, role, monkeypatch):
    options = {"label": "y", "model": "linear", "memory": 1e6} | role
    monkeypatch.setattr(rest, "BLOCK_VALUES", 1500)  # several shares a file
    with monkeypatch.context() as patch:
        patch.setattr(rest, "_require_space", None)  # which comes before this process reads
        there = workflow.fit(folder, **options)
    monkeypatch.setattr(Cluster, "sees", lambda *_: False)  # a cluster of other machines
    handed_over = workflow.fit(folder, **options)
    monkeypatch.setattr(prepare, "engine", Loop)
    here = workflow.fit(folder, **options)
    coef = here.model.ranker.coef_
    for found in (there, handed_over):
        np.testing.assert_allclose(found.model.ranker.coef_, coef, atol=1e-6 * np.abs(coef).max())
        assert found.metrics["all_held_out"] == pytest.approx(here.metrics["all_held_out"], abs=1e-6)


def test_shares_are_the_table_in_order(folder):
    number = {"a": NumberFormat(), "year": NumberFormat()}
    shares = read.shares_of(folder, number | {"shop": TextFormat()}, 400)
    assert [(share.file, share.groups, share.n_before) for share in shares[:3]] == [
        (0, range(3), 0),
        (0, range(3, 6), 450),
        (0, range(6, 7), 900),
    ]
    pieces = [[table.frame["a"] for table in chunks(folder, number, share=share)] for share in shares]
    values = [np.concatenate(each) for each in pieces]
    assert [share.first for share in shares] == np.cumsum([0, *map(len, values)])[:-1].tolist()
    np.testing.assert_array_equal(np.concatenate(values), X[:, 0])
    assert read.shares_of(folder, {"shop": NumberFormat()}, 400) is None  # words decide how they are read
    FRAME.to_csv(folder / "year=2022" / "part.csv")
    assert read.shares_of(folder, number, 400) is None


@pytest.fixture(params=["processes", "threads"])
def either_client(request):
    """Workers that are processes, or threads, which see the memory of this one."""
    if request.param == "processes":
        yield request.getfixturevalue("client")
        return
    distributed = pytest.importorskip("dask") and pytest.importorskip("distributed")
    with distributed.Client(processes=False, dashboard_address=":0", set_as_default=False) as threads:
        yield threads


@pytest.mark.parametrize("weight", [None, RNG.random(N)])
def test_workers_hold_the_rows_that_were_handed_over_whatever_came_after_them(either_client, weight, monkeypatch):
    client = either_client
    monkeypatch.setattr(blocks, "BLOCK_VALUES", 300)  # a block has 100 rows of three columns
    writer = blocks.BlockWriter(Cluster(client), 3)
    is_positive = FRAME["y"].to_numpy() == 1
    places = np.flatnonzero(np.arange(N) % 5 > 0)
    room = np.empty((250, 3), np.float32)
    for start in range(0, N, 250):  # one piece of memory for all of them, as in a pass over a file
        room[:] = X[start : start + 250]
        here = places[(places >= start) & (places < start + 250)] - start
        some = None if weight is None else weight[start : start + 250]
        writer.add(room, here, is_positive[start : start + 250], some)
    writer.close()
    assert [len(block.is_positive) for block in writer.blocks] == [100] * 24
    np.testing.assert_array_equal(
        np.concatenate(client.gather([block.rows for block in writer.blocks])), X[places].astype(np.float32)
    )
    np.testing.assert_array_equal(np.concatenate([block.is_positive for block in writer.blocks]), is_positive[places])
    weights = [block.weight for block in writer.blocks]
    np.testing.assert_array_equal(*((weights, [None] * 24) if weight is None else (np.hstack(weights), weight[places])))


@pytest.mark.parametrize("role", ["weight", "group", "time"])
def test_a_client_counts_weights_units_and_times_as_this_process_does(client, path, role, monkeypatch):
    columns = {"weight": RNG.random(N) + 0.5, "group": np.arange(N) // 3, "time": RNG.permutation(N) // 10}
    FRAME.assign(extra=columns[role]).to_csv(path, index=False)
    options = {"label": "y", "model": "linear", "memory": 1e6, role: "extra"}
    on_workers = workflow.fit(path, **options)
    monkeypatch.setattr(prepare, "engine", Loop)
    here = workflow.fit(path, **options)
    for judged in (True, False):  # as it was judged, and as it was then fitted to all rows
        found, wanted = ((fit.model.as_judged() if judged else fit.model).ranker.coef_ for fit in (on_workers, here))
        np.testing.assert_allclose(found, wanted, atol=1e-6 * np.abs(wanted).max())
    assert on_workers.metrics["all_held_out"] == pytest.approx(here.metrics["all_held_out"], abs=1e-6)
    assert on_workers.metrics["headline"] == here.metrics["headline"]


def test_the_command_takes_a_scheduler(client, path, tmp_path, podium):
    pytest.importorskip("xgboost")
    address = client.scheduler.address
    options = ["--label", "y", "--model", "trees", "--out", tmp_path / "out", "--scheduler", address]
    run = podium("fit", path, *options, "--memory", "1MB", "--increasing", "a", "--no-refit")
    assert run.code == 0
    assert "2 workers; dashboard: http" in run.err
    figures = json.loads((tmp_path / "out" / "metrics.json").read_text())
    assert figures["all_held_out"]["estimate"] > 0.8
    model = persist.load(tmp_path / "out" / "model.podium")
    assert model.ranker.backend == "xgboost"
    rising = model.scores(pd.DataFrame({"a": [-2.0, -1.0, 0.0, 1.0], "b": 0.0, "c": 0.0}))
    assert (np.diff(rising) >= 0).all()
    run = podium("fit", path, "--label", "y", "--scheduler", "nonsense", "--out", tmp_path / "none")
    assert (run.code, "'nonsense' does not answer" in run.err) == (2, True)


def test_a_table_that_fits_needs_no_scheduler(client, tmp_path, podium):
    FRAME[:200].to_csv(tmp_path / "small.csv", index=False)
    options = ["--label", "y", "--model", "linear", "--out", tmp_path / "out"]
    run = podium("fit", tmp_path / "small.csv", *options, "--scheduler", client.scheduler.address)
    assert (run.code, "the scheduler was not used" in run.err) == (0, True)
