"""Beside every score: the chance of a positive, and reasons that add up to it."""

from copy import deepcopy
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from podium import GradientBoostedRanker, LinearRanker, StackedRanker, metrics, workflow
from podium.workflow.reasons import contributions, in_words

OPTIONS = {"label": "late", "budget": 60}


def loans(n_rows=800, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.standard_normal((n_rows, 3)), columns=["a", "b", "c"])
    frame["b"] = np.where(rng.random(n_rows) < 0.1, np.nan, frame["b"])
    frame["region"] = rng.choice(["north", "south", "east"], n_rows)
    risk = 1.5 * frame["a"] + frame["b"].fillna(0) + (frame["region"] == "south") + rng.logistic(size=n_rows)
    return frame.assign(late=(risk > 1).astype(int))


@cache
def fitted(model, **options):
    """Trained on the loans; not to be changed."""
    return workflow.fit(loans(), **OPTIONS, model=model, **options)


@pytest.mark.parametrize("model", ["linear", "linear-quantile", "trees", "boosted", "quadratic"])
def test_contributions_add_up_to_the_score(model):
    result = fitted(model)
    listed = workflow.score(result.model, loans(300, seed=1), top=50, reasons=2)
    np.testing.assert_allclose(listed.contributions.sum(axis=1), listed.scores["score"], rtol=0, atol=1e-9)
    assert list(listed.contributions.columns) == ["a", "b", "c", "region", "base"]
    assert [name for name in listed.scores if name.startswith("reason")] == ["reason_1", "reason_2"]
    largest = listed.contributions.drop(columns="base").abs().idxmax(axis=1)
    assert [text.split()[0] for text in listed.scores["reason_1"]] == largest.to_list()


@pytest.mark.parametrize("model", ["linear", "linear-quantile", "trees", "boosted", "quadratic"])
def test_reasons_of_a_row_are_those_it_has_in_any_list(model):
    result = fitted(model)
    new = loans(300, seed=1)
    first = workflow.score(result.model, new, top=1, reasons=4)
    alone = workflow.score(result.model, new.loc[[int(first.scores["id"].iloc[0])]], reasons=4)
    np.testing.assert_allclose(alone.contributions, first.contributions, rtol=0, atol=1e-9)
    np.testing.assert_allclose(alone.contributions.sum(axis=1), alone.scores["score"], rtol=0, atol=1e-9)
    assert "+0)" not in alone.scores["reason_1"].iloc[0]


@pytest.mark.parametrize("model", ["linear", "boosted"])
def test_over_the_training_rows_reasons_cancel(model):
    frame = loans(4000)
    parts = contributions(workflow.fit(frame, **OPTIONS, model=model).model, frame).drop(columns="base")
    assert (parts.mean().abs() <= 0.1 * parts.std()).all()


def test_typical_rows_have_the_mean_of_the_training_rows_and_are_none_of_them():
    result = fitted("linear", refit=False)
    X = result.model.encoder.encode(loans().drop(index=result.scores["id"].astype(int)))  # those not held out
    typical = result.model.typical
    np.testing.assert_allclose(typical.mean(axis=0), X.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(typical.std(axis=0), X.std(axis=0), rtol=0.2)
    numbers = typical[:, :3]
    assert np.abs(numbers[:, None] - X[None, :, :3]).max(axis=2).min() > 1e-6


def test_those_of_a_stack_add_up_to_its_score():
    frame = loans(300)
    model = workflow.fit(frame, **OPTIONS, model="linear").model
    members = [("line", LinearRanker("auc")), ("bayes", GaussianNB()), ("trees", GradientBoostedRanker(n_estimators=5))]
    stack = StackedRanker(members, cv=3, random_state=0)
    model.ranker = stack.fit(model.encoder.encode(frame), frame["late"].to_numpy() == 1)
    assert len(stack.weights_) == 3
    new = loans(60, seed=1)
    parts = contributions(model, new)
    np.testing.assert_allclose(parts.sum(axis=1), model.scores(new), rtol=0, atol=1e-9)
    assert parts["a"].abs().mean() > parts["c"].abs().mean()


def test_dates_without_a_time_of_the_day_are_said_as_dates():
    days = pd.Timestamp("2020-03-01") + pd.to_timedelta(np.arange(800), "D")
    result = workflow.fit(loans().assign(opened=days), **OPTIONS, model="linear")
    said = [one.name for one in result.effects if one.name.startswith("opened")]
    listed = workflow.score(result.model, loans().assign(opened=days), top=5, reasons=9)
    said += list(listed.scores.filter(like="reason_").to_numpy().ravel())
    assert sum("opened" in text for text in said) >= 6
    assert not any("00:00" in text for text in said)


def test_those_of_a_line_are_its_terms():
    result = fitted("linear", refit=False)
    new = loans(300, seed=1)
    parts = contributions(result.model, new)
    moved = new.assign(a=new["a"] + 0.1)
    change = contributions(result.model, moved) - parts
    np.testing.assert_allclose(change.sum(axis=1), result.model.scores(moved) - result.model.scores(new), atol=1e-9)
    assert change.drop(columns=["a"]).abs().max().max() < 1e-9


def test_by_exchange_columns_without_effect_get_nothing_and_equal_ones_the_same():
    class Sums:
        threshold_ = 0.0

        def decision_function(self, X):
            return X[:, 0] + X[:, 1] ** 2

    result = deepcopy(fitted("linear"))
    result.model.ranker = Sums()
    new = loans(100, seed=1)
    parts = contributions(result.model, new)
    np.testing.assert_allclose(parts.sum(axis=1), result.model.scores(new), atol=1e-9)
    assert parts["c"].abs().max() == parts["region"].abs().max() == 0
    a = result.model.encoder.encode(new)[:, 0]
    assert np.ptp(parts["a"] - a) < 1e-9  # additive: what it adds is its own, up to a constant


def test_the_probability_beside_the_score_is_about_right_on_new_rows():
    result = workflow.fit(loans(4000), **OPTIONS, model="linear")
    new = loans(4000, seed=1)
    listed = workflow.score(result.model, new)
    assert list(listed.scores.columns)[:5] == ["id", "score", "rank", "percentile", "probability"]
    late = new["late"].to_numpy()[listed.scores["id"].astype(int)]
    bins = np.array_split(np.arange(4000), 10)
    gaps = [late[rows].mean() - listed.scores["probability"].to_numpy()[rows].mean() for rows in bins]
    assert np.mean(np.abs(gaps)) < 0.04
    assert metrics.auc(late, listed.scores["probability"]) > metrics.auc(late, listed.scores["score"]) - 0.01


def test_with_weights_probabilities_are_those_of_the_rows_so_weighted():
    frame = loans(2000)
    counts = np.where(frame["late"] == 1, 4.0, 1.0)
    result = workflow.fit(frame.assign(counts=counts), **OPTIONS, model="linear", weight="counts", refit=False)
    y, scores = result.model.calibration
    weight = result.model.calibration_weight
    chance = result.model.chances()(scores)
    assert np.average(chance, weights=weight) == pytest.approx(np.average(y, weights=weight), abs=0.02)
    assert np.average(y, weights=weight) - y.mean() > 0.2


def test_what_adds_nothing_is_no_reason():
    parts = pd.DataFrame({"a": [0.5, 0.0], "b": [0.0, -1.0], "base": [0.1, 0.1]})
    words = in_words(parts, pd.DataFrame({"a": [3, 4], "b": [5, 6]}), 2)
    assert words.to_numpy().tolist() == [["a = 3 (+0.5)", ""], ["b = 6 (-1)", ""]]


def test_a_reason_quotes_the_beginning_of_a_long_text():
    frame = pd.DataFrame({"body": ["Dear all,\n\nthe meeting of Tuesday is moved to Wednesday, for lack of it. " * 9]})
    [reason] = in_words(pd.DataFrame({"body": [0.5], "base": [0.0]}), frame, 1)["reason_1"]
    assert reason == "body = Dear all, the meeting of Tuesday is moved to Wednesday, for… (+0.5)"
