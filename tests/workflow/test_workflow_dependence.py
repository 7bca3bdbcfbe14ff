"""Rows in time, rows of units, weighted rows: judged as they will be met, and proposed where nobody said so."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from podium import workflow
from podium.exceptions import InputError
from podium.report import build
from podium.workflow.stages import detect, repeated

OPTIONS = {"label": "ill", "budget": 60, "model": "linear"}


def visits(n_units=80, n_visits=8, seed=0):
    """Patients with several visits: much of a visit is the patient's own."""
    rng = np.random.default_rng(seed)
    own = np.repeat(rng.standard_normal((n_units, 4)), n_visits, axis=0)
    X = own[:, :3] + 0.3 * rng.standard_normal((n_units * n_visits, 3))
    ill = X[:, 0] + 2 * own[:, 3] + 0.5 * rng.logistic(size=len(X)) > 1
    unit = rng.permutation(10 * n_units)[:n_units] + 10_000
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(patient=np.repeat(unit, n_visits), ill=ill.astype(int))
    return frame.sample(frac=1, random_state=seed, ignore_index=True)


def flights(n_rows=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, 3))
    date = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 300, n_rows)), "D")
    late = X[:, 0] + rng.logistic(size=n_rows) > 1
    return pd.DataFrame(X, columns=["a", "b", "c"]).assign(date=date, ill=late.astype(int))


def survey(n_rows=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, 3))
    ill = X[:, 0] + rng.logistic(size=n_rows) > 1
    return pd.DataFrame(X, columns=["a", "b", "c"]).assign(fnlwgt=rng.lognormal(8, 1, n_rows), ill=ill.astype(int))


def claims_certainty(result):
    in_figures = bool(result.metrics["certificates"]) or result.metrics["budget"]["hits_guaranteed"] is not None
    assert in_figures == ("What is certain" in result.report.html)
    return in_figures


@pytest.mark.parametrize(
    ("table", "option", "column"),
    [(visits(), "group", "patient"), (flights(), "time", "date"), (survey(), "weight", "fnlwgt")],
)
def test_what_the_table_suggests_is_proposed_on_top_and_nothing_is_certain_until_it_is_answered(table, option, column):
    silent = workflow.fit(table, **OPTIONS)
    assert any(f"option {option}" in warning and column in warning for warning in silent.warnings)
    assert not claims_certainty(silent)
    html = silent.report.html
    assert html.index("Before you rely on this page") < html.index("<h1>")
    answered = workflow.fit(table, **OPTIONS, **{option: column})
    assert not any(f"option {option}" in warning for warning in answered.warnings)
    assert column not in answered.model.kinds


def test_independent_rows_get_no_warning_and_the_certainty_they_allow():
    result = workflow.fit(survey().drop(columns="fnlwgt"), **OPTIONS)
    assert result.warnings == ()
    assert claims_certainty(result)


def test_copies_of_rows_are_reported():
    frame = survey().drop(columns="fnlwgt")
    result = workflow.fit(pd.concat([frame, frame[:60]], ignore_index=True), **OPTIONS)
    assert any("60 of 660 rows are copies of others" in warning for warning in result.warnings)
    assert not claims_certainty(result)


def test_equal_rows_of_a_coarse_table_are_no_copies():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(3, size=(600, 4)), columns=list("abcd")).assign(ill=rng.integers(2, size=600))
    assert workflow.fit(frame, **OPTIONS).warnings == ()


def test_units_of_wide_tables_are_seen_at_a_cost_that_grows_with_the_columns_alone(monkeypatch):
    rng, looks = np.random.default_rng(0), []
    monkeypatch.setattr(repeated, "places", lambda values, of=repeated.places: looks.append(len(values)) or of(values))
    costs = []
    for n_columns in (150, 300):
        looks.clear()
        own = np.repeat(rng.standard_normal((80, n_columns)), 8, axis=0)
        frame = pd.DataFrame((own + 0.3 * rng.standard_normal(own.shape)).round(1)).add_prefix("c")
        frame = frame.assign(patient=np.repeat(rng.permutation(800)[:80], 8), ill=rng.integers(2, size=640))
        roles = SimpleNamespace(label="ill", time=None, group=None, weight=None, id=None)
        (doubt,) = detect.signs(frame, frame["ill"] == 1, roles, rng)
        assert "option group: patient" in doubt.sentence
        costs.append(sum(looks))
    assert costs[1] < 2.2 * costs[0]


def test_patients_are_units_though_most_of_what_is_measured_differs_from_visit_to_visit():
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(220), 1 + rng.poisson(3, 220))
    first = np.concatenate([[True], np.diff(patient) > 0])
    visit = np.arange(len(patient)) - np.maximum.accumulate(np.where(first, np.arange(len(patient)), 0)) + 1
    age, sex, own = rng.normal(65, 12, 220), rng.choice(["m", "f"], 220), rng.standard_normal(220)
    frame = pd.DataFrame({"visit": visit, "age": (age[patient] + visit / 3).round(1), "sex": sex[patient]})
    for name in ("haemoglobin", "protein", "days"):
        frame[name] = 0.5 * own[patient] + rng.standard_normal(len(patient))
    frame = frame.assign(ill=(own[patient] + rng.logistic(size=len(patient)) > 1).astype(int))
    named = frame.assign(patient=[f"P{i:05d}" for i in patient])
    assert any("option group: patient" in w for w in workflow.fit(named, **OPTIONS).warnings)
    assert workflow.fit(frame.assign(customer=rng.integers(0, 220, len(patient))), **OPTIONS).warnings == ()


def test_few_rows_that_happen_to_be_alike_are_no_units():
    frame = load_iris(as_frame=True).frame
    frame = frame.assign(ill=(frame.pop("target") > 0).astype(int))
    assert not any("very similar" in w for w in workflow.fit(frame, label="ill", model="linear").warnings)


def test_identifiers_that_repeat_are_units():
    rng = np.random.default_rng(0)
    frame = survey().drop(columns="fnlwgt").assign(case=[f"c{i}" for i in rng.integers(200, size=600)])
    result = workflow.fit(frame, **OPTIONS, id_column="case")
    assert any("option group: case" in warning for warning in result.warnings)


def test_units_are_judged_whole_and_ranges_are_wider_for_it():
    table = visits()
    by_unit = workflow.fit(table, **OPTIONS, group="patient", id_column="patient")
    by_row = workflow.fit(table, **OPTIONS, exclude=["patient"], id_column="patient")
    visits_judged = by_unit.scores["id"].astype(int).value_counts()
    assert (visits_judged == 8).all()

    def width(metrics):
        return metrics["budget"]["hits_high"] - metrics["budget"]["hits_low"]

    as_rows = build(by_row.scores["label"], by_row.scores["score"], budget=60, population=640).summary
    assert by_row.metrics["budget"]["hits_low"] is None  # rows of one patient are taken for independent
    assert width(by_unit.metrics) > width(as_rows)
    assert by_unit.notes[0] == "Units (patient) stay together: no model judges a row whose unit it has seen."
    assert len(visits_judged) == table["patient"].nunique()
    y, s, unit = (by_unit.scores[name].to_numpy() for name in ("label", "score", "id"))
    again = auc_of(build(y, s, groups=unit, budget=60, population=640).summary)  # units in another order
    for key, value in auc_of(by_unit.metrics).items():
        assert value == (pytest.approx(again[key], rel=1e-12) if isinstance(value, float) else again[key])
    assert auc_of(by_unit.metrics)["standard_error"] > 1.5 * auc_of(build(y, s).summary)["standard_error"]


def auc_of(metrics):
    return next(one for one in metrics["statistics"] if one["phi"] == "auc")


def test_the_latest_rows_judge_and_the_page_has_a_part_by_period():
    table = flights()
    result = workflow.fit(table, **OPTIONS, time="date")
    judged = result.scores["id"].astype(int)
    assert judged.min() > 400  # rows are numbered in the order of time
    assert len(judged) == pytest.approx(180, abs=10)
    periods = result.metrics["periods"]
    assert sum(period["n_rows"] for period in periods) == len(judged)
    assert [period["first"] for period in periods] == sorted(period["first"] for period in periods)
    assert "By period" in result.report.html
    assert not claims_certainty(result)


def test_weights_count_in_the_judgment():
    table = survey()
    result = workflow.fit(table, **OPTIONS, weight="fnlwgt")
    rows = result.scores["id"].astype(int)
    weight = table["fnlwgt"].to_numpy()[rows]
    y, s = result.scores["label"].to_numpy(), result.scores["score"].to_numpy()
    wins = ((s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])) * np.outer(
        weight[y == 1], weight[y == 0]
    )
    auc = auc_of(result.metrics)
    assert auc["estimate"] == pytest.approx(wins.sum() / (weight[y == 1].sum() * weight[y == 0].sum()))
    assert result.metrics["prevalence"] == pytest.approx(np.average(y, weights=weight))
    plain = workflow.fit(table.drop(columns="fnlwgt"), **OPTIONS)
    assert auc["standard_error"] > auc_of(plain.metrics)["standard_error"]


def test_weights_count_in_training():
    rng = np.random.default_rng(0)
    a, heavy = rng.standard_normal(600), np.arange(600) % 5 == 0
    ill = np.where(heavy, a, -a) + 0.5 * rng.logistic(size=600) > 0  # few rows, but most of the weight, rise with a
    frame = pd.DataFrame({"a": a, "weight": np.where(heavy, 50.0, 1.0), "ill": ill.astype(int)})
    for options, sign in (({"weight": "weight"}, 1), ({"exclude": ["weight"]}, -1)):
        low, high = workflow.fit(frame, **OPTIONS, **options).model.scores(pd.DataFrame({"a": [-1.0, 1.0]}))
        assert np.sign(high - low) == sign


@pytest.mark.parametrize(
    ("change", "option", "sentence"),
    [
        (
            {"date": "soon"},
            {"time": "date"},
            "A column of times needs a date or a number in every row; 'date' has text",
        ),
        ({"date": pd.NaT}, {"time": "date"}, "'date' has 600 rows without one"),
        ({"weight": 0.0}, {"weight": "weight"}, "A column of weights needs a number above 0"),
        ({}, {"group": "patint"}, "there is no 'patint'"),
        ({}, {"baseline": OPTIONS["label"]}, "The label cannot have a second role"),
        ({}, {"time_limit": -1}, "time_limit must be in"),
    ],
)
def test_a_column_that_cannot_have_its_role_gets_a_sentence(change, option, sentence):
    with pytest.raises(InputError, match=sentence):
        workflow.fit(flights().assign(**change), **OPTIONS, **option)


def test_the_page_says_on_top_what_was_judged_and_keeps_statistics_for_the_appendix():
    html = workflow.fit(flights(), **OPTIONS, time="date").report.html
    top, _, rest = html.partition("<main>")
    assert "600 rows · model: linear · evaluated on" in top
    assert "rows that are the latest · a hit is a row with ill = 1" in top
    plain, _, appendix = rest.partition("Appendix: the statistics")
    assert "ω" not in plain
    assert "φ" not in plain
    assert "One number for the list" in appendix
