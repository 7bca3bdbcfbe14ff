"""The page as a reader meets it, in headless Chromium."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from browser import SCREENS, Opened, chromium
from podium import report, workflow
from podium._results.wording import percent
from podium.report.wording import count, ranged, score, times

HOSTILE = "<script>alert('x')</script><img src=x onerror=alert(1)>=SUM(A1)"


@pytest.fixture(scope="module")
def built():
    rng = np.random.default_rng(0)
    y = rng.random(1000) < 0.2
    s = rng.standard_normal(1000) + 1.5 * y
    return report.build(
        y,
        s,
        budget=100,
        title=HOSTILE,
        candidates={"stack": s, HOSTILE: s + 0.5 * rng.standard_normal(1000)},
        baseline=("today's score", s + rng.standard_normal(1000)),
        slices={HOSTILE: np.where(rng.random(1000) < 0.5, HOSTILE, "other")},
        effects=[(HOSTILE, 0.8, 0.5, 1.1), ("a feature with a rather long name", -0.3, -0.5, -0.1)],
        importance=[("one_long_word_" * 5, 0.1, 0.05, 0.15)],
        shapes=[
            (HOSTILE, [HOSTILE, "a b c"], [80.0, 20.0]),
            ("amount", [-1e6, 0.5, 2.5e7], [0.0, 50.0, 100.0]),
            ("day", list(pd.date_range("2024-01-31", periods=3, freq="180D")), [40.0, 60.0, 50.0]),
        ],
        data_notes=[HOSTILE],
        provenance={"command": "podium fit " + "long_" * 40, "seed": 0},
    )


@pytest.fixture(scope="module")
def path(built, tmp_path_factory):
    return built.save(tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


def test_the_page_asks_for_nothing_and_complains_of_nothing(browser, path):
    opened = Opened(browser, path)
    opened.page.wait_for_load_state("networkidle")
    assert opened.requests == [path.as_uri()]
    assert opened.complaints == []


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844)])
def test_the_first_screen_has_one_sentence_one_picture_and_the_slider(browser, built, path, width, height):
    opened = Opened(browser, path, width)
    opened.page.set_viewport_size({"width": width, "height": height})
    boxes = [opened.page.locator(one).bounding_box() for one in ("h1", ".dots", "#budget")]
    assert all(0 <= box["y"] <= box["y"] + box["height"] <= height for box in boxes)
    gain, rows = (opened.page.locator(one).bounding_box() for one in ("figure:has(circle[data-marker=gain])", ".rows"))
    beside = gain["x"] >= boxes[1]["x"] + boxes[1]["width"]
    assert beside == (width == 1280)
    assert rows["y"] + rows["height"] <= height or width == 390
    said = opened.page.locator("body").inner_text().replace("\u2060", "")
    assert said.count(built.headline) == 1


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844)])
def test_with_doubts_above_it_the_slider_is_still_on_the_first_screen(browser, tmp_path, width, height):
    rng = np.random.default_rng(0)
    y = rng.random(600) < 0.2
    doubts = [
        "The rows are in the order of 'arrival_date'; later rows may differ: use --time arrival_date.",
        "Column 'reservation_status' alone ranks with an AUC of 0.998: is it known before the label is?",
    ]
    about = ["2026-11-20", "600 rows", "model: trees", "evaluated on all rows by models that had not seen them"]
    page = report.build(y, rng.standard_normal(600) + y, about=about, warnings=doubts, label_counts="120; 480 others")
    opened = Opened(browser, page.save(tmp_path / "page.html"), width)
    opened.page.set_viewport_size({"width": width, "height": height})
    boxes = [opened.page.locator(one).bounding_box() for one in (".warnings", "h1", ".dots", "#budget")]
    ends = [edge for box in boxes for edge in (box["y"], box["y"] + box["height"])]
    assert 0 <= ends[0] <= ends[-1] <= height
    assert ends == sorted(ends)
    assert page.html.index("Left out until these are settled") > page.html.index("<h1>")


def test_the_first_rows_are_those_of_the_metrics_and_nothing_else_of_the_table(browser, built, path):
    opened = Opened(browser, path)
    lines = [line.locator("th, td").all_inner_texts() for line in opened.page.locator(".rows tbody tr").all()]
    assert lines == [
        [
            str(row["rank"]),
            percent(row["probability"]),
            ranged(percent(row["low"]), percent(row["high"])),
            "hit" if row["is_hit"] else "no hit",
        ]
        for row in built.summary["first_rows"]
    ]
    assert len(lines) == 10


def test_every_step_of_the_slider_shows_the_numbers_computed_in_python(browser, built, path):
    opened = Opened(browser, path)
    opened.page.locator("#budget").focus()
    opened.page.keyboard.press("Home")
    drawn = "e => [...e.children].map(dot => dot.getAttribute('class')).join('')"
    for row in built.summary["budgets"]:
        assert opened.text("[data-text=budget]") == f"{row['k']:,}"
        assert opened.text("[data-text=random]") == count(row["random_hits"])
        n_dots = min(row["k"], 100)
        low, expected, high, by_chance = (
            round(row[name] * n_dots / row["k"]) for name in ("hits_low", "hits", "hits_high", "random_hits")
        )
        squares = [opened.page.locator(f"[data-dots={one}]") for one in ("ours", "random")]
        ours, random = (Counter(square.evaluate(drawn)) for square in squares)
        parts = {"s": low, "e": expected - low, "r": high - expected, "m": n_dots - high, "o": 100 - n_dots}
        assert ours == Counter(parts) + Counter()
        assert random == Counter({"g": by_chance, "m": n_dots - by_chance, "o": 100 - n_dots}) + Counter()
        inside = """e => [...e.children].filter(dot => dot.getAttribute("class") !== "o").every(dot => {
            const [x, y, r] = ["cx", "cy", "r"].map(name => Number(dot.getAttribute(name)));
            return r > 4 && r <= x && x + r <= 120 && r <= y && y + r <= 120; })"""
        assert all(square.evaluate(inside) for square in squares)
        each = row["k"] / n_dots
        said = "is one row" if each == 1 else f"stands for {each:.4g} rows"
        assert opened.text("[data-dots=each]") == f"Each dot {said}."
        limits = ranged(count(row["hits_low"]), count(row["hits_high"]))
        assert opened.text("[data-dots=found]") == count(row["hits"])
        assert opened.text("[data-dots=around]") == limits
        for name, words in (("precision", percent), ("recall", percent), ("lift", times)):
            assert opened.text(f"[data-text={name}]") == words(row[name])
            limits = ranged(words(row[f"{name}_low"]), words(row[f"{name}_high"]))
            assert opened.text(f"[data-text={name}-range]") == limits
        assert opened.text("[data-text=threshold]") == score(row["threshold"])
        opened.page.keyboard.press("ArrowRight")
    assert opened.text("[data-text=budget]") == "1,000"


def test_the_slider_moves_its_marker_along_the_curve(browser, path):
    opened = Opened(browser, path)
    marker = opened.page.locator("circle[data-marker=roc]")
    assert marker.get_attribute("transform") != "translate(342 12)"
    opened.page.locator("#budget").press("End")
    assert marker.get_attribute("transform") == "translate(342 12)"  # the whole list: the upper right corner


def test_the_sentence_to_pass_on_is_copied_whole(browser, built, path):
    opened = Opened(browser, path)
    opened.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened.page.locator("#copy").click()
    opened.page.get_by_text("Copied").wait_for()
    copied = opened.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"{built.headline} (95 % range; evaluated on 1,000 rows")


def test_the_tab_key_reaches_the_copy_button_and_then_the_slider_which_tells_its_value(browser, path):
    opened = Opened(browser, path)
    opened.page.keyboard.press("Tab")
    assert opened.page.evaluate("document.activeElement.id") == "copy"
    opened.page.keyboard.press("Tab")
    focused = opened.page.evaluate("[document.activeElement.id, document.activeElement.ariaValueText]")
    assert focused == ["budget", "100"]
    assert opened.page.get_by_label("Inspect the top").count() == 1


@pytest.mark.parametrize("width", [1000, 390])
def test_what_a_word_means_is_shown_on_hover_and_on_focus_within_the_window(browser, path, width):
    opened = Opened(browser, path, width=width)
    shown = "e => [getComputedStyle(e, '::after').content, getComputedStyle(e, '::after').position]"
    words = opened.page.locator(".term").all()
    assert len(words) >= 8
    for word in words:
        meaning = word.get_attribute("data-meaning")
        assert opened.text(f"#{word.get_attribute('aria-describedby')}") == meaning  # in the list of words, too
        assert word.evaluate(shown)[0] in ("none", "normal")
        word.focus()
        assert word.evaluate(shown) == [f'"{meaning}"', "fixed"]
    words[0].hover()
    assert words[0].evaluate(shown)[1] == "fixed"
    assert opened.page.evaluate("document.documentElement.scrollWidth") == width


def test_markup_in_titles_names_and_notes_is_shown_as_text(browser, path):
    opened = Opened(browser, path)
    assert opened.page.title() == HOSTILE
    for place in (".title", "li:has-text('SUM')", ".effects tbody th", ".shapes figcaption"):
        assert opened.text(place) == HOSTILE
    assert opened.page.locator("img").count() == 0
    assert opened.complaints == []


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_text_stands_out_from_the_page_in_light_and_dark(browser, path, color_scheme):
    opened = Opened(browser, path, color_scheme=color_scheme)
    paper = opened.color("body", "backgroundColor")
    assert (sum(paper) > 600) == (color_scheme == "light")
    for selector, kind in (("h1", "color"), (".quiet", "color"), ("svg text", "fill"), (".tiles b", "color")):
        assert contrast(opened.color(selector, kind), paper) > 4.5  # WCAG 2, level AA


@pytest.mark.parametrize(("width", "color_scheme", "media"), SCREENS, ids=["phone", "tablet", "desktop", "A4"])
def test_nothing_is_wider_than_its_box(browser, path, width, color_scheme, media):
    opened = Opened(browser, path, width, color_scheme)
    assert opened.what_is_cut(media) == []
    for figure in opened.page.locator("figure > svg").all():
        box = figure.bounding_box()
        assert box["x"] >= 0
        assert 250 < box["width"] <= width


def test_other_pages_have_nothing_wider_than_its_box_either(browser, tmp_path):
    rng = np.random.default_rng(0)
    long = "a_name_that_no_line_can_hold_" * 3
    frame = pd.DataFrame({"key": [f"{long}{i}" for i in range(400)], long: rng.standard_normal(400), "b": range(400)})
    frame["outcome"] = np.where(frame[long] + rng.standard_normal(400) > 1, HOSTILE, "other")
    looked = workflow.look(frame, "outcome", positive=HOSTILE)
    model = workflow.fit(frame, label="outcome", positive=HOSTILE, id_column="key", model="linear").model
    ranked = workflow.score(model, frame, keep=[long, "b"], reasons=2, command=looked.command)
    wide = workflow.score(model, frame, keep=[long, "b", "outcome"])
    chosen = workflow.shortlist(model, frame, by="recall", rate=0.8)
    for page in (looked.report, ranked.report, wide.report, chosen.report):
        path = page.save(tmp_path / "page.html")
        for width, color_scheme, media in SCREENS:
            opened = Opened(browser, path, width, color_scheme)
            assert opened.what_is_cut(media) == [], (page.headline, width)
            assert opened.complaints == []
            opened.page.close()


def test_labels_of_a_picture_do_not_overlap(browser, path):
    opened = Opened(browser, path, width=390)
    for figure in opened.page.locator("figure > svg").all():
        boxes = [text.bounding_box() for text in figure.locator("text").all()]
        clashes = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if overlap(a, b)]
        assert clashes == []


def test_every_picture_says_in_words_what_it_shows(browser, path):
    opened = Opened(browser, path)
    texts = [svg.get_attribute("aria-label") for svg in opened.page.locator("svg[role=img]").all()]
    assert len(texts) == opened.page.locator("figure").count() == 11
    assert all(len(text) > 40 for text in texts)


def test_on_paper_the_slider_gives_way_and_the_table_stays(browser, path):
    opened = Opened(browser, path, color_scheme="dark")
    opened.page.emulate_media(media="print")
    assert not opened.page.locator("#budget").is_visible()
    assert opened.page.locator("caption").first.is_visible()
    assert opened.color("body", "backgroundColor") == [255, 255, 255]


def contrast(one, other):
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(color):
    parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in np.array(color) / 255]
    return float(np.dot(parts, [0.2126, 0.7152, 0.0722]))


def overlap(a, b):
    return all(a[at] < b[at] + b[size] and b[at] < a[at] + a[size] for at, size in (("x", "width"), ("y", "height")))
