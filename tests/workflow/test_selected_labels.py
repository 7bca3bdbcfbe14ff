"""Labels of inspected rows: what is said of the list, and what is not."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact

from podium import inference, workflow
from podium.exceptions import InputError
from podium.inference.observed import Bounds
from podium.labels import Observed
from podium.workflow.stages.detect import never_looked_at
from podium.workflow.stages.selected import selection


def table(n=1500, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (rng.random(n) < 1 / (1 + np.exp(2 - X @ [1.2, 0.6, 0.0]))).astype(float)
    score = X @ [1.0, 0.7, 0.0]
    return pd.DataFrame(X, columns=list("abc")).assign(score=score, other=X[:, 0]), y, rng


def top_k(k=200, **options):
    frame, y, _ = table(**options)
    is_top = np.argsort(np.argsort(-frame["score"].to_numpy())) < k
    return frame.assign(found=np.where(is_top, y, np.nan)), y


def numbers_under(value, name=""):
    """All numbers of a JSON document, by the names above them."""
    if isinstance(value, dict):
        return [pair for key, each in value.items() for pair in numbers_under(each, f"{name}.{key}")]
    if isinstance(value, list):
        return [pair for each in value for pair in numbers_under(each, name)]
    return [(name, value)] if isinstance(value, float) else []


def test_evaluate_gives_bounds_for_the_first_rows_of_a_list(podium, tmp_path):
    frame, _y = top_k()
    result = workflow.evaluate(frame, label="found")
    assert "200 rows with a label are no random part of the 1,500" in result.warnings[0]
    assert "'score'" in result.warnings[0]
    assert "label 100 of the 1,300 other rows, drawn at random" in result.warnings[0]
    assert all(isinstance(one, Bounds) for one in result.intervals)
    expected = inference.interval(Observed(frame["found"]), frame["score"])
    assert (result.intervals[0].low, result.intervals[0].high) == pytest.approx((expected.low, expected.high))
    precision = {one.phi: one for one in result.intervals}["precision-at:200"]  # all of these have a label
    assert precision.low == precision.high == frame["found"].mean()
    assert (result.certificate, result.hits, result.hits_guaranteed) == (None, None, None)
    frame.to_csv(tmp_path / "list.csv", index=False)
    run = podium("evaluate", tmp_path / "list.csv", "--label", "found", "--budget", 100)
    assert (run.code, run.err.startswith("Warning: The 200 rows")) == (0, True)
    found = json.loads(podium("evaluate", tmp_path / "list.csv", "--label", "found", "--json").out)
    assert {name.rpartition(".")[2] for name, _ in numbers_under(found)} == {"low", "high", "probability"}


def test_compare_gives_bounds_for_each_score(podium, tmp_path):
    frame, _ = top_k()
    result = workflow.compare(frame, label="found", scores=["score", "other"], budget=50)
    assert (result.comparisons, result.pairs, list(result.bounds)) == (None, (), ["score", "other"])
    assert result.bounds["other"].phi == "precision-at:50"
    frame.to_csv(tmp_path / "list.csv", index=False)
    run = podium("compare", tmp_path / "list.csv", "--label", "found", "--score", "score", "--score", "other")
    assert (run.code, "at most" in run.out, "Warning" in run.err) == (0, True, True)


def test_a_known_design_makes_a_comparison_of_the_whole_list():
    frame, y = top_k()
    rng = np.random.default_rng(1)
    inclusion = np.where(frame["found"].notna(), 1.0, 0.2)
    labels = np.where(rng.random(len(y)) < inclusion, y, np.nan)
    whole = frame.assign(found=labels, inclusion=inclusion)
    found = workflow.compare(whole, label="found", scores=["score", "other"]).comparisons
    expected = inference.compare(Observed(labels, inclusion), {"score": frame["score"], "other": frame["other"]})
    assert (found.difference, found.pvalue) == pytest.approx((expected.difference, expected.pvalue), rel=1e-9)


def test_fit_prints_no_estimate_of_the_list_where_rows_were_selected(tmp_path):
    frame, _y = top_k(300)
    result = workflow.fit(frame[["a", "b", "c", "found"]], label="found", budget=100, model="linear")
    assert "no random part of the 1,500" in result.warnings[0]
    assert result.metrics["validation"] == {}
    given = {name.rpartition(".")[2] for name, _ in numbers_under(result.metrics)}
    assert given == {"low", "high", "probability", "confidence_level"}
    assert result.model.calibration is None  # later lists promise nothing
    page = result.report.html + result.report.markdown
    assert not re.search(r"expect|interval 0|guaranteed|ROC", page)
    assert "Of the top 30 of the 450 held-out rows" in result.report.headline
    assert "probability" not in workflow.score(result.model, frame.drop(columns="found"), top=10).scores
    assert sorted(path.name for path in result.save(tmp_path / "out")) == sorted(
        ["model.podium", "report.html", "report.md", "metrics.json", "scores.csv"]
    )
    assert result.scores["label"].isna().sum() == 450 - result.metrics["n_labeled"]


def test_fit_estimates_the_list_where_the_design_is_known():
    frame, y = top_k(200)
    rng = np.random.default_rng(2)
    inclusion = np.where(frame["found"].notna(), 1.0, 0.25)
    labels = np.where(rng.random(len(y)) < inclusion, y, np.nan)
    whole = frame[["a", "b", "c"]].assign(found=labels, inclusion=inclusion, why="x")
    result = workflow.fit(whole, label="found", budget=100, model="linear")
    assert "inclusion" not in result.model.kinds
    assert "why" not in result.model.kinds
    assert result.warnings == ()
    held = result.scores
    observed = Observed(held["label"].astype(float).to_numpy(na_value=np.nan), held["inclusion"])
    expected = inference.precision_at_interval(observed, held["score"], k=100, n_next=1500)
    assert result.metrics["hits"] == pytest.approx(expected.to_dict())
    assert result.report.headline.startswith("Among the top 100 of 1,500 expect")
    later = workflow.score(result.model, table(seed=5)[0], top=100)
    assert later.warnings == ()  # a list is like all rows, not like the inspected ones
    promised = float(
        re.search(r"expect (\d+) hits;", later.report.headline)[1]
    )  # and no range: rows were drawn unequally
    assert promised == pytest.approx(expected.estimate, rel=0.15)
    with pytest.raises(InputError, match="drawn with unequal probabilities"):
        workflow.shortlist(result.model, table(seed=5)[0])
    share = {one["phi"]: one for one in result.metrics["whole_list"]}["prevalence"]
    assert share["low"] <= y.mean() <= share["high"]


def test_labels_missing_at_random_are_left_out_as_before():
    frame, y, rng = table()
    result = workflow.evaluate(frame.assign(found=np.where(rng.random(len(y)) < 0.3, y, np.nan)), label="found")
    assert result.warnings == ()
    assert "rows have no label and were left out" in result.notes[0]


def test_the_test_of_selection_is_fishers_where_one_column_has_two_values():
    rng = np.random.default_rng(4)
    labeled = np.arange(60) < 20
    for seed in range(5):
        column = pd.DataFrame({"x": np.where(np.random.default_rng(seed).random(60) < 0.4, "u", "v")})
        exact = fisher_exact(pd.crosstab(column["x"], labeled))[1]
        found = selection(column, labeled, ["x"], seed=int(rng.integers(100)))
        # Twice the smaller of two equal p-values, from 399 permutations.
        assert found.pvalue == pytest.approx(min(1, 2 * exact), abs=0.15)


def test_the_level_of_the_test_holds_in_small_tables():
    rejected = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({"a": rng.lognormal(size=60), "b": rng.choice(list("xyz"), 60)})
        frame.loc[rng.random(60) < 0.2, "a"] = np.nan
        rejected += selection(frame, rng.random(60) < 0.2, ["a", "b"], seed=0).is_found
    assert rejected <= 10  # 5 % of 200; the level is 2 %


def test_columns_that_the_inspection_fills_are_no_sign_of_selection():
    frame, y, rng = table()
    labeled = rng.random(len(y)) < 0.2
    record = frame.assign(found=np.where(labeled, y, np.nan), inspector=np.where(labeled, "ann", None))
    assert workflow.evaluate(record, label="found").warnings == ()


def test_zeros_that_nobody_looked_at_are_asked_about():
    frame, y, rng = table()
    looked = rng.random(len(y)) < 0.3
    frame = frame.assign(found=np.where(looked, y, 0), seen_on=np.where(looked, "2026-01-03", None))
    frame["status"] = np.where(looked, "closed", "open")
    (by_date, by_status) = workflow.evaluate(frame, label="found").warnings
    assert "Column 'seen_on' is empty in" in by_date
    assert "Were these rows never looked at?" in by_date
    assert "(option unlabeled: seen_on=)" in by_date
    assert "(option unlabeled: status=open)" in by_status
    n_looked = int(looked.sum())
    for unlabeled in ("seen_on=", "status=open"):
        result = workflow.evaluate(frame, label="found", unlabeled=unlabeled)
        assert (result.n_rows, result.n_pos) == (n_looked, int(y[looked].sum()))
    warnings = workflow.fit(frame.drop(columns="score"), label="found", model="linear").warnings
    assert any("never looked at" in each for each in warnings)
    full = frame.assign(seen_on="2026-01-03", status="closed")
    assert never_looked_at(full, full["found"] == 1, ["seen_on", "status"]) == []


def test_a_value_of_the_label_may_mean_that_nobody_looked(podium, tmp_path):
    frame, y, rng = table()
    words = np.where(rng.random(len(y)) < 0.5, np.where(y == 1, "yes", "no"), "open")
    frame = frame.assign(found=words)
    result = workflow.evaluate(frame, label="found", positive="yes", unlabeled="open")
    assert result.n_rows == (words != "open").sum()
    with pytest.raises(InputError, match="unlabeled must be a value of 'found'; got 'closed'"):
        workflow.evaluate(frame, label="found", positive="yes", unlabeled="closed")
    frame.to_csv(tmp_path / "t.csv", index=False)
    options = (tmp_path / "t.csv", "--label", "found", "--positive", "yes", "--unlabeled")
    assert podium("evaluate", *options, "open").code == 0
    run = podium("evaluate", *options, "nobody=")
    assert (run.code, "there is no 'nobody'" in run.err) == (2, True)


def test_held_out_rows_without_a_label_are_those_of_the_same_time_or_unit():
    frame, _y = top_k(300)
    whole = frame[["a", "b", "c", "found"]].assign(day=np.arange(1500), home=np.arange(1500) // 3)
    result = workflow.fit(whole, label="found", model="linear", time="day", budget=50)
    held = result.scores["id"].astype(int)
    assert result.metrics["n_rows"] == (whole["day"] >= held.min()).sum()
    result = workflow.fit(whole.drop(columns="day"), label="found", model="linear", group="home", budget=50)
    held = result.scores["id"].astype(int).to_numpy()
    labeled = np.flatnonzero(whole["found"].notna())
    judged = set(held[np.isin(held, labeled)] // 3)
    assert set(np.flatnonzero(np.isin(whole["home"], list(judged)))) <= set(held)


def test_the_latest_rows_may_have_no_label_yet():
    frame, y, _ = table()
    whole = frame[["a", "b", "c"]].assign(found=np.where(np.arange(1500) < 1200, y, np.nan), day=np.arange(1500))
    timed = workflow.fit(whole, label="found", model="linear", time="day", budget=50)
    assert not any("no random part" in each for each in timed.warnings)
    untimed = workflow.fit(whole, label="found", model="linear", budget=50)
    assert "they differ from the others in 'day'" in untimed.warnings[0]


def test_a_labeled_row_without_an_inclusion_probability_is_refused():
    frame, y = top_k()
    whole = frame.assign(inclusion=np.where(np.arange(1500) % 2, 1.0, np.nan))
    with pytest.raises(InputError, match="needs an inclusion probability"):
        workflow.fit(whole, label="found", model="linear")
    with pytest.raises(InputError, match="here every row has a label"):
        workflow.fit(whole.dropna().assign(inclusion=0.5), label="found", model="linear")
    found = workflow.evaluate(whole.assign(found=y, inclusion=5.0), label="found")  # a column like any other
    assert (found.n_rows, found.warnings) == (1500, ())
