"""The list beside the rule in use today, its groups beside each other, and columns that may only push upwards."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from podium import inference, metrics, workflow
from podium.exceptions import InputError
from podium.report import build
from podium.report.beside import share_limits

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
    assert "Compared with rule" in result.report.html


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
    # Of the rows themselves; what to expect of the next list counts ten rows of a line beside them.
    assert sum(row["hits"] for row in shown["rows"]) == pytest.approx(result.metrics["budget"]["hits"], rel=0.05)


def weighted_list(rng, n_rows=400):
    """Scores with ties, labels, a rule, regions of different scores, and whole weights that go with them."""
    region = rng.choice(["north", "south"], n_rows, p=[0.7, 0.3])
    score = (rng.standard_normal(n_rows) + (region == "south")).round(1)
    y = score + rng.logistic(size=n_rows) > 1
    weight = rng.integers(1, 6, n_rows) * np.where(score > 1, 1, 3)
    rule = score + 10 * (y & (rng.random(n_rows) < 0.2))  # sure of a few, so that its precision falls soon
    return y, score, rule, region, weight


def test_a_weight_of_three_is_three_rows_in_shares_chosen_and_in_hits():
    y, score, rule, region, weight = weighted_list(np.random.default_rng(0))
    size = {"budget": 70, "population": 1000}
    one = build(y, score, sample_weight=weight, baseline=("rule", rule), slices={"region": region}, **size).summary
    y, score, rule, region = (np.repeat(values, weight) for values in (y, score, rule, region))
    many = build(y, score, baseline=("rule", rule), slices={"region": region}, **size).summary
    # k is in whole units of weight, which is coarser with fewer of them
    assert one["baseline"]["hits"] == pytest.approx(many["baseline"]["hits"], rel=0.02)
    for own, other in zip(one["slices"][0]["rows"], many["slices"][0]["rows"], strict=True):
        for figure in ("value", "positive_share", "auc", "chosen", "hits"):
            assert own[figure] == pytest.approx(other[figure]), figure
        assert own["chosen_low"] < other["chosen_low"]  # fewer rows know less
        assert own["chosen_high"] > other["chosen_high"]
    assert sum(row["hits"] for row in one["slices"][0]["rows"]) == pytest.approx(one["budget"]["hits"], rel=0.05)


def test_shares_chosen_of_copies_are_as_uncertain_as_those_of_the_originals():
    rng = np.random.default_rng(0)
    chosen, weight = (rng.random(60) < 0.3).astype(float), rng.uniform(1, 3, 60)
    alone = share_limits(chosen, weight, np.arange(60), 0.95)
    copied = share_limits(*(np.repeat(v, 5) for v in (chosen, weight, np.arange(60))), 0.95)
    assert copied == pytest.approx(alone, rel=0.02)
    even = share_limits(chosen, np.ones(60), np.arange(60), 0.95)
    assert even == pytest.approx((chosen.mean(), *proportion_limits(int(chosen.sum()), 60)), abs=0.01)


def proportion_limits(hits, rows):
    limits = binomtest(hits, rows).proportion_ci(0.95, method="wilson")
    return limits.low, limits.high


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
        ({"increasing": ["a"], "model": "stack"}, "Only trees support increasing columns"),
        ({"slices": ["regoin"]}, "there is no 'regoin'"),
        ({"baseline": "holes"}, "A baseline needs a number in every row; 'holes' has"),
    ],
)
def test_what_cannot_be_gets_a_sentence(options, sentence):
    frame = loans().assign(holes=np.where(np.arange(800) % 2, np.nan, 1.0))
    with pytest.raises(InputError, match=sentence):
        workflow.fit(frame, **(OPTIONS | options))
