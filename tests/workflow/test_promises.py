"""Every figure beside a list of new rows: hits, chances and reasons, against counts and sums."""

from dataclasses import replace
from html import unescape
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from podium import GradientBoostedRanker, LinearRanker, inference
from podium._results.doubts import Doubt
from podium.rankers.calibration.curves import Calibration
from podium.report.wording import count
from podium.tables import Encoder, TableModel
from podium.workflow.list_page import NewList, list_page
from podium.workflow.reasons import CHANCES, Chances, contributions, in_words, with_reasons


# --- the page of a list -----------------------------------------------------------------------------------------------
def judged(n=200):
    rng = np.random.default_rng(0)
    y = rng.random(n) < 0.3
    return y, rng.standard_normal(n) + 1.5 * y


def page(n_rows=600, budget=60, doubts=(), is_judged=True, differences=()):
    first = pd.DataFrame({"id": [1, 2], "rank": [1, 2], "score": [2.0, 1.0]})
    new = NewList(
        first=first, scores=np.sort(judged()[1])[::-1][:n_rows], n_rows=n_rows, differences=differences, notes=()
    )
    return list_page(new, judged(), doubts=doubts, is_judged=is_judged, budget=budget, confidence_level=0.9)


def test_the_hits_of_a_list_are_those_to_expect_among_as_many_of_its_rows():
    y, s = judged()
    for n_rows, k in ((600, 60), (150, 30)):
        hits = inference.precision_at_interval(y, s, k=k, n_next=n_rows, confidence_level=0.9)
        bound = inference.hits_lower_bound(y, s, n_next=n_rows, confidence_level=0.9)
        found = page(n_rows, k)
        assert found.headline == (
            f"Among the first {k} of {n_rows} rows expect {count(hits.estimate)} hits ({hits.low}–{hits.high}); "
            f"random order: {count(k * y.mean())}"
        )
        assert '<th scope="col">At least</th>' in found.html
        row = found.html.partition('<tr class="chosen">')[2].partition("</tr>")[0]
        assert f"<td>{bound.at(k)}</td>" in row


def test_only_rows_beyond_doubt_give_a_range_and_only_the_model_they_judged_a_guarantee():
    for is_certain in (True, False):
        for is_judged in (True, False):
            found = page(doubts=[] if is_certain else [Doubt("units", "Rows repeat.")], is_judged=is_judged)
            html = unescape(found.html)
            assert ("Rows repeat." in html.partition("<h1>")[0]) == (not is_certain)
            assert ("At least" in html) == (is_certain and is_judged)
            assert ("The range in parentheses" in html) == is_certain
            assert ("–" in found.headline) == is_certain
            assert ("but has no guarantee" in html) == (not is_judged)


def test_of_a_list_unlike_the_training_rows_no_number_of_hits_is_promised():
    found = page(differences=["Column 'a' is empty."])
    assert "hits cannot be predicted" in found.headline
    assert "How many hits to expect</h2>" not in found.html
    assert "expect" not in found.headline


# --- chances and reasons ----------------------------------------------------------------------------------------------
def table(n=160):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((n, 3)), columns=["a", "b", "c"])
    y = (frame.sum(axis=1) + rng.logistic(size=n) > 0).to_numpy()
    return frame, y


def trained(ranker):
    frame, y = table()
    encoder = Encoder.fit(frame, np.arange(len(frame)), dict.fromkeys("abc", "number"))
    X = encoder.encode(frame)
    model = TableModel(encoder, ranker.fit(X, y), "auc", "y", "1", typical=X[:6])
    model.calibrate(y, model.scores(frame))
    return model, frame, X


@pytest.mark.parametrize("ranker", [LinearRanker(), GradientBoostedRanker(n_estimators=5), LogisticRegression()])
def test_reasons_add_up_to_the_score_of_every_row(ranker):
    model, frame, _ = trained(ranker)
    parts = contributions(model, frame.head(20))
    assert list(parts) == ["a", "b", "c", "base"]
    np.testing.assert_allclose(parts.sum(axis=1), model.scores(frame.head(20)), rtol=0, atol=1e-9)


def test_reasons_of_a_sum_are_its_terms_beyond_those_of_typical_rows():
    # Exchanged one after the other, in whatever order, each term of a sum adds its own change.
    model, frame, X = trained(LogisticRegression())
    parts = contributions(model, frame)
    weights = model.ranker.coef_[0]
    for j, name in enumerate("abc"):
        assert parts[name].to_numpy() == pytest.approx(weights[j] * (X[:, j] - X[:6, j].mean()), abs=1e-9)
    assert parts["base"].to_numpy() == pytest.approx(model.ranker.intercept_[0] + X[:6].mean(axis=0) @ weights)


def test_the_strongest_reason_comes_first_whatever_its_sign():
    parts = pd.DataFrame({"a": [0.5, -2.0], "b": [-3.0, 1.0], "c": [1.0, 0.1], "base": [9.0, 9.0]})
    words = in_words(parts, pd.DataFrame(index=parts.index), 3)
    assert words.to_numpy().tolist() == [["b (-3)", "c (+1)", "a (+0.5)"], ["a (-2)", "b (+1)", "c (+0.1)"]]
    for row in parts.drop(columns="base").to_numpy():
        order = sorted(row, key=abs, reverse=True)
        assert all(abs(one) >= abs(other) for one, other in pairwise(order))


def test_every_row_listed_has_its_own_reasons_the_last_one_and_its_ties_too():
    model, frame, _ = trained(LogisticRegression())
    scores = model.scores(frame)
    order = np.argsort(-scores, kind="stable")[:7]
    ranked = pd.DataFrame({"id": order, "score": scores[order]})
    listed, parts = with_reasons(model, [frame.head(50), frame.tail(-50)], ranked, 1, order)
    assert len(listed) == 7
    np.testing.assert_allclose(parts.sum(axis=1), scores[order], atol=1e-9)
    expected = contributions(model, frame.iloc[order])
    np.testing.assert_allclose(parts.to_numpy(), expected.to_numpy(), atol=1e-9)


def test_chances_are_those_of_the_scores_by_the_model_that_was_judged():
    model, frame, _ = trained(LinearRanker())
    y = table()[1]
    own = model.scores(frame)
    curve = Calibration.fit(own, y)
    found = Chances(model).columns(frame, own)
    assert list(found) == list(CHANCES)
    for name, expected in zip(CHANCES, (curve(own), *curve.limits(own)), strict=True):
        assert found[name] == pytest.approx(expected)
    again = replace(model, judged=model.ranker, ranker=LogisticRegression().fit(model.encoder.encode(frame), ~y))
    retrained = Chances(again).columns(frame, again.scores(frame))
    for name in CHANCES:
        assert retrained[name] == pytest.approx(found[name])
