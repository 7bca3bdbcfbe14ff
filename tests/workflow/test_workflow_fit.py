"""``podium.workflow.fit`` on tables in memory."""

import json
import weakref
from importlib import import_module

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from podium import metrics, persist, workflow
from podium.exceptions import InputError, InputTypeError
from podium.report.wording import count
from podium.tables import TableModel


def patients(n_rows=400, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "name": [f"p{i}" for i in range(n_rows)],
            "age": rng.integers(20, 90, n_rows),
            "dose": np.where(rng.random(n_rows) < 0.1, np.nan, rng.normal(size=n_rows)),
            "ward": rng.choice(["a", "b", "c"], n_rows),
            "town": rng.choice([f"t{i}" for i in range(25)], n_rows),
            "admitted": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n_rows), "D"),
            "smokes": rng.random(n_rows) < 0.3,
        }
    )
    risk = 0.05 * frame["age"] + frame["smokes"] + (frame["ward"] == "a") + rng.logistic(size=n_rows)
    return frame.assign(ill=np.where(risk > np.quantile(risk, 0.75), "yes", "no"))


OPTIONS = {"label": "ill", "positive": "yes", "id_column": "name", "budget": 40, "model": "linear"}


@pytest.fixture(scope="module")
def fitted():
    return workflow.fit(patients(), **OPTIONS)


def test_scores_of_several_models_give_intervals_but_nothing_that_is_certain_of_one(fitted):
    scores = fitted.scores
    assert scores["judged_by"].value_counts().to_dict() == {"the model of a fold": 280, "the model held out from": 120}
    judged = workflow.evaluate(scores, label="label", budget=40)
    assert (judged.certificate, judged.hits_guaranteed) == (None, None)
    assert "scored by several models" in judged.notes[-1]
    of_one = workflow.evaluate(scores.drop(columns="judged_by"), label="label", budget=40)
    assert judged.intervals == of_one.intervals
    assert judged.hits == of_one.hits
    assert of_one.certificate is not None
    held_out = workflow.fit(patients(), **OPTIONS, holdout=0.3).scores
    assert "judged_by" not in held_out


def test_the_result_holds_model_report_scores_and_metrics(fitted):
    assert isinstance(fitted.model, TableModel)
    assert fitted.report.headline.startswith("Among the top 40 of 400 expect")
    assert fitted.report.html.startswith("<!DOCTYPE html>")
    assert list(fitted.scores.columns) == ["id", "score", "rank", "percentile", "label", "judged_by"]
    assert len(fitted.scores) == 400
    auc = next(one["estimate"] for one in fitted.metrics["statistics"] if one["phi"] in ("mww", "auc"))
    assert auc == pytest.approx(metrics.auc(fitted.scores["label"], fitted.scores["score"]))
    assert fitted.to_dict() == fitted.metrics
    assert "iframe" in fitted._repr_html_()
    assert repr(fitted) == f"FitResult(linear: {fitted.report.headline})"


def test_headlines_say_hits_in_the_label_s_own_words_where_it_has_any(fitted):
    page = fitted.report
    hits = fitted.metrics["budget"]
    expected = f"expect {count(hits['hits'])} with ill = yes ({hits['hits_low']}–{hits['hits_high']}); random order: 10"
    assert page.headline == f"Among the top 40 of 400 {expected}"
    assert page.headline in page.markdown
    assert " with ill = yes (" in workflow.score(fitted.model, patients(seed=1)).report.headline
    frame = patients()
    for values in ((1, 0), ("yes, as far as is known to us today, at least", "no")):
        frame["ill"] = np.where(patients()["ill"] == "yes", *values)
        other = workflow.fit(frame, **{**OPTIONS, "positive": str(values[0])})
        assert f"expect {count(hits['hits'])} hits (" in other.report.headline


@pytest.mark.parametrize(
    ("said", "top", "first"),
    [({"budget": 25}, None, 25), ({"budget": 25}, 10, 10), ({"fraction": 0.2}, None, 60), ({"phi": "auc"}, None, 30)],
)
def test_a_list_is_about_as_many_rows_as_the_fit_was_told_unless_a_top_is_asked_for(said, top, first, tmp_path):
    model = workflow.fit(patients(), **{**OPTIONS, "budget": None, **said}).model
    persist.save(model, tmp_path / "model.podium")
    for kept in (model, persist.load(tmp_path / "model.podium")):
        headline = workflow.score(kept, patients(300, seed=1), top=top).report.headline
        assert headline.startswith(f"Among the first {first} of 300 rows expect")


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas, pd.DataFrame.convert_dtypes])
def test_polars_arrow_and_nullable_tables_give_the_same_scores(convert, fitted):
    other = workflow.fit(convert(patients()), **OPTIONS)
    pd.testing.assert_frame_equal(other.scores, fitted.scores, check_dtype=False)


def test_a_file_gives_the_same_scores(fitted, tmp_path):
    patients().to_parquet(tmp_path / "table.parquet")
    other = workflow.fit(tmp_path / "table.parquet", **OPTIONS)
    pd.testing.assert_frame_equal(other.scores, fitted.scores, check_dtype=False)


def test_the_callers_table_is_not_changed():
    frame = patients()
    frame.loc[::7, "ill"] = None
    before = frame.copy(deep=True)
    workflow.fit(frame, **OPTIONS)
    pd.testing.assert_frame_equal(frame, before)


def test_categories_and_numbers_as_column_names_are_understood():
    frame = patients().astype({"ward": "category"}).rename(columns={"age": 7})
    result = workflow.fit(frame, **OPTIONS)
    assert {"ward", "7"} <= set(result.model.kinds)


def test_rows_are_named_by_the_index_of_a_pandas_table():
    frame = patients().set_index("name")
    result = workflow.fit(frame, **{**OPTIONS, "id_column": None})
    assert set(result.scores["id"]) <= set(frame.index)
    labels = frame.loc[result.scores["id"], "ill"].to_numpy() == "yes"
    np.testing.assert_array_equal(labels, result.scores["label"])
    assert set(workflow.score(result.model, frame).scores["id"]) == set(frame.index)


def test_saved_files_are_read_back(fitted, tmp_path):
    files = fitted.save(tmp_path / "out")
    assert [path.name for path in files] == ["model.podium", "report.html", "report.md", "metrics.json", "scores.csv"]
    assert json.loads(files[3].read_text()) == fitted.metrics
    frame = patients(50, seed=1)
    one, other = (workflow.score(model, frame) for model in (files[0], fitted.model))
    pd.testing.assert_frame_equal(one.scores, other.scores)
    np.testing.assert_allclose(persist.load(files[0]).scores(frame), fitted.model.scores(frame))


def test_the_command_writes_the_same_files(podium, tmp_path):
    patients().to_parquet(tmp_path / "table.parquet")
    workflow.fit(tmp_path / "table.parquet", **OPTIONS).save(tmp_path / "python")
    options = ("--label", "ill", "--positive", "yes", "--id", "name", "--budget", 40, "--model", "linear")
    run = podium("fit", tmp_path / "table.parquet", *options, "--out", tmp_path / "command")
    assert run.code == 0
    for name in ("scores.csv", "metrics.json"):
        assert (tmp_path / "command" / name).read_bytes() == (tmp_path / "python" / name).read_bytes()


def test_the_top_is_the_beginning_of_the_list(fitted):
    whole, top = workflow.score(fitted.model, patients()), workflow.score(fitted.model, patients(), top=5)
    pd.testing.assert_frame_equal(top.scores, whole.scores.head(5))
    assert top.n_rows == whole.n_rows == 400
    assert repr(top) == "ScoreResult(the first 5 of 400 rows)"


def test_a_row_is_explained_by_its_values(fitted):
    found = workflow.explain(fitted.model, patients(), "p3")
    listed = workflow.score(fitted.model, patients()).scores.set_index("id")
    assert found.rank == listed.loc["p3", "rank"]
    assert {effect.name.partition(" = ")[0] for effect in found.effects} == set(fitted.model.kinds)


def test_of_rows_with_one_identifier_the_first_is_explained_by_its_own_place(fitted):
    table = patients()
    found = workflow.explain(fitted.model, table.assign(name="p"), "p")
    listed = workflow.score(fitted.model, table).scores.set_index("id")
    assert found.rank == listed.loc["p0", "rank"] > 1
    assert "400 rows have the identifier 'p'; the first one is explained." in found.notes


@pytest.mark.parametrize(
    ("table", "error", "sentence"),
    [
        ([1, 2, 3], InputTypeError, "got list"),
        (pl.DataFrame({"ill": ["yes"], "x": [1]}).lazy(), InputTypeError, "got LazyFrame"),
        (pd.DataFrame({"ill": ["yes", "no"], "x": [1, "a"]}), InputTypeError, "holds int, str"),
        (pd.DataFrame({"ill": ["yes", "no"], "x": [[1], [2]]}), InputError, "holds list"),
        (pd.DataFrame({"ill": ["yes", "no"]}), InputError, "at least one other column"),
        (pd.DataFrame([["yes", 1, 2]], columns=["ill", "x", "x"]), InputError, "more than one 'x'"),
        (pd.DataFrame({"ill": [], "x": []}), InputError, "needs rows"),
    ],
)
def test_what_is_no_table_gets_a_sentence(table, error, sentence):
    with pytest.raises(error, match=sentence):
        workflow.fit(table, label="ill", positive="yes")


def test_options_that_cannot_be_get_a_sentence_in_words_of_python():
    with pytest.raises(InputError, match="got several of phi, budget and fraction"):
        workflow.fit(patients(), label="ill", positive="yes", budget=3, phi="auc")
    with pytest.raises(InputError, match="model must be one of"):
        workflow.fit(patients(), label="ill", positive="yes", model="tree")


def test_matrices_are_let_go_of_before_the_report_is_written(monkeypatch):
    module = import_module("podium.workflow.fit")
    prepare, build, matrices, left = module.prepare, module.report.build, [], []

    def watched(*arguments, **options):
        prepared = prepare(*arguments, **options)
        encoded = prepared.encoded
        matrices.extend(weakref.ref(rows.X) for rows in (encoded.training, encoded.held_out))
        return prepared

    def built(*arguments, **options):
        left.extend(matrix() is not None for matrix in matrices)
        return build(*arguments, **options)

    monkeypatch.setattr(module, "prepare", watched)
    monkeypatch.setattr(module.report, "build", built)
    workflow.fit(patients(), **OPTIONS)
    assert left == [False, False]


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_moments_with_a_time_zone_have_effects_and_reasons(zone, tmp_path):
    rng = np.random.default_rng(0)
    moments = pd.date_range("2024-03-01", periods=400, freq="7h", tz=zone)[rng.permutation(400)]
    frame = pd.DataFrame({"moment": moments, "x": rng.standard_normal(400)})
    frame["y"] = (frame["x"] + rng.standard_normal(400) + (moments.hour > 12) > 0.5).astype(int)
    fitted = workflow.fit(frame, label="y", model="linear")
    wall = pd.Series(moments.tz_localize(None)).sort_values()
    (named,) = [effect.name for effect in fitted.effects if effect.name.startswith("moment: ")]
    low, high = (pd.Timestamp(end) for end in named.removeprefix("moment: ").split(" → "))
    assert wall.quantile(0.02) <= low <= wall.quantile(0.18)
    assert wall.quantile(0.82) <= high <= wall.quantile(0.98)
    frame.drop(columns="y").to_csv(tmp_path / "new.csv", index=False)
    read = workflow.score(fitted.model, tmp_path / "new.csv", reasons=1).scores
    known = workflow.score(fitted.model, frame.drop(columns="y")).scores
    np.testing.assert_allclose(read["score"], known["score"])
