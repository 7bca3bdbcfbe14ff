"""Scores of exported models are those of `score`, whichever system computes them: above all where trees split dates."""

import numpy as np
import pandas as pd
import pytest

from databases import by_duckdb, by_numpy, by_onnx, by_postgres, by_sqlite, postgres
from podium import persist, workflow
from podium.columns.date import CYCLES, DAY, PLACES, DateColumn
from podium.columns.number import STEP
from podium.exceptions import InputError
from podium.workflow.exports.scores import scored

MODELS = ("linear", "linear-quantile", "trees", "ranking-tree")
N_ROWS = 300
NAMES = [
    "order",
    "Select",
    'a "b" c',
    "it's",
    "x; DROP TABLE new_rows",
    "user",
    "Größe €",
    "{0} %s :p $1",
    "-- no",
    "a.b",
]


@pytest.fixture(scope="module")
def server():
    with postgres() as connection:
        yield connection


def random_table(seed, turn=0, n_rows=N_ROWS):
    """Dates by day and by second, numbers with heavy tails and with ties, integers, truth values, text; some missing.

    The label depends on places in cycles, so that trees split by them. Every turn gives columns other names.
    """
    rng = np.random.default_rng(seed)
    day, moment, number, whole, flag, kind, town, tie = np.roll(NAMES, turn)[:8].tolist()
    days = pd.Timestamp("1968-05-01") + pd.to_timedelta(rng.integers(0, 20_000, n_rows), "D")
    seconds = days + pd.to_timedelta(rng.integers(0, 86_400 * 30, n_rows), "s")
    frame = pd.DataFrame(
        {
            "id": np.arange(n_rows),
            day: days.astype("datetime64[s]"),
            moment: seconds.astype("datetime64[s]"),
            number: rng.standard_cauchy(n_rows) * 10.0 ** rng.integers(-6, 7),
            whole: rng.poisson(3, n_rows),
            flag: rng.random(n_rows) < 0.4,
            kind: rng.choice(["it's", 'say "b"', "Ünï\n", "a\\b", ""], n_rows).astype(object),
            town: rng.choice([f"t{j}" for j in range(25)], n_rows).astype(object),
            tie: rng.choice([0.1 + 0.2, 0.3, 1e-17, 0.0, 7.0], n_rows),
        }
    )
    weekday, month = frame[day].dt.day_of_week, frame[moment].dt.month
    risk = (weekday >= 3) + np.cos(weekday) + (month < 5) + frame[flag] + (frame[whole] > 3) - 2
    frame["label"] = (risk + rng.logistic(size=n_rows) * 0.7 > 0).astype(int)
    for j, name in enumerate([day, moment, number]):
        frame.loc[rng.random(n_rows) < 0.05 * j, name] = None
    frame.loc[rng.random(n_rows) < 0.05, [kind]] = None
    return frame


def new_rows(seed, turn=0):
    """Rows of the same columns, with texts that were never seen."""
    frame = random_table(seed, turn).drop(columns="label")
    frame.loc[::17, [name for name in frame if frame[name].dtype == object]] = "never seen"
    return frame


SYSTEMS = {
    "NumPy": lambda model, new, _: by_numpy(scored(model).score, new),
    "DuckDB": lambda model, new, _: by_duckdb(workflow.export_sql(model), new)["score"],
    "SQLite": lambda model, new, _: by_sqlite(workflow.export_sql(model, dialect="sqlite"), new)["score"],
    "PostgreSQL": lambda model, new, server: by_postgres(server(), workflow.export_sql(model), new)["score"],
    "ONNX Runtime": lambda model, new, _: by_onnx(workflow.export_onnx(model), new)["score"],
}


def worst_difference(fitted, system, server):
    """How far the score of any row is from that of the model."""
    model, new, expected = fitted
    assert np.ptp(expected) > 0.1
    return np.abs(np.asarray(SYSTEMS[system](model, new, server)) - expected).max()


def fit(name, seed):
    """A model, new rows, and the scores that it gives them; of fewer rows a ranking tree may be pruned to its root."""
    model = workflow.fit(random_table(seed, seed, 2 * N_ROWS), label="label", model=name, id_column="id").model
    new = new_rows(seed + 1000, seed)
    return model, new, model.scores(new)


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    return fit(request.param, 3)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_gives_the_scores_of_the_model(fitted, system, request):
    assert worst_difference(fitted, system, lambda: request.getfixturevalue("server")) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(50))
@pytest.mark.parametrize("name", MODELS)
def test_every_system_gives_the_scores_of_any_model(seed, name, server):
    model = fit(name, seed)
    assert max(worst_difference(model, system, lambda: server) for system in SYSTEMS) < 1e-9


@pytest.mark.parametrize("name", ["trees", "ranking-tree", "boosted", "ranking-forest"])
def test_no_tree_splits_within_the_noise_of_rounding(name):
    model = workflow.fit(random_table(5), label="label", model=name, id_column="id").model
    X = model.encoder.encode(random_table(5))
    noise = np.random.default_rng(0).choice([-1e-11, 0.0, 1e-11], X.shape)
    assert np.array_equal(model.scores_of(X + noise), model.scores_of(X))


def test_encoded_numbers_are_multiples_of_one_step():
    model = workflow.fit(random_table(5), label="label", model="linear", id_column="id").model
    steps = model.encoder.encode(random_table(6)) / STEP
    assert np.array_equal(steps, np.round(steps))


def test_ten_years_of_days_have_seven_places_in_the_week():
    days = pd.Series(pd.date_range("1965-01-01", "1974-12-31", unit="s"), name="day")
    column = DateColumn.fit(days)
    out = np.empty((len(days), len(column.outputs)))
    column.encode(days, out)
    places = [j for j, name in enumerate(column.outputs) if "week" in name]
    assert len(places) == 3
    assert len(np.unique(out[:, places], axis=0)) == 7
    assert np.array_equal(out[:, places[2]], days.dt.day_of_week >= 5)


@pytest.mark.slow
@pytest.mark.parametrize("cycle", CYCLES)
def test_no_second_of_a_cycle_lies_where_libraries_could_round_differently(cycle):
    for start in range(0, int(CYCLES[cycle]), 1_000_000):
        place = np.arange(start, min(start + 1_000_000, CYCLES[cycle]), dtype=np.float64)
        for wave in (np.cos, np.sin):
            steps = wave(place * (2 * np.pi) / CYCLES[cycle]) / PLACES
            assert np.abs(steps - np.floor(steps) - 0.5).min() > 1e-15 / PLACES


def test_a_model_from_before_numbers_were_rounded_scores_as_it_did(tmp_path):
    """Its columns have no step; a list of what SQL would make of its dates is refused, for systems disagree on them."""
    rows = random_table(5)
    model = workflow.fit(rows, label="label", model="linear", id_column="id").model
    for column in model.encoder.columns:
        number = getattr(column, "level", getattr(column, "days", column))
        vars(number).pop("step", None)
    persist.save(model, tmp_path / "old.podium")
    old = persist.load(tmp_path / "old.podium")
    assert b'"step"' not in (tmp_path / "old.podium").read_bytes()
    date = next(column for column in old.encoder.columns if isinstance(column, DateColumn))
    seconds = rows[date.name].dropna().astype("datetime64[s]").astype(int).to_numpy()
    out = np.empty((len(rows), len(date.outputs)))
    date.encode(rows[date.name], out)
    at = date.outputs.index(f"{date.name}, time of the week (sine)")
    assert np.array_equal(out[rows[date.name].notna(), at], np.sin(2 * np.pi * seconds / (7 * DAY)))
    with pytest.raises(InputError, match=r"earlier version.*\n.*again"):
        workflow.export_sql(old)
