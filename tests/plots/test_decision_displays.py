"""Displays of shortlists and monitors draw what the results hold."""

import matplotlib as mpl
import numpy as np
import pytest

from podium import shortlist
from podium.exceptions import InputTypeError
from podium.monitor import DriftMonitor, PerformanceMonitor
from podium.plots import MonitorDisplay, ProfitDisplay, RecallDisplay, ShortlistDisplay
from samples import draw

mpl.use("Agg")


@pytest.fixture
def ax():
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def legend_of(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_the_cut_stands_at_its_threshold_among_the_scores_with_the_guarantee_above(ax):
    y, s = draw(0)
    cut = shortlist.by_recall(y, s, recall=0.8, confidence_level=0.8)
    display = ShortlistDisplay.from_scores(y, s, cut).plot(ax)
    assert ax.lines[-1].get_xdata()[0] == cut.threshold == display.frame()["threshold"]
    assert ax.get_title().replace("\n", " ") == cut.guarantee
    assert len(legend_of(ax)) == 3


def test_no_line_is_drawn_where_nothing_may_be_chosen(ax):
    y, s = draw(0)
    ShortlistDisplay.from_scores(y, s, shortlist.by_precision(y, -s, precision=0.99)).plot(ax, title="None")
    assert not ax.lines
    assert ax.get_title() == "None"


def test_profits_are_drawn_at_every_cut_with_their_limits(ax):
    y, s = draw(0)
    cut = shortlist.by_cost(y, s, gain=5, cost=1)
    frame = ProfitDisplay(cut).plot(ax).frame()
    assert (np.diff(frame["threshold"]) > 0).all()
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), cut.profits[:0:-1])
    assert frame["profit"].max() == cut.profit
    assert ax.lines[-1].get_xdata()[0] == cut.threshold
    assert "95 % limits, simultaneous" in legend_of(ax)


def test_recall_is_drawn_look_after_look(ax):
    read = np.arange(400) < 90
    claims = [shortlist.recall_reached(read, np.zeros(n, dtype=bool), 2000, recall=0.9) for n in (50, 400, 900)]
    frame = RecallDisplay(claims).plot(ax).frame()
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), [claim.recall_low for claim in claims])
    assert (np.diff(frame["recall_low"]) > 0).all()
    assert ax.get_title() == "Reached"
    assert len(RecallDisplay(claims[0]).claims) == 1


def test_a_monitor_of_drift_is_drawn_with_its_boundary(ax):
    rng = np.random.default_rng(0)
    monitor = DriftMonitor(rng.normal(size=1000))
    states = [monitor.update(rng.normal(shift, size=200)) for shift in (0, 0, 1, 1)]
    frame = MonitorDisplay(states).plot(ax).frame()
    assert frame["n"].tolist() == [200, 400, 600, 800]
    assert ax.get_yscale() == "log"
    assert ax.lines[-1].get_ydata()[0] == pytest.approx(20)
    assert ax.get_title().startswith("Alarm after")


def test_a_monitor_of_performance_is_drawn_with_its_limits_and_the_reference(ax):
    y, s = draw(0)
    monitor = PerformanceMonitor(y, s)
    states = [monitor.state, monitor.update(y, s), monitor.update(y, s)]
    frame = MonitorDisplay(states).plot(ax).frame()
    assert np.isnan(frame["estimate"][0])
    assert frame["estimate"][-1] == states[-1].estimate
    assert ax.get_ylabel() == "Standing of positives"
    assert ax.lines[-1].get_ydata()[0] == monitor.reference
    assert ax.get_title() == "No alarm"


@pytest.mark.parametrize(("display", "given"), [(RecallDisplay, []), (RecallDisplay, [3]), (MonitorDisplay, [])])
def test_what_is_no_result_is_refused(display, given):
    with pytest.raises(InputTypeError, match="A display needs results of"):
        display(given)
