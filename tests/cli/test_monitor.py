"""``podium monitor``: batch after batch, one state file, one page; and the same as Python."""

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from podium import persist, workflow
from podium._files import lock
from podium.exceptions import InputError
from podium.monitor import DriftMonitor, PerformanceMonitor
from podium.workflow.monitoring import state as state_file
from podium.workflow.monitoring import watch as watching


def table(seed, n, shift=0.0, noise=1.0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"key": [f"k{i}" for i in range(n)], "x": rng.normal(size=n) + shift, "z": rng.normal(size=n)})
    frame["town"] = rng.choice(["Aa", "Bb", "Cc"], n)
    frame["late"] = np.where(2 * frame["x"] + noise * rng.normal(size=n) > 1, "yes", "no")
    return frame


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("monitored")
    result = workflow.fit(table(0, 2000), label="late", positive="yes", id_column="key", model="linear")
    persist.save(result.model, folder / "model.podium")
    return folder / "model.podium"


@pytest.fixture
def watch(model, tmp_path):
    """Take a batch, with a state of this test's own."""
    return lambda batch, **options: workflow.monitor(model, batch, state=tmp_path / "state.json", **options)


def test_the_states_are_those_of_the_library(model, watch):
    result = watch(table(1, 300), unit="row")
    result = watch(table(2, 300))
    scorer = persist.load(model).as_judged()
    y, s = scorer.calibration
    drift, quality = DriftMonitor(s), PerformanceMonitor(y, s)
    for seed in (1, 2):
        new = table(seed, 300)
        state = quality.update(new["late"] == "yes", scorer.scores(new))
        drift_state = drift.update(scorer.scores(new))
    assert result.performance.estimate == pytest.approx(state.estimate)
    assert result.performance.n == state.n
    assert result.drift.n == drift_state.n == 600
    assert result.drift.mean_rank == pytest.approx(drift_state.mean_rank, abs=0.01)  # in another order
    assert not result.alarm
    assert str(result).startswith("No alarm: 2 batches, 600 rows\nScores: no alarm")


def test_changes_raise_alarms_which_stay_and_the_column_that_moved_is_named(watch):
    watch(table(1, 400), reference=table(0, 2000), unit="row")
    assert not watch(table(2, 400), reference=table(0, 2000)).alarm
    result = watch(table(3, 800, shift=0.8), reference=table(0, 2000))
    assert result.drift.alarm
    assert not result.performance.alarm
    assert result.columns.alarm
    assert result.columns.moved == ("x",)
    assert result.columns.shifts[0] == pytest.approx(0.71, abs=0.04)
    assert watch(table(4, 1200, noise=6.0)).performance.alarm
    after = watch(table(5, 100))
    assert after.alarm
    assert "performance fell (batch 4)" in after.report.headline
    assert "batch 3" in after.report.headline
    assert "scores moved" in after.report.headline


def test_columns_of_one_source_hardly_ever_raise_an_alarm(model):
    from podium.workflow.monitoring.columns import moved_columns

    scorer, n_draws = persist.load(model), 60
    alarms = sum(
        moved_columns(scorer, table([seed, 1], 150), table([seed, 2], 150), 0.4, 1).alarm for seed in range(n_draws)
    )
    assert alarms / n_draws <= 0.2 + 3 * np.sqrt(0.2 * 0.8 / n_draws)  # 0.4/(1 · 2)
    assert alarms > 0


@pytest.mark.parametrize(
    ("per_unit", "name_of"),
    [(1, "C{:06d}".format), (8, lambda unit: 7 * unit + 100_000), (40, "C{:06d}".format)],
)
def test_new_units_and_later_dates_are_no_drift(per_unit, name_of, tmp_path):
    def month(number):
        units = 1000 * number + np.arange(1200) // per_unit
        dates = pd.Timestamp(2024, 1 + number, 1) + pd.to_timedelta(np.arange(1200) % 28, "D")
        return table(number, 1200).assign(customer=[name_of(int(unit)) for unit in units], opened=dates)

    options = {"label": "late", "positive": "yes", "id_column": "key", "model": "linear"}
    model = workflow.fit(month(0), **options).model
    batch = month(1).drop(columns="late")
    found = workflow.monitor(model, batch, reference=month(0), state=tmp_path / "s.json").columns
    assert not found.alarm
    batch["opened"] = batch["opened"].where(np.arange(1200) % 3 > 0)
    batch["town"] = "Dd"
    found = workflow.monitor(model, batch, reference=month(0), state=tmp_path / "s.json").columns
    assert set(found.moved) == {"opened", "town"}


def test_a_sorted_batch_is_no_drift(watch):
    for seed in range(1, 6):
        result = watch(table(seed, 400).sort_values("x"))
    assert not result.alarm


def test_labels_may_come_later_and_count_once(watch, tmp_path):
    batch = table(1, 300)
    assert watch(batch.drop(columns="late")).performance is None
    some = watch(table(2, 300).assign(late=lambda t: t["late"].where(t.index % 2 == 0)))
    assert some.n_labeled == 150
    result = watch(batch)
    assert result.drift.n == 600
    assert result.performance.n_rows == 450
    before = (tmp_path / "state.json").read_bytes()
    for again in (batch, batch[::-1], batch.drop(columns="late"), batch[40:90]):
        result = watch(again)
        assert "Nothing is new: all rows and labels of this table came before." in result.notes
        assert (result.drift.n, result.performance.n_rows, result.batch) == (600, 450, 3)
    assert (tmp_path / "state.json").read_bytes() == before
    result = watch(table(2, 300))
    assert (result.drift.n, result.performance.n_rows) == (600, 600)
    assert "150 labels are new; 150 came before and count once." in result.notes


def test_other_rows_with_the_same_scores_are_another_batch(watch):
    watch(table(1, 300))
    assert watch(table(1, 300).assign(key=lambda t: "n" + t["key"])).drift.n == 600


def test_precision_of_flagged_rows_and_a_mean_time_between_alarms(watch):
    result = watch(table(1, 600), threshold=0.0, average_run_length=5000, tolerance=0.05, confidence_level=0.9)
    assert result.performance.measure == "precision above 0"
    assert "once in 5,000 scores" in result.drift.promise
    assert result.performance.alpha == 0.1
    assert watch(table(2, 600)).performance.measure == "precision above 0"  # goes on with its settings


def test_the_command_writes_a_state_and_a_page_beside_the_model(model, podium, tmp_path):
    here = tmp_path / "model.podium"
    here.write_bytes(model.read_bytes())
    for seed in (1, 2):
        table(seed, 300).to_csv(tmp_path / f"batch{seed}.csv", index=False)
    run = podium("monitor", here, tmp_path / "batch1.csv", "--reference", tmp_path / "batch2.csv")
    assert run.code == 0
    assert run.out.startswith("No alarm: 1 batch, 300 rows")
    found = json.loads(podium("monitor", here, tmp_path / "batch2.csv", "--json").out)
    assert (found["batch"], found["alarm"], found["n_rows"]) == (2, False, 300)
    state = json.loads((tmp_path / "model.monitor.json").read_text())
    assert [entry["name"] for entry in state["history"]] == ["batch1.csv", "batch2.csv"]
    assert state["history"][1]["drift"] == found["drift"]
    assert len((tmp_path / "model.monitor.json").read_text().splitlines()) < 160  # long lists are on one line
    page = (tmp_path / "model.monitor.html").read_text()
    assert page.count("<svg") >= 3
    assert "http" not in page.replace("http-equiv", "")
    assert "batch2.csv" in page


def test_a_page_that_is_missing_comes_back_with_the_same_batch(watch, tmp_path):
    """As after a run that was killed between its two files: the batch is counted, once."""
    html, state = watch(table(1, 300)).report.html, (tmp_path / "state.json").read_bytes()
    (tmp_path / "state.html").unlink()
    assert "Nothing is new" in " ".join(watch(table(1, 300)).notes)
    assert (tmp_path / "state.html").read_text() == html
    assert (tmp_path / "state.json").read_bytes() == state


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"phi": "logrank"}, "phi must be bounded"),
        ({"phi": "nonsense"}, "phi"),
        ({"confidence_level": 1.5}, "confidence_level must be in"),
        ({"tolerance": -1}, "tolerance must be in"),
        ({"threshold": 1e9}, "A reference needs more rows"),
        ({"average_run_length": 0}, "average_run_length must be in"),
        ({"reference": table(0, 50).drop(columns="x")}, "missing: 'x'"),
    ],
)
def test_what_cannot_be_used_is_refused_and_leaves_no_state(watch, tmp_path, options, words):
    with pytest.raises(InputError, match=words):
        watch(table(1, 100), **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[1, 2]", '{"podium_monitor": 3}', '{"podium_monitor": 2}', '{"podium_monitor": 1, "settings": 3}'],
)
def test_a_file_that_is_no_state_is_refused_and_kept(watch, tmp_path, text):
    (tmp_path / "state.json").write_text(text)
    with pytest.raises(InputError, match="must be a file that podium monitor wrote"):
        watch(table(1, 100))
    assert (tmp_path / "state.json").read_text() == text


@pytest.mark.parametrize("part", ["drift", "performance"])
def test_running_numbers_that_are_damaged_are_refused(watch, tmp_path, part):
    watch(table(1, 100))
    state = json.loads((tmp_path / "state.json").read_text())
    state["running"][part] = {"fingerprint": state["running"][part]["fingerprint"], "wealth": 3}
    (tmp_path / "state.json").write_text(json.dumps(state))
    with pytest.raises(InputError, match="is damaged"):
        watch(table(2, 100))


def test_another_model_or_other_settings_do_not_go_on_from_a_state(watch, tmp_path):
    watch(table(1, 100))
    with pytest.raises(InputError, match="keeps its first settings; phi is auc"):
        watch(table(2, 100), phi="power:3")
    other = workflow.fit(table(9, 1000), label="late", positive="yes", model="linear").model
    with pytest.raises(InputError, match="must resume from its own state"):
        workflow.monitor(other, table(2, 100), state=tmp_path / "state.json")
    with pytest.raises(InputError, match="needs a file for its state"):
        workflow.monitor(other, table(2, 100))
    other.calibration = None
    with pytest.raises(InputError, match="needs rows that were held out"):
        workflow.monitor(other, table(2, 100), state=tmp_path / "other.json")


def test_of_two_runs_at_once_one_is_refused(watch, tmp_path, monkeypatch):
    watch(table(1, 100))
    read = state_file.State.read
    path = tmp_path / "state.json"

    def read_and_wait(*arguments):
        found = read(*arguments)
        path.write_text(path.read_text() + "\n")  # another run, meanwhile
        return found

    monkeypatch.setattr(state_file.State, "read", read_and_wait)
    with pytest.raises(InputError, match="another run has just written"):
        watch(table(2, 100))


@pytest.mark.skipif(os.name != "posix", reason="no such locks")
def test_of_overlapping_runs_on_one_state_none_loses_its_batch(watch, tmp_path, monkeypatch):
    """All read the state and their batch before the first of them writes."""
    n_runs = 3
    together, read = threading.Barrier(n_runs), watching.read_batch

    def read_together(*arguments):
        batch = read(*arguments)
        together.wait(30)
        return batch

    monkeypatch.setattr(watching, "read_batch", read_together)
    with ThreadPoolExecutor(n_runs) as pool:
        results = list(pool.map(lambda seed: watch(table(seed, 100 * seed)), range(1, 1 + n_runs)))
    state = json.loads((tmp_path / "state.json").read_text())
    assert sorted(entry["rows"] for entry in state["history"]) == [100, 200, 300]
    assert sorted(result.batch for result in results) == [1, 2, 3]
    assert max(result.drift.n for result in results) == 600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["state.html", "state.json"]


@pytest.mark.skipif(os.name != "posix", reason="no such locks")
def test_a_run_that_waits_too_long_for_another_is_refused_with_a_sentence(watch, tmp_path, monkeypatch):
    started, ended = threading.Event(), threading.Event()

    def hold():
        with lock(tmp_path / "state.json"):
            started.set()
            ended.wait(30)

    monkeypatch.setattr(watching, "lock", lambda path: lock(path, patience=0.05))
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(hold)
        started.wait(30)
        with pytest.raises(InputError, match=r"Another run has been writing .*state\.json for 0\.05 seconds"):
            watch(table(1, 100))
        ended.set()
        other.result()
    assert watch(table(1, 100)).batch == 1


def test_what_is_watched_is_said_in_plain_words(tmp_path):
    result = workflow.fit(table(0, 2000), label="late", positive="yes", id_column="key", model="linear", budget=100)
    watched = workflow.monitor(result.model, table(1, 600), state=tmp_path / "state.json")
    assert "standing of positives (top 5 % counts) 0." in str(watched)
    assert "evidence 0." in str(watched)
    assert not any(word in str(watched) for word in ("smooth-top", "e-value", "ω"))
    assert "The top 5 % of the list counts, with a soft edge" in watched.report.html
    of_all = workflow.monitor(result.model, table(1, 600), state=tmp_path / "other.json", phi="auc")
    assert "no alarm: standing of positives 0." in str(of_all)
    assert f"AUC of the new rows with a label: {of_all.auc:.3f}" in str(of_all)
