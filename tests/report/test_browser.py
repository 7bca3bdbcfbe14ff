"""The page as a reader meets it, in headless Chromium."""

import numpy as np
import pytest

from browser import Opened, chromium
from podium import report
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
        effects=[(HOSTILE, 0.8, 0.5, 1.1), ("a feature with a rather long name", -0.3, -0.5, -0.1)],
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


def test_every_step_of_the_slider_shows_the_numbers_computed_in_python(browser, built, path):
    opened = Opened(browser, path)
    opened.page.locator("#budget").focus()
    opened.page.keyboard.press("Home")
    for row in built.summary["budgets"]:
        assert opened.text("[data-text=budget]") == f"{row['k']:,}"
        nothing_known = row["hits_low"] == 0 and row["hits_high"] == row["k"]
        for name, words in (("hits", count), ("precision", percent), ("recall", percent), ("lift", times)):
            assert opened.text(f"[data-text={name}]") == ("–" if nothing_known else words(row[name]))
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
    for place in (".title", "li:has-text('SUM')", ".effects tbody th"):
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


def test_on_a_phone_nothing_sticks_out_at_the_side(browser, path):
    opened = Opened(browser, path, width=390)
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 390
    for table in opened.page.locator(".scroll").all():
        assert table.evaluate("e => e.scrollWidth <= e.clientWidth")
    for figure in opened.page.locator("figure > svg").all():
        box = figure.bounding_box()
        assert box["x"] >= 0
        assert 300 < box["width"] <= 390


def test_labels_of_a_picture_do_not_overlap(browser, path):
    opened = Opened(browser, path, width=390)
    for table in opened.page.locator(".scroll").all():
        assert table.evaluate("e => e.scrollWidth <= e.clientWidth")
    for figure in opened.page.locator("figure > svg").all():
        boxes = [text.bounding_box() for text in figure.locator("text").all()]
        clashes = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if overlap(a, b)]
        assert clashes == []


def test_every_picture_says_in_words_what_it_shows(browser, path):
    opened = Opened(browser, path)
    texts = [svg.get_attribute("aria-label") for svg in opened.page.locator("svg[role=img]").all()]
    assert len(texts) == opened.page.locator("figure").count() == 6
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
