import subprocess
import sys
from dataclasses import dataclass
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest

from podium.exceptions import InputError, InputTypeError
from podium.inference import power_one_auc, roc_band, tpr_interval
from podium.plots import (
    BandDisplay,
    ComparisonDisplay,
    PointsDisplay,
    PowerDisplay,
    RocDisplay,
    ScoreDisplay,
    SelectionDisplay,
)
from podium.roc import RocCurve
from samples import draw

mpl.use("Agg")


@dataclass
class Difference:
    difference: float
    low: float
    high: float
    label: str


DIFFERENCES = [Difference(0.05, 0.01, 0.09, "a against b"), Difference(-0.02, -0.06, 0.02, "a against c")]


@pytest.fixture
def ax():
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def legend_of(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_importing_the_displays_loads_no_plotting_library():
    # pandas is what scikit-learn itself loads where it is installed.
    code = "import sys, podium.plots; print([n for n in ('matplotlib', 'plotly') if n in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_curves_are_drawn_as_they_are_in_a_square_with_the_line_of_random_order(ax):
    y, s = draw(0)
    display = RocDisplay.from_scores(y, {"one": s, "other": -s}).plot(ax)
    curve = RocCurve.from_scores(y, s)
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), np.column_stack([curve.fpr, curve.tpr]))
    np.testing.assert_array_equal(display.frame()["one"]["tpr"], curve.tpr)
    assert len(ax.lines) == 3
    assert legend_of(ax) == [f"one (AUC {curve.auc():.3f})", f"other (AUC {1 - curve.auc():.3f})"]
    assert ax.get_aspect() == 1
    assert len({(line.get_color(), line.get_linestyle()) for line in ax.lines}) == 3


@pytest.mark.parametrize(
    ("options", "label"),
    [
        ({}, "95 % simultaneous band"),
        ({"side": "lower"}, "95 % simultaneous lower bound"),
        ({"method": "pointwise", "confidence_level": 0.9}, "90 % pointwise limits"),
    ],
)
def test_the_legend_of_a_band_says_what_it_is(ax, options, label):
    y, s = draw(0)
    display = BandDisplay.from_scores(y, s, **options).plot(ax)
    assert label in legend_of(ax)
    assert bool(ax.collections[0].get_hatch()) == (not display.band.simultaneous)


def test_a_band_is_drawn_through_its_corners(ax):
    y, s = draw(0)
    band = roc_band(y, s)
    frame = BandDisplay(band).plot(ax).frame()
    outline = {tuple(point) for point in ax.collections[0].get_paths()[0].vertices}
    for side in ("low", "high"):
        assert set(zip(frame["fpr"], frame[side], strict=True)) <= outline
    assert legend_of(ax) == [band.label]


def test_a_forest_plot_has_the_first_result_on_top_and_a_line_at_no_difference(ax):
    display = ComparisonDisplay.of(DIFFERENCES).plot(ax)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["a against b", "a against c"]
    assert ax.yaxis_inverted()
    assert any(list(line.get_xdata()) == [0, 0] for line in ax.lines)
    segments = ax.collections[0].get_segments()
    assert [tuple(segment[:, 0]) for segment in segments] == [(0.01, 0.09), (-0.06, 0.02)]
    assert display.frame()["estimate"].tolist() == [0.05, -0.02]
    assert "−0.020  [−0.060, 0.020]" in [text.get_text() for text in ax.texts]


def test_a_forest_plot_of_estimates_has_no_line_at_zero(ax):
    y, s = draw(0)
    display = ComparisonDisplay.of({f"at {t}": tpr_interval(y, s, fpr=t) for t in (0.1, 0.3)}).plot(ax)
    assert display.reference is None
    assert display.labels == ["at 0.1", "at 0.3"]
    assert ComparisonDisplay.of([tpr_interval(y, s, fpr=0.1)]).labels == ["1"]


def test_comparisons_of_many_scorers_are_labeled_by_their_names():
    pair = SimpleNamespace(difference=0.1, low=0.0, high=0.2, names=("logistic", "tree"))
    assert ComparisonDisplay.of(SimpleNamespace(pairs=(pair, pair))).labels == ["logistic − tree"] * 2


def test_a_forest_plot_of_nothing_or_of_something_else_is_refused():
    with pytest.raises(InputError, match="at least one result"):
        ComparisonDisplay.of([])
    with pytest.raises(InputTypeError, match="lacks estimate and low and high"):
        ComparisonDisplay.of([3.0])
    with pytest.raises(InputError, match="at least one"):
        RocDisplay.from_scores([0, 1], {})


@pytest.mark.parametrize("scores", [draw(0)[1], draw(1, 40, 2)[1], np.zeros(40)], ids=["plain", "tied", "constant"])
def test_both_histograms_have_the_same_bins_and_area_one(scores, ax):
    y, _ = draw(0)
    display = ScoreDisplay.from_scores(y, scores).plot(ax)
    frame = display.frame()
    width = frame["right"] - frame["left"]
    for name in ("positives", "negatives"):
        assert frame[name] @ width == pytest.approx(1)
    assert legend_of(ax) == [f"Negatives ({(~y).sum()})", f"Positives ({y.sum()})"]
    assert len(ScoreDisplay.from_scores(y, scores, n_bins=7).positives) == 7


def test_a_selection_shows_its_table_and_whether_its_penalty_is_an_estimate(ax):
    from podium import LinearRanker, QuadraticRanker
    from podium.datasets import LocationModel
    from podium.selection import PenalizedSelection

    X, y = LocationModel(0.3, dimension=2).sample(40, 40, 0)
    selection = PenalizedSelection([LinearRanker(), QuadraticRanker()], penalty="rademacher").fit(X, y)
    display = SelectionDisplay.of(selection).plot(ax)
    np.testing.assert_array_equal(display.frame()["penalized"], selection.table_["penalized"])
    drawn = {line.get_label(): line.get_ydata() for line in ax.lines}
    np.testing.assert_array_equal(drawn["On the sample"], selection.table_["empirical"])
    np.testing.assert_array_equal(drawn["Less the penalty"], selection.table_["penalized"])
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1 LinearRanker", "2 QuadraticRanker"]
    assert "Penalty (an estimate or a guess)" in legend_of(ax)
    assert ax.lines[-1].get_xdata()[0] == selection.selected_


def test_points_stand_on_their_curve_with_limits_of_both_rates(ax):
    y, s = draw(0)
    display = PointsDisplay.from_scores(y, s, thresholds=[0.2, 0.5]).plot(ax)
    table = display.frame()
    assert legend_of(ax)[1:] == ["Threshold 0.2", "Threshold 0.5"]
    for i, bars in enumerate(ax.containers):
        (x,), (height,) = bars[0].get_data()
        assert (1 - x, height) == pytest.approx((table["specificity"][i], table["sensitivity"][i]))
        horizontal, vertical = (line.get_segments()[0] for line in bars[2])
        assert sorted(1 - horizontal[:, 0]) == pytest.approx(
            [table["specificity_low"][i], table["specificity_high"][i]]
        )
        assert sorted(vertical[:, 1]) == pytest.approx([table["sensitivity_low"][i], table["sensitivity_high"][i]])


def test_power_rises_to_the_line_of_the_power_that_is_wanted(ax):
    display = PowerDisplay.of(
        {"AUC 0.7": lambda n, m: power_one_auc(0.7, n, m)}, n_pos=[20, 40, 80], negatives_per_positive=2, wanted=0.8
    ).plot(ax)
    assert display.power["AUC 0.7"][1] == power_one_auc(0.7, 40, 80)
    assert legend_of(ax) == ["Power 0.8", "AUC 0.7"]
    assert "2 negatives" in ax.get_xlabel()
