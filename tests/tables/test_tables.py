import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from podium.exceptions import InputError
from podium.selection.dependence import split
from podium.tables import Encoder, TrainingRows, describe, positives, read
from podium.tables.formats.reader import ColumnReader, known_words
from podium.tables.formats.text import LabelFormat
from podium.tables.labels import DegenerateSampleError
from podium.tables.listing import Listing


def all_rows(frame):
    return np.arange(len(frame))


def encoded(frame, is_positive=None):
    kinds = describe(frame, np.arange(len(frame)) % 2 == 0).kinds
    encoder = Encoder.fit(frame, all_rows(frame), kinds, is_positive)
    return encoder, encoder.encode(frame)


def test_every_kind_of_column_becomes_finite_numbers(tmp_path):
    (tmp_path / "t.csv").write_text("a;b;c;d;e\n" + "1,5;true;2024-01-01;x;1\n;;;;2\nz;false;2025-06-01;y;inf\n" * 10)
    frame = read(tmp_path / "t.csv")
    assert frame.shape == (30, 5)
    _, X = encoded(frame)
    assert np.isfinite(X).all()


def test_numbers_keep_their_order_and_outliers_come_near():
    frame = pd.DataFrame({"x": [*np.arange(50.0), 1e9, -1e9]})
    _, X = encoded(frame)
    assert (np.argsort(X[:, 0]) == np.argsort(frame["x"])).all()
    assert np.abs(X).max() < 30


def test_a_missing_number_is_the_median_with_a_mark():
    encoder, X = encoded(pd.DataFrame({"x": [1.0, 2.0, 3.0, np.nan]}))
    assert encoder.outputs == ["x", "x is missing"]
    np.testing.assert_array_equal(X[3], [0.0, 1.0])


def test_text_of_few_values_has_a_column_for_each_and_none_for_strangers():
    encoder, X = encoded(pd.DataFrame({"t": ["u", "v"] * 10}))
    assert encoder.outputs == ["t = u", "t = v"]
    np.testing.assert_array_equal(X[:2], np.eye(2))
    np.testing.assert_array_equal(encoder.encode(pd.DataFrame({"t": ["w", None]})), np.zeros((2, 2)))


def test_shares_of_positives_tell_nothing_of_noise_in_the_training_rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"t": rng.integers(60, size=3000).astype(str)})
    y = rng.random(3000) < 0.5
    encoder = Encoder.fit(frame, all_rows(frame), {"t": "text"}, y)
    honest = TrainingRows.of(encoder.training_rows(frame.copy(), all_rows(frame), y, rng)).X[:, 0]
    naive = encoder.encode(frame)[:, 0]
    assert np.corrcoef(naive, y)[0, 1] > 0.1
    assert np.corrcoef(honest, y)[0, 1] < 0.05  # slightly negative: a row's own label is missing from its share


def test_a_table_that_lacks_a_column_is_refused_in_a_sentence():
    frame = pd.DataFrame({"x": [0.5, 1.0, 2.0], "z": [3.0, 1.0, 7.0]})
    encoder = Encoder.fit(frame, np.arange(3), {"x": "number", "z": "number"})
    with pytest.raises(InputError, match="columns it was trained on; missing: 'z'"):
        encoder.encode(frame[["x"]])


def test_the_encoder_looks_at_no_row_but_those_it_is_given():
    frame = pd.DataFrame({"x": np.r_[np.arange(20.0), 1e6], "t": ["a"] * 10 + ["b"] * 10 + ["c"]})
    rows, kinds = np.arange(20), {"x": "number", "t": "text"}
    with_last, without = Encoder.fit(frame, rows, kinds), Encoder.fit(frame.iloc[:20], rows, kinds)
    np.testing.assert_array_equal(with_last.encode(frame), without.encode(frame))


def test_columns_that_say_nothing_are_left_out_and_reported():
    n = 100
    frame = pd.DataFrame(
        {
            "number": np.arange(n),
            "key": [f"k{i}" for i in range(n)],
            "same": 1,
            "none": np.full(n, np.nan),
            "gaps": np.where(np.arange(n) % 10 == 0, np.nan, np.arange(n) % 7),
        }
    )
    found = describe(frame, np.arange(n) % 3 == 0)
    assert found.kinds == {"gaps": "number"}
    for name, sentence in {
        "number": "identifier",
        "key": "identifier",
        "same": "same value",
        "none": "no value in any row",
    }.items():
        assert any(repr(name) in note and sentence in note for note in found.notes)
    assert "Column 'gaps' has no value in 10 of 100 rows." in found.notes


@pytest.mark.parametrize("name", ["customer_id", "CustomerID", "Kunden-Nr", "patient", "paid", "employees", "amount"])
def test_numbers_of_customers_and_the_like_are_left_out_by_name(name):
    is_left_out = name not in ("paid", "employees", "amount")
    customers = 7 * (np.arange(300) // 4) + 100_000
    frame = pd.DataFrame({name: customers, "x": np.arange(300) % 7})
    frame.loc[5, name] = np.nan  # whole numbers all the same
    found = describe(frame, np.arange(300) % 3 == 0)
    assert (name not in found.kinds) == is_left_out
    assert any("the name of an identifier" in note for note in found.notes) == is_left_out


@pytest.mark.parametrize(("first", "is_left_out"), [(0, False), (50_000, True)])
def test_how_many_there_are_is_learned_from_and_the_number_on_a_paper_is_not(first, is_left_out):
    frame = pd.DataFrame({"claims_number": first + np.arange(300) // 4, "x": np.arange(300) % 7})
    assert ("claims_number" not in describe(frame, np.arange(300) % 3 == 0).kinds) == is_left_out


@pytest.mark.parametrize("leak", [lambda y: y * 1.0, lambda y: -3.0 * y, lambda y: np.where(y, "p", "q")])
def test_a_column_that_equals_the_label_is_reported_as_a_leak(leak):
    y = np.arange(60) % 3 == 0
    assert len(describe(pd.DataFrame({"x": leak(y)}), y).perfect) == 1
    almost = y.copy()
    almost[0] = not almost[0]
    assert not describe(pd.DataFrame({"x": leak(almost)}), y).perfect


@pytest.mark.parametrize(("n_rows", "leaks"), [(8, False), (60, True)])
def test_classes_of_few_rows_are_separated_by_chance(n_rows, leaks):
    y = np.arange(n_rows) % 4 == 0
    assert bool(describe(pd.DataFrame({"x": y + np.linspace(0, 0.5, n_rows)}), y).perfect) == leaks


@pytest.mark.parametrize(
    ("values", "positive", "expected"),
    [
        ([0, 1], None, "1"),
        ([-1.0, 1.0], None, "1"),
        ([False, True], None, "True"),
        ([False, True], "TRUE", "True"),
        ([False, True], "false", "False"),
        (["TRUE", "FALSE"], "FALSE", "FALSE"),
        (["no", "yes"], "yes", "yes"),
        ([1, 2, 3], "2", "2"),
    ],
)
def test_labels_are_read_as_people_write_them(values, positive, expected):
    column = pd.Series(values * 3, name="y")
    found, word = positives(column, positive)
    assert word == expected
    assert found.sum() == 3


def test_both_parts_of_a_split_have_the_share_of_positives_of_the_table():
    y = np.arange(1000) % 10 == 0
    parts = split(y, 0.3, np.random.default_rng(0))
    assert sorted([*parts.training, *parts.held_out]) == list(range(1000))
    assert (y[parts.held_out].sum(), len(parts.held_out)) == (30, 300)
    with pytest.raises(DegenerateSampleError, match="both classes"):
        split(np.arange(9) == 0, 0.3, np.random.default_rng(0))


def test_ties_share_the_better_rank_and_the_top_is_that_of_the_whole_list():
    whole, top = Listing(), Listing(top=3)
    for start in range(0, 40, 5):
        scores = (np.arange(start, start + 5) // 2).astype(float)
        for listing in (whole, top):
            listing.add(pd.Series(range(start, start + 5)), scores)
    assert whole.frame()["rank"].tolist()[:5] == [1, 1, 3, 3, 5]
    pd.testing.assert_frame_equal(top.frame(), whole.frame().head(3))


def test_values_that_come_late_in_a_file_still_decide_what_a_column_holds(tmp_path, monkeypatch):
    monkeypatch.setattr("podium.tables.files.csv._BLOCK", 64)
    (tmp_path / "t.csv").write_text("a,b,c\n" + "1,,2\n" * 50 + "1.5,word,2\n" * 50)
    frame = read(tmp_path / "t.csv")
    assert (frame["a"].sum(), frame["b"].notna().sum(), frame["c"].sum()) == (125.0, 50, 200)


@pytest.mark.parametrize(
    ("column", "positive"),
    [
        (pa.array([True, False, True]), {"true"}),
        (pa.array([3, 1, None, 1, 0]), {"1", "3"}),
        (pa.array([1.0, 0.0, None, 1.0, float("nan")]), {"1"}),
        (pa.array([0.5, 1.0, None, float("nan"), 0.5]), {"0.5"}),
        (pa.array(["yes", " yes ", "no", "", "NA", None, "n/a", "Yes"]), {"yes"}),
        (pa.array([None, None, None], pa.string()), {"yes"}),
    ],
    ids=lambda each: str(each.type) if isinstance(each, pa.Array) else "",
)
def test_labels_are_decided_by_value_as_they_are_by_row(column, positive):
    chunked = pa.chunked_array([column[:2], column[2:]])
    words = known_words(chunked).to_pylist()
    reader = ColumnReader(source="a table", known={"y": LabelFormat(frozenset(positive))}, only_known=True)
    assert reader.one("y", chunked).to_pylist() == [None if word is None else word in positive for word in words]
