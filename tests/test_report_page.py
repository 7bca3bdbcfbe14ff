import json
import re
import subprocess
import sys
from html import unescape

import numpy as np
import pytest

from podium import inference, metrics, report
from podium.exceptions import DegenerateSampleError, InputError
from podium.report.axes import Axes, Axis
from podium.report.wording import count, omega, p_value, score, share

HOSTILE = "<script>alert('x')</script>=SUM(A1)&\u2028</title>"


def sample(n_rows=600, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n_rows) < 0.2
    return y, rng.standard_normal(n_rows) + 1.5 * y


@pytest.fixture(scope="module")
def plain():
    return report.build(*sample(), budget=60)


def lookup_in(html):
    return json.loads(re.search(r'<script id="lookup"[^>]*>(.*?)</script>', html, re.DOTALL).group(1))


def test_the_headline_is_the_prediction_interval_in_words(plain):
    y, s = sample()
    found = inference.precision_at_interval(y, s, k=60)
    assert plain.headline == (
        f"Among the top 60 of 600 expect {found.estimate:g} hits ({found.low}–{found.high}); "
        f"random order: {60 * y.mean():.0f}"
    )
    assert plain.headline in plain.html


def test_every_step_of_the_slider_agrees_with_the_metrics(plain):
    y, s = sample()
    for row in plain.summary["budgets"]:
        found = inference.precision_at_interval(y, s, k=row["k"])
        assert (row["hits"], row["hits_low"], row["hits_high"]) == (found.estimate, found.low, found.high)
        assert row["precision"] == pytest.approx(metrics.precision_at(y, s, k=row["k"]))
        assert row["recall"] == pytest.approx(metrics.recall_at(y, s, k=row["k"]))
        assert row["lift"] == pytest.approx(metrics.lift_at(y, s, k=row["k"]))
        assert (s >= row["threshold"]).sum() == row["k"]


def test_the_page_looks_up_what_the_summary_holds(plain):
    steps = lookup_in(plain.html)
    assert [step["text"]["budget"] for step in steps] == [f"{row['k']:,}" for row in plain.summary["budgets"]]
    assert [step["text"]["precision"] for step in steps] == [
        share(row["precision"]) for row in plain.summary["budgets"]
    ]


def test_the_summary_is_plain_json(plain):
    assert json.loads(json.dumps(plain.summary, allow_nan=False)) == plain.summary


def test_a_longer_list_has_relatively_tighter_and_a_shorter_one_looser_limits():
    y, s = sample()
    precision = {n: report.build(y, s, budget=n // 10, population=n).summary["budget"] for n in (200, 600, 60_000)}
    width = {n: row["precision_high"] - row["precision_low"] for n, row in precision.items()}
    assert width[200] > width[600] > width[60_000]
    assert precision[60_000]["hits"] == pytest.approx(100 * precision[600]["hits"])


def test_hits_of_lists_of_other_lengths_are_in_the_range_about_as_often_as_it_says():
    rng = np.random.default_rng(1)
    inside = []
    for seed in range(60):
        y, s = sample(400, seed)
        row = report.budgets.RankedList.of(y, s, population=100, level=0.9).row(20)
        next_y = np.repeat([True, False], [20, 80])
        top = np.argsort(-(rng.standard_normal(100) + 1.5 * next_y))[:20]
        inside.append(row.low <= next_y[top].sum() <= row.high)
    # Three standard errors below 90 % of 60; rounding outwards makes the range somewhat wide.
    assert np.mean(inside) > 0.9 - 3 * np.sqrt(0.09 / 60)


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
    assert page.html.count("<script") == 2  # the numbers and the slider
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
        ([0, 1, 0, 1], [-1e300, 1e300, 0.0, 1.0]),
        (["no", "yes", "no", "yes"], [1.0, 2.0, 2.0, 1.0]),
    ],
    ids=["perfect", "all tied", "huge scores", "named labels"],
)
def test_a_list_that_says_little_still_gets_its_page(y, s):
    page = report.build(y, s, pos_label="yes" if "yes" in y else None)
    assert page.headline.startswith("Among the top 1 of")
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


def test_without_jinja2_the_import_says_what_to_install():
    code = "import sys; sys.modules['jinja2'] = None; import podium.report"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ImportError: podium.report needs jinja2" in result.stderr
    assert "pip install 'podium[report]'" in result.stderr


def test_a_curve_of_a_million_points_is_thinned_to_what_can_be_seen():
    axes = Axes(Axis(0, 1, "x", share), Axis(0, 1, "y", share))
    x = np.sort(np.random.default_rng(0).random(10**6))
    points = np.array(axes.points(x, np.sqrt(x)))
    assert len(points) < 3000
    left, right = (axes.point(end, 0)[0] for end in (0, 1))
    bottom, top = (axes.point(0, end)[1] for end in (0, 1))
    drawn = np.interp(x, (points[:, 0] - left) / (right - left), (points[:, 1] - bottom) / (top - bottom))
    far = x > 0.01  # the start is too steep for a comparison at equal x
    assert np.abs(drawn - np.sqrt(x))[far].max() < 0.005


def test_numbers_read_well():
    assert [count(v) for v in (0.44, 7.0, 61.4, 12345.0)] == ["0.4", "7", "61", "12,345"]
    assert [share(v) for v in (0, 0.0004, 0.0525, 0.5, 0.733, 1)] == ["0%", "0.04%", "5.2%", "50%", "73.3%", "100%"]
    assert [score(v) for v in (-0.5, 3.06789, 123456.0, float("nan"))] == ["−0.5", "3.068", "123,456", "–"]
    assert omega(0.75) == "0.750"
    assert [p_value(v) for v in (1e-9, 0.0412)] == ["< 0.001", "0.041"]
