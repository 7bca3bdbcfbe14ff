"""What every display keeps."""

from __future__ import annotations

import sys
from dataclasses import fields
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np

from podium import TreeRanker, monitor, shortlist
from podium import plots as package
from registry import Case
from registry import cases as found
from samples import draw

mpl.use("Agg")

COMPUTING = ("podium._input", "podium._fast", "podium.sums", "podium.metrics", "podium.ranks")
RESULT = SimpleNamespace(difference=0.05, low=0.01, high=0.09, label="a against b")
X = np.random.default_rng(0).standard_normal((300, 3))
Y = X[:, 0] + X[:, 1] > 1
TREE = TreeRanker().fit(X, Y)
MONITORS = monitor.DriftMonitor(X[:, 0]), monitor.PerformanceMonitor(Y, X[:, 0])
EXAMPLES = {
    "BandDisplay": [lambda cls: cls.from_scores(*draw(0))],
    "ComparisonDisplay": [lambda cls: cls.of([RESULT])],
    "DecisionDisplay": [lambda cls: cls.from_scores([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])],
    "PrDisplay": [lambda cls: cls.from_scores(*draw(0))],
    "ContributionDisplay": [lambda cls: cls.from_scores(*draw(0), p=4)],
    "MonitorDisplay": [
        lambda cls: cls([MONITORS[0].update(X[:50, 1]) for _ in range(3)]),
        lambda cls: cls([MONITORS[1].update(Y[:50], X[:50, 0]) for _ in range(3)]),
    ],
    "ProfitDisplay": [lambda cls: cls(shortlist.by_cost(Y, X[:, 0], gain=5, cost=1))],
    "PathDisplay": [lambda cls: cls(shortlist.path(Y, X[:, 0], X[:, 0]))],
    "RecallDisplay": [lambda cls: cls([shortlist.recall_reached(Y, [0] * n, 1000) for n in (50, 400)])],
    "ShortlistDisplay": [lambda cls: cls.from_scores(Y, X[:, 0], shortlist.by_fpr(Y, X[:, 0]))],
    "PointsDisplay": [
        lambda cls: cls.from_scores(*draw(0)),
        lambda cls: cls.from_scores(*draw(0), thresholds=[0.2, 0.5]),
    ],
    "PowerDisplay": [lambda cls: cls.of({"one AUC": lambda n, m: n / (n + m + 9)}, n_pos=[5, 10, 20])],
    "RocDisplay": [lambda cls: cls.from_scores(*draw(0))],
    "ScoreDisplay": [lambda cls: cls.from_scores(*draw(0))],
    "SegmentsDisplay": [lambda cls: cls(TREE.segments_), lambda cls: cls(TREE.segments(X, Y))],
    "TreeDisplay": [lambda cls: cls.of(TREE)],
    "SelectionDisplay": [
        lambda cls: cls(["linear", "quadratic"], np.array([0.6, 0.7]), np.array([0.1, 0.3]), 0, guaranteed=True)
    ],
}


def cases() -> list[Case]:
    return found(package, object, EXAMPLES)


def _plotted(display, **options):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    try:
        return display.plot(axes, **options), axes
    finally:
        plt.close(figure)


def plotting_returns_it_and_draws_on_the_given_axes(display):
    drawn, axes = _plotted(display, title="A title")
    assert drawn is display
    assert display.ax_ is axes
    assert axes.get_title() == "A title"
    assert axes.get_xlabel()
    assert axes.lines or axes.collections or axes.patches


def plotting_makes_axes_where_none_are_given(display):
    import matplotlib.pyplot as plt

    axes = display.plot().ax_
    assert axes.figure.axes == [axes]
    axes.figure.canvas.draw()  # a warning of the layout would be an error
    plt.close(axes.figure)


def what_it_draws_was_computed_before(display):
    called = set()

    def follow(frame, event, _):
        if event == "call":
            called.add(frame.f_globals.get("__name__", ""))

    sys.setprofile(follow)
    try:
        _plotted(display)
        display.frame()
    finally:
        sys.setprofile(None)
    assert not [name for name in called if name.startswith(COMPUTING)]


def its_fields_alone_draw_the_same_picture(display):
    before = {field.name: getattr(display, field.name) for field in fields(display) if field.init}
    _, axes = _plotted(display)
    again, other = _plotted(type(display)(**(before | {"ax_": None})))
    for name, value in before.items():
        assert name == "ax_" or getattr(display, name) is value
    assert repr(again.frame()) == repr(display.frame())
    assert [line.get_xydata().tolist() for line in other.lines] == [line.get_xydata().tolist() for line in axes.lines]
