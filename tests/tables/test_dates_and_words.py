"""Dates and sentences as numbers."""

import numpy as np
import pandas as pd
import pytest

from podium import metrics, persist, workflow
from podium.columns.date import DateColumn
from podium.tables import Encoder, TrainingRows, describe, positives, to_table


def encoded(frame, kinds=None, y=None):
    kinds = kinds or describe(frame, np.arange(len(frame)) % 2 == 0).kinds
    encoder = Encoder.fit(frame, np.arange(len(frame)), kinds, y)
    return encoder, encoder.encode(frame)


def test_a_date_is_a_time_and_its_place_in_year_and_week():
    days = pd.Series(pd.date_range("2018-01-01", periods=1000, freq="D"), name="day")
    encoder, X = encoded(pd.DataFrame({"day": days}))
    outputs = dict(zip(encoder.outputs, X.T, strict=True))
    assert (np.diff(outputs["day"]) > 0).all()
    assert (outputs["day is at a weekend"] == (days.dt.day_of_week >= 5)).all()
    assert outputs["day, time of the week (cosine)"][:7] == pytest.approx(
        outputs["day, time of the week (cosine)"][7:14]
    )
    year = 365
    for part in ("cosine", "sine"):
        place = outputs[f"day, time of the year ({part})"]
        assert place[:100] == pytest.approx(place[year : year + 100], abs=0.02)
    assert not any("time of the day" in name for name in outputs)  # all at midnight


def test_a_missing_date_is_at_no_place():
    days = pd.Series([*pd.date_range("2018-01-01", periods=99, freq="5h"), pd.NaT], name="day")
    column = DateColumn.fit(days)
    out = np.empty((100, len(column.outputs)))
    column.encode(days, out)
    assert np.isfinite(out).all()
    named = dict(zip(column.outputs, out[-1], strict=True))
    assert named.pop("day is missing") == 1
    assert set(named.values()) == {0.0}


def test_days_between_two_dates_are_counted_and_survive_the_file_of_the_model(tmp_path):
    rng = np.random.default_rng(0)
    born = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 18_000, 600), unit="D")
    seen = pd.Timestamp("2010-01-01") + pd.to_timedelta(rng.integers(0, 3_000, 600), unit="D")
    old = (seen - born).days > 14_000
    frame = pd.DataFrame({"born": born, "seen": seen, "y": (old ^ (rng.random(600) < 0.05)).astype(int)})
    result = workflow.fit(frame, label="y", model="linear")
    assert "days from born to seen" in result.model.encoder.outputs
    scores = result.scores
    assert metrics.auc(scores["label"], scores["score"]) > 0.88  # one label in twenty is wrong
    persist.save(result.model, tmp_path / "model.podium")
    frame.to_csv(tmp_path / "new.csv", index=False)
    again = workflow.score(tmp_path / "model.podium", tmp_path / "new.csv")
    # One label in twenty is wrong.
    assert metrics.auc(frame["y"].to_numpy()[again.scores["id"] - 1], again.scores["score"]) > 0.88


def sentences(n_rows, seed):
    rng = np.random.default_rng(seed)
    usual = ["the", "customer", "called", "about", "his", "order", "and", "we", "answered", "today", "again", "late"]
    y = rng.random(n_rows) < 0.4
    texts = []
    for is_angry in y:
        words = list(rng.choice(usual, 8))
        words.insert(int(rng.integers(8)), str(rng.choice(["refund", "broken"] if is_angry else ["thanks", "invoice"])))
        texts.append(" ".join(words))
    return pd.DataFrame({"note": texts, "x": rng.normal(size=n_rows), "y": y.astype(int)})


@pytest.mark.parametrize("model", ["linear", "trees"])
def test_what_sentences_say_is_learned(model):
    result = workflow.fit(sentences(800, 0), label="y", model=model)
    assert any("Sentences were encoded by their words" in note for note in result.notes)
    assert metrics.auc(result.scores["label"], result.scores["score"]) > 0.9


def test_sentences_without_known_words_are_zero_everywhere():
    frame = sentences(300, 1)[["note"]]
    encoder, X = encoded(frame)
    assert len(encoder.outputs) == X.shape[1] <= 24
    unknown = encoder.encode(pd.DataFrame({"note": ["xyzzy plugh", None]}))
    np.testing.assert_array_equal(unknown, 0.0)
    assert np.abs(X).max() <= 1 + 1e-12  # projections of a unit vector


def test_the_columns_of_two_dates_leave_the_table_after_the_days_between_them_are_counted():
    frame = pd.DataFrame(
        {
            name: pd.date_range(start, periods=50, freq=f)
            for name, start, f in (("a", "2018-01-01", "D"), ("b", "2019-01-01", "3D"))
        }
    )
    encoder, X = encoded(frame)
    rows = TrainingRows.of(
        encoder.training_rows(frame.copy(), np.arange(50), np.arange(50) % 2 == 0, np.random.default_rng(0))
    )
    np.testing.assert_array_equal(rows.X, X)


def test_several_values_of_a_label_can_be_positive_together():
    column = pd.Series(["a", "b", "c", "a", "d"], name="y")
    found, word = positives(column, ["a", "d"])
    assert (found.tolist(), word) == ([True, False, False, True, True], "a | d")
    assert positives(column, word)[0].tolist() == found.tolist()
    for wrong, sentence in ((["a", "e"], "no value 'e'"), (list("abcd"), "all positive")):
        with pytest.raises(ValueError, match=sentence):
            positives(column, wrong)


def test_several_positive_values_from_the_command_to_the_shortlist(podium, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    y = np.where(x + rng.normal(size=500) > 1, np.where(rng.random(500) < 0.5, "fraud", "error"), "fine")
    pd.DataFrame({"x": x, "z": rng.normal(size=500), "y": y}).to_csv(tmp_path / "t.csv", index=False)
    both = ("--label", "y", "--positive", "fraud", "--positive", "error")
    run = podium("fit", tmp_path / "t.csv", *both, "--model", "linear", "--out", tmp_path / "m")
    assert run.code == 0, run.err
    held_out = pd.read_csv(tmp_path / "m" / "scores.csv")
    assert held_out["label"].mean() == pytest.approx(np.mean(y != "fine"), abs=0.01)
    run = podium("score", tmp_path / "m" / "model.podium", tmp_path / "t.csv")
    assert run.code == 0
    assert podium("fit", tmp_path / "t.csv", "--label", "y", "--positive", "fruad", "--out", tmp_path / "n").code == 2


def test_text_that_hardly_repeats_is_left_out_with_a_word_and_many_towns_are_not():
    rng = np.random.default_rng(3)
    town = rng.integers(60, size=900)
    y = rng.random(900) < np.where(town % 2 == 0, 0.7, 0.2)
    pairs = [f"k{i // 2}" for i in range(900)]  # every value twice
    frame = pd.DataFrame(
        {"pair": pairs, "town": [f"t{i}" for i in town], "x": rng.normal(size=900), "y": y.astype(int)}
    )
    result = workflow.fit(frame, label="y", model="linear")
    assert any("without repeated values" in note and "'pair'" in note for note in result.notes)
    assert metrics.auc(result.scores["label"], result.scores["score"]) > 0.65
    with pytest.raises(ValueError, match="no column to learn from"):
        workflow.fit(frame[["pair", "y"]], label="y", model="linear")


def test_columns_written_alike_are_told_in_one_sentence(tmp_path):
    (tmp_path / "t.csv").write_text("a;b;c;y\n1,5;2,5;85%;0\n1,0;3,5;3%;1\n")
    notes = to_table(tmp_path / "t.csv").notes
    assert notes[0] == "Columns 'a', 'b' were read as numbers written like 1234,5."
    assert len(notes) == 2
