"""Every figure of the report that a reader acts on, against a count of the rows."""

from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from scipy.stats import betabinom

from inference import naive_hits as of_hits
from podium import inference, report, shortlist
from podium._results.doubts import Doubt
from podium._results.wording import percent
from podium._types import Sample
from podium.rankers.calibration.curves import Calibration, reliability
from podium.report.axes import Axes, Axis
from podium.report.budgets import RankedList, cuts
from podium.report.figures import figures, reliability_figure
from podium.report.findings import Judged, findings
from podium.report.first_screen import Dots, first_rows
from podium.report.periods import periods, trend_pvalue
from podium.report.readout import expectation, readout
from podium.report.wording import count, share_on_axis, times, times_on_axis
from report import naive_report as naive


def rows(n=120, seed=0, levels=4):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return y, np.round(levels * (rng.standard_normal(n) + y)) / levels


def test_the_sentence_says_how_many_judged_rows_stand_for_the_budget_where_these_are_fewer_than_ten(found):
    expected, low, high = found.budget.hits
    assert expectation(replace(found.budget, stand_for=10.0), None) == f"{count(expected)} hits ({low}–{high})"
    few = expectation(replace(found.budget, stand_for=9.0), None)
    assert few == f"{count(expected)} hits ({low}–{high}; only 9 judged rows stand for these)"
    assert "only 1 judged row stands for these" in expectation(replace(found.budget, stand_for=1.0), None)
    assert found.budget.stand_for == pytest.approx(40 / 300 * 120)


@pytest.fixture(scope="module")
def found():
    y, s = rows()
    return findings(Judged(sample=Sample(s, y)), "auc", 40, 300, None, {"this": s, "other": -s}, 0.9)


def test_every_step_of_the_slider_is_counted_from_the_rows(found):
    y, s = rows()
    bound = inference.hits_lower_bound(y, s, n_next=300, confidence_level=0.9)
    for row in found.rows:
        expected = naive.at_budget(y, s, row.budget, 300)
        hits = inference.precision_at_interval(y, s, k=row.budget, n_next=300, confidence_level=0.9)
        assert row.hits == (hits.estimate, hits.low, hits.high)
        wanted = np.clip(row.budget * of_hits.expected_precision(y, s, row.budget / 300), hits.low, hits.high)
        assert hits.estimate == pytest.approx(wanted, rel=2e-3)
        assert row.precision == pytest.approx([number / row.budget for number in row.hits])
        assert row.lift == pytest.approx([end * 300 / row.budget for end in row.recall])
        assert 0 <= row.recall[1] <= row.recall[0] <= row.recall[2] <= 1
        assert row.guaranteed == bound.at(row.budget)
        for name in ("random_hits", "fpr", "tpr", "threshold"):
            assert getattr(row, name) == pytest.approx(expected[name]), name
    rising = [budget for budget in range(3, 300) if bound.at(budget) < bound.at(budget + 1)]
    assert len(rising) > 10
    for budget in rising[:: len(rising) // 5]:
        assert found.ranked.row(budget).guaranteed == bound.at(budget)
    assert [row.budget for row in found.rows][:3] == [3, 4, 5]  # below three less than one row stands for the list
    assert found.rows[-1].budget == 300


def test_at_another_share_of_positives_figures_are_those_of_rows_that_count_for_more_or_less():
    y, s = rows()
    share = 3 * y.sum() / (3 * y.sum() + (~y).sum())  # as if every positive were there three times
    thrice = np.where(y, 3, 1)
    row = RankedList.of(Sample(s, y), 240, 0.9, share).row(60)
    expected = naive.at_budget(np.repeat(y, thrice), np.repeat(s, thrice), 60, 240)
    assert row.guaranteed is None
    for name in ("random_hits", "fpr", "tpr", "threshold"):
        assert getattr(row, name) == pytest.approx(expected[name]), name
    assert row.recall[0] == pytest.approx(expected["recall"], rel=0.03)  # ten rows of a line are among them


def test_nothing_is_guaranteed_where_rows_depend_on_each_other_or_a_doubt_stands():
    y, s = rows()
    for judged in (
        Judged(sample=Sample(s, y), doubts=[Doubt("stated", "Rows repeat.")]),
        Judged(sample=Sample(s, y), time=np.arange(120)),
    ):
        seen = findings(judged, "auc", 40, None, None, {}, 0.9)
        assert {row.guaranteed for row in seen.rows} == {None}
        assert not seen.certificates


def test_texts_of_the_slider_are_those_of_its_figures(found):
    for row in found.rows:
        shown = readout(row)
        for name, words in {"hits": count, "precision": percent, "recall": percent, "lift": times}.items():
            value, low, high = getattr(row, name)
            assert shown[name] == words(value)
            ends = [words(low).rstrip("%× "), words(high)]
            assert shown[f"{name}-range"] in ("–".join(ends), " to over ".join([ends[0], ends[1].lstrip("> ")]))
        assert shown["guaranteed"] == str(row.guaranteed)


def test_the_best_candidate_comes_first(found):
    assert [one.name for one in found.candidates] == ["this", "other"]
    assert found.candidates[0].quality.estimate > found.candidates[1].quality.estimate


# --- the first screen -------------------------------------------------------------------------------------------------
def test_dots_are_the_rows_of_the_budget_with_the_hits_expected_their_range_and_those_of_random_order(found):
    assert len(found.rows) > 20
    for row in found.rows:
        dots, n = Dots.of(row, readout(row)), min(row.budget, 100)
        expected, low, high = (rows * n / row.budget for rows in row.hits)
        drawn = np.cumsum([dots.ours.count(letter) for letter in "serm"]).tolist()
        assert drawn == [round(low), round(expected), round(high), n]
        assert dots.ours == "".join(sorted(dots.ours, key="sermo".index))
        assert (dots.random.count("g"), dots.random.count("m")) == (
            round(row.random_hits * n / row.budget),
            n - round(row.random_hits * n / row.budget),
        )
        assert len(dots.ours) == len(dots.random) == 100
    assert Dots.of(found.ranked.row(250), {"hits": "", "hits-range": ""}).each == "Each dot stands for 2.5 rows."
    unknown = replace(found.budget, hits=(20.0, 0, 40))  # a range of any number
    assert Dots.of(unknown, {"hits": "20", "hits-range": "0–40"}).ours == "e" * 20 + "r" * 20 + "o" * 60
    without = replace(found.budget, hits=(20.0, np.nan, np.nan))
    assert Dots.of(without, {"hits": "20", "hits-range": ""}).ours == "s" * 20 + "m" * 20 + "o" * 60


def test_the_first_rows_are_the_best_ones_with_their_chances_and_labels(found):
    y, s = rows()
    best = sorted(range(len(s)), key=lambda i: -s[i])[:10]
    curve = Calibration.fit(s, y)
    for row, i in zip(first_rows(found.ranked, has_chances=True), best, strict=True):
        assert (row.rank, row.is_hit) == (1 + sum(other > s[i] for other in s), y[i])
        assert row.probability == curve(s[[i]])[0]
        assert (row.low, row.high) == tuple(end[0] for end in curve.limits(s[[i]]))
    assert {row.probability for row in first_rows(found.ranked, has_chances=False)} == {None}


# --- over time --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("n", [8, 50, 400])
def test_the_p_value_of_a_trend_is_two_sided_and_that_of_the_correlation_with_time(n):
    rng = np.random.default_rng(n)
    time, value = np.sort(rng.integers(0, n // 2, n)), rng.random(n)
    assert trend_pvalue(time, value) == pytest.approx(naive.trend_pvalue(time.tolist(), value.tolist()), rel=1e-9)
    assert trend_pvalue(time, -value) == pytest.approx(trend_pvalue(time, value))
    assert trend_pvalue(time, np.ones(n)) == 1


def test_every_period_counts_its_own_rows_and_the_hits_of_its_best():
    y, s = rows()
    blocks, time = np.arange(120) // 40, np.arange(120)
    for block, one in enumerate(periods(Sample(s, y), time, blocks, 0.2, 0.9)):
        here = blocks == block
        n, hits = naive.period(y[here].tolist(), s[here].tolist(), 0.2)
        assert (one.n_rows, one.n_pos, one.n_inspected, one.hits) == (40, y[here].sum(), n, hits)
        assert one.precision == hits / n
        assert one.positive_share == y[here].mean()


# --- where to cut -----------------------------------------------------------------------------------------------------
def test_rows_that_a_cut_takes_are_those_above_it_for_a_list_of_the_length_asked_for():
    y, s = rows(400)
    for cut, find in zip(cuts(RankedList.of(Sample(s, y), 1000, 0.95)), ("recall", "fpr", "precision"), strict=False):
        answer = getattr(shortlist, f"by_{find}")(y, s)
        assert cut.promise == answer.guarantee
        expected = count(1000 * np.mean(s >= answer.threshold)) if np.isfinite(answer.threshold) else "none"
        assert cut.rows == expected


# --- pictures ---------------------------------------------------------------------------------------------------------
def test_bands_of_gain_and_lift_are_the_limits_of_the_recall_at_every_budget(found):
    pictures = {one.name: one for one in figures(found.ranked, found.band, found.rows, found.budget, found.scores)}
    at, low, high = (np.array(each) for each in zip(*((r.share, *r.recall[1:]) for r in found.rows), strict=True))
    gain = Axes(Axis(0, 1, "", share_on_axis), Axis(0, 1, "", share_on_axis))
    band = gain.area(np.append(0, at), np.append(0, low), np.append(0, high), "band")
    assert band in pictures["gain"].drawing
    top = 1.05 * (high / at).max()
    lift = Axes(Axis(at[0], 1, "", share_on_axis, logarithmic=True), Axis(0, top, "", times_on_axis))
    assert lift.area(at, low / at, high / at, "band") in pictures["lift"].drawing
    y, s = rows()
    tenth = naive.hits_above(y, s, 12) / y.sum()
    assert f"hold {percent(tenth)} of the positives" in pictures["gain"].description
    assert f"hold {times(tenth / 0.1)} as many positives" in pictures["lift"].description


def test_limits_of_the_curve_are_said_where_the_description_says(found):
    roc = figures(found.ranked, found.band, found.rows, found.budget, found.scores)[0]
    low, high = (percent(float(end)) for end in found.band.at(0.5))
    assert (
        f"At a false positive rate of 50 % the true positive rate is {percent(float(found.ranked.curve.at(0.5)))}"
        in roc.description
    )
    assert f"band {low} to {high}" in roc.description


def test_calibration_is_that_of_the_probabilities_that_lists_show():
    y, s = rows(400, levels=50)
    page = report.build(y, s, confidence_level=0.9)
    said = reliability(y, s)
    expected = inference.calibration(y, said.of_rows, confidence_level=0.9)
    assert page.summary["calibration"] == {"All rows": pytest.approx(expected.to_dict())}
    assert (
        f'{expected.slope:.2f} <span class="range">{expected.slope_low:.2f} to {expected.slope_high:.2f}' in page.html
    )
    slope, low, high = (f"{value:.2f}" for value in (expected.slope, expected.slope_low, expected.slope_high))
    assert f"{slope} ({low} to {high})" in page.markdown
    assert report.build(y, s, groups=np.arange(400) // 2).summary["calibration"] == {}
    assert repr(inference.calibration_band(y, said.of_rows, confidence_level=0.9)) in page.markdown
    part = np.where(np.arange(400) % 3 == 0, "a", "b")
    groups = inference.calibration_by_group(y, said.of_rows, part, confidence_level=0.9)
    found = report.build(y, s, confidence_level=0.9, slices={"part": part}).summary["calibration"]
    assert found["part = a"] == pytest.approx(groups["a"].summary.to_dict())
    assert set(found) == {"All rows", "part = a", "part = b"}


def test_bars_of_the_reliability_are_its_limits():
    y, s = rows(400, levels=50)
    seen = reliability(y, s)
    picture = reliability_figure(seen)
    top = 1.05 * max(seen.said.max(), seen.high.max())
    axes = Axes(Axis(0, top, "", share_on_axis), Axis(0, top, "", share_on_axis))
    for x, low, high in zip(seen.said, seen.low, seen.high, strict=True):
        assert axes.line(np.array([x, x]), np.array([low, high]), "limits") in picture.drawing


def test_the_headline_promises_the_figures_of_the_budget():
    y, s = rows()
    page = report.build(y, s, budget=40, population=300, confidence_level=0.9)
    row = page.summary["budget"]
    assert page.headline == (
        f"Among the top 40 of 300 expect {count(row['hits'])} hits ({row['hits_low']}–{row['hits_high']}); "
        f"random order: {count(row['random_hits'])}"
    )
    assert row["lift_low"] == pytest.approx(row["recall_low"] * 300 / 40)
    assert row["lift_high"] == pytest.approx(row["recall_high"] * 300 / 40)
    assert f"at least {row['hits_guaranteed']} hits in its top 40" in unescape(page.html)


@pytest.mark.parametrize("share", [0.01, 0.2])
def test_rows_at_a_cutoff_of_a_long_list_are_those_of_the_beta_binomial_law_to_one(share):
    rng = np.random.default_rng(0)
    scores = rng.random(3000)
    ranked = RankedList.of(Sample(scores, rng.random(3000) < scores), 6000, 0.95)
    at = int(np.searchsorted(ranked.shares, share))
    above = float(ranked.shares[at]) * 3000
    wanted = betabinom.ppf([0.025, 0.975], 6000, above, 3001 - above)
    assert ranked.selected(at) == pytest.approx(wanted, abs=1)
