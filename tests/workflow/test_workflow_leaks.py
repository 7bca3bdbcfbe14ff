"""Columns that give the label away stand above the headline, and the model delivered knows all rows."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from coverage_leaks import is_warned, table

from podium import workflow
from podium.workflow.stages import train as stages_train
from podium.workflow.stages.prepare import Prepared

OPTIONS = {"label": "late", "budget": 60, "model": "linear"}


def loans(n_rows=800, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.standard_normal((n_rows, 4)), columns=["a", "b", "c", "d"])
    risk = frame.sum(axis=1) + rng.logistic(size=n_rows)
    opened = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n_rows), "D")
    return frame.assign(opened=opened, late=(risk > 1.5).astype(int))


@cache
def fitted(**options):
    """Trained on the loans; not to be changed."""
    return workflow.fit(loans(), **OPTIONS, **options)


def leaks(result):
    return [warning for warning in result.warnings if "train without it" in warning]


def test_without_a_leak_there_is_no_warning():
    assert fitted().warnings == ()


def test_a_column_that_ranks_far_better_than_all_others_together_is_reported():
    frame = loans()
    rng = np.random.default_rng(1)
    frame["paid_share"] = -frame["late"] + 0.3 * rng.standard_normal(len(frame))
    result = workflow.fit(frame, **OPTIONS)
    (warning,) = leaks(result)
    assert not result.model.holds("list")  # nor are the lists that it makes
    assert warning.startswith("Column 'paid_share' alone has an AUC of 0.98")
    assert "all weaker columns together have 0.8" in warning
    assert "(option exclude: paid_share)" in warning
    assert leaks(workflow.fit(frame, **OPTIONS, exclude=["paid_share"])) == []


def test_a_category_that_ranks_far_better_than_all_others_together_is_reported():
    frame = loans()
    rng = np.random.default_rng(1)
    noise = rng.random(len(frame)) < 0.02
    frame["severity"] = np.where(frame["late"].astype(bool) ^ noise, rng.choice(["grave", "dire"], len(frame)), "none")
    assert "Column 'severity' alone has" in leaks(workflow.fit(frame, **OPTIONS))[0]


def test_an_honest_strong_column_of_a_small_table_takes_no_certainty_away():
    rng = np.random.default_rng(0)
    results = [
        workflow.fit(table(rng, 150, [0.85, *[0.6] * 5]), label="y", model="linear", random_state=i) for i in range(6)
    ]
    assert all(result.warnings == () for result in results)
    assert all(result.model.holds("list") for result in results)


def test_one_good_column_among_many_is_no_leak():
    rng = np.random.default_rng(0)
    assert not any(is_warned(table(rng, 600, [0.97, *[0.8] * 12]), seed) for seed in range(3))


@pytest.mark.parametrize(("n_rows", "auc"), [(150, 0.99), (600, 0.97), (5000, 0.95)])
def test_a_leak_among_weak_columns_is_found(n_rows, auc):
    rng = np.random.default_rng(0)
    assert all(is_warned(table(rng, n_rows, [auc, *[0.6] * 5]), seed) for seed in range(2))


def test_days_between_two_dates_that_tell_the_label_name_both_dates():
    frame = loans()
    waited = np.where(frame["late"] == 1, 400, 300) + np.random.default_rng(1).normal(0, 25, len(frame))
    frame["closed"] = frame["opened"] + pd.to_timedelta(waited.round(), "D")
    found = leaks(workflow.fit(frame, **OPTIONS))
    assert [warning.split()[1] for warning in found] == ["'opened'", "'closed'"]
    assert "is part of 'days from opened to closed', which alone has an AUC of 0.99" in found[0]


def test_a_column_filled_for_one_class_only_is_reported():
    frame = loans()
    rng = np.random.default_rng(1)
    some = (frame["late"] == 1) & (rng.random(len(frame)) < 0.3)
    frame["reminded"] = np.where(some, rng.integers(1, 5, len(frame)), np.nan)
    assert "Column 'reminded' is filled for positive rows only" in leaks(workflow.fit(frame, **OPTIONS))[0]


def test_a_column_dated_after_the_row_is_reported():
    frame = loans()
    rng = np.random.default_rng(1)
    frame["closed"] = frame["opened"] + pd.to_timedelta(rng.integers(1, 900, len(frame)), "D")
    frame["born"] = frame["opened"] - pd.to_timedelta(rng.integers(7000, 20_000, len(frame)), "D")
    (warning,) = leaks(workflow.fit(frame, **OPTIONS, time="opened"))
    assert warning.startswith(
        "Column 'closed' is later than 'opened' in 100 % of the rows. Was it set in advance, like a "
    )
    assert "or does it record when something happened? If it is not known" in warning


def test_a_date_that_keeps_one_of_a_few_terms_was_known_in_advance():
    frame = loans()
    terms = np.random.default_rng(1).choice([14, 30, 60], len(frame))
    frame["due"] = frame["opened"] + pd.to_timedelta(terms, "D")
    assert leaks(workflow.fit(frame, **OPTIONS, time="opened")) == []


def test_dates_are_not_compared_with_the_number_of_a_year():
    frame = loans()
    frame["year"] = frame["opened"].dt.year
    assert leaks(workflow.fit(frame, **OPTIONS, time="year")) == []


def test_missing_values_that_tell_little_are_no_leak():
    frame = loans()
    frame.loc[np.random.default_rng(1).random(len(frame)) < 0.4, "b"] = np.nan
    assert leaks(workflow.fit(frame, **OPTIONS)) == []


def test_the_model_delivered_knows_all_rows_and_the_one_that_was_judged_is_kept():
    frame = loans()
    result, plain = fitted(), fitted(refit=False)
    as_judged = result.model.as_judged()
    np.testing.assert_array_equal(as_judged.scores(frame), plain.model.scores(frame))
    assert (result.model.scores(frame) != plain.model.scores(frame)).any()
    held_out = plain.scores["id"].to_numpy()
    np.testing.assert_allclose(as_judged.scores(frame.loc[held_out]), plain.scores["score"])
    np.testing.assert_allclose(np.sort(as_judged.scores(frame.loc[held_out])), result.model.calibration[1])
    assert any("retrained" in note for note in result.notes)


def test_a_model_that_is_worse_for_all_rows_is_not_delivered(monkeypatch):
    class Constant:
        threshold_ = 0.0

        def decision_function(self, X):
            return np.zeros(len(X))

    monkeypatch.setattr(Prepared, "refit", lambda *_: Constant())
    result = workflow.fit(loans(), **OPTIONS)
    assert (result.model.judged, result.model.facts["trained_on"]) == (None, 560)
    assert len(np.unique(result.model.scores(loans()))) == 800
    assert any("it ranked worse" in note for note in result.notes)


def test_of_many_rows_the_model_judged_is_delivered_unless_asked_or_rows_have_times(monkeypatch):
    monkeypatch.setattr(stages_train, "MANY", 799)
    frame = loans().assign(day=pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(800), "D"))
    many, asked, timed = (
        workflow.fit(frame, **OPTIONS, **more) for more in ({"exclude": ["day"]}, {"refit": True}, {"time": "day"})
    )
    assert (many.model.judged, many.model.facts["trained_on"]) == (None, 560)
    assert any("is the one evaluated here" in note for note in many.notes)
    for one in (asked, timed):
        assert one.model.judged is not None
        assert one.model.facts["trained_on"] == 800


def test_shortlists_are_of_the_model_whose_scores_calibrate_them():
    result, plain = fitted(), fitted(refit=False)
    new = loans(seed=5)
    chosen = [workflow.shortlist(model, new, by="recall", rate=0.8) for model in (result.model, plain.model)]
    pd.testing.assert_frame_equal(chosen[0].scores, chosen[1].scores)


def test_rows_of_another_table_judge_and_are_not_learned_from():
    result = workflow.fit(loans(), **OPTIONS, test=loans(200, seed=3))
    assert result.model.judged is None
    assert result.model.facts["trained_on"] == 800


@pytest.mark.parametrize("refit", [True, False])
def test_a_model_file_keeps_both(refit, tmp_path):
    result = fitted(**({} if refit else {"refit": False}))
    result.save(tmp_path)
    new = loans(seed=5)
    read = workflow.score(tmp_path / "model.podium", new)
    np.testing.assert_allclose(read.scores["score"], np.sort(result.model.scores(new))[::-1])
