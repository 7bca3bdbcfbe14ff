"""Scores of a few rows are those of a list of these rows, whatever is in their cells."""

import datetime
import math
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from podium import persist, workflow
from podium.exceptions import InputError, InputTypeError
from podium.tables.rows import encoded

N_ROWS = 600
MODELS = ("linear", "linear-quantile", "quadratic", "boosted", "trees", "ranking-tree")


def table(seed, n_rows=N_ROWS):
    rng = np.random.default_rng(seed)
    begun = pd.Timestamp("1968-03-01") + pd.to_timedelta(rng.integers(0, 10**9, n_rows), "s")
    frame = pd.DataFrame(
        {
            "id": np.arange(n_rows),
            "amount": rng.lognormal(3, 2, n_rows),
            "count": rng.poisson(3, n_rows),
            "late": rng.random(n_rows) < 0.4,
            "kind": rng.choice(["a", "it's", "Ünï", "b c"], n_rows).astype(object),
            "town": rng.choice([f"t{j}" for j in range(25)], n_rows).astype(object),
            "zip": rng.choice(["01067", "80331"], n_rows).astype(object),
            "begun": begun.astype("datetime64[s]"),
            "ended": (begun + pd.to_timedelta(rng.integers(0, 10**7, n_rows), "s")).astype("datetime64[s]"),
        }
    )
    risk = np.log(frame["amount"]) - 3 + frame["late"] + (frame["kind"] == "a") + (frame["begun"].dt.month < 5)
    frame["label"] = (risk + rng.logistic(size=n_rows) > 0.5).astype(int)
    frame.loc[::7, "amount"] = np.nan
    frame.loc[::11, "kind"] = None
    frame.loc[::13, "begun"] = pd.NaT
    return frame


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return workflow.fit(table(0), label="label", model=request.param, id_column="id").model


@pytest.fixture(scope="module")
def line():
    return workflow.fit(table(0), label="label", model="linear", id_column="id").model


def as_json(frame):
    """As a request has them."""
    frame = frame.assign(**{name: frame[name].dt.strftime("%Y-%m-%dT%H:%M:%S") for name in ("begun", "ended")})
    rows = frame.drop(columns=["id", "label"]).to_dict("records")
    return [{name: None if pd.isna(cell) else cell for name, cell in row.items()} for row in rows]


def of_a_list(model, table):
    """What `podium score` gives, in the order of the rows."""
    found = workflow.score(model, table).scores
    return found["score"].to_numpy()[np.argsort(found["id"].astype(int))]


def test_rows_get_the_scores_of_a_list(model):
    new = table(1, 200)
    expected = of_a_list(model, new)
    assert np.ptp(expected) > 0.1
    np.testing.assert_array_equal(model.score_rows(new), expected)
    rows = as_json(new)
    assert encoded(model.encoder.columns, model.known, rows) is not None
    np.testing.assert_allclose(model.score_rows(rows), expected, rtol=0, atol=1e-12)
    alone = [model.score_rows([row])[0] for row in rows]
    np.testing.assert_allclose(alone, expected, rtol=0, atol=1e-12)


def test_plain_cells_are_encoded_to_the_last_bit(line):
    new = table(2, 5000)
    new.loc[::3, "amount"] *= 1e6
    new.loc[1, "amount"], new.loc[2, "amount"] = 0.0, -1e300
    rows = as_json(new)
    rows[3]["amount"], rows[5]["amount"] = math.inf, -math.inf
    new.loc[3, "amount"], new.loc[5, "amount"] = math.inf, -math.inf
    np.testing.assert_array_equal(encoded(line.encoder.columns, line.known, rows), line.encoder.encode(new))


CELLS: dict[str, list[Any]] = {
    "amount": [None, math.nan, math.inf, 0, 7, -0.0, 1e300, "12.5", " 12.5 ", "1,234", "1.234,5", "", "NA", "unknown",
               "-", True, 2**60, np.float64(3.25), np.float32(0.1), np.int64(4), "3 000"],
    "count": [0, 2.5, None, "4", "4.0", "n.a."],
    "late": [True, False, None, 1, 0, 1.0, "true", "F", "1"],
    "kind": [None, math.nan, "", "a", " a", "a ", "b c", "never seen", "NA", "nan", "unknown", "A", 5, 5.0, 2.5, True,
             "it's", "\u00a0a", "Ünï", "\ta"],
    "zip": ["01067", 1067, 80331, 80331.0, "80331", None],
    "begun": [None, "", "NaT", "2001-02-03", "2001-02-03 04:05:06", "2001-02-03T04:05:06", "2001-02-03T04:05:06Z",
              "2001-02-03T04:05:06.75", "1965-02-03T04:05:06.75", "2001-02-03T04:05:06+02:00", "2001-02-03T04:05",
              "03.02.2001", "2001-2-3", datetime.date(2001, 2, 3), datetime.datetime(2001, 2, 3, 4, 5, 6, 7),
              datetime.datetime(2001, 2, 3, 4, tzinfo=datetime.UTC), np.datetime64("2001-02-03"),
              pd.Timestamp("1950-01-01"), pd.NaT, 5, 5.0, "1800-01-01", "2500-12-31", "2001-02-30", "20010203"],
}  # fmt: skip


@pytest.mark.parametrize(("name", "cell"), [(name, cell) for name, cells in CELLS.items() for cell in cells], ids=repr)
def test_a_cell_gets_what_a_list_makes_of_it(line, name, cell):
    """Alone in its column, and below one of the usual kind: the same score, or the same refusal."""
    usual = as_json(table(3, 1))[0]
    for rows in ([usual | {name: cell}], [usual, usual | {name: cell}]):
        frame = pd.DataFrame(rows)
        try:
            expected = of_a_list(line, frame)
        except (InputError, InputTypeError) as refusal:
            with pytest.raises(type(refusal), match=f"^{re.escape(str(refusal))}$"):
                line.score_rows(rows)
        else:
            np.testing.assert_allclose(line.score_rows(rows), expected, rtol=0, atol=1e-12)


def test_a_key_that_a_row_lacks_is_a_missing_value(line):
    rows = as_json(table(3, 4))
    del rows[1]["amount"], rows[2]["begun"], rows[3]["kind"]
    expected = of_a_list(line, pd.DataFrame(rows))
    np.testing.assert_allclose(line.score_rows(rows), expected, rtol=0, atol=1e-12)


def test_a_key_that_all_rows_lack_is_refused_as_a_column_is(line):
    rows = as_json(table(3, 2))
    for row in rows:
        del row["kind"]
    with pytest.raises(InputError, match="missing: 'kind'"):
        line.score_rows(rows)


def test_a_model_of_one_column_needs_no_other():
    frame = table(0)[["amount", "label"]]
    model = workflow.fit(frame, label="label", model="linear").model
    expected = model.scores(pd.DataFrame({"amount": [1.5, 20.0]}))
    np.testing.assert_array_equal(model.score_rows([{"amount": "1,5"}, {"amount": "20", "other": []}]), expected)
    with pytest.raises(InputError, match="missing: 'amount'"):
        model.score_rows(pd.DataFrame({"other": [1.5]}))


def test_a_model_that_scored_rows_is_written_as_before():
    model = workflow.fit(table(0), label="label", model="linear", id_column="id").model
    before = persist.dumps(model)
    model.score_rows(as_json(table(3, 3)))
    assert persist.dumps(model) == before


def test_other_keys_are_ignored(line):
    rows = as_json(table(3, 3))
    more = [row | {"note": {"any": ["thing"]}, "x": j} for j, row in enumerate(rows)]
    np.testing.assert_array_equal(line.score_rows(more), line.score_rows(rows))


@pytest.mark.parametrize("rows", [[{"a": 1}, 5], {"amount": 3}, 7, None, [[1, 2]]], ids=repr)
def test_what_is_no_rows_gets_a_sentence(line, rows):
    with pytest.raises(InputTypeError, match=r"list of dicts|table"):
        line.score_rows(rows)


def test_no_rows_are_refused_as_an_empty_table_is(line):
    with pytest.raises(InputError):
        line.score_rows([])
