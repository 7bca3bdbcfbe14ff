"""The list beside the rule in use today, its groups beside each other, and columns that may only push upwards."""

import numpy as np
import pandas as pd
import pytest

from podium import inference, metrics, workflow
from podium.exceptions import InputError

OPTIONS = {"label": "late", "budget": 60, "model": "linear"}


def loans(n_rows=800, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.standard_normal((n_rows, 3)), columns=["a", "b", "c"])
    risk = frame.sum(axis=1) + rng.logistic(size=n_rows)
    rule = (frame["a"] + 0.5 * rng.standard_normal(n_rows)).round(1)
    region = rng.choice(["north", "south", "east"], n_rows, p=[0.5, 0.4, 0.1])
    return frame.assign(rule=rule, region=region, late=(risk > 1).astype(int))


def test_hits_at_the_budget_are_compared_with_the_present_rule():
    frame = loans()
    result = workflow.fit(frame, **OPTIONS, baseline="rule")
    assert "rule" not in result.model.kinds
    found = result.metrics["baseline"]
    y, s = result.scores["label"].to_numpy(), result.scores["score"].to_numpy()
    rule = frame["rule"].to_numpy()[result.scores["id"].astype(int)]
    k = round(60 / 800 * len(y))
    assert found["hits"] == pytest.approx(60 * metrics.precision_at(y, rule, k=k))
    ours = 60 * metrics.precision_at(y, s, k=k)
    assert found["more"] == pytest.approx(ours - found["hits"])
    paired = inference.compare(y, s, rule, metric=f"precision-at:{k}")
    assert (found["low"], found["high"]) == pytest.approx((60 * paired.low, 60 * paired.high))
    assert "Beside rule" in result.report.html


def test_groups_stand_beside_each_other_with_intervals_that_hold_together():
    frame = loans()
    result = workflow.fit(frame, **OPTIONS, slices=["region"])
    assert "region" in result.model.kinds  # shown apart, and learned from
    (shown,) = result.metrics["slices"]
    y, s = result.scores["label"].to_numpy(), result.scores["score"].to_numpy()
    region = frame["region"].to_numpy()[result.scores["id"].astype(int)]
    together = inference.by_group(y, s, region)
    chosen = np.arange(len(s)) < round(60 / 800 * len(s))  # the list is sorted
    assert {row["value"] for row in shown["rows"]} == {"north", "south", "east"}
    for row in shown["rows"]:
        own, here = together[row["value"]], region == row["value"]
        assert (row["auc"], row["auc_low"], row["auc_high"]) == pytest.approx((own.estimate, own.low, own.high))
        assert row["chosen"] == pytest.approx(chosen[here].mean())
        assert row["chosen_low"] <= row["chosen"] < row["chosen_high"]
        assert row["hits"] == pytest.approx(y[here & chosen].sum() * 800 / len(s))
    # The same unit as the headline: hits of the groups add up to those it promises.
    assert sum(row["hits"] for row in shown["rows"]) == pytest.approx(result.metrics["budget"]["hits"])


def test_the_score_only_rises_with_an_increasing_column():
    frame = loans()
    frame["late"] = ((np.sin(3 * frame["a"]) + frame["b"] + 0.3 * frame["c"]) > 0.5).astype(int)
    rows = pd.DataFrame({"a": np.linspace(-2, 2, 50), "b": 0.0, "c": 0.0, "rule": 0.0, "region": "north"})
    options = {"label": "late", "budget": 60}
    free = workflow.fit(frame, **options, model="trees").model.scores(rows)
    kept = workflow.fit(frame, **options, increasing=["a"])
    assert (np.diff(free) < 0).any()
    assert (np.diff(kept.model.scores(rows)) >= 0).all()
    assert kept.metrics["chosen"] == "trees"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"increasing": ["region"]}, "'region' is none of them"),
        ({"increasing": ["a"], "model": "stack"}, "Only trees keep a column increasing"),
        ({"slices": ["a"]}, "'a' has 0 of"),
        ({"slices": ["regoin"]}, "there is no 'regoin'"),
        ({"baseline": "holes"}, "A baseline needs a number in every row; 'holes' has"),
    ],
)
def test_what_cannot_be_gets_a_sentence(options, sentence):
    frame = loans().assign(holes=np.where(np.arange(800) % 2, np.nan, 1.0))
    with pytest.raises(InputError, match=sentence):
        workflow.fit(frame, **(OPTIONS | options))
