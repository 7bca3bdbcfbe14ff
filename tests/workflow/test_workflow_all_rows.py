"""All rows judge, each by a model that did not see it; what is said of scores is true of the model delivered."""

from functools import cache
from math import comb

import numpy as np
import pandas as pd
import pytest

from podium import inference, persist, workflow
from podium._types import Sample
from podium.report import build
from podium.report.budgets import RankedList, cuts
from podium.selection.search import Choice
from podium.workflow.reasons import Chances
from podium.workflow.stages import cross_fit
from podium.workflow.stages.cross_fit import by_place
from podium.workflow.stages.roles import RowFacts
from podium.workflow.stages.split import folds_of


def loans(n_rows=800, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.standard_normal((n_rows, 4)), columns=list("abcd"))
    risk = frame[["a", "b", "c"]].sum(axis=1) + rng.logistic(size=n_rows)
    return frame.assign(town=rng.choice([f"t{i}" for i in range(40)], n_rows), late=(risk > 2).astype(int))


OPTIONS = {"label": "late", "budget": 80, "exclude": ["town"]}


@cache
def fitted(model="linear", **options):
    return workflow.fit(loans(), **OPTIONS, model=model, **options)


# --- each row by a model that has not seen it -------------------------------------------------------------------------
def test_labels_that_mean_nothing_are_not_learned_by_heart_nor_by_names_of_towns():
    frame = loans().assign(late=np.random.default_rng(1).integers(2, size=800))
    result = workflow.fit(frame, label="late", model="trees", budget=80)
    seen = result.model.scores(frame)
    assert inference.interval(frame["late"], seen).estimate > 0.9
    auc = result.metrics["statistics"][0]
    assert auc["low"] < 0.5 < auc["high"]
    row = result.metrics["budget"]
    assert row["hits_low"] < 40 < row["hits_high"]


def test_every_row_judges_once_and_by_a_model_without_its_fold(monkeypatch):
    learned = []
    train = cross_fit.train
    monkeypatch.setattr(cross_fit, "train", lambda choice, rows: learned.append(rows.X) or train(choice, rows))
    frame = loans()
    result = workflow.fit(frame, **OPTIONS, model="linear")
    assert sorted(result.scores["id"]) == sorted(frame.index)
    assert result.metrics["n_rows"] == 800
    assert [len(X) for X in learned] == [613, 613, 614]  # 240 held out and two thirds of the other 560
    known = [set(X[:, 0]) for X in learned]
    judged_first = set(workflow.fit(frame, **OPTIONS, model="linear", holdout=0.3).scores["id"])
    unseen = [set(result.model.encoder.encode(frame)[:, 0]) - each for each in known]
    assert sum(map(len, unseen)) + len(judged_first) == 800  # every row is unseen by one of four
    assert not set.intersection(*known) - set(result.model.encoder.encode(frame.loc[sorted(judged_first)])[:, 0])


def test_rows_of_one_unit_are_in_one_fold():
    rng = np.random.default_rng(0)
    unit = rng.integers(60, size=600)
    fold = folds_of(RowFacts(group=unit), rng.random(600) < 0.3, 0)
    assert sorted(np.unique(fold)) == [0, 1, 2]
    assert all(len(np.unique(fold[unit == one])) == 1 for one in range(60))


@pytest.mark.parametrize(
    "facts",
    [RowFacts(time=pd.Series(np.arange(600))), RowFacts(weight=np.ones(600)), RowFacts(group=np.arange(600) % 2)],
)
def test_rows_in_time_with_weights_or_of_too_few_units_have_no_folds(facts):
    assert folds_of(facts, np.arange(600) % 3 == 0, 0) is None


def test_a_share_asked_for_alone_judges_and_so_do_rows_held_out_where_models_take_too_long():
    assert fitted(holdout=0.3).metrics["n_rows"] == fitted(refit=False).metrics["n_rows"] == 240
    hasty = fitted(time_limit=0.4)
    assert hasty.metrics["n_rows"] == 240
    assert any("longer than the time limit" in note for note in hasty.notes)
    assert any("was judged by a model that had not seen it" in note for note in fitted().notes)


def test_the_kind_that_judges_a_fold_is_chosen_by_the_other_folds():
    values = {"linear": [0.7, 0.7, 0.7], "trees": [0.9, 0.65, 0.6]}
    rankers = {name: fitted().model.ranker for name in values}
    choice = Choice("trees", None, {name: float(np.mean(v)) for name, v in values.items()}, values, rankers)
    assert [choice.without(k).name for k in range(3)] == ["linear", "trees", "trees"]
    assert Choice("trees", None).without(1).name == "trees"


# --- one scale --------------------------------------------------------------------------------------------------------
def naive_by_place(scores, fold):
    n_folds, everything = max(fold) + 1, sorted(scores)
    found = []
    for s, k in zip(scores, fold, strict=True):
        own = [t for t, other in zip(scores, fold, strict=True) if other == k]
        rank = sum(t < s for t in own) + (sum(t == s for t in own) + 1) / 2
        at = (rank - 1 + (k + 0.5) / n_folds) / len(own) * len(everything) - 0.5
        low = min(max(int(np.floor(at)), 0), len(everything) - 2)
        share = min(max(at - low, 0.0), 1.0)
        found.append((1 - share) * everything[low] + share * everything[low + 1])
    return found


def test_a_row_has_the_score_that_stands_among_all_where_the_row_stands_in_its_fold():
    rng = np.random.default_rng(0)
    scores, fold = rng.standard_normal(37).round(1), rng.integers(3, size=37)
    placed = by_place(scores, fold, np.sort(scores))
    np.testing.assert_allclose(placed, naive_by_place(scores.tolist(), fold.tolist()))
    for k in range(3):  # the order in a fold is that of its model
        own = np.argsort(scores[fold == k], kind="stable")
        assert (np.diff(placed[fold == k][own]) >= -1e-12).all()


def test_folds_of_one_size_lie_between_each_other():
    fold = np.repeat([0, 1, 2], 5)
    scores = np.concatenate([np.arange(5.0), 100 + np.arange(5.0), -50 - np.arange(5.0)[::-1]])
    assert fold[np.argsort(by_place(scores, fold, np.sort(scores)))].tolist() == [0, 1, 2] * 5


@pytest.mark.parametrize("model", ["linear", "trees"])
def test_the_cutoff_of_the_page_selects_as_many_new_rows_as_it_says(model):
    new, within = loans(800, seed=7), []
    scores = fitted(model).model.scores(new)
    for row in fitted(model).metrics["budgets"]:
        if row["k"] >= 20:
            within.append(row["selected_low"] <= (scores >= row["threshold"]).sum() <= row["selected_high"])
            assert row["selected_low"] < row["k"] <= row["selected_high"]
    assert all(within)


def test_rows_in_time_have_cutoffs_of_the_model_delivered_too():
    dated = [loans(800, seed).assign(day=np.arange(800) + 800 * seed) for seed in (0, 1)]
    result = workflow.fit(dated[0], **OPTIONS, model="linear", time="day")
    row = result.metrics["budget"]
    assert result.metrics["n_rows"] == 240
    assert row["selected_low"] <= (result.model.scores(dated[1]) >= row["threshold"]).sum() <= row["selected_high"]
    assert (result.model.expected[0] == result.model.calibration[0]).all()  # in the same order


def chance_of_more(m, r, n, v):
    """Of more than v of m new rows at or above the r-th best of n: by counting orders of all."""
    return sum(comb(r - 1 + x, x) * comb(n - r + m - x, m - x) for x in range(v + 1, m + 1)) / comb(n + m, m)


def test_limits_of_the_rows_selected_are_the_quantiles_that_orders_of_all_rows_have():
    rng = np.random.default_rng(0)
    n, m = 12, 40
    ranked = RankedList.of(Sample(rng.permutation(n).astype(float), np.arange(n) % 3 == 0), m, 0.8)
    for k in range(4, m, 3):
        row = ranked.row(k)
        r = int((ranked.sample.scores >= row.threshold).sum())
        low, high = row.selected
        assert high == min(v for v in range(m + 1) if chance_of_more(m, r, n, v) <= 0.1 + 1e-9)
        assert low == min(v for v in range(m + 1) if chance_of_more(m, r, n, v) <= 0.9 + 1e-9)


def test_chances_and_hits_of_a_list_are_those_of_the_scores_that_it_has():
    model = fitted().model
    new = loans(seed=3)
    scores = model.scores(new)
    chances = Chances(model).columns(new, scores)["probability"]
    assert (np.diff(chances[np.argsort(scores)]) >= 0).all()  # in the order of the list
    assert chances.mean() == pytest.approx(new["late"].mean(), abs=0.05)
    y, s = model.expected
    hits = inference.precision_at_interval(y, s, k=80, n_next=800)
    assert f"({hits.low}–{hits.high})" in workflow.score(model, new, top=80).report.headline
    assert f"({hits.low}–{hits.high})" in fitted().report.headline


def test_a_model_file_keeps_what_to_expect_and_one_of_earlier_times_says_what_it_knows(tmp_path):
    model = fitted().model
    persist.save(model, tmp_path / "model.podium")
    read = persist.load(tmp_path / "model.podium")
    for one, other in zip(read.expected, model.expected, strict=True):
        np.testing.assert_array_equal(one, other)
    read.expected = None  # as in a file of an earlier version
    assert read.foretelling.ranker is read.judged
    assert read.outlook is read.calibration
    assert "retraining" in workflow.score(read, loans(seed=3)).report.html


# --- guarantees -------------------------------------------------------------------------------------------------------
def test_guarantees_are_of_the_model_that_the_rows_held_out_have_judged():
    result, alone = fitted(), fitted(holdout=0.3)
    y, s = result.model.calibration
    assert len(y) == 240
    bound = inference.hits_lower_bound(y, s, n_next=800)
    for row in result.metrics["budgets"]:
        assert row["hits_guaranteed"] == bound.at(row["k"])
    assert result.metrics["certificates"] == alone.metrics["certificates"]
    new = loans(seed=5)
    cuts = [workflow.shortlist(one.model, new, by="recall", rate=0.8) for one in (result, alone)]
    pd.testing.assert_frame_equal(cuts[0].scores, cuts[1].scores)
    assert "the selected rows hold at most 5 % of all negatives" in result.report.html.replace("\u00a0", " ")


def test_cuts_are_of_the_one_model_and_name_none_of_its_scores():
    y = np.arange(400) % 4 == 0
    s = np.random.default_rng(0).standard_normal(400)
    one = Sample(s[:200] + 2 * y[:200], y[:200])
    both = [RankedList.of(Sample(s, y), 400, 0.95, fixed=one), RankedList.of(one, 400, 0.95)]
    ours, alone = (next(cut for cut in cuts(each) if cut.option.startswith("--fpr")) for each in both)
    assert ours.rows == alone.rows
    assert ours.promise.endswith(", the selected rows hold at most 5 % of all negatives.")
    assert "rows that score" in alone.promise


def test_candidates_are_compared_on_the_rows_of_the_one_model():
    rng = np.random.default_rng(0)
    y, s = rng.random(200) < 0.4, rng.standard_normal(200)
    rows = np.arange(200) >= 140
    own = s[rows] + y[rows]
    page = build(y, s, fixed=(rows, own), candidates={"this": own, "that": s[rows]}).summary
    assert [one["name"] for one in page["candidates"]] == ["this", "that"]
    assert page["candidates"][0]["quality"]["n_pos"] == y[rows].sum()
    with pytest.raises(ValueError, match="of each of the 200 rows"):
        build(y, s, fixed=(rows, s))
