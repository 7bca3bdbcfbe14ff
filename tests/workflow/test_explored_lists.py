"""Lists with explored rows, from the draw to the estimate of the whole list."""

import json

import numpy as np
import pandas as pd
import pytest

from podium import inference, workflow
from podium.exceptions import InputError
from podium.labels import Observed
from podium.workflow.stages.observed import filled


def rows(n, seed, digits=6):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 3)), digits)
    y = rng.random(n) < 1 / (1 + np.exp(2 - X @ [1.2, 0.8, 0.0]))
    return pd.DataFrame(X, columns=list("abc")), y.astype(int)


@pytest.fixture(scope="module")
def model():
    table, y = rows(600, 0)
    return workflow.fit(table.assign(found=y), label="found", budget=40, model="linear").model


@pytest.fixture(scope="module")
def explored(model):
    table, y = rows(1000, 1)
    result = workflow.score(model, table, top=100, explore=40, random_state=3)
    return table, y, result


def with_labels(listed, y):
    return listed.assign(found=y[listed["id"].to_numpy().astype(int)])


def test_the_best_rows_and_some_of_the_others_are_listed(model, explored):
    table, _, result = explored
    listed = result.scores
    best = workflow.score(model, table).scores
    assert listed["why"].value_counts().to_dict() == {"top": 60, "explored": 40}
    assert listed["id"][:60].tolist() == best["id"][:60].tolist()
    assert set(listed["rank"][60:]) <= set(best["rank"][60:])
    assert (listed["inclusion"][:60] == 1).all()
    assert (1 / listed["inclusion"]).sum() == pytest.approx(1000)  # they stand for all rows
    assert "40 rows (why = explored) were drawn from the 940 below the top" in result.notes[-1]
    assert "Among the first 60 of 1,000" in result.report.headline


def test_the_same_seed_draws_the_same_rows(model, explored):
    table, _, result = explored
    again, other = (workflow.score(model, table, top=100, explore=40, random_state=seed) for seed in (3, 4))
    pd.testing.assert_frame_equal(again.scores, result.scores)
    assert other.scores["id"].tolist() != result.scores["id"].tolist()


def test_reasons_are_those_of_the_listed_rows(model, explored):
    table, _, result = explored
    found = workflow.score(model, table, top=100, explore=40, random_state=3, reasons=1)
    whole = workflow.score(model, table, reasons=1).scores.set_index("id")["reason_1"]
    assert found.scores["reason_1"].tolist() == whole[found.scores["id"]].tolist()
    assert found.contributions.sum(axis=1).to_numpy() == pytest.approx(result.scores["score"].to_numpy())


@pytest.mark.parametrize("digits", [6, 0], ids=["apart", "tied"])
def test_a_list_with_labels_says_what_the_table_of_all_rows_says(model, digits):
    table, y = rows(1000, 2, digits)
    result = workflow.score(model, table, top=100, explore=40)
    listed = with_labels(result.scores, y)
    of_list = workflow.evaluate(listed, label="found", budget=60)
    scores = model.scores(table)
    whole = table.assign(score=scores).join(listed.set_index(listed["id"].astype(int))[["inclusion", "found"]])
    of_table = workflow.evaluate(whole[["score", "inclusion", "found"]], label="found", budget=60)
    assert len({*np.round(scores, 9)}) == 1000 or digits == 0
    for one, other in zip(of_list.intervals, of_table.intervals, strict=True):
        # Which probability an unlisted row had is told from its score; of tied rows at a border it is a guess.
        near = 1e-9 if digits else 0.03
        assert (one.estimate, one.low, one.high) == pytest.approx((other.estimate, other.low, other.high), abs=near)
    recall = of_list.intervals[-1]
    assert recall.phi == "recall-at:60"
    assert recall.low <= y[np.argsort(-scores, kind="stable")[:60]].sum() / y.sum() <= recall.high


def test_an_estimate_is_that_of_observed_labels(explored):
    _table, y, result = explored
    listed = with_labels(result.scores, y)
    inclusion, labels = np.full(1000, np.nan), np.full(1000, np.nan)
    at = listed["id"].to_numpy().astype(int)
    inclusion[at], labels[at] = listed["inclusion"], listed["found"]
    scores = np.empty(1000)
    rank = pd.Series(listed["rank"].to_numpy(), index=at)
    free = np.setdiff1d(np.arange(1, 1001), rank)
    scores[at] = -rank[at]
    scores[np.isnan(labels)] = -free
    expected = inference.interval(Observed(labels, filled(inclusion, scores)), scores, metric="recall-at:60")
    found = workflow.evaluate(listed, label="found").intervals[-1]
    assert (found.estimate, found.low, found.high) == pytest.approx((expected.estimate, expected.low, expected.high))


def test_probabilities_of_rows_that_were_not_listed_follow_the_scores():
    inclusion = np.array([1, np.nan, 0.5, np.nan, 0.25, np.nan, np.nan])
    scores = np.array([9.0, 8, 7, 6, 5, 4, 3])
    np.testing.assert_array_equal(filled(inclusion, scores), [1, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25])
    # Three drawn by halves stand for six rows, one drawn by tenths for ten.
    inclusion, scores = np.append([0.5, 0.5, 0.5, 0.1], np.full(12, np.nan)), -np.append([0, 1, 2, 9], np.arange(12))
    np.testing.assert_array_equal(filled(inclusion, scores)[4:], np.repeat([0.5, 0.1], [3, 9]))


def test_of_a_short_list_all_rows_are_listed(model):
    listed = workflow.score(model, rows(12, 5)[0], top=12, explore=6).scores
    assert listed["why"].tolist() == ["top"] * 6 + ["explored"] * 6
    assert (listed["inclusion"] == 1).all()
    alone = workflow.score(model, rows(4, 5)[0], top=12, explore=6).scores
    assert alone["why"].tolist() == ["top"] * 4


def test_a_shortlist_is_explored_below_its_cut(model):
    table, _ = rows(1000, 1)
    plain, found = (workflow.shortlist(model, table, by="recall", rate=0.5, explore=n) for n in (0, 20))
    listed = found.scores
    assert listed["why"].value_counts().to_dict() == {"top": len(plain.scores), "explored": 20}
    assert listed["id"][: len(plain.scores)].tolist() == plain.scores["id"].tolist()


def test_the_command_draws_and_evaluates(model, podium, tmp_path):
    from podium import persist

    table, y = rows(1000, 1)
    (tmp_path / "m.podium").write_bytes(persist.dumps(model))
    table.to_csv(tmp_path / "new.csv", index_label="case")
    new = (tmp_path / "m.podium", tmp_path / "new.csv", "--id", "case", "--top", 100, "--explore", 40)
    runs = [podium("score", *new, "--seed", seed, "--out", tmp_path / f"{i}.csv") for i, seed in enumerate((3, 3))]
    assert [run.code for run in runs] == [0, 0]
    assert (tmp_path / "0.csv").read_bytes() == (tmp_path / "1.csv").read_bytes()
    with_labels(pd.read_csv(tmp_path / "0.csv"), y).to_csv(tmp_path / "list.csv", index=False)
    found = json.loads(podium("evaluate", tmp_path / "list.csv", "--label", "found", "--json").out)
    assert [one["phi"] for one in found["intervals"]][2:] == ["prevalence", "precision-at:60", "recall-at:60"]
    plan = podium("plan", *new[:2], "--top", 60, "--width", 0.3, "--out", tmp_path / "plan.html")
    assert (plan.code, "Draw " in plan.out, "<svg" in (tmp_path / "plan.html").read_text()) == (0, True, True)
    assert json.loads(podium("plan", *new[:2], "--top", 60, "--json").out)["needed"]["width"] <= 0.2
    for options, sentence in (
        (("--top", 10, "--explore", 10), "explore must be at least 2"),
        (("--explore", 10), "explore must be at least 2"),
        (("--top", 10, "--explore", 5, "--explore-for", "fame"), "--explore-for"),
    ):
        run = podium("score", *new[:2], *options)
        assert (run.code, sentence in run.err) == (2, True)


def test_lists_that_do_not_fit_together_get_a_sentence(explored):
    _, y, result = explored
    listed = with_labels(result.scores, y)
    with pytest.raises(InputError, match="where the others stand is not said"):
        workflow.evaluate(listed.drop(columns="rank"), label="found")
    with pytest.raises(InputError, match="one list at a time"):
        workflow.evaluate(pd.concat([listed, listed.assign(rank=listed["rank"] + 5000)]), label="found")
    with pytest.raises(InputError, match="compared on all 1,000 rows"):
        workflow.compare(listed.assign(other=1.0), label="found", scores=["score", "other"])
    with pytest.raises(InputError, match=r"in \(0, 1\]; got 2"):
        workflow.evaluate(listed.assign(inclusion=2.0), label="found")
    with pytest.raises(InputError, match="must hold probabilities; got text"):
        workflow.evaluate(listed.assign(inclusion="high"), label="found")
    with pytest.raises(InputError, match="inclusion 1 must have a label"):
        workflow.evaluate(listed.assign(found=listed["found"].where(listed.index > 3)), label="found")
    whole = pd.concat([listed.drop(columns="tied"), pd.DataFrame({"score": [0.0, 1.0]})])
    with pytest.raises(InputError, match="by those of the others there should be"):
        workflow.evaluate(whole, label="found")
    with pytest.raises(InputError, match="got prevalence"):
        workflow.evaluate(listed, label="found", budget=10, prevalence=0.1)
