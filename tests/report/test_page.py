import json
import re
import warnings
from html import unescape

import numpy as np
import pytest

from podium import inference, metrics, report
from podium._results.wording import percent
from podium._types import Sample
from podium.exceptions import DegenerateSampleError, InputError
from podium.inference.hits.new_draw import NewDraw
from podium.report.axes import Axes, Axis
from podium.report.budgets import RankedList
from podium.report.wording import count, difference, omega, p_value, ranged, score

HOSTILE = "<script>alert('x')</script>=SUM(A1)&\u2028</title>"


def sample():
    rng = np.random.default_rng(0)
    y = rng.random(600) < 0.2
    return y, rng.standard_normal(600) + 1.5 * y


@pytest.fixture(scope="module")
def plain():
    return report.build(*sample(), budget=60)


def lookup_in(html):
    return json.loads(re.search(r'<script id="budget-steps"[^>]*>(.*?)</script>', html, re.DOTALL).group(1))


def test_the_headline_is_the_prediction_interval_in_words(plain):
    y, s = sample()
    found = inference.precision_at_interval(y, s, k=60)
    assert plain.headline == (
        f"Among the top 60 of 600 expect {found.estimate:.0f} hits ({found.low}–{found.high}); "
        f"random order: {60 * y.mean():.0f}"
    )
    assert plain.headline in plain.html


def test_every_step_of_the_slider_is_the_prediction_for_its_budget(plain):
    y, s = sample()
    draws = NewDraw.of(Sample(s, y))
    for row in plain.summary["budgets"]:
        found = inference.precision_at_interval(y, s, k=row["k"])
        assert (row["hits"], row["hits_low"], row["hits_high"]) == (found.estimate, found.low, found.high)
        assert row["precision"] == pytest.approx(found.estimate / row["k"])
        assert row["recall"] == draws.recall(row["k"], 600, 0.95)[0]
        assert row["lift"] == pytest.approx(row["recall"] * 600 / row["k"])
        assert row["precision"] == pytest.approx(metrics.precision_at(y, s, k=row["k"]), abs=10 / (row["k"] + 10))
        assert (s >= row["threshold"]).sum() == row["k"]


def test_the_page_looks_up_what_the_summary_holds(plain):
    steps = lookup_in(plain.html)
    assert [step["text"]["budget"] for step in steps] == [f"{row['k']:,}" for row in plain.summary["budgets"]]
    assert [step["text"]["precision"] for step in steps] == [
        percent(row["precision"]) for row in plain.summary["budgets"]
    ]
    assert plain.summary["budgets"][0]["k"] == 1


def test_the_summary_is_plain_json(plain):
    assert json.loads(json.dumps(plain.summary, allow_nan=False)) == plain.summary


def test_a_longer_list_has_relatively_tighter_and_a_shorter_one_looser_limits():
    y, s = sample()
    precision = {n: report.build(y, s, budget=n // 10, population=n).summary["budget"] for n in (200, 600, 60_000)}
    width = {n: row["precision_high"] - row["precision_low"] for n, row in precision.items()}
    assert width[200] > width[600] > width[60_000]
    assert precision[60_000]["hits"] == pytest.approx(100 * precision[600]["hits"])


def test_a_budget_of_less_than_one_hold_out_row_is_answered_with_a_warning():
    page = report.build(*sample(), budget=5, population=10**6)
    assert (page.summary["budget"]["hits_low"], page.summary["budget"]["hits_high"]) == (0, 5)
    assert "Less than one held-out row corresponds to\nthis budget" in page.html


@pytest.mark.slow
@pytest.mark.parametrize(("population", "budget"), [(100, 20), (1600, 40), (1600, 320)])
def test_lists_of_other_lengths_are_in_the_ranges_about_as_often_as_they_say(population, budget):
    rng = np.random.default_rng(1)
    held = np.zeros(3)
    for _ in range(60):
        y, next_y = rng.random(400) < 0.2, rng.random(population) < 0.2
        labeled = Sample(rng.standard_normal(400) + 1.5 * y, y)
        ranked = RankedList.of(labeled, population=population, level=0.9)
        row = ranked.row(budget)
        found = next_y[np.argsort(-(rng.standard_normal(population) + 1.5 * next_y))]
        hits, recall = found[:budget].sum(), found[:budget].sum() / found.sum()
        at_every_budget = (np.cumsum(found) >= ranked.guaranteed.at(np.arange(1, population + 1))).all()
        held += row.hits[1] <= hits <= row.hits[2], row.recall[1] <= recall <= row.recall[2], at_every_budget
    assert (held / 60 > 0.9 - 3 * np.sqrt(0.9 * 0.1 / 60)).all()  # three standard errors


def test_the_guaranteed_line_is_the_lower_bound_at_every_budget(plain):
    y, s = sample()
    bound = inference.hits_lower_bound(y, s)
    assert [row["hits_guaranteed"] for row in plain.summary["budgets"]] == [
        bound.at(row["k"]) for row in plain.summary["budgets"]
    ]
    assert f"at least {bound.at(60)} hits in its top 60" in plain.html
    assert "separately for each budget" in plain.html


def test_another_share_of_positives_changes_what_to_expect_and_leaves_out_what_is_no_longer_sure():
    y, s = sample()
    page = report.build(y, s, budget=60, prevalence=0.02)
    expected = inference.precision_at_interval(y, s, k=60, prevalence=0.02)
    row = page.summary["budget"]
    assert (row["hits"], row["hits_low"], row["hits_high"]) == (expected.estimate, expected.low, expected.high)
    assert row["random_hits"] == pytest.approx(1.2)
    assert row["hits_guaranteed"] is None
    assert "2 % of them are positive" in page.html
    assert "guaranteed" not in page.html.partition("What a budget buys")[2].partition("Where to cut")[0]
    assert "--precision" not in page.html


def test_everything_that_comes_from_a_table_is_shown_as_text():
    y, s = sample()
    page = report.build(
        y,
        s,
        title=HOSTILE,
        candidates={HOSTILE: s, "other": -s},
        effects=[(HOSTILE, 1.0, 0.5, 1.5)],
        data_notes=[HOSTILE],
        provenance={HOSTILE: HOSTILE, "versions": {HOSTILE: HOSTILE}, "command": HOSTILE},
    )
    assert "<script>alert" not in page.html
    assert page.html.count("</title>") == 1
    assert page.html.count("<script") == 3  # the numbers of two sliders, and what moves them
    assert unescape(page.html).count(HOSTILE) >= 8
    assert HOSTILE not in page._repr_html_()


def test_the_page_refers_to_nothing_outside_itself(plain):
    assert not re.search(r"(src|href|url|import)\s*[=(]|https?:", plain.html)


def test_in_a_notebook_the_page_stands_in_a_frame(plain):
    shown = re.fullmatch(r'<iframe title=".*?" srcdoc="(.*?)" .*</iframe>', plain._repr_html_(), re.DOTALL)
    assert unescape(shown.group(1)) == plain.html


def test_saving_replaces_the_file_at_once_and_leaves_nothing_aside(plain, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")
    with monkeypatch.context() as broken:
        broken.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("no space")))
        with pytest.raises(OSError, match="no space"):
            plain.save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]
    assert path.read_text() == "old"
    assert plain.save(path).read_text(encoding="utf-8") == plain.html
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_candidates_come_best_first_with_the_p_values_of_compare():
    y, s = sample()
    noise = np.random.default_rng(2).standard_normal(len(s))
    scores = {"worst": noise, "middle": s + 0.7 * noise, "best": s}
    page = report.build(y, s, phi="power:3", candidates=scores)
    names = [one["name"] for one in page.summary["candidates"]]
    assert names == ["best", "middle", "worst"]
    pairs = inference.compare(y, {name: scores[name] for name in names}, phi="power:3")
    shown = [one["best_less_this"] for one in page.summary["candidates"]]
    assert shown == [None, pairs["best", "middle"].to_dict(), pairs["best", "worst"].to_dict()]


@pytest.mark.parametrize(
    ("y", "s"),
    [
        ([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4]),
        ([0, 0, 0, 1, 1], [3.0, 3.0, 3.0, 3.0, 3.0]),
        ([0, 1, 0, 1], [-1.7e308, 1.7e308, 0.0, 1.0]),
        ([0, 1, 0, 1], [1e-310, 2e-310, 3e-310, 4e-310]),
        (["no", "yes", "no", "yes"], [1.0, 2.0, 2.0, 1.0]),
    ],
    ids=["perfect", "all tied", "huge scores", "tiny scores", "named labels"],
)
def test_a_list_that_says_little_still_gets_its_page(y, s):
    page = report.build(y, s, pos_label="yes" if "yes" in y else None)
    assert page.headline.startswith("Among the top 1 of")
    assert re.search(r"expect [\d.]+ hits? \(0–1; only [\d.]+ judged rows? stands? for these\)", page.headline)
    assert not re.search(r"\b(nan|inf)\b", page.html)


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({"budget": 0}, InputError, "budget must be 1 to 600; got 0"),
        ({"budget": 601}, InputError, "the list has 600 rows"),
        ({"population": 0}, InputError, "population must be 1 or more"),
        ({"candidates": {"short": [1.0]}}, InputError, "candidate 'short'"),
        ({"effects": [("age", 1.0)]}, InputError, "An effect must be"),
        ({"confidence_level": 1}, InputError, "confidence_level must be in"),
        ({"y_true": np.arange(600) == 3}, DegenerateSampleError, "two positives and two negatives; got 1 positive"),
        ({"y_true": np.zeros(600)}, DegenerateSampleError, "at least one positive"),
    ],
)
def test_bad_input_gets_a_sentence(arguments, error, sentence):
    y, s = sample()
    with pytest.raises(error, match=re.escape(sentence)):
        report.build(**({"y_true": y, "y_score": s} | arguments))


def test_of_many_effects_the_largest_are_shown_and_the_rest_counted():
    y, s = sample()
    page = report.build(y, s, effects=[(f"feature {i}", i - 15.0, float("nan"), float("nan")) for i in range(30)])
    assert "The 20 largest of 30 effects." in page.html
    assert re.findall(r'<th scope="row">(feature \d+)', page.html)[:3] == ["feature 0", "feature 1", "feature 29"]
    assert "feature 15<" not in page.html


def test_a_curve_of_a_million_points_is_thinned_to_what_can_be_seen():
    axes = Axes(Axis(0, 1, "x", percent), Axis(0, 1, "y", percent))
    x = np.sort(np.random.default_rng(0).random(10**6))
    points = np.array(axes.points(x, np.sqrt(x)))
    assert len(points) < 3000
    left, right = (axes.point(end, 0)[0] for end in (0, 1))
    bottom, top = (axes.point(0, end)[1] for end in (0, 1))
    drawn = np.interp(x, (points[:, 0] - left) / (right - left), (points[:, 1] - bottom) / (top - bottom))
    far = x > 0.01  # the start is too steep for a comparison at equal x
    assert np.abs(drawn - np.sqrt(x))[far].max() < 0.005


def test_numbers_read_well():
    assert [count(v) for v in (0, 0.044, 4.49, 7.0, 61.4, 12345.0)] == ["0", "0.04", "4.5", "7", "61", "12,345"]
    assert [percent(v) for v in (0, 0.0004, 0.0525, 0.733, 0.9962, 0.9999, 1)] == [
        "0 %",
        "0.04 %",
        "5.2 %",
        "73 %",
        "99.6 %",
        "> 99.9 %",
        "100 %",
    ]
    assert [difference(v) for v in (0.0321, -0.0321, -0.0004)] == ["+0.032", "−0.032", "0.000"]
    assert [score(v) for v in (-0.5, 3.06789, 123456.0, float("nan"))] == ["−0.5", "3.068", "123,456", "–"]
    assert [ranged("51 %", "90 %"), ranged("7.3×", "12.9×"), ranged("5", "8")] == ["51–90 %", "7.3–12.9×", "5–8"]
    assert omega(0.75) == "0.750"
    assert [p_value(v) for v in (1e-9, 0.0412)] == ["<\u00a00.001", "0.041"]


def test_rows_that_tie_count_by_the_mean_over_their_orders_so_that_no_statistic_exceeds_one():
    rng = np.random.default_rng(0)
    y = rng.random(4000) < 0.25
    s = np.zeros(4000)
    s[np.flatnonzero(y)[:60]] = 1.0  # mid-ranks would count all sixty as among the top one per cent
    built = report.build(y, s, phi="smooth-top:0.99:1000:1000", budget=40)
    first, auc = built.summary["statistics"][:2]
    assert first["estimate"] <= 1
    assert first["estimate"] == pytest.approx(metrics.rank_statistic(y, s, phi="smooth-top:0.99:1000:1000"))
    assert (auc["phi"], auc["note"]) == ("auc", "")
    assert auc["estimate"] == metrics.auc(y, s)


def test_a_tiny_p_value_of_groups_is_below_a_thousandth_and_equal_to_nothing():
    y, s = sample()
    half = np.arange(600) % 2
    page = report.build(y, np.where(half == 1, s, -s), slices={"half": half})
    assert f"equal AUC in all groups, p {p_value(0.0)}" in unescape(page.html)


@pytest.mark.parametrize("ties", ["groups", "time"])
def test_groups_of_one_class_or_of_one_unit_are_left_out(ties):
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(60), 5)
    y = rng.random(300) < 0.4
    s = rng.standard_normal(300) + y
    value = np.array(["large", "many", "one unit", "one class"])[np.digitize(unit, [25, 50, 51])]
    y[value == "one class"] = False
    page = report.build(y, s, slices={"g": value, "id": np.arange(300)}, **{ties: unit})
    shown, by_id = page.summary["slices"]
    assert [one["value"] for one in shown["rows"]] == ["large", "many"]
    assert shown["left_out"] == 2
    assert by_id["rows"] == []
    for text in (page.html, page.markdown):
        assert "none or one of its 300 values has so many" in text


def test_groups_of_two_units_each_have_a_pvalue():
    rng = np.random.default_rng(3)
    unit = np.repeat([0, 1, 2, 3], 20)
    y = np.tile([True] * 6 + [False] * 14, 4)
    s = rng.standard_normal(80) + y
    value = np.where(unit < 2, "a", "b")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = report.build(y, s, slices={"g": value}, groups=unit)
    assert 0 <= page.summary["slices"][0]["pvalue"] <= 1
