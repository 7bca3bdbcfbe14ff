"""Models as SQL and ONNX: names, types and refusals; that they score as the model does, see test_portable_scores."""

import sys

import numpy as np
import pandas as pd
import pytest

from databases import by_duckdb, by_onnx, by_sqlite
from podium import workflow
from podium.exceptions import InputError, MissingPackageError

N_ROWS = 900


def table(seed=0):
    """All kinds of columns: names with quotes, values missing, far out and infinite, dates before 1970."""
    rng = np.random.default_rng(seed)
    begun = pd.Timestamp("1965-03-01") + pd.to_timedelta(rng.integers(0, 2_000_000_000, N_ROWS), "s")
    frame = pd.DataFrame(
        {
            "id": np.arange(N_ROWS),
            'the "size"': rng.standard_t(2, N_ROWS),
            "amount": rng.lognormal(3, 2, N_ROWS),
            "kind": rng.choice(["it's", "b", "Ünï"], N_ROWS),
            "town": rng.choice([f"t{j}" for j in range(30)], N_ROWS),
            "begun": begun,
            "ended": begun + pd.to_timedelta(rng.integers(0, 10**7, N_ROWS), "s"),
        }
    )
    risk = frame['the "size"'].clip(-3, 3) + (frame["kind"] == "b") + np.log(frame["amount"]) / 2 - 2
    frame["label"] = (risk + rng.logistic(size=N_ROWS) > 0).astype(int)
    frame.loc[::7, "amount"] = np.nan
    frame.loc[3, "amount"] = np.inf
    frame.loc[::11, "kind"] = None
    frame.loc[::13, "begun"] = pd.NaT
    return frame


def test_names_of_columns_are_not_names_of_a_graph():
    pytest.importorskip("onnx")
    names = {'the "size"': "score", "amount": "podium_1", "kind": "podium_2", "label": "label"}
    rows = table()[list(names)].rename(columns=names).assign(score_=table(1)["amount"] > 20)
    fitted = workflow.fit(rows, label="label", model="linear").model
    found = by_onnx(workflow.export_onnx(fitted), rows)
    assert found["score__"].to_numpy() == pytest.approx(fitted.scores(rows), abs=1e-9)


def test_without_its_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    fitted = workflow.fit(table()[["amount", "label"]], label="label", model="linear").model
    with pytest.raises(MissingPackageError, match=r"podium\[onnx\]"):
        workflow.export_onnx(fitted)


def test_truth_values_stay_so(tmp_path):
    new = table()[['the "size"', "label"]].assign(late=np.arange(N_ROWS) % 2 == 0)
    new.to_csv(tmp_path / "rows.csv", index=False)
    fitted = workflow.fit(tmp_path / "rows.csv", label="label", model="linear").model
    found = by_duckdb(workflow.export_sql(fitted, table="new_rows"), new)
    assert found["score"].to_numpy() == pytest.approx(model_scores(fitted, new), abs=1e-9)
    assert list(found.columns) == ['the "size"', "late", "score"]


def model_scores(fitted, frame):
    return fitted.scores(frame.assign(late=frame["late"].astype(float)))


def test_a_column_that_is_not_there_is_an_error_in_sqlite_too():
    model = workflow.fit(table()[["amount", "kind", "label"]], label="label", model="linear").model
    with pytest.raises(pd.errors.DatabaseError, match="amount"):
        by_sqlite(workflow.export_sql(model, dialect="sqlite"), table(1).drop(columns="amount"))


@pytest.mark.parametrize("export", [workflow.export_sql, workflow.export_onnx])
def test_free_text_cannot_be_exported(export):
    if export is workflow.export_onnx:
        pytest.importorskip("onnx")
    words = [f"word{j % 7} other{j % 5} third{j % 3} n{j}" for j in range(300)]
    rows = table().head(300).assign(remarks=words)
    with pytest.raises(InputError, match=r"Words cannot be exported: 'remarks' is free text"):
        export(workflow.fit(rows, label="label", model="linear").model)
