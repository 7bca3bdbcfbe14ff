"""Everything that is said of a table and its list, by counting rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from podium.tables import Encoder, TableModel, describe
from podium.tables.effects import row_effects, shapes, typical_effects
from podium.tables.files.csv import to_csv
from podium.tables.labels import has_value, positives
from podium.tables.listing import ranked_list
from podium.tables.profile import ListProfile, profile
from tables import naive_tables as naive


class Sum:
    """A model whose score is the sum of its columns."""

    def decision_function(self, X):
        return X.sum(axis=1)


class Weighted(Sum):
    def decision_function(self, X):
        return X @ np.arange(1.0, X.shape[1] + 1)


class Difference(Sum):
    def decision_function(self, X):
        return X[:, 0] - X[:, 1]


def model_of(frame, kinds, **facts):
    encoder = Encoder.fit(frame, np.arange(len(frame)), kinds)
    return TableModel(encoder, Sum(), "auc", "y", "1", facts=facts)


def said(training, new, kind):
    seen = ListProfile(profile(pd.DataFrame({"c": training}), np.arange(len(training)), {"c": kind}))
    for part in np.array_split(np.arange(len(new)), 2):
        seen.add(pd.DataFrame({"c": new}).iloc[part])
    return seen.differences()


# --- a list unlike the training rows ----------------------------------------------------------------------------------
@pytest.mark.parametrize("rows", [4, 8, 40, 400, 4000])
@pytest.mark.parametrize("n_there", [0, 1, 30, 50])
def test_a_column_is_emptier_where_the_share_is_larger_by_a_tenth_and_by_more_than_chance(rows, n_there):
    training = pd.Series(np.where(np.arange(100) < n_there, np.nan, np.arange(100) % 3))
    found = []
    for n_here in sorted({*range(0, rows + 1, max(1, rows // 19)), 1, 2}):
        values = np.where(np.arange(rows) < n_here, np.nan, np.arange(rows) % 3 + 0.0)
        sentences = said(training, values, "number")
        found.append(any("has no value in" in one for one in sentences))
        assert found[-1] == naive.is_more(n_here, rows, n_there, 100), n_here
    assert any(found) or rows < 40
    assert not found[0]


@pytest.mark.parametrize("rows", [5, 12, 60])
def test_numbers_have_shifted_where_a_share_differs_by_a_quarter_and_by_more_than_chance(rows):
    training = np.arange(100.0)
    grid = [2, 4, 24, 49, 74, 94, 97]  # quantiles that are kept, each the mean of five values
    found = []
    for start in range(0, 100, 7):
        new = np.linspace(start, 99.0, rows).round()
        shares = [(np.mean(new <= g), (g + 1) / 100) for g in grid]
        expected = any(naive.has_shifted(here, rows, there) for here, there in shares)
        found.append(bool(said(pd.Series(training), new, "number")))
        assert found[-1] == expected, start
    assert any(found) or rows < 60
    assert not all(found)


def test_shares_at_most_a_value_count_the_value_itself():
    training = pd.Series(np.repeat([0.0, 1.0], [70, 30]))
    (sentence,) = said(training, np.repeat([0.0, 1.0], [5, 95]), "number")
    assert sentence == "Column 'c' is at most 0 in 5 % of the rows; in training in 70 %."


# --- columns ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("n_rows", "n_pos", "leaks"), [(9, 4, False), (12, 5, False), (14, 5, True), (1100, 1, True)])
def test_a_column_leaks_only_where_a_thousand_orders_would_not_separate_classes_by_chance(n_rows, n_pos, leaks):
    y = np.arange(n_rows) < n_pos
    assert bool(describe(pd.DataFrame({"x": np.arange(n_rows) * 1.5}), y).perfect) == leaks


@pytest.mark.parametrize("broken", [False, True])
def test_words_leak_only_where_every_one_of_them_gives_the_label_away(broken):
    word = np.repeat(["a", "b", "c"], 40)
    y = word == "a"
    y[50] = broken
    assert bool(describe(pd.DataFrame({"x": word}), y).perfect) != broken


def test_a_share_of_positives_is_drawn_to_that_of_all_by_twenty_rows_and_that_of_training_rows_leaves_them_out():
    from podium.columns.text import cross_fitted_shares, shares

    rng = np.random.default_rng(0)
    codes, y = rng.integers(-1, 3, 90), rng.random(90) < 0.4
    table = shares(codes, y, 3)
    for code in (0, 1, 2, -1):
        assert table[code, 0] == pytest.approx(naive.drawn_share(y[codes == code], y))
    fold = np.random.default_rng(1).integers(5, size=90)
    found = cross_fitted_shares(codes, y, 3, np.random.default_rng(1))
    for i in range(90):
        others = fold != fold[i]
        assert found[i, 0] == pytest.approx(naive.drawn_share(y[others & (codes == codes[i])], y[others]))


def test_days_are_counted_from_the_first_date_to_the_second_and_weekends_are_saturday_and_sunday():
    days = pd.date_range("2024-01-01", periods=70, freq="D")
    frame = pd.DataFrame({"a": days, "b": days + pd.to_timedelta(np.arange(70) ** 2, "D")})
    encoder = Encoder.fit(frame, np.arange(70), {"a": "date", "b": "date"})
    (gap, date, _) = encoder.columns
    assert gap.name == "days from a to b"
    assert gap.take(frame).tolist() == (np.arange(70) ** 2).tolist()
    X = dict(zip(encoder.outputs, encoder.encode(frame).T, strict=True))
    assert X["a is at a weekend"].tolist() == [float(day.strftime("%a") in ("Sat", "Sun")) for day in days]
    assert date.name == "a"


def test_a_number_is_standardized_by_the_median_and_the_spread_of_a_normal_middle_half():
    values = np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9])
    encoder = Encoder.fit(pd.DataFrame({"x": values}), np.arange(9), {"x": "number"})
    z = encoder.encode(pd.DataFrame({"x": values}))[:, 0]
    assert z == pytest.approx((values - 5) / ((7 - 3) / (2 * 0.6744898)), rel=1e-3)


# --- labels and the list ----------------------------------------------------------------------------------------------
def test_a_row_without_a_label_is_not_positive():
    column = pd.Series(["yes", None, "no", "yes"], name="y")
    assert has_value(column, "yes").tolist() == [True, False, False, True]
    assert positives(pd.Series(["yes", "no"]), "yes")[0].tolist() == [True, False]


def test_rank_and_percentile_of_every_row_are_counts_of_better_rows():
    scores = np.array([3.0, 1, 2, 3, 2, 0])
    found = ranked_list(pd.Series(range(6)), scores).set_index("id")
    for i in range(6):
        better = sum(other > scores[i] for other in scores)
        assert found.loc[i, "rank"] == 1 + better
        assert found.loc[i, "percentile"] == pytest.approx(100 * (1 - better / 6))


def test_formulas_are_disarmed_and_numbers_are_left():
    text = to_csv(pd.DataFrame({"id": ["=1+1", "-5", "+3.5", "@x", "-5-x", "plain"]}))
    assert text.split() == ["id", "'=1+1", "-5", "+3.5", "'@x", "'-5-x", "plain"]


@pytest.mark.parametrize(
    ("facts", "n_rows", "budget"),
    [({"fraction": 0.1}, 3, 1), ({"fraction": 0.1}, 57, 6), ({"budget": 60}, 40, 40), ({"budget": 60}, 90, 60)],
)
def test_the_budget_of_a_list_is_a_row_at_least_and_no_longer_than_the_list(facts, n_rows, budget):
    frame = pd.DataFrame({"x": np.arange(30.0)})
    assert model_of(frame, {"x": "number"}, **facts).budget_of(n_rows) == budget


def test_a_range_for_a_new_list_needs_independent_rows_or_lists_by_period_and_no_doubt_that_touches_it():
    frame = pd.DataFrame({"x": np.arange(30.0)})
    doubts = {kind: {"doubts": [(kind, "Look here.")]} for kind in ("leak", "trend", "a kind of a later version")}
    certain = {}, {"warned": False}, {"time": "day", "every": "day"}, doubts["trend"]
    doubtful = {"time": "day"}, {"group": "town"}, {"weight": "w"}, {"warned": True}, doubts["leak"]
    doubtful += (doubts["a kind of a later version"],)
    assert all(model_of(frame, {"x": "number"}, **facts).holds("list") for facts in certain)
    assert not any(model_of(frame, {"x": "number"}, **facts).holds("list") for facts in doubtful)


def test_the_model_that_was_judged_is_the_one_before_it_was_trained_again():
    frame = pd.DataFrame({"x": np.arange(30.0), "z": np.arange(30.0) % 4})
    model = model_of(frame, {"x": "number", "z": "number"})
    assert model.as_judged() is model
    again = replace(model, judged=Difference())
    X = again.encoder.encode(frame)
    assert np.array_equal(again.as_judged().scores(frame), X[:, 0] - X[:, 1])
    assert np.array_equal(again.scores(frame), X.sum(axis=1))


# --- what moves a row -------------------------------------------------------------------------------------------------
def test_effects_of_columns_are_mean_changes_of_the_place_in_the_list_with_their_limits():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.integers(0, 9, 60) + 0.0, "t": rng.choice(["u", "v"], 60)})
    model = model_of(frame, {"x": "number", "t": "text"})
    scores = model.scores(frame).tolist()

    def places_with(**values):
        return [naive.place(score, scores) for score in model.scores(frame.assign(**values))]

    low, high = (frame["x"].quantile(q, interpolation="nearest") for q in (0.1, 0.9))
    changes = {f"x: {low:.4g} → {high:.4g}": (places_with(x=high), places_with(x=low))}
    changes |= {f"t = {value}": (places_with(t=value), places_with()) for value in ("u", "v")}
    for effect in typical_effects(model, frame):
        after, before = changes.pop(effect.name)
        expected = naive.mean_and_limits(np.subtract(after, before).tolist())
        assert effect[1:] == pytest.approx(expected)
    assert not changes


def test_a_shape_is_the_mean_place_of_rows_given_a_value_that_five_rows_hold_or_that_is_the_mean_of_five():
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.permutation(120), "D")
    frame = pd.DataFrame({"x": rng.standard_normal(120), "k": rng.integers(0, 3, 120) + 0.0, "day": days})
    frame["t"] = ["u"] * 70 + ["v"] * 46 + ["w"] * 4
    frame.loc[:3, "k"] = 7.0
    model = model_of(frame, {"x": "number", "k": "number", "day": "date", "t": "text"})
    model.ranker = Weighted()
    scores = model.scores(frame).tolist()
    found = {one.name: one for one in shapes(model, frame)}
    assert set(found) == {"x", "k", "day", "t"}
    for name, one in found.items():
        for value, place in zip(one.values, one.places, strict=True):
            given = model.scores(frame.assign(**{name: value})).tolist()
            assert place == pytest.approx(sum(naive.place(score, scores) for score in given) / 120)
    assert found["k"].values == [0.0, 1.0, 2.0]
    assert set(found["t"].values) == {"u", "v"}
    tenths = [sorted(frame["x"])[start : start + 12] for start in range(0, 120, 12)]
    assert found["x"].values == pytest.approx([sum(part) / 12 for part in tenths])
    assert len(found["day"].values) == 10
    assert shapes(model, frame.iloc[:8]) == []
    few = {one.name: one.values for one in shapes(model, frame.iloc[:40])}
    assert len(few["x"]) == 8  # means of five


def test_effects_of_a_row_are_its_place_less_that_with_the_values_of_others():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.integers(0, 9, 60) + 0.0, "z": rng.integers(0, 9, 60) + 0.0})
    model = model_of(frame, {"x": "number", "z": "number"})
    scores = model.scores(frame).tolist()
    for effect in row_effects(model, frame, 7, np.random.default_rng(1)):
        name = effect.name[0]
        own = frame.iloc[[7] * 60].reset_index(drop=True)
        swapped = [naive.place(score, scores) for score in model.scores(own.assign(**{name: frame[name]}))]
        expected = naive.mean_and_limits([naive.place(scores[7], scores) - value for value in swapped])
        assert effect[1:] == pytest.approx(expected)
