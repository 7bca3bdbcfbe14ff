"""The page of ``podium monitor``: hits found beside hits promised, what to do, and no table wider than the page."""

import json

import numpy as np
import pandas as pd
import pytest

from browser import Opened, chromium
from podium import persist, workflow
from podium.inference import hits_per_period, precision_at_interval
from podium.workflow.monitoring.hits import next_steps
from podium.workflow.monitoring.page import evidence

N, K = 1000, 100


def month(seed, strength=1.0, n=N, n_columns=6, shift=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_columns))
    chance = 1 / (1 + np.exp(2 - strength * (X[:, :6] @ [0.9, 0.6, 0.5, 0.3, 0.2, 0.1])))
    frame = pd.DataFrame(X + shift, columns=[f"a rather long name of a column {i}" for i in range(n_columns)])
    return frame.assign(case=[f"{seed}-{i}" for i in range(n)], late=np.where(rng.random(n) < chance, "yes", "no"))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("loans")
    options = {"label": "late", "positive": "yes", "id_column": "case", "model": "linear", "budget": K}
    persist.save(workflow.fit(month(0, n=4000), **options).model, folder / "model.podium")
    return folder / "model.podium"


@pytest.fixture
def watch(path, tmp_path):
    return lambda table, **options: workflow.monitor(path, table, state=tmp_path / "state.json", **options)


def best(path, table):
    """The rows with the highest scores, as the evaluated model ranks them."""
    scores = persist.load(path).as_judged().scores(table)
    return np.argsort(-scores, kind="stable")[:K]


def test_hits_of_every_batch_stand_beside_those_promised_for_such_a_list(path, watch):
    for seed, strength in ((1, 1.0), (2, 0.0)):
        table = month(seed, strength)
        result = watch(table)
        one = result.hits[-1]
        assert one.found == one.hits == (table["late"].iloc[best(path, table)] == "yes").sum()
        promise = precision_at_interval(*persist.load(path).as_judged().calibration, k=K, n_next=N)
        assert one.expected == pytest.approx(promise.estimate)
        assert (one.low, one.high) == (promise.low, promise.high)
    kept, missed = result.hits
    assert (kept.verdict, missed.verdict) == ("as promised", "fewer than promised")
    words = f"{missed.found} hits, {promise.estimate:.0f} ({missed.low}–{missed.high}) promised"
    assert f"Hits: batch 2, best 100 of 1,000 rows: {words}; fewer than promised" in str(result)
    html = result.report.html.replace("\u2060", "")
    assert "Of 2 lists with labels 1 had as many hits as promised, 1 fewer, 0 more." in html
    assert f"{path.parent.name}/model.podium · late = yes" in html
    assert [entry["found"] for entry in result.report.summary["hits"]] == [kept.found, missed.found]


def test_labels_that_have_not_come_leave_open_what_they_leave_open(path, watch):
    table = month(1)
    top = best(path, table)
    assert watch(table.drop(columns="late")).hits[0].verdict == "no labels yet"
    some = table.assign(late=table["late"].where(table.index.isin(top[:50])))
    one = watch(some).hits[0]
    assert (one.labeled, one.found, one.hits) == (50, (table["late"].iloc[top[:50]] == "yes").sum(), None)
    assert one.verdict == "labels incomplete"
    assert f"hits {one.found} of 50 labeled" in repr(one)
    none = table.assign(late=np.where(table.index.isin(top[:95]), "no", None), case=table["case"] + "n")
    assert watch(none).hits[1].verdict == "fewer than promised"  # whatever the five others are


def test_with_inclusion_the_list_is_what_was_certain_or_else_hits_are_estimated(path, tmp_path):
    table = month(1)
    listed = np.random.default_rng(0).permutation(N)[:80]  # not the best: another model made the list
    inclusion = np.where(np.isin(np.arange(N), listed), 1.0, 0.2)
    known = np.isin(np.arange(N), listed) | (np.random.default_rng(1).random(N) < 0.2)
    given = table.assign(late=table["late"].where(known), inclusion=inclusion)
    one = workflow.monitor(path, given, state=tmp_path / "a.json").hits[0]
    assert (one.listed, one.hits) == (80, (table["late"].iloc[listed] == "yes").sum())
    known = np.random.default_rng(1).random(N) < 0.5
    given = table.assign(late=table["late"].where(known), inclusion=0.5)
    one = workflow.monitor(path, given, state=tmp_path / "b.json").hits[0]
    top = best(path, table)
    assert one.hits == 2 * one.found == 2 * ((table["late"].iloc[top] == "yes") & known[top]).sum()
    assert f"about {one.hits:.0f} ({one.found} of {known[top].sum()} labeled)" in repr(one)


def test_lists_of_a_day_are_promised_by_the_days_held_out_and_days_are_the_batches_of_the_reference(tmp_path):
    days = [month(day, n=80).assign(day=pd.Timestamp(2024, 1, 1) + pd.Timedelta(day, "D")) for day in range(60)]
    options = {"label": "late", "positive": "yes", "id_column": "case", "model": "linear"}
    model = workflow.fit(pd.concat(days), **options, time="day", every="day", budget=10).model
    tomorrow = month(99, n=80).assign(day=pd.Timestamp(2024, 3, 1))
    result = workflow.monitor(model, tomorrow, state=tmp_path / "s.json")
    one, judged = result.hits[0], model.as_judged()
    promise = hits_per_period(*judged.calibration, judged.calibration_list, k=10)
    assert (one.expected, one.low, one.high) == (promise.estimate, promise.low, promise.high)
    for day in range(4):
        moved = month(100 + day, n=80, shift=0.7).assign(day=pd.Timestamp(2024, 3, 2 + day))
        result = workflow.monitor(model, moved, state=tmp_path / "s.json")
    assert result.drift.alarm
    assert result.drift.alarm_after <= 5
    week = workflow.monitor(model, month(200, n=560).assign(day=tomorrow["day"][0]), state=tmp_path / "s.json")
    assert "those of the reference, one for each day, have 80" in " ".join(week.notes)
    assert week.hits[-1].expected is None


def test_an_alarm_ends_with_3_where_that_is_asked_for(path, podium, tmp_path):
    month(1, shift=1.5).to_csv(tmp_path / "batch.csv", index=False)
    options = ("monitor", path, tmp_path / "batch.csv", "--state", tmp_path / "state.json", "--unit", "row")
    assert podium(*options).code == 0
    asked = podium(*options, "--exit-code", "--json")
    assert (asked.code, json.loads(asked.out)["alarm"]) == (3, True)
    month(2).to_csv(tmp_path / "batch.csv", index=False)
    calm = podium("monitor", path, tmp_path / "batch.csv", "--state", tmp_path / "calm.json", "--exit-code")
    assert calm.code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--average-run-length", 0), "--average-run-length must be in"),
        (("--confidence", 1.5), "--confidence must be in (0, 1)"),
        (
            ("--unit", "batch", "--average-run-length", 5),
            "--average-run-length counts scores, and goes with --unit row",
        ),
        (("--phi", "logrank"), "--phi must be bounded"),
        (("--tolerance", -1), "--tolerance must be in"),
    ],
)
def test_errors_name_options_and_not_arguments(path, podium, tmp_path, options, words):
    month(1).to_csv(tmp_path / "batch.csv", index=False)
    run = podium("monitor", path, tmp_path / "batch.csv", "--state", tmp_path / "s.json", *options)
    assert (run.code, words in " ".join(run.err.split())) == (2, True)


def test_what_to_do_follows_from_what_was_found(watch):
    assert next_steps((), [], 0.025) == ["Nothing to do: give the next batch when it is there."]
    assert "train again" in next_steps({"performance"}, [], 0.025)[0]
    assert "do not rely on cuts by score" in next_steps({"drift"}, [], 0.025)[0]
    fewer = watch(month(2, 0.0)).hits
    assert (
        "1 of 1 lists with labels had fewer hits than promised; chance alone leaves about 2.5 %"
        in next_steps((), fewer, 0.025)[0]
    )


def test_evidence_of_any_size_is_written_whole():
    assert [evidence(x) for x in (0.123456, 42, 123456, 1.31e21)] == ["0.123", "42", "123,456", "1.3 × 10²¹"]


def test_no_table_is_wider_than_the_page_and_what_matters_is_on_the_first_screen(tmp_path):
    options = {"label": "late", "positive": "yes", "id_column": "case", "model": "linear", "budget": K}
    model, state = workflow.fit(month(0, n=1500, n_columns=30), **options).model, tmp_path / "state.json"
    persist.save(model, tmp_path / "model.podium")
    table = tmp_path / "a_month_with_a_rather_long_name_2024_05.csv"
    month(1, n_columns=30, shift=0.8).to_csv(table, index=False)
    reference = month(0, n=1000, n_columns=30)
    result = workflow.monitor(tmp_path / "model.podium", table, state=state, reference=reference, unit="row")
    assert len(result.columns.moved) == 30
    assert "and 22 others" in result.report.html
    assert "The top 6.7 % of the list counts, with a soft edge</dd>" in result.report.html
    assert "smooth-top" not in result.report.html
    overflow = "[document.documentElement, ...document.querySelectorAll('table, td, th, figure, p')]"
    overflow += ".filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0).length"
    with chromium() as browser:
        for width in (390, 680, 768, 1280):
            opened = Opened(
                browser, tmp_path / "state.html", width=width, color_scheme="dark" if width == 768 else "light"
            )
            if width == 680:
                opened.page.emulate_media(media="print")
            assert opened.page.evaluate(overflow) == 0, width
            assert opened.complaints == []
            bottom = opened.page.locator(".certificate").first.bounding_box()
            assert bottom["y"] + bottom["height"] < 800
