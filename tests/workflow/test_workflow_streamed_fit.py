"""A fit to a table larger than the memory allowed: what the same rows in memory give."""

import json
import re
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from podium import LinearRanker, metrics, persist, workflow
from podium.distributed import blocks, boosting
from podium.distributed.blocks import Loop, StoredResult
from podium.exceptions import InputError
from podium.tables.files.source import FILE_TYPES
from podium.workflow.streaming import prepare, rest, sample, table
from podium.workflow.streaming.sample import Draw, keys_of

N = 4000
RNG = np.random.default_rng(0)
TINY = 1e6  # bytes


def people():
    frame = pd.DataFrame(
        {
            "name": [f"p{i}" for i in range(N)],
            "age": RNG.integers(20, 90, N),
            "dose": np.where(RNG.random(N) < 0.1, np.nan, RNG.normal(size=N).round(3)),
            "ward": RNG.choice(["a", "b", "c"], N),
            "admitted": pd.Timestamp("2020-01-01") + pd.to_timedelta(np.sort(RNG.integers(0, 900, N)), "D"),
            "house": RNG.integers(0, 1500, N),
            "weight": RNG.integers(1, 4, N),
        }
    )
    risk = 0.05 * frame["age"] + frame["dose"].fillna(0) + (frame["ward"] == "a") + RNG.logistic(size=N)
    return frame.assign(ill=np.where(risk > np.quantile(risk, 0.75), "yes", "no"))


FRAME = people()
LABEL = {"label": "ill", "positive": "yes"}
LEARNED = {**LABEL, "exclude": ["name", "house", "weight"], "model": "linear", "random_state": 3}


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Samples of 1,000 rows and blocks of a few hundred, as if 4,000 rows were many; no client of other tests."""
    monkeypatch.setattr(prepare, "engine", lambda folder, memory: Loop(folder, memory / 4))
    for kind in FILE_TYPES:
        monkeypatch.setattr(kind, "expansion", 100)
    monkeypatch.setattr(sample, "_FEWEST", 1000)
    monkeypatch.setattr(sample, "_SHARE", 0)
    monkeypatch.setattr(blocks, "BLOCK_VALUES", 4000)


@pytest.fixture(scope="module")
def csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("big") / "people.csv"
    FRAME.to_csv(path, index=False)
    return path


def as_hive(folder):
    for ward, rows in FRAME.groupby("ward"):
        (folder / f"ward={ward}").mkdir(parents=True)
        rows.drop(columns="ward").to_parquet(folder / f"ward={ward}" / "0.parquet", row_group_size=500, index=False)
    return folder


def held_out(keys, seed=3):
    return Draw(seed, 0.3).are_held_out(keys)


def auc_of(result):
    return next(one["estimate"] for one in result.metrics["statistics"] if one["phi"] == "auc")


def test_the_linear_model_is_that_of_the_same_rows_in_memory(csv):
    result = workflow.fit(csv, **LEARNED, memory=TINY, refit=False)
    assert "read in chunks" in result.notes[0]
    out, y = held_out(keys_of(0, N, None)), (FRAME["ill"] == "yes").to_numpy()
    X = result.model.encoder.encode(FRAME)
    expected = LinearRanker(random_state=3).fit(X[~out], y[~out])
    np.testing.assert_allclose(result.model.ranker.coef_, expected.coef_, atol=1e-6 * np.abs(expected.coef_).max())
    assert result.model.ranker.threshold_ == pytest.approx(expected.threshold_, abs=1e-6)
    assert set(result.scores["id"]) < set(np.flatnonzero(out) + 1)
    assert 200 < len(result.scores) < 400
    of_all = result.metrics["all_held_out"]
    assert (of_all["rows"], result.model.facts["trained_on"]) == (out.sum(), (~out).sum())
    scored = workflow.score(result.model, csv).scores.set_index("id")["score"]
    assert of_all["estimate"] == pytest.approx(metrics.auc(y[out], scored.loc[np.flatnonzero(out) + 1]), abs=1e-6)
    np.testing.assert_allclose(scored.loc[result.scores["id"]], result.scores["score"], rtol=1e-12)


@cache
def plain_fit(csv):
    """The linear model; not to be changed."""
    return workflow.fit(csv, **LEARNED, memory=TINY)


def test_it_is_as_good_as_in_memory_whatever_the_rows_come_from(csv, tmp_path):
    in_memory = workflow.fit(FRAME, **LEARNED)
    for result in (plain_fit(csv), workflow.fit(as_hive(tmp_path / "hive"), **LEARNED, memory=TINY)):
        assert result.model.kinds == in_memory.model.kinds
        assert set(result.metrics) - set(in_memory.metrics) == {"all_held_out"}
        of_all = result.metrics["all_held_out"]
        error = (of_all["high"] - of_all["low"]) / 3.92
        assert abs(of_all["estimate"] - auc_of(in_memory)) < 3 * np.sqrt(2) * error
        assert abs(of_all["estimate"] - auc_of(result)) < 3 * 2 * error  # of a quarter of these rows


def test_the_command_chooses_among_models_that_can_learn_from_blocks(csv, tmp_path, podium):
    options = ["--label", "ill", "--positive", "yes", "--exclude", "name", "--memory", "1MB", "--out", tmp_path / "out"]
    run = podium("fit", csv, *options)
    assert run.code == 0
    assert "linear" in run.out
    figures = json.loads((tmp_path / "out" / "metrics.json").read_text())
    assert list(figures["validation"]) == list(table.MODELS)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "read in chunks" in page
    assert f"On all {figures['all_held_out']['rows']:,} held-out rows, the AUC is" in page


@pytest.mark.parametrize("model", ["quadratic", "trees"])
def test_two_runs_write_the_same_bytes_within_whatever_memory(csv, tmp_path, model, monkeypatch):
    options = LEARNED | {"model": model, "exclude": ["name", "house", "admitted"]}
    for run in ("a", "b"):
        result = workflow.fit(csv, **options, memory=TINY, refit=False)
        monkeypatch.setattr(Loop, "_kept", _in_a_file)  # the second time every result waits in a file
        result.save(tmp_path / run)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name
    assert persist.load(tmp_path / "a" / "model.podium").facts["chosen"] in table.MODELS


def _in_a_file(loop, value):
    return StoredResult(value, loop._new_file(), lambda: None)


def test_trees_learn_from_every_row_that_memory_allows(csv, monkeypatch):
    options = LEARNED | {"model": "trees", "criterion": "power:3", "refit": False, "memory": TINY}
    all_rows = workflow.fit(csv, **options)
    monkeypatch.setattr(boosting, "_PER_ROW", 400)
    some = workflow.fit(csv, **options)
    assert any("every third training row" in note for note in some.notes)
    assert not any("every" in note and "training row:" in note for note in all_rows.notes)
    lost = all_rows.metrics["all_held_out"]["estimate"] - some.metrics["all_held_out"]["estimate"]
    assert 0 < abs(lost) < 0.1


def test_times_units_and_weights_of_all_rows_count(csv):
    options = LEARNED | {"exclude": ["name"], "memory": TINY, "refit": False}
    by_time = workflow.fit(csv, **options, time="admitted")
    sample_latest = FRAME["admitted"].iloc[by_time.scores["id"] - 1].min()
    latest = (FRAME["admitted"] >= sample_latest).to_numpy()
    assert by_time.metrics["all_held_out"]["rows"] == latest.sum()
    assert latest.mean() == pytest.approx(0.3, abs=0.05)
    by_unit = workflow.fit(csv, **options, group="house")
    out = held_out(keys_of(0, N, FRAME["house"]))
    assert by_unit.metrics["all_held_out"]["rows"] == out.sum()
    assert not set(FRAME["house"][out]) & set(FRAME["house"][~out])
    weighted = workflow.fit(csv, **options, weight="weight", id_column="name")
    assert weighted.scores["id"].str.startswith("p").all()
    out, y = held_out(keys_of(0, N, None)), (FRAME["ill"] == "yes").to_numpy()
    X, weight = weighted.model.encoder.encode(FRAME), FRAME["weight"].to_numpy(dtype=float)
    expected = LinearRanker(random_state=3).fit(X[~out], y[~out], weight[~out] / weight[~out].mean())
    np.testing.assert_allclose(weighted.model.ranker.coef_, expected.coef_, rtol=0.02, atol=0.02)
    auc = metrics.auc(y[out], weighted.model.scores(FRAME[out]), sample_weight=weight[out])
    assert weighted.metrics["all_held_out"]["estimate"] == pytest.approx(auc, abs=1e-6)


def test_refitted_to_all_rows_it_is_the_fit_to_all_of_them(csv):
    result = workflow.fit(csv, **LEARNED, memory=TINY, refit=True)
    expected = LinearRanker(random_state=3).fit(result.model.encoder.encode(FRAME), FRAME["ill"] == "yes")
    np.testing.assert_allclose(result.model.ranker.coef_, expected.coef_, atol=1e-6 * np.abs(expected.coef_).max())
    assert result.model.facts["trained_on"] == N


def test_a_folder_that_fits_is_a_table_like_any_other(tmp_path):
    FRAME[:500].to_csv(tmp_path / "1.csv", index=False)
    FRAME[500:900].to_csv(tmp_path / "2.csv", index=False)
    result = workflow.fit(tmp_path, **LEARNED | {"model": "linear-quantile"})
    assert "all_held_out" not in result.metrics
    assert result.model.facts["rows"] == 900


def test_numbers_and_dates_as_others_write_them(csv, tmp_path):
    written = FRAME.assign(
        dose=FRAME["dose"].map(lambda x: "" if np.isnan(x) else f"{x:.3f}".replace(".", ",")),
        admitted=FRAME["admitted"].dt.strftime("%d.%m.%Y"),
    )
    written.to_csv(tmp_path / "german.csv", sep=";", index=False)
    plain, german = plain_fit(csv), workflow.fit(tmp_path / "german.csv", **LEARNED, memory=TINY)
    assert german.metrics["all_held_out"] == plain.metrics["all_held_out"]
    np.testing.assert_array_equal(german.scores["score"], plain.scores["score"])


@pytest.mark.parametrize(
    ("column", "value", "sentence"),
    [
        ("dose", "much", r"Column 'dose' of .*far.csv must hold numbers; got 'much' in row {row:,}"),
        ("admitted", "soon", r"Column 'admitted' of .*far.csv must hold dates.*got 'soon' in row {row:,}"),
        ("ill", "perhaps", r"needs two values; got 3: no, perhaps, yes"),
        ("weight", "-1", r"weights needs a number above 0 in every row; 'weight' has 1 rows? without one"),
    ],
)
def test_a_bad_cell_far_away_gets_a_sentence(tmp_path, podium, column, value, sentence):
    row = 3000 + int(np.argmax(Draw(0, 0.3).places(keys_of(3000, N - 3000, None))))  # the last to be in a sample
    cells = FRAME.astype(object)
    cells.loc[row, column] = value
    cells.to_csv(tmp_path / "far.csv", index=False)
    options = [
        "--label",
        "ill",
        *(() if column == "ill" else ("--positive", "yes")),
        "--weight",
        "weight",
        "--memory",
        "1MB",
        "--out",
        tmp_path / "out",
    ]
    run = podium("fit", tmp_path / "far.csv", *options)
    assert (run.code, run.out) == (2, "")
    assert re.search(sentence.format(row=row + 1), run.err)


def test_what_cannot_be_streamed_gets_a_sentence(csv, tmp_path, monkeypatch):
    with pytest.raises(InputError, match="the model is one of linear, quadratic, trees; got 'stack'"):
        workflow.fit(csv, **LABEL, memory=TINY, model="stack")
    with pytest.raises(InputError, match="evaluated on its own held-out rows"):
        workflow.fit(csv, **LABEL, memory=TINY, test=FRAME)
    with pytest.raises(InputError, match="there is no 'unit'"):
        workflow.fit(csv, **LABEL, memory=TINY, group="unit")
    with pytest.raises(InputError, match="there is no 'ill2'"):
        workflow.fit(csv, label="ill2", memory=TINY)
    monkeypatch.setattr(rest.shutil, "disk_usage", lambda folder: SimpleNamespace(free=1000))
    with pytest.raises(InputError, match=r"are stored on disk; these need .* has 1\.0 kB left(?s:.*)TMPDIR"):
        workflow.fit(csv, **LABEL, memory=TINY)
    (tmp_path / "empty.csv").write_text("ill,age\n")
    with pytest.raises(InputError, match="has column names only"):
        workflow.fit(tmp_path, **LABEL)


def test_rows_are_drawn_alike_however_the_table_is_cut():
    units = pd.Series(["a", "b", None, "a", "7", "7.0", None])
    keys = keys_of(10, 7, units)
    assert keys[0] == keys[3]
    assert keys[4] == keys[5]
    assert len(set(keys)) == 5
    np.testing.assert_array_equal(np.concatenate([keys_of(10, 3, units[:3]), keys_of(13, 4, units[3:])]), keys)
    numbers = keys_of(0, 100_000, None)
    for seed in range(3):
        draw = Draw(seed, 0.3)
        out, places = draw.are_held_out(numbers), draw.places(numbers)
        assert abs(out.mean() - 0.3) < 4 * np.sqrt(0.21 / 1e5)
        first = places < np.uint64(2**63)
        assert abs(first.mean() - 0.5) < 4 * np.sqrt(0.25 / 1e5)
        # Neither tells of the other, of the next row or of another seed.
        pairs = [(out, first), (out[:-1], out[1:]), (out, Draw(seed + 1, 0.3).are_held_out(numbers))]
        for a, b in pairs:
            assert abs(np.corrcoef(a, b)[0, 1]) < 4 / np.sqrt(1e5)


SELECTED = FRAME.assign(
    ill=FRAME["ill"].where(FRAME["age"] > 70), seen=np.where(FRAME["age"] > 70, "closed", "open"), every=FRAME["ill"]
)


@pytest.mark.parametrize("unlabeled", [None, "seen=open"])
def test_no_estimate_is_printed_where_rows_were_selected_to_be_labeled(tmp_path, unlabeled):
    table = SELECTED if unlabeled is None else SELECTED.assign(ill=FRAME["ill"])
    table.drop(columns=["every"]).to_csv(tmp_path / "t.csv", index=False)
    options = LEARNED | {"exclude": [*LEARNED["exclude"], "seen"], "budget": 200}
    result = workflow.fit(tmp_path / "t.csv", **options, memory=TINY, unlabeled=unlabeled)
    n_labeled = int((FRAME["age"] > 70).sum())
    assert f"{n_labeled:,} rows with a label are no random part of the 4,000" in result.warnings[0]
    assert "'age'" in result.warnings[0]
    assert "all_held_out" not in result.metrics
    assert (result.model.calibration, result.metrics["population"]) == (None, N)
    assert result.model.facts["rows"] == n_labeled
    assert not re.search("expect|AUC 0|interval 0", result.report.markdown)
    # The sample is as large a part of the rows with a label as of the others.
    share = result.metrics["n_labeled"] / result.metrics["n_rows"]
    assert share == pytest.approx(n_labeled / N, abs=4 * np.sqrt(0.25 / result.metrics["n_rows"]))


def test_labels_missing_at_random_are_no_reason_to_warn(tmp_path):
    is_known = np.random.default_rng(2).random(N) < 0.6
    FRAME.assign(ill=FRAME["ill"].where(is_known)).to_csv(tmp_path / "t.csv", index=False)
    result = workflow.fit(tmp_path / "t.csv", **LEARNED, memory=TINY)
    assert not any("label" in warning for warning in result.warnings)
    assert any(f"{N - is_known.sum():,} of 4,000 rows have no label" in note for note in result.notes)
    assert result.model.facts["rows"] == is_known.sum()


def test_labels_that_come_late_are_waited_for(csv):
    options = LEARNED | {"time": "admitted", "label_delay": "90d"}
    result = workflow.fit(csv, **options, memory=TINY)
    last, day = FRAME["admitted"].max(), pd.Timedelta("90D")
    known = FRAME["admitted"] <= last - day
    since = FRAME["admitted"].iloc[result.scores["id"].astype(int) - 1].min()
    assert f"{(~known).sum():,} rows of the last 90d were left out" in " ".join(result.notes)
    assert result.model.facts["trained_on"] == result.model.facts["rows"] == known.sum()
    X, y = result.model.encoder.encode(FRAME), (FRAME["ill"] == "yes").to_numpy()
    early = (FRAME["admitted"] <= since - day).to_numpy()
    judged = clone(result.model.judged).fit(X[early], y[early])
    np.testing.assert_allclose(result.model.judged.coef_, judged.coef_, atol=1e-5 * np.abs(judged.coef_).max())
    final = clone(judged).fit(X[known], y[known])
    np.testing.assert_allclose(result.model.ranker.coef_, final.coef_, atol=1e-5 * np.abs(final.coef_).max())
    of_all = result.metrics["all_held_out"]
    assert of_all["rows"] == (known & (FRAME["admitted"] >= since)).sum()
    with pytest.raises(InputError, match="Lists of a period are judged as a whole, in memory"):
        workflow.fit(csv, **options, every="day", memory=TINY)
