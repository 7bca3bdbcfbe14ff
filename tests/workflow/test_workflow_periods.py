"""Lists that are made every period, and labels that are known later."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from podium import persist, workflow
from podium.cli import main
from podium.exceptions import InputError
from podium.inference import hits_per_period, interval
from podium.labels import Observed
from podium.selection.dependence import Dependence
from podium.tables.periods import begins, span_of

OPTIONS = {"label": "fraud", "model": "linear", "time": "paid", "every": "day", "budget": 12, "id_column": "number"}


def payments(n_days=50, a_day=60, seed=0):
    """Days differ: a factor of its own makes frauds more or less likely."""
    rng = np.random.default_rng(seed)
    n = n_days * a_day
    day = np.repeat(np.arange(n_days), a_day)
    X = rng.standard_normal((n, 3))
    fraud = X[:, 0] + X[:, 1] + rng.normal(0, 0.3, n_days)[day] + rng.logistic(size=n) > 2
    seconds = pd.to_timedelta(day * 86_400 + rng.integers(0, 86_400, n), "s")
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(
        paid=pd.Timestamp("2024-03-01") + seconds,
        branch=rng.choice(["east", "west"], n),
        card=rng.integers(0, 300, n),
        number=np.arange(n),
        fraud=fraud.astype(int),
    )
    return frame.sample(frac=1, random_state=seed, ignore_index=True)


TABLE = payments()


@pytest.fixture(scope="module")
def daily():
    return workflow.fit(TABLE, **OPTIONS, group="card", label_delay="3d")


def test_the_headline_is_for_a_day_and_is_what_the_lists_held_out_brought(daily):
    rows = daily.scores.merge(TABLE.assign(number=TABLE["number"].astype(str)), left_on="id", right_on="number")
    day, card = rows["paid"].dt.floor("D"), rows["card"]
    expected = hits_per_period(rows["label"], rows["score"], day, k=12, units=card)
    budget = daily.metrics["budget"]
    assert [budget["hits"], budget["hits_low"], budget["hits_high"]] == [expected.estimate, expected.low, expected.high]
    assert budget["random_hits"] == pytest.approx(expected.random_hits)
    assert daily.metrics["lists"] == expected.n_lists == day.nunique()
    distinct = daily.metrics["distinct_units"]
    assert (distinct["estimate"], distinct["low"], distinct["high"]) == expected.units
    assert daily.report.headline.startswith("Among the top 12 of about 60 a day expect")
    assert f"hits a day ({expected.low}–{expected.high})" in daily.report.headline
    assert not daily.metrics["certificates"]


def test_rows_of_the_delay_are_left_out_and_no_day_is_cut(daily):
    last = TABLE["paid"].max()
    pending = TABLE["paid"] > last - pd.Timedelta("3D")
    kept = TABLE[TABLE["paid"] < TABLE.loc[pending, "paid"].min().floor("D")]
    held_out = TABLE.set_index(TABLE["number"].astype(str)).loc[daily.scores["id"], "paid"]
    assert held_out.max() == kept["paid"].max()
    assert held_out.min() == kept.loc[kept["paid"].dt.floor("D") == held_out.min().floor("D"), "paid"].min()
    assert any(f"{len(TABLE) - len(kept):,} rows of the last 3d were left out" in note for note in daily.notes)
    assert daily.metrics["n_rows"] == (kept["paid"] >= held_out.min()).sum()


def test_the_final_model_is_trained_on_all_rows_whose_labels_are_known(daily):
    known = TABLE[TABLE["paid"].dt.floor("D") < (TABLE["paid"].max() - pd.Timedelta("3D")).floor("D")]
    again = clone(daily.model.ranker).fit(daily.model.encoder.encode(known), known["fraud"])
    np.testing.assert_allclose(daily.model.ranker.coef_, again.coef_, rtol=1e-4)
    assert daily.model.facts["trained_on"] == len(known)
    assert daily.model.judged is not None


@pytest.mark.parametrize("delay", [0.0, 2.5, 7.0])
def test_rows_trained_on_were_labeled_before_the_first_row_held_out_in_every_window(delay):
    rng = np.random.default_rng(3)
    time = rng.integers(0, 600, 400) / 10
    is_positive = rng.random(400) < 0.4
    period = np.unique(np.floor(time), return_inverse=True)[1]
    windows = Dependence(time, None, period, delay).splits(is_positive, 0.25, 1, rng)
    assert len(windows) == 3
    for part in windows:
        first = time[part.held_out].min()
        assert set(np.floor(time[part.training])).isdisjoint(np.floor(time[part.held_out]))
        expected = (time <= first - delay) & (np.floor(time) < np.floor(first))
        np.testing.assert_array_equal(np.sort(part.training), np.flatnonzero(expected))


def test_a_new_table_is_ranked_day_by_day(daily, tmp_path):
    new = payments(3, 50, seed=5).drop(columns="fraud")
    ranked = workflow.score(daily.model, new, top=4).scores
    scores = daily.model.scores(new)
    for day, rows in new.groupby(new["paid"].dt.strftime("%Y-%m-%d")):
        best = rows.index[np.argsort(-scores[rows.index], kind="stable")[:4]]
        listed = ranked[ranked["list"] == day]
        assert listed["id"].tolist() == new.loc[best, "number"].astype(str).tolist()
        assert listed["rank"].tolist() == [1, 2, 3, 4]
        assert listed["percentile"].tolist() == pytest.approx([100, 98, 96, 94])
    new.to_csv(tmp_path / "new.csv", index=False)
    read = workflow.score(persist.loads(persist.dumps(daily.model)), tmp_path / "new.csv", top=4)
    pd.testing.assert_frame_equal(read.scores, ranked)
    assert "each of 3 lists of about 50 rows expect" in read.report.headline
    low, high = (daily.metrics["budget"][f"hits_{end}"] for end in ("low", "high"))
    same = workflow.score(daily.model, new[new["paid"] < "2024-03-02"])
    assert f"Among the first 12 of 50 rows expect {same.report.headline.split('expect ')[1]}" in same.report.headline
    assert f"a day ({low}–{high})" in same.report.headline
    whole = workflow.score(daily.model, new.drop(columns="paid"))
    assert "list" not in whole.scores
    assert any("Without 'paid' all rows are ranked as one list" in note for note in whole.notes)


NEW = payments(9, 50, seed=5)


@pytest.fixture(scope="module")
def explored(daily):
    """Nine lists: the best twelve of each and six of the others, and what their inspection found."""
    listed = workflow.score(daily.model, NEW.drop(columns="fraud"), top=18, explore=6, random_state=4, reasons=1).scores
    return listed.assign(fraud=NEW.set_index(NEW["number"].astype(str))["fraud"][listed["id"]].to_numpy())


def test_rows_to_explore_are_drawn_from_every_list(daily, explored, tmp_path):
    whole = workflow.score(daily.model, NEW, reasons=1).scores
    for day, rows in explored.groupby("list"):
        own = whole[whole["list"] == day]
        assert rows["why"].tolist() == ["top"] * 12 + ["explored"] * 6
        assert rows["id"][:12].tolist() == own["id"][:12].tolist()
        assert set(rows["id"][12:]) <= set(own["id"][12:])
        assert (1 / rows["inclusion"]).sum() == pytest.approx(len(own))
        assert rows["reason_1"].tolist() == own.set_index("id")["reason_1"][rows["id"]].tolist()
    NEW.to_csv(tmp_path / "new.csv", index=False)
    again, other = (
        workflow.score(daily.model, tmp_path / "new.csv", top=18, explore=6, random_state=i) for i in (4, 3)
    )
    assert again.scores["id"].tolist() == explored["id"].tolist() != other.scores["id"].tolist()
    assert "54 rows (why = explored) were drawn from the 342 below the top of their 9 lists" in again.notes[-1]
    with pytest.raises(InputError, match="drawn from one list; this model makes one every period"):
        workflow.shortlist(daily.model, NEW, by="recall", rate=0.5, explore=6)


def test_reasons_are_those_of_the_rows_of_every_list(daily):
    few, whole = (workflow.score(daily.model, NEW, top=top, reasons=1) for top in (2, None))
    assert few.scores["reason_1"].tolist() == whole.scores.set_index("id")["reason_1"][few.scores["id"]].tolist()
    assert few.contributions.sum(axis=1).to_numpy() == pytest.approx(few.scores["score"].to_numpy())


def test_explored_lists_say_what_the_table_of_all_rows_says(daily, explored, podium, tmp_path):
    of_lists = workflow.evaluate(explored, label="fraud", budget=12)
    scores = daily.model.scores(NEW)
    back = explored.set_index("id")[["fraud", "inclusion"]]
    table = NEW[["number", "paid"]].assign(score=scores).join(back, on=NEW["number"].astype(str))
    of_table = workflow.evaluate(table.drop(columns="number"), label="fraud", time="paid", every="day", budget=12)
    for one, other in zip(of_lists.intervals, of_table.intervals, strict=True):
        assert (one.phi, one.estimate, one.low, one.high) == pytest.approx(
            (other.phi, other.estimate, other.low, other.high)
        )
    truth = hits_per_period(NEW["fraud"], scores, NEW["paid"].dt.floor("D"), k=12)
    for found in (of_lists.hits, of_table.hits):  # the first twelve of each list all have a label
        assert (found.estimate, found.low, found.high) == (truth.estimate, truth.low, truth.high)
    recall = of_lists.intervals[-1]
    assert (recall.phi, recall.low <= truth.estimate * 9 / NEW["fraud"].sum() <= recall.high) == ("recall-at:108", True)
    assert "9 lists and count by their place in their own: the first 12 of each are 108 rows" in of_lists.notes[0]
    explored.to_csv(tmp_path / "lists.csv", index=False)
    run = podium("evaluate", tmp_path / "lists.csv", "--label", "fraud", "--every", "day", "--budget", 12)
    assert (run.code, f"{truth}." in run.out) == (0, True)


def test_evaluated_lists_count_by_place_and_differ_as_lists_do():
    rows = TABLE.assign(score=TABLE["a"])
    day = rows["paid"].dt.floor("D")
    found = workflow.evaluate(rows, label="fraud", time="paid", every="day", budget=12)
    assert found.hits == hits_per_period(rows["fraud"], rows["a"], day, k=12)
    place = -rows.groupby(day)["a"].rank(ascending=False)
    assert found.intervals[0] == interval(rows["fraud"], place, groups=day)
    # Of lists whose labels are missing at random, those without any label say nothing; in others all rows have a place.
    known = (np.random.default_rng(0).random(len(rows)) < 0.5) & (day > day.min() + pd.Timedelta("4D"))
    partly = workflow.evaluate(
        rows.assign(fraud=rows["fraud"].where(known)), label="fraud", time="paid", every="day", budget=12
    )
    assert (partly.hits.n_lists, partly.warnings) == (45, ())
    assert "taken to have had a label with a probability of 5" in partly.notes[1]
    later = day > day.min() + pd.Timedelta("4D")
    assert partly.hits.estimate == pytest.approx(
        hits_per_period(rows["fraud"][later], rows["a"][later], day[later], k=12).estimate, abs=1
    )
    for options, sentence in (
        ({"every": "day"}, "every counts from each row's timestamp; got no time"),
        ({"time": "paid"}, "time tells the period of a row; got no period"),
        ({"per": "branch"}, "per divides the list of a period; got no period"),
        ({"time": "paid", "every": "day", "budget": 12, "population": 5}, "Several lists tell their length"),
        ({"time": "paid", "every": "day", "budget": 100}, "the list has 60 rows"),
    ):
        with pytest.raises(InputError, match=sentence):
            workflow.evaluate(rows, label="fraud", **options)


def partly_labeled(share):
    """The best rows of each day by a column, and a share of the others."""
    place = TABLE.groupby(TABLE["paid"].dt.floor("D"))["a"].rank(ascending=False)
    inclusion = np.where(place <= 14, 1.0, share)
    is_known = np.random.default_rng(0).random(len(TABLE)) < inclusion
    return TABLE.assign(fraud=TABLE["fraud"].where(is_known)), inclusion


def test_hits_a_day_are_estimated_where_the_design_is_known():
    table, inclusion = partly_labeled(0.3)
    result = workflow.fit(table.assign(inclusion=inclusion), **OPTIONS)
    rows = result.scores.merge(TABLE[["number", "paid"]].astype({"number": str}), left_on="id", right_on="number")
    labels = Observed(rows["label"].astype(float), rows["inclusion"])
    expected = hits_per_period(labels, rows["score"], rows["paid"].dt.floor("D"), k=12)
    assert result.metrics["hits"] == pytest.approx(expected.to_dict())
    assert len(rows) == (TABLE["paid"] >= rows["paid"].min().floor("D")).sum()
    assert result.report.headline.startswith("Among the top 12 of about 60 a day expect")
    assert f"hits a day ({expected.low}–{expected.high})" in result.report.headline
    ranked = workflow.score(result.model, NEW, top=12, explore=4)
    assert ranked.report.headline == "A list of 450 rows"
    assert any("Hits are not predicted" in each for each in ranked.report.html.splitlines())


def test_labels_that_are_missing_at_random_leave_rows_in_their_lists():
    is_known = np.random.default_rng(0).random(len(TABLE)) < 0.5
    result = workflow.fit(TABLE.assign(fraud=TABLE["fraud"].where(is_known)), **OPTIONS)
    assert not any("no random part" in warning for warning in result.warnings)
    assert "of about 60 a day" in result.report.headline
    assert any("look like a random part of their lists" in note for note in result.notes)
    low, high = (result.metrics["budget"][f"hits_{end}"] for end in ("low", "high"))
    assert low <= workflow.fit(TABLE, **OPTIONS).metrics["budget"]["hits"] <= high
    assert "weight" not in result.model.facts


def test_probabilities_of_rows_that_were_not_listed_are_those_of_their_list_or_of_all():
    table, inclusion = partly_labeled(0.3)
    gaps = table.assign(inclusion=np.where(table["fraud"].notna(), inclusion, np.nan))
    found = workflow.fit(gaps, **OPTIONS).scores  # drawn from all rows: days have more or fewer
    assert found["inclusion"].isin([0.3, 1.0]).all()
    place = TABLE.groupby(TABLE["paid"].dt.floor("D"))["a"].rank(ascending=False, method="first").astype(int)
    is_known = place.isin([*range(1, 11), *range(11, 61, 5)])  # ten of the other fifty
    by_day = TABLE.assign(fraud=TABLE["fraud"].where(is_known), inclusion=np.where(place <= 10, 1.0, 0.2))
    asked = by_day.assign(inclusion=by_day["inclusion"].where(is_known))
    assert (workflow.fit(asked, **OPTIONS).scores["inclusion"] < 1).mean() == pytest.approx(50 / 60)


def test_hits_a_day_are_bounded_where_rows_were_selected():
    table, _ = partly_labeled(0.0)
    result = workflow.fit(table, **OPTIONS)
    assert "no random part" in result.warnings[0]
    rows = result.scores.merge(TABLE[["number", "paid"]].astype({"number": str}), left_on="id", right_on="number")
    expected = hits_per_period(Observed(rows["label"].astype(float)), rows["score"], rows["paid"].dt.floor("D"), k=12)
    assert result.metrics["hits"] == expected.to_dict() | {"mean": list(expected.mean)}
    assert "budget" not in result.metrics
    assert f"are hits on average ({expected.low}–{expected.high} in the next)" in result.report.headline
    assert not re.search("expect|AUC 0|interval 0", result.report.markdown)


def test_rows_without_a_label_that_may_still_come_are_left_out():
    is_late = TABLE["paid"] > TABLE["paid"].max() - pd.Timedelta("3D")
    late = workflow.fit(TABLE.assign(fraud=TABLE["fraud"].where(~is_late)), **OPTIONS, label_delay="3d")
    whole = workflow.fit(TABLE, **OPTIONS, label_delay="3d")
    assert (late.warnings, late.metrics["budget"]) == ((), whole.metrics["budget"])


def test_every_branch_has_a_list_of_its_own():
    result = workflow.fit(TABLE, **OPTIONS, per="branch")
    assert "of about 30 a day and branch expect" in result.report.headline
    rows = result.scores.merge(TABLE.assign(number=TABLE["number"].astype(str)), left_on="id", right_on="number")
    lists = rows["paid"].dt.strftime("%Y-%m-%d, ") + rows["branch"]
    expected = hits_per_period(rows["label"], rows["score"], lists, k=12)
    assert result.metrics["budget"]["hits"] == expected.estimate
    ranked = workflow.score(result.model, TABLE, top=2).scores
    assert ranked["list"].nunique() == 100
    assert (ranked.groupby("list").size() == 2).all()


def test_the_baseline_is_compared_list_by_list():
    result = workflow.fit(TABLE, **OPTIONS, baseline="a")
    rows = result.scores.merge(TABLE.assign(number=TABLE["number"].astype(str)), left_on="id", right_on="number")
    day = rows["paid"].dt.floor("D")
    by = {name: hits_per_period(rows["label"], rows[name], day, k=12).estimate for name in ("score", "a")}
    assert result.metrics["baseline"]["more"] == pytest.approx(by["score"] - by["a"])


def test_periods_and_spans():
    times = pd.Series(pd.to_datetime(["2024-02-29 23:59", "2024-03-03 12:00", "2024-03-04 00:00"]), name="paid")
    assert begins(times, "week").astype("datetime64[D]").astype(str).tolist() == [
        "2024-02-26", "2024-02-26", "2024-03-04",
    ]  # fmt: skip
    assert begins(times, "month").astype("datetime64[M]").astype(str).tolist() == ["2024-02", "2024-03", "2024-03"]
    numbers = pd.Series([0.0, 4.9, 5.0], name="paid")
    assert begins(numbers, "5").tolist() == [0, 0, 5]
    assert (span_of("36h", times), span_of("2w", times), span_of("1.5", numbers)) == (129_600, 1_209_600, 1.5)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"time": None}, "every counts from each row's timestamp; got no time"),
        ({"every": None, "per": "branch"}, "per divides the list of a period; got no period"),
        ({"every": "fortnight"}, "every must name a period of dates; got 'fortnight'"),
        ({"label_delay": "soon"}, "label_delay must be a number above 0 of hours, days or weeks; got 'soon'"),
        ({"label_delay": "0d"}, "got '0d'"),
        ({"label_delay": "90d"}, "label_delay must be shorter than the time the table covers"),
        ({"weight": "card"}, "got weights with every"),
        ({"population": 1000}, "population is the length of one list"),
        ({"per": "shop"}, "shop"),
        ({"test": TABLE.assign(fraud=TABLE["fraud"].where(TABLE["a"] > 0))}, "Hits a period need the labels of all"),
        ({"budget": 400}, "the budget cannot exceed the length of the list"),
    ],
)
def test_what_cannot_be_is_said(options, sentence):
    with pytest.raises(InputError) as error:
        workflow.fit(TABLE, **{**OPTIONS, **options})
    assert sentence in str(error.value)


def test_a_table_of_the_future_is_refused_on_the_command_line(tmp_path, capsys):
    path = tmp_path / "payments.csv"
    TABLE.assign(paid=TABLE["paid"] + pd.Timedelta("36500D")).to_csv(path, index=False)
    line = ["fit", str(path), "--label", "fraud", "--time", "paid", "--every", "day", "--label-delay", "3d"]
    with pytest.raises(SystemExit) as ended:
        main([*line, "--out", str(tmp_path / "out")])
    assert ended.value.code == 2
    assert "Labels of rows after today are not known; 'paid' goes up to 2124-" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
