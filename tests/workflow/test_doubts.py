"""Doubts remove the statements they touch and no others; remarks remove none; both are raised for a reason."""

import re
from html import unescape

import coverage_doubts
import numpy as np
import pandas as pd
import pytest

from podium import report, workflow
from podium._results.doubts import KINDS, OPTIONS, STATEMENTS, Doubt, removed
from podium.workflow.reasons import CHANCES
from podium.workflow.stages.counted_labels import LabelCounts
from podium.workflow.stages.in_time import change_over_dates, order_in_time
from podium.workflow.stages.repeated import copies

OPTIONS_OF_FIT = {
    "label": "ill",
    "budget": 60,
    "model": "linear",
    "refit": False,
    "baseline": "old",
    "slices": ["town"],
}
DATE = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(600) // 2, "D")


def plain(seed=0, n=600, rise=0.0):
    """Independent rows; the chance of a positive may rise from the first to the last."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    ill = X[:, 0] + X[:, 1] + rng.logistic(size=n) + rise * (np.arange(n) / n - 0.5) > 1
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(old=X[:, 0] + rng.standard_normal(n), ill=ill.astype(int))
    return frame.assign(town=rng.choice(["x", "y"], n))


def visits():
    rng = np.random.default_rng(0)
    own = np.repeat(rng.standard_normal((75, 4)), 8, axis=0)
    frame = plain().assign(**{name: own[:, j] + 0.3 * rng.standard_normal(600) for j, name in enumerate("abc")})
    ill = (frame["a"] + 2 * own[:, 3] + 0.5 * rng.logistic(size=600) > 1).astype(int)
    return frame.assign(ill=ill, patient=np.repeat(rng.permutation(750)[:75] + 10_000, 8)).sample(
        frac=1, random_state=0
    )


def unseen():
    frame = plain()
    return frame.assign(visit=frame["a"].round(1).mask((frame["ill"] == 0) & (np.arange(600) % 3 == 0)))


TABLES = {
    "none": (plain(), {}),
    "none, in time": (plain(2).assign(noted=DATE), {"time": "noted"}),
    "order": (plain().assign(noted=DATE), {}),
    "change": (plain(rise=4).assign(noted=DATE).sample(frac=1, random_state=0, ignore_index=True), {}),
    "trend": (plain(rise=6).assign(noted=DATE), {"time": "noted"}),
    "leak": (plain().assign(told=lambda t: np.where(t["ill"] == 1, "late", None)), {}),
    "units": (visits(), {}),
    "copies": (pd.concat([plain(), plain()[:60]], ignore_index=True), {}),
    "weight": (plain().assign(fnlwgt=np.random.default_rng(1).lognormal(8, 1, 600)), {}),
    "unseen": (unseen(), {}),
}


def said(metrics, html):
    """The statements of a report, of which the page and the file of figures must say the same."""
    in_figures = {
        "range": metrics["budget"]["hits_low"] is not None,
        "at least": metrics["budget"]["hits_guaranteed"] is not None,
        "certificate": bool(metrics["certificates"]),
        "probability": metrics["calibration_error"] is not None,
        "interval": metrics["statistics"][0]["low"] is not None,
        "comparison": metrics["baseline"]["pvalue"] is not None,
    }
    page = unescape(html)
    on_page = {
        "range": "The range in parentheses" in page,
        "at least": "at all budgets at once" in page,
        "certificate": "What is certain" in page,
        "probability": "cross-validation on the held-out rows compares" in page,
        "interval": re.search(r"What matters.*?<td>[−.\d]+</td><td>[−.\d]+ to", page, re.DOTALL) is not None,
        "comparison": "interval of the difference" in page,
        "cut": "Where to cut" in page,
        "band": "band for the whole curve" in page,
    }
    assert {name: on_page[name] for name in in_figures} == in_figures
    return {name for name, is_there in on_page.items() if is_there}


@pytest.mark.parametrize("kind", TABLES)
def test_each_doubt_removes_what_it_touches_and_nothing_else(kind):
    frame, given = TABLES[kind]
    result = workflow.fit(frame, **OPTIONS_OF_FIT, **given)
    assert {one["kind"] for one in result.metrics["doubts"]} == {kind} & KINDS.keys()
    gone = (KINDS[kind][1] if kind in KINDS else set()) | (OPTIONS["time"] if given else set())
    assert said(result.metrics, result.report.html) == set(STATEMENTS) - gone - {"list"}
    assert result.metrics["slices"][0]["rows"][0]["auc_low"] is None or "interval" not in gone
    assert (result.report.html.find("Before you rely") >= 0) == bool(result.warnings)
    listed = workflow.score(result.model, plain(1).assign(**{c: frame[c].iloc[:600].to_numpy() for c in extra(frame)}))
    html = unescape(listed.report.html)
    assert ("The range in parentheses" in html) == ("list" not in gone)
    assert ("At least</th>" in html) == ("at least" not in gone)
    assert (CHANCES[0] in listed.scores) == ("probability" not in gone)
    assert all(sentence in listed.warnings and sentence in html.partition("<h1>")[0] for sentence in result.warnings)


def extra(frame):
    return [name for name in frame if name not in (*plain(n=20), "told")] + (["told"] if "told" in frame else [])


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in TABLES])
def test_the_remaining_kinds_do_so_on_a_page_made_by_hand(kind):
    frame = plain()
    page = report.build(
        frame["ill"], frame["a"], budget=60, warnings=[Doubt(kind, "Look here.")], baseline=("old", frame["old"])
    )
    assert said(page.summary, page.html) == set(STATEMENTS) - KINDS[kind][1] - {"list"}
    assert "Look here." in page.html.partition("<h1>")[0]
    assert "Look here." in page.markdown


def test_a_list_of_another_source_has_neither_hits_nor_probabilities():
    model = workflow.fit(plain(), **OPTIONS_OF_FIT).model
    other = workflow.score(model, plain(1).assign(a=9.0))
    assert CHANCES[0] not in other.scores
    assert "cannot be predicted" in other.report.headline
    assert CHANCES[0] in workflow.score(model, plain(1)).scores


def test_remarks_on_how_values_were_read_leave_everything_in_place(tmp_path):
    frame = plain().assign(grade=np.arange(600).astype(str))
    frame.loc[::100, "grade"] = "about 7"
    frame.to_csv(tmp_path / "t.csv", index=False)
    result = workflow.fit(tmp_path / "t.csv", **OPTIONS_OF_FIT)
    (remark,) = result.metrics["remarks"]
    assert "Column 'grade' has numbers except for 6 of 600 values" in remark
    assert result.notes[0] == remark
    assert (result.warnings, result.metrics["doubts"]) == ((), [])
    assert said(result.metrics, result.report.html) == set(STATEMENTS) - {"list"}
    top, _, rest = unescape(result.report.html).partition("</header>")
    assert remark not in top
    assert remark in rest
    assert result.model.holds("list")


def test_the_table_in_the_documentation_is_what_the_code_does():
    assert coverage_doubts.STATEMENTS_PAGE.read_text(encoding="utf-8") == coverage_doubts.statements()


def test_doubts_remove_the_union_of_what_they_touch():
    both = [Doubt("trend", ""), Doubt("order", "")]
    assert removed(both) == KINDS["trend"][1] | KINDS["order"][1]
    assert removed([], ["every"]) == OPTIONS["every"]
    assert removed([]) == frozenset()


# --- raised for a reason ----------------------------------------------------------------------------------------------
def test_no_shuffled_table_is_in_order_of_a_mostly_zero_column():
    rng = np.random.default_rng(1)
    assert not any(order_in_time(frame, list(frame)) for frame in (coverage_doubts.shuffled(rng) for _ in range(200)))


def test_rows_with_the_same_date_are_in_no_order():
    default = pd.Series(pd.Timestamp("1900-01-01"), index=range(1000))
    default[np.random.default_rng(0).permutation(1000)[:9]] = DATE[:18:2]
    assert not order_in_time(pd.DataFrame({"closed": default}), ["closed"])


def test_ordered_tables_are_named_by_the_right_column():
    rng = np.random.default_rng(1)
    tables = [coverage_doubts.ordered(rng) for _ in range(100)]
    named = [coverage_doubts.first_named(order_in_time(frame, list(frame))) for frame, _ in tables]
    assert sum(one == name for one, (_, name) in zip(named, tables, strict=True)) >= 95


def test_all_columns_by_which_rows_are_ordered_are_named_dates_first():
    frame = pd.DataFrame({"year": DATE.year, "week": np.arange(600) // 30, "paid": DATE, "waiting_time": np.zeros(600)})
    frame.loc[400:, "waiting_time"] = np.arange(200)  # 0 in most rows
    (doubt,) = order_in_time(frame, list(frame))
    assert "in the order of 'paid' (also of 'week')" in doubt.sentence
    assert "option time: paid" in doubt.sentence


def test_random_dates_are_taken_for_a_change_in_one_of_a_hundred_tables():
    rng = np.random.default_rng(1)
    tables = [coverage_doubts.random_dates(rng) for _ in range(100)]
    assert sum(bool(change_over_dates(frame, y, list(frame), None, rng)) for frame, y in tables) <= 3


def test_a_change_names_dates_shares_and_columns_and_a_date_of_birth_is_none():
    frame = plain(rise=4).assign(
        noted=DATE, birth_date=DATE, c=np.arange(600) + np.random.default_rng(0).normal(size=600) * 400
    )
    y = frame["ill"].to_numpy() == 1
    names = ["a", "b", "c", "noted", "birth_date"]
    (doubt,) = change_over_dates(frame, y, names, None, np.random.default_rng(0))
    assert doubt.sentence.startswith("The rows change over 'noted': ")
    assert (
        f"{100 * y[:120].mean():.0f} % of the earliest rows are positive and {100 * y[-120:].mean():.0f} %"
        in doubt.sentence
    )
    assert "; 'c' changes." in doubt.sentence
    assert not change_over_dates(frame, y, ["a", "b", "c", "birth_date"], None, np.random.default_rng(0))


LIKE_REAL = [  # a property of rows, the date of the row, and years from the one to the other
    ("earliest_credit_line", "issued", (2, 30)),
    ("hired", "reviewed", (0.2, 20)),
    ("first_registration", "inspected", (1, 15)),
    ("customer_since", "ordered", (0.0, 6)),
    ("diagnosed", "admitted", (0.1, 4)),
]


def with_two_dates(seed, earlier, later, years):
    """Rows of three years, of which those whose earlier date is long ago are more often positive."""
    rng = np.random.default_rng(seed)
    ago = rng.uniform(*years, 900)
    day = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 1095, 900), unit="D")
    since = (day - pd.to_timedelta((365 * ago).round(), unit="D")).where(rng.random(900) > 0.03)
    y = rng.random(900) < 0.1 + 0.5 * (ago - years[0]) / (years[1] - years[0])
    return pd.DataFrame({earlier: since, "a": rng.standard_normal(900), later: day}), y, rng


@pytest.mark.parametrize(("earlier", "later", "years"), LIKE_REAL)
def test_a_date_before_another_of_its_row_is_a_property_over_which_nothing_changes(earlier, later, years):
    tables = [with_two_dates(seed, earlier, later, years) for seed in range(5)]
    assert not any(change_over_dates(frame, y, list(frame), None, rng) for frame, y, rng in tables)
    alone = [change_over_dates(frame, y, [earlier, "a"], None, rng) for frame, y, rng in tables]
    assert sum(map(bool, alone)) >= 4  # where nothing says that it is one


@pytest.mark.parametrize("days", [(0, 60), (365, 365)])
def test_a_change_over_the_later_date_too_is_one_over_both(days):
    rng = np.random.default_rng(0)
    sold = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 1095, 900), unit="D")
    y = rng.random(900) < np.linspace(0.1, 0.5, 1095)[(sold - sold.min()).days]
    frame = pd.DataFrame(
        {"sold": sold, "due": sold + pd.to_timedelta(rng.integers(*days, 900, endpoint=True), unit="D")}
    )
    for table in (frame, frame.assign(due=sold)):
        (doubt,) = change_over_dates(table, y, list(frame), None, rng)
        assert "'sold'" in doubt.sentence
        assert "'due'" in doubt.sentence


def test_copies_propose_the_unit_that_their_name_says_before_they_are_called_duplicates():
    rng = np.random.default_rng(0)
    frame, y = coverage_doubts.inspected(rng)
    (doubt,) = copies(frame, y, list(frame), None, rng)
    sentence = doubt.sentence
    assert sentence.index("option group: business_name") < sentence.index("remove the duplicates")
    unnamed = TABLES["copies"][0].drop(columns="ill")
    (doubt,) = copies(unnamed, np.zeros(len(unnamed), dtype=bool), list(unnamed), None, rng)
    assert "option group" not in doubt.sentence


# --- labels -----------------------------------------------------------------------------------------------------------
def test_labels_are_counted_in_one_line_and_rare_values_are_not_named():
    counts = LabelCounts.counted(596, {"no": 9981, "invalid": 219, "moved to Rome": 4}, 12)
    assert str(counts) == (
        "596 positive; 10,204 others, of which 219 'invalid', 4 with other values; 12 without a label, left out"
    )
    assert str(LabelCounts.counted(3, {"no": 5}, 0)) == "3 positive; 5 others"


def test_the_line_of_labels_is_on_the_page_in_its_text_and_among_the_figures():
    frame = plain().assign(ill=lambda t: np.where(t["ill"] == 1, "yes", "no").astype(object))
    frame.loc[frame.index[frame["ill"] == "no"][:40], "ill"] = "invalid"
    frame.loc[frame.index[frame["ill"] == "no"][:3], "ill"] = "unclear"
    frame.loc[frame.index[frame["ill"] == "no"][-7:], "ill"] = None
    n_pos = int((frame["ill"] == "yes").sum())
    result = workflow.fit(frame, **OPTIONS_OF_FIT, positive="yes")
    others = f"{593 - n_pos} others, of which 40 'invalid', 3 with other values"
    line = f"{n_pos} positive; {others}; 7 without a label, left out"
    assert result.metrics["labels"]["sentence"] == line
    assert result.metrics["labels"]["other_values"] == {"invalid": 40}
    page = unescape(result.report.html)
    assert page.index("<h1>") < page.index(f"Labels: {line}.") < page.index("<main>")
    assert f"Labels: {line}." in result.report.markdown
    assert "unclear" not in page
