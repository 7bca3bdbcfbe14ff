"""The slider along cuts to choose from after looking."""

import numpy as np
import pandas as pd
import pytest

from browser import Opened, chromium
from podium import report, shortlist, workflow
from podium.report.choosing import of_list, of_next_list, spread_like
from podium.report.wording import count
from podium.shortlist.choosing import stated_as


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


def sample(n=1500, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.2
    return y, rng.standard_normal(n) + 1.8 * y


def longest(cuts, most):
    """The longest cut with at most so many rows, by a loop."""
    best = None
    for rows, share in zip(cuts.n_rows, cuts.shares, strict=True):
        if rows <= most:
            best = {"rows": int(rows), "stated_share": float(share)}
    return best


def test_steps_are_cuts_of_the_path_of_a_list_spread_like_the_judged_rows():
    y, s = sample()
    page = report.build(y, s, budget=200, population=2500)
    ordered = sorted(s)
    likewise = [ordered[int((i + 0.5) * 1500 / 2500)] for i in range(2500)]
    cuts = shortlist.path(y, s, likewise)
    assert longest(cuts, 200) in page.summary["path"]
    known = {(int(n), float(a)) for n, a in zip(cuts.n_rows, cuts.shares, strict=True)}
    assert {(one["rows"], one["stated_share"]) for one in page.summary["path"]} <= known
    assert page.summary["path"][-1]["rows"] == cuts.n_rows[-1]
    assert stated_as(page.summary["path"][0]["stated_share"]) in page.markdown


def test_of_a_list_that_is_kept_in_part_the_first_cuts_are_those_of_the_whole():
    y, s = sample()
    new = np.sort(sample(seed=1)[1])[::-1]
    whole, part = of_list((y, s), new, len(new), 300), of_list((y, s), new[:500], len(new), 300)
    assert part.summary[-1]["rows"] <= 500
    assert part.summary[part.start] == whole.summary[whole.start] == longest(shortlist.path(y, s, new), 300)


@pytest.mark.parametrize("given", [{"warnings": ["Rows repeat."]}, {"prevalence": 0.5}, {"time": np.arange(1500)}])
def test_where_rows_are_not_those_of_the_list_there_is_no_slider(given):
    assert report.build(*sample(), **given).summary["path"] is None


def test_the_number_of_negatives_is_stated_so_that_the_worst_cut_holds_on_average():
    rng = np.random.default_rng(1)
    worst = []
    for _ in range(300):
        y, s = rng.random(300) < 0.3, rng.standard_normal(300)
        s += y
        new_y = rng.random(400) < 0.3
        new_s = rng.standard_normal(400) + new_y
        cuts = shortlist.path(y, s, spread_like(s, 400))
        false = (new_s[~new_y][:, None] >= cuts.thresholds).sum(axis=0)
        worst.append((false / (cuts.shares * cuts.n_rows)).max())
    assert np.mean(worst) <= 1 + 2 * np.std(worst) / np.sqrt(len(worst))
    assert np.mean(worst) > 0.6  # and no more cautious than need be


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The report, the page of a list, and that of a shortlist, with the steps that each should show."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((1500, 3)), columns=["a", "b", "c"])
    frame["y"] = (2 * frame["a"] + frame["b"] + rng.standard_normal(1500) > 2).astype(int)
    new = pd.DataFrame(rng.standard_normal((800, 3)), columns=["a", "b", "c"])
    fitted = workflow.fit(frame, label="y", model="linear", budget=80)
    listed = workflow.score(fitted.model, new, top=300)
    chosen = workflow.shortlist(fitted.model, new, by="rows", rate=150)
    ranked = workflow.score(fitted.model.as_judged(), new).scores["score"]
    judged = fitted.model.as_judged().calibration
    outlook = fitted.model.outlook
    final = workflow.score(fitted.model, new).scores["score"].to_numpy()
    cuts = shortlist.path(*judged, ranked)
    assert len(chosen.scores) == longest(cuts, 150)["rows"]
    assert chosen.shortlist.guarantee == cuts.choose(n_rows=150).guarantee
    folder = tmp_path_factory.mktemp("pages")
    return [
        (fitted.report.save(folder / "report.html"), fitted.metrics["path"]),
        (listed.report.save(folder / "list.html"), of_list(outlook, final[:300], 800, 300).summary),
        (chosen.report.save(folder / "shortlist.html"), of_list(judged, ranked.to_numpy(), 800, 150).summary),
    ]


def test_every_step_shows_the_numbers_of_the_path_by_keyboard_and_on_a_phone(browser, pages):
    for path, steps in pages:
        opened = Opened(browser, path, width=390)
        slider = opened.page.locator("#cut")
        slider.focus()
        opened.page.keyboard.press("Home")
        for step in steps:
            rows, share = step["rows"], step["stated_share"]
            assert opened.text("[data-text=cut-rows]") == f"{rows:,}"
            assert slider.get_attribute("aria-valuetext") == f"{rows:,}"
            assert opened.text("[data-text=cut-share]") == stated_as(share)
            assert opened.text("[data-text=cut-false]") == count(rows * share)
            assert opened.text("[data-text=cut-true]") == count(rows * (1 - share))
            assert opened.text("[data-text=cut-option]") == f"--rows {rows}"
            opened.page.keyboard.press("ArrowRight")
        assert opened.complaints == []
        assert opened.what_is_cut("screen") == []
        opened.page.close()


def test_both_sliders_of_a_report_move_their_own_numbers_only(browser, pages):
    opened = Opened(browser, pages[0][0])
    budget = opened.text("[data-text=budget]")
    marker = opened.page.locator("circle[data-marker=path]")
    before = marker.get_attribute("transform")
    opened.page.locator("#cut").press("End")
    assert marker.get_attribute("transform") != before
    assert opened.text("[data-text=budget]") == budget
    rows = opened.text("[data-text=cut-rows]")
    opened.page.locator("#budget").press("Home")
    assert opened.text("[data-text=cut-rows]") == rows


def test_a_list_too_long_to_write_down_has_no_slider():
    class Long:
        prevalence, population = None, 10**9

    assert of_next_list(Long(), 100) is None
