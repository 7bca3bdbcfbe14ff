"""What every public result offers, whichever it is: one line of plain English, a table for notebooks, plain values."""

from __future__ import annotations

import dataclasses
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from podium import LinearRanker, TreeRanker, bounds, inference, monitor, roc, rounds, selection, shortlist, solvers
from podium._results.result import Result
from podium.labels import Observed
from podium.rankers import FeatureEffects, Segments
from podium.rounds.counted import HeldList

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 2))
Y = X[:, 0] + RNG.normal(size=200) > 0.5
SCORES = X[:, 0]
CURVE = roc.RocCurve.from_scores(Y, SCORES)
NAMES = {"<b>old</b>": X[:, 1], "new": SCORES, "sum": X.sum(axis=1)}
BY_GROUP = inference.by_group(Y, SCORES, (X[:, 1] > 0).astype(int))
CALIBRATED = inference.calibration_by_group(Y, 1 / (1 + np.exp(-SCORES)), (X[:, 1] > 0).astype(int))

EXAMPLES = [
    inference.interval(Y, SCORES),
    inference.interval(Y, SCORES, "power:3", scale="mean"),
    inference.interval(Y, SCORES, metric="average-precision"),
    inference.interval(Observed([1, 0, None, 0]), [4, 3, 2, 1]),
    inference.compare(Y, SCORES, X[:, 1]),
    inference.compare(Y, SCORES, X[:, 1], metric="lift-at:20"),
    inference.compare(Y, NAMES, phi="power:3"),
    inference.compare_partial_auc(Y, SCORES, X[:, 1], max_fpr=0.3),
    inference.stratified_interval(Y, SCORES, X[:, 1] > 0),
    BY_GROUP,
    BY_GROUP["0", "1"],
    inference.venkatraman_test(Y, SCORES, X[:, 1], rng=0),
    inference.tpr_interval(Y, SCORES, fpr=0.1),
    inference.specificity_interval(Y, SCORES, tpr=0.9),
    inference.partial_auc_interval(Y, SCORES, max_fpr=0.2),
    inference.precision_at_interval(Y, SCORES, k=20),
    inference.hits_lower_bound(Y, SCORES),
    inference.hits_per_period(Y, SCORES, np.arange(len(Y)) % 5, k=10),
    inference.hits_per_period(Observed(np.where(SCORES > 0, Y, np.nan)), SCORES, np.arange(len(Y)) % 5, k=10),
    inference.pr_band(Y, SCORES),
    inference.decision_curve(Y, 1 / (1 + np.exp(-SCORES))),
    inference.calibration(Y, 1 / (1 + np.exp(-SCORES))),
    inference.calibration_band(Y, 1 / (1 + np.exp(-SCORES))),
    CALIBRATED,
    CALIBRATED["0"],
    inference.roc_band(Y, SCORES),
    inference.surface_interval(Y, SCORES),
    inference.rank_test(SCORES[Y], SCORES[~Y]),
    inference.learned_two_sample_test(X[Y], X[~Y], rng=0),
    inference.certificate(Y, SCORES),
    inference.certificate(Y, SCORES, held_out=False),
    inference.push_certificate(Y, SCORES, p=2),
    inference.push_risk_certificate(Y, SCORES, p=1),
    inference.sample_size_for_width(0.8, 0.1),
    inference.sample_size_one_auc(0.8),
    inference.sample_size_for_hits(30, k=100, n_next=5000, auc=0.85, prevalence=0.1),
    inference.unmixed_interval(Y, SCORES, share=0.1),
    CURVE,
    CURVE.points([0.5])[0],
    CURVE.points(),
    roc.average([CURVE, CURVE]),
    bounds.judge(bounds.auc_deviation, 20, 30),
    bounds.auc_given_errors(20, 30, 5),
    selection.CriterionComparison(criteria=("auc", "push:2"), metric="auc", values=np.array([[0.7, 0.8], [0.6, 0.8]])),
    monitor.PerformanceMonitor(Y, SCORES).update(Y[:50], SCORES[:50]),
    monitor.DriftMonitor(SCORES).update(SCORES[:50]),
    rounds.count_list(lambda: [(Y, SCORES)]),
    shortlist.by_recall(Y, SCORES, SCORES, recall=0.8),
    shortlist.by_cost(Y, SCORES, gain=3, cost=1),
    shortlist.path(Y, SCORES, SCORES),
    shortlist.recall_reached(Y, Y[:20], 1000),
    LinearRanker().fit(X, Y).feature_effects(X, Y, random_state=0),
    TreeRanker().fit(X, Y).segments_,
    TreeRanker().fit(X, Y).segments(X, Y),
    solvers.Lbfgs().maximize(lambda theta: (-float(theta @ theta), -2 * theta), np.ones(2)),
]
CASES = pytest.mark.parametrize("result", EXAMPLES, ids=lambda result: type(result).__name__)


class Cells(HTMLParser):
    """The cells of a table and the tags that are open at its end."""

    def __init__(self, html):
        super().__init__()
        self.open, self.cells, self.tags = [], [], set()
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] in ("td", "th"):
            self.cells.append(data)


def test_every_public_result_has_an_example_here():
    exported = (
        getattr(module, name)
        for module in (bounds, inference, monitor, roc, selection, shortlist)
        for name in module.__all__
    )
    results = {kind for kind in exported if dataclasses.is_dataclass(kind)}
    results |= {FeatureEffects, Segments, HeldList, solvers.Solution}
    assert results == {type(result) for result in EXAMPLES}


@CASES
def test_a_result_is_frozen_and_made_by_keyword(result):
    assert isinstance(result, Result)
    first = dataclasses.fields(result)[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(result, first.name, None)
    if not isinstance(result, roc.RocCurve):  # three arrays in the order in which everyone writes them
        assert all(field.kw_only for field in dataclasses.fields(result))


@CASES
def test_a_result_is_one_line_of_plain_english(result):
    line = repr(result)
    assert "\n" not in line
    assert not re.search(r"mww|omega|\d%|\w+\(\w+=|nan|np\.|array|-\d", line), line
    assert " " in line


@CASES
def test_a_result_is_a_line_and_a_table_in_a_notebook(result):
    page = Cells(result._repr_html_())
    assert page.open == []
    assert page.tags <= {"div", "p", "br", "table", "thead", "tbody", "tr", "th", "td"}  # names are escaped
    assert len(page.cells) >= 3
    assert "confidence level" not in page.cells or "95 %" in page.cells
    assert not any(cell.startswith(("array", "[", "-")) for cell in page.cells)


@CASES
def test_a_result_as_a_dictionary_is_ready_for_json(result):
    values = json.loads(json.dumps(result.to_dict()))
    assert list(values) == [field.name for field in dataclasses.fields(result)]


def test_what_an_interval_says():
    y, s = [0, 0, 0, 1, 0, 1, 1, 1] * 20, np.tile([1, 2, 3, 4, 5, 6, 7, 8], 20)
    found = inference.interval(y, s, method="delong-logit")
    low, high = f"{found.low:.3f}", f"{found.high:.3f}"
    assert repr(found) == f"AUC 0.938, 95 % interval {low} to {high} (logit DeLong), 160 rows, 50 % positive"


def test_a_difference_of_nothing_has_no_sign():
    found = inference.compare(Y, SCORES, SCORES)
    assert repr(found).startswith("difference in AUC (a − b) +0.000, 95 % interval −")


def test_narrow_intervals_are_given_more_digits():
    y = np.arange(400_000) % 2 == 0
    found = inference.interval(y, np.random.default_rng(0).normal(size=len(y)) + y, method="delong")
    assert re.match(r"AUC 0\.\d{4}, 95 % interval 0\.\d{4} to 0\.\d{4} \(DeLong\), 400,000 rows", repr(found))


def test_a_field_that_is_a_table_of_its_own_is_named_not_spelled_out():
    @dataclasses.dataclass(frozen=True, kw_only=True, repr=False)
    class Long(Result):
        rows: dict

        def __repr__(self):
            return "a long result"

    assert Cells(Long(rows=dict.fromkeys(range(1000)))._repr_html_()).cells == ["rows", "a dict"]
